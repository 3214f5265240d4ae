/**
 * PodSecurity (plugin/pkg/admission/security/podsecurity and pod-security-admission, v1.34): pods that their namespace
 * does not allow are refused or warned of, as its labels say; templates of pods are warned of. Nothing is exempt.
 */
import { invalidError } from '../../../api/errors/field-errors.js';
import type { AnyObject, Container, Kind, Namespace, Pod, PodSpec, StringMap } from '../../../api/objects/objects.js';
import { controllerOf } from '../../../api/objects/owners.js';
import { isSameJson } from '../../../api/values/canonical-json.js';
import type { VersionedStore } from '../../store/store.js';
import type { AdmissionPlugin } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import { breachesOf, detailsText, reasonsText } from './pod-checks.js';
import { compareLevels, isSameLevel, levelText, podPolicyOf, type LevelVersion, type PodPolicy } from './pod-policy.js';

/** Pods that are looked at when a namespace gets another level. */
const MOST_PODS = 3000;
/** Subresources through which a pod's containers change. */
const POD_PARTS: ReadonlySet<string> = new Set(['', 'ephemeralcontainers', 'resize']);

interface Template {
  readonly metadata?: { readonly annotations?: StringMap };
  readonly spec?: PodSpec;
}

type WithTemplate = { readonly spec?: { readonly template?: Template; readonly jobTemplate?: WithTemplate } };

const ofSpec = (object: AnyObject): Template | undefined => (object as unknown as WithTemplate).spec?.template;
/** Where kinds have their template. */
const TEMPLATES: Readonly<Record<string, (object: AnyObject) => Template | undefined>> = {
  PodTemplate: (object) => (object as unknown as { readonly template?: Template }).template,
  ReplicationController: ofSpec,
  ReplicaSet: ofSpec,
  Deployment: ofSpec,
  StatefulSet: ofSpec,
  DaemonSet: ofSpec,
  Job: ofSpec,
  CronJob: (object) => (object as unknown as WithTemplate).spec?.jobTemplate?.spec?.template,
};

/** See the file header. */
export function podSecurity(store: Pick<VersionedStore, 'shelf'>): AdmissionPlugin {
  const namespaces = store.shelf('Namespace');
  const pods = store.shelf('Pod');
  const policyOf = (namespace: string | undefined): PodPolicy =>
    podPolicyOf(namespaces.table.get(undefined, namespace ?? '')?.metadata.labels);
  return {
    name: 'PodSecurity',
    handles: ({ operation, resource, subresource }) => {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      if (resource.kind === 'Pod') return POD_PARTS.has(subresource);
      return subresource === '' && (resource.kind === 'Namespace' || TEMPLATES[resource.kind] !== undefined);
    },
    validate: (attributes) => {
      const { resource, namespace } = attributes;
      if (resource.kind === 'Namespace') {
        checkNamespace(attributes, () => pods.table.sorted(attributes.name));
        return;
      }
      const policy = policyOf(namespace);
      if (resource.kind === 'Pod') checkPod(attributes, policy);
      else checkTemplate(attributes, policy);
    },
  };
}

/** @throws ApiError 422 for labels that cannot be read */
function checkNamespace(attributes: Attributes<Kind>, podsOf: () => readonly Pod[]): void {
  const { object, previous, resource, name, context } = attributes;
  const { enforce, errors } = podPolicyOf((object as Namespace).metadata.labels);
  const before = previous === undefined ? undefined : podPolicyOf((previous as Namespace).metadata.labels);
  if (errors.length > 0 && !isSameJson(errors, before?.errors ?? [])) throw invalidError(resource, name, errors);
  if (before === undefined || isSameLevel(enforce, before.enforce) || enforce.level === 'privileged') return;
  const isRelaxed = compareLevels(enforce.level, before.enforce.level) <= 0;
  if (enforce.version === before.enforce.version && isRelaxed) return;
  for (const text of warningsOfPods(name, enforce, podsOf())) context.warn(text);
}

/** One of each controller first, as upstream has it; those that break the same rules share a warning. */
function warningsOfPods(namespace: string, enforce: LevelVersion, all: readonly Pod[]): readonly string[] {
  const controllers = new Set<string>();
  const isFirst = (pod: Pod): boolean => {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) return true;
    const isNew = !controllers.has(uid);
    controllers.add(uid);
    return isNew;
  };
  const firsts = new Set(all.filter(isFirst));
  const checked = [...firsts, ...all.filter((pod) => !firsts.has(pod))].slice(0, MOST_PODS);
  const byReasons = new Map<string, string[]>();
  for (const { metadata, spec } of checked) {
    const breaches = breachesOf(enforce, spec, metadata.annotations);
    if (breaches.length === 0) continue;
    const reasons = reasonsText(breaches);
    byReasons.set(reasons, [...(byReasons.get(reasons) ?? []), metadata.name]);
  }
  const warnings: string[] = [];
  if (checked.length < all.length) {
    const counts = `${checked.length} of ${all.length}`;
    warnings.push(`new PodSecurity enforce level only checked against the first ${counts} existing pods`);
  }
  if (byReasons.size === 0) return warnings;
  const level = JSON.stringify(levelText(enforce));
  warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level ${level}`);
  return [...warnings, ...[...byReasons].map(([reasons, names]) => podsText(names, reasons)).sort()];
}

function podsText(names: readonly string[], reasons: string): string {
  const [first = ''] = [...names].sort();
  if (names.length === 1) return `${first}: ${reasons}`;
  const others = names.length === 2 ? '1 other pod' : `${names.length - 1} other pods`;
  return `${first} (and ${others}): ${reasons}`;
}

/** @throws ApiError 403 */
function checkPod(attributes: Attributes<Kind>, { enforce, warn }: PodPolicy): void {
  if (enforce.level === 'privileged' && warn.level === 'privileged') return;
  const { spec, metadata } = attributes.object as Pod;
  if (attributes.previous !== undefined && !hasNewImages(spec, (attributes.previous as Pod).spec)) return;
  const breaches = breachesOf(enforce, spec, metadata.annotations);
  if (breaches.length > 0) {
    throw attributes.refusal(`violates PodSecurity ${JSON.stringify(levelText(enforce))}: ${detailsText(breaches)}`);
  }
  warnOf(attributes, warn, { spec, metadata: { annotations: metadata.annotations ?? {} } });
}

function checkTemplate(attributes: Attributes<Kind>, { warn }: PodPolicy): void {
  if (warn.level === 'privileged') return;
  const template = TEMPLATES[attributes.resource.kind]?.(attributes.object as AnyObject);
  if (template !== undefined) warnOf(attributes, warn, template);
}

function warnOf({ context }: Attributes<Kind>, warn: LevelVersion, { spec, metadata }: Template): void {
  if (spec === undefined) return;
  const breaches = breachesOf(warn, spec, metadata?.annotations);
  if (breaches.length === 0) return;
  context.warn(`would violate PodSecurity ${JSON.stringify(levelText(warn))}: ${detailsText(breaches)}`);
}

/** Of what an update may change of a pod only containers and their images matter. */
function hasNewImages(next: PodSpec, previous: PodSpec): boolean {
  return !isSameJson(imagesOf(next), imagesOf(previous));
}

function imagesOf({ containers, initContainers = [], ephemeralContainers = [] }: PodSpec): readonly string[] {
  const all = [...containers, ...initContainers, ...(ephemeralContainers as readonly Container[])];
  return all.map(({ name, image }) => `${name} ${image ?? ''}`);
}
