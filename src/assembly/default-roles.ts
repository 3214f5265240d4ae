/** The roles that every cluster begins with and their bindings, as objects. They are there before its history begins. */
import { createHash } from 'node:crypto';
import {
  AGGREGATED_ROLES,
  DEFAULT_BINDINGS,
  DEFAULT_RULES,
  NAMESPACED_BINDINGS,
  NAMESPACED_RULES,
} from '../api/rbac/default-roles.js';
import { aggregatedRules } from '../api/rbac/role-aggregation.js';
import { ruleOf } from '../api/rbac/rule-line.js';
import type { Role, Subject } from '../api/rbac/rbac-objects.js';
import type { Draft, Kind } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { once } from '../kernel/once.js';

const GROUP = 'rbac.authorization.k8s.io';
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const AGGREGATE = `${GROUP}/aggregate-to-`;
const CONTROLLER = 'system:controller:';

/** Puts them where none is of their name. @param time - of their creation */
export function placeDefaultRoles(server: ApiServer, time: string): void {
  for (const { kind, draft } of defaultObjects()) {
    const { name = '', namespace } = draft.metadata ?? {};
    if (server.find(kind, { namespace, name }) !== undefined) continue;
    server.place(kind, { ...draft, metadata: { ...draft.metadata, creationTimestamp: time } });
  }
}

interface Placed {
  readonly kind: Kind;
  readonly draft: Draft;
}

/** The same in every cluster: a sweep makes thousands of clusters. */
const defaultObjects = once((): readonly Placed[] => {
  const all: Placed[] = [];
  const place = (kind: Kind, draft: Draft): void => {
    const { name = '', namespace } = draft.metadata ?? {};
    const uid = uidFor(`${kind} ${namespace ?? ''}/${name}`);
    all.push({ kind, draft: { ...draft, metadata: { ...draft.metadata, uid } } });
  };
  for (const role of clusterRoles()) place('ClusterRole', role as unknown as Draft);
  const controllers = Object.keys(DEFAULT_RULES).filter((name) => name.startsWith(CONTROLLER));
  const ofControllers = controllers.map((name) => [name, [`ServiceAccount:${name.slice(CONTROLLER.length)}`]] as const);
  for (const [name, subjects] of [...Object.entries(DEFAULT_BINDINGS), ...ofControllers]) {
    place('ClusterRoleBinding', bindingOf({ name }, { kind: 'ClusterRole', name }, subjects));
  }
  for (const [key, rules] of Object.entries(NAMESPACED_RULES)) {
    place('Role', { metadata: metadataOf(keyed(key)), rules: rules.map(ruleOf) });
  }
  for (const [key, { role, subjects }] of Object.entries(NAMESPACED_BINDINGS)) {
    place('RoleBinding', bindingOf(keyed(key), { kind: 'Role', name: role }, subjects));
  }
  return all;
});

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

function keyed(key: string): Named {
  const [namespace = '', name = ''] = key.split('/', 2);
  return { namespace, name };
}

function metadataOf(named: Named, labels: object = {}): NonNullable<Draft['metadata']> {
  return { ...named, labels: { ...LABELS, ...labels }, annotations: ANNOTATIONS };
}

function clusterRoles(): readonly Role[] {
  const plain = Object.entries(DEFAULT_RULES).map(([name, rules]) => {
    const [, part] = /^system:aggregate-to-(.*)$/.exec(name) ?? [];
    const labels = part === undefined ? {} : { [AGGREGATE + part]: 'true' };
    return { metadata: metadataOf({ name }, labels), rules: rules.map(ruleOf) } as unknown as Role;
  });
  const all = [...plain];
  // What is a part of others is there before them.
  for (const [name, wholes] of Object.entries(AGGREGATED_ROLES).reverse()) {
    const labels = Object.fromEntries(wholes.map((whole) => [AGGREGATE + whole, 'true']));
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE + name]: 'true' } }] };
    const role = { metadata: metadataOf({ name }, labels), aggregationRule } as unknown as Role;
    all.push({ ...role, rules: aggregatedRules(role, all) ?? [] });
  }
  return all;
}

function bindingOf(
  named: Named,
  role: { readonly kind: string; readonly name: string },
  subjects: readonly string[],
): Draft {
  return {
    metadata: metadataOf(named),
    roleRef: { apiGroup: GROUP, ...role },
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
  };
}

function subjectOf(text: string): Subject {
  const [kind = ''] = text.split(':', 1);
  const name = text.slice(kind.length + 1);
  return kind === 'ServiceAccount' ? { kind, name, namespace: 'kube-system' } : { kind, apiGroup: GROUP, name };
}

/** Of its own in every cluster alike: nothing is drawn for it. */
export function uidFor(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(12, 15)}`, `8${digits.slice(15, 18)}`];
  return [...groups, digits.slice(18, 30)].join('-');
}
