/**
 * What kubelets may do by being one: users `system:node:NAME` of the group `system:nodes`. Of their own node and its
 * lease, of pods that are bound to it and of what these name they may read and write what a kubelet needs; all else is
 * by the rules of `system:node`. Mirrors plugin/pkg/auth/authorizer/node (v1.34).
 */
import { once } from '../../kernel/once.js';
import { DEFAULT_RULES } from '../../api/rbac/default-roles.js';
import { ruleOf } from '../../api/rbac/rule-line.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { RequestUser } from '../api-request.js';
import { isOfNode, type OwnedKind } from './node-relations.js';
import { allows, type AccessQuestion, type Verdict } from './policy-rules.js';

const NODES_GROUP = 'system:nodes';
const NODE_USER = 'system:node:';
const LEASES_NAMESPACE = 'kube-node-lease';
const ALLOWED: Verdict = { allowed: true, reason: '' };
const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'];
const CHANGES = ['update', 'patch'];

const nodeRules = once(() => (DEFAULT_RULES['system:node'] ?? []).map(ruleOf));

/** Whose kubelet a user is; `undefined` = nobody's. */
export function nodeOfUser({ name, groups }: RequestUser): string | undefined {
  return name.startsWith(NODE_USER) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER.length) : undefined;
}

interface Asked extends AccessQuestion {
  readonly server: ApiServer;
  readonly node: string;
}

/** See the file header. */
export function nodeVerdict(server: ApiServer, user: RequestUser, question: AccessQuestion): Verdict {
  const node = nodeOfUser(user);
  if (node === undefined) return refused('');
  if (node === '') return refused(`unknown node for user ${JSON.stringify(user.name)}`);
  const { group, resource } = question;
  const decide = question.path === '' ? BY_RESOURCE[group === '' ? resource : `${resource}.${group}`] : undefined;
  if (decide !== undefined) return decide({ ...question, server, node });
  return nodeRules().some((rule) => allows(rule, question)) ? ALLOWED : refused('');
}

type Decide = (asked: Asked) => Verdict;

const BY_RESOURCE: Readonly<Partial<Record<string, Decide>>> = {
  secrets: (asked) => mayRead('Secret', asked),
  configmaps: (asked) => mayRead('ConfigMap', asked),
  persistentvolumeclaims(asked) {
    if (asked.subresource !== 'status') return mayGet('PersistentVolumeClaim', asked);
    if (CHANGES.includes(asked.verb)) return mayHave('PersistentVolumeClaim', asked);
    return refused('can only get/update/patch this type');
  },
  persistentvolumes: (asked) => mayGet('PersistentVolume', asked),
  'resourceclaims.resource.k8s.io': (asked) => mayGet('ResourceClaim', asked),
  'volumeattachments.storage.k8s.io': (asked) => mayGet('VolumeAttachment', asked),
  serviceaccounts(asked) {
    const { verb, subresource, name } = asked;
    if (verb === 'get' && subresource === '') return mayRead('ServiceAccount', asked);
    if (verb !== 'create' || name === '') return refused('can only create tokens for individual service accounts');
    if (subresource !== 'token') return refused('can only create token subresource of serviceaccount');
    return mayHave('ServiceAccount', asked);
  },
  'leases.coordination.k8s.io'({ verb, namespace, name, node }) {
    if (!OWN_VERBS.includes(verb)) return refused('can only get, create, update, patch, or delete a node lease');
    if (namespace !== LEASES_NAMESPACE) {
      return refused(`can only access leases in the ${JSON.stringify(LEASES_NAMESPACE)} system namespace`);
    }
    if (verb === 'create' || name === node) return ALLOWED;
    return refused('can only access node lease with the same name as the requesting node');
  },
  'csinodes.storage.k8s.io'({ verb, subresource, name, node }) {
    if (!OWN_VERBS.includes(verb)) return refused('can only get, create, update, patch, or delete a CSINode');
    if (subresource !== '') return refused('cannot authorize CSINode subresources');
    if (verb === 'create' || name === node) return ALLOWED;
    return refused('can only access CSINode with the same name as the requesting node');
  },
  'resourceslices.resource.k8s.io'(asked) {
    const { verb, subresource } = asked;
    if (subresource !== '') return refused('cannot authorize ResourceSlice subresources');
    if (verb === 'create') return ALLOWED;
    if (verb === 'get' || verb === 'delete' || CHANGES.includes(verb)) return mayHave('ResourceSlice', asked);
    if (!['watch', 'list', 'deletecollection'].includes(verb)) {
      return refused(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
    }
    if (selectsOwn(asked, 'spec.nodeName')) return ALLOWED;
    return refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
  },
  nodes({ verb, subresource, name, node }) {
    if (subresource === 'status' && CHANGES.includes(verb)) return ALLOWED;
    if (subresource !== '') return refused('');
    if (verb === 'create' || CHANGES.includes(verb)) return ALLOWED;
    if (!['get', 'list', 'watch'].includes(verb)) return refused('');
    if (name === node) return ALLOWED;
    const what = name === '' ? 'all nodes' : `'${name}'`;
    return refused(`node '${node}' cannot read ${what}, only its own Node object`);
  },
  pods(asked) {
    const { verb, subresource, name } = asked;
    if (subresource === 'status') return CHANGES.includes(verb) ? ALLOWED : refused('');
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : refused('');
    if (subresource !== '') return refused('');
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (verb === 'get') return mayGet('Pod', asked);
    if (verb !== 'list' && verb !== 'watch') return refused('');
    if (selectsOwn(asked, 'spec.nodeName')) return ALLOWED;
    if (name !== '') return mayHave('Pod', asked);
    return refused('can only list/watch pods with spec.nodeName field selector');
  },
};

function refused(reason: string): Verdict {
  return { allowed: false, reason };
}

function selectsOwn({ fields = [], node }: Asked, field: string): boolean {
  return fields.some((each) => each.field === field && each.operator === '=' && each.value === node);
}

function mayRead(kind: OwnedKind, asked: Asked): Verdict {
  if (!['get', 'list', 'watch'].includes(asked.verb)) return refused('can only read resources of this type');
  if (asked.subresource !== '') return refused('cannot read subresource');
  if (asked.namespace === '') return refused('can only read namespaced object of this type');
  return mayHave(kind, asked);
}

function mayGet(kind: OwnedKind, asked: Asked): Verdict {
  if (asked.verb !== 'get') return refused('can only get individual resources of this type');
  if (asked.subresource !== '') return refused('cannot get subresource');
  return mayHave(kind, asked);
}

function mayHave(kind: OwnedKind, { server, node, namespace, name }: Asked): Verdict {
  if (name === '') return refused('No Object name found');
  if (isOfNode(server, node, { kind, namespace, name })) return ALLOWED;
  return refused(`no relationship found between node '${node}' and this object`);
}
