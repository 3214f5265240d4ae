/** What must hold once all has come to rest, counted anew from what there is. */
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type Kind, type KindMap, type Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Invariant, World } from './invariant.js';
import { serves } from '../registers/pod-register.js';

type PodDisruptionBudget = KindMap['PodDisruptionBudget'];

const NAMESPACED = (Object.keys(kindRegistry) as readonly Kind[]).filter((kind) => kindRegistry[kind].isNamespaced);

/** A pod that changes at the very end is counted a moment later. */
const COUNTED_MS = 10_000;

/** From pods and what owns them, not from numbers that others have written. */
const budgetsCountPods: Invariant = {
  name: 'budgets-count-pods',
  promise: 'at rest a budget counts the pods that serve, and allows what they are more than it needs',
  *atRest(world) {
    for (const budget of world.list('PodDisruptionBudget')) {
      const selector = compileLabelSelector(budget.spec.selector);
      const pods = world
        .list('Pod', { namespace: budget.metadata.namespace })
        .filter(({ metadata }) => selector.matches(metadata.labels));
      if (pods.some(({ metadata: { uid } }) => world.nowMs - (world.pod(uid)?.changedMs ?? 0) < COUNTED_MS)) continue;
      const healthy = pods.filter((pod) => serves(pod) && !isGranted(budget, pod)).length;
      const needed = neededBy(budget, pods, world);
      const { currentHealthy, disruptionsAllowed, conditions = [] } = budget.status;
      if (needed === undefined || conditions.some(({ reason }) => reason === 'SyncFailed')) continue;
      const allowed = pods.length === 0 ? 0 : Math.max(0, healthy - needed);
      if (currentHealthy === healthy && disruptionsAllowed === allowed) continue;
      const text = `counts ${currentHealthy} pods that serve and allows ${disruptionsAllowed} disruptions, and it is ${healthy} and ${allowed}`;
      yield { object: `PodDisruptionBudget ${keyOf(budget)}`, text };
    }
  },
};

/** What is in a namespace goes before the namespace. */
const namespacesHold: Invariant = {
  name: 'namespaces-emptied',
  promise: 'nothing is left of a namespace that is gone',
  *atRest(world) {
    const names = new Set(world.list('Namespace').map(({ metadata }) => metadata.name));
    for (const kind of NAMESPACED) {
      for (const object of world.list(kind)) {
        if (names.has(object.metadata.namespace ?? '')) continue;
        yield { object: `${kind} ${keyOf(object)}`, text: 'is there, and its namespace is not' };
      }
    }
  },
};

/** By the numbers of the store, which gives each write the next one. */
const everyWriteTold: Invariant = {
  name: 'told-once',
  promise: 'each write is told to those who watch once',
  *atRest({ told: { told, written } }) {
    if (told !== written) yield { object: 'watches', text: `were told ${told} changes of ${written}` };
  },
};

/** Every invariant of what stands at rest. */
export const SETTLED_INVARIANTS: readonly Invariant[] = [budgetsCountPods, namespacesHold, everyWriteTold];

function isGranted({ status }: PodDisruptionBudget, { metadata }: Pod): boolean {
  return Object.hasOwn(status.disruptedPods ?? {}, metadata.name);
}

/** How many pods must serve; `undefined` where that depends on owners without a scale. */
function neededBy({ spec }: PodDisruptionBudget, pods: readonly Pod[], world: World): number | undefined {
  const { minAvailable, maxUnavailable } = spec;
  if (typeof minAvailable === 'number' && maxUnavailable === undefined) return minAvailable;
  const expected = expectedOf(pods, world);
  if (expected === undefined) return undefined;
  const amount = maxUnavailable ?? minAvailable ?? 0;
  const share = typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * expected) / 100);
  return Math.max(0, maxUnavailable === undefined ? share : expected - share);
}

/** The replicas that the owners of pods want, each owner once. */
function expectedOf(pods: readonly Pod[], world: World): number | undefined {
  const replicas = new Map<string, number>();
  for (const pod of pods) {
    const owner = scaledOwnerOf(pod, world);
    if (owner === undefined) return undefined;
    replicas.set(owner.metadata.uid, owner.spec.replicas ?? 1);
  }
  return [...replicas.values()].reduce((sum, each) => sum + each, 0);
}

type Scaled = { readonly metadata: { readonly uid: string }; readonly spec: { readonly replicas?: number } };

function scaledOwnerOf(object: Pod, world: World): Scaled | undefined {
  const owner = controllerOf(object);
  const { namespace } = object.metadata;
  switch (owner?.kind) {
    case 'StatefulSet':
    case 'ReplicationController':
      return world.find(owner.kind, { namespace, name: owner.name });
    case 'ReplicaSet': {
      const set = world.find('ReplicaSet', { namespace, name: owner.name });
      const upper = set && controllerOf(set);
      return upper?.kind === 'Deployment' ? world.find('Deployment', { namespace, name: upper.name }) : set;
    }
    default:
      return undefined;
  }
}
