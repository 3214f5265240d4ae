/** Kinds as users write them in versions other than those in which they are kept. Pure. */
import type { Draft, Kind } from '../objects/objects.js';
import { keptAutoscaler } from './plain/autoscaler-form.js';
import { kindRegistry } from './registry.js';
import { MUTATING_POLICY_FORMS } from './version-forms.js';
import { USUAL_KINDS } from './optional-kinds.js';

/** A version of a kind that is read, and not kept. */
export interface OtherVersion {
  readonly kind: Kind;
  readonly written: Readonly<Record<'kind' | 'group' | 'version', string>>;
  /** The object as it is kept. */
  keep(draft: Draft): Draft;
}

const AUTOSCALER: OtherVersion = {
  kind: 'HorizontalPodAutoscaler',
  written: { kind: 'HorizontalPodAutoscaler', group: 'autoscaling', version: 'v1' },
  keep: (draft) => {
    const { status, ...kept } = keptAutoscaler(draft);
    const apiVersion = 'autoscaling/v2';
    return 'status' in draft ? { ...kept, status, apiVersion } : { ...kept, apiVersion };
  },
};

const POLICIES = MUTATING_POLICY_FORMS.map(({ kind, group, version, kept }): OtherVersion => ({
  kind,
  written: { kind, group, version },
  keep: kept,
}));

/** `undefined` = there is no such version beside the one that is kept. */
export function otherVersion(apiVersion: string, kind: string): OtherVersion | undefined {
  return [AUTOSCALER, ...POLICIES].find(
    ({ written }) => written.kind === kind && apiVersion === `${written.group}/${written.version}`,
  );
}

/** Of these versions, too, nothing is kept: they are asked, not stored. */
const ASKED: ReadonlyMap<string, readonly string[]> = new Map([
  ['v1', ['Binding', 'ComponentStatus']],
  ['authentication.k8s.io/v1', ['SelfSubjectReview', 'TokenReview', 'TokenRequest']],
  [
    'authorization.k8s.io/v1',
    ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  ],
  ['autoscaling/v1', ['HorizontalPodAutoscaler', 'Scale']],
  ['events.k8s.io/v1', ['Event']],
  ['policy/v1', ['Eviction']],
]);

/** The names of a resource that Kubernetes serves. */
export interface ServedNames extends Readonly<Record<'group' | 'version' | 'kind' | 'plural' | 'singular', string>> {}

/** Those that are made below objects alone. */
const PARTS: ReadonlySet<string> = new Set(['Eviction', 'Scale', 'TokenRequest']);

/** The resources that every cluster serves, in each of their versions. */
export const SERVED_NAMES: readonly ServedNames[] = [
  ...USUAL_KINDS.map((kind) => kindRegistry[kind]),
  ...[...ASKED].flatMap(([apiVersion, kinds]) => {
    const slash = apiVersion.indexOf('/');
    const names = { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
    return kinds.filter((kind) => !PARTS.has(kind)).map((kind) => ({ ...names, kind, ...namesOf(kind) }));
  }),
];

function namesOf(kind: string): Pick<ServedNames, 'plural' | 'singular'> {
  const singular = kind.toLowerCase();
  return { singular, plural: singular.endsWith('s') ? `${singular}es` : `${singular}s` };
}

const SERVED: ReadonlySet<string> = new Set([
  ...ASKED.keys(),
  ...Object.values(kindRegistry).map(({ group, version }) => (group === '' ? version : `${group}/${version}`)),
]);

/** Whether Kubernetes serves a version, and it has no such kind: a name that is misspelt. */
export function isUnknownKind(apiVersion: string, kind: string): boolean {
  return SERVED.has(apiVersion) && ASKED.get(apiVersion)?.includes(kind) !== true;
}
