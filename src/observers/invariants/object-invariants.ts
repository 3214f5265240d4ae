/** What the API server and the controllers promise of objects: names, versions, budgets, jobs, owners. */
import { getCondition, isPodReady } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type AnyObject, type Job, type Kind, type KubeObject } from '../../api/objects/objects.js';
import { USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { isOfManager } from './calm.js';
import type { Finding, Invariant, Write, WriteChecks } from './invariant.js';

const oneObjectPerName: Invariant = {
  name: 'one-object-per-name',
  promise: 'a name means one object at a time',
  onWrite: ofEveryKind(({ type, kind, object, previous }) => {
    if (type !== 'ADDED' || previous === undefined) return undefined;
    const { uid } = previous.metadata;
    return { object: nameOf(kind, object), text: `was created while the object of uid ${uid} has that name` };
  }),
};

/** Versions only rise. */
const versionsRise: Invariant = {
  name: 'versions-rise',
  promise: 'resourceVersions only rise',
  onWrite: ofEveryKind(({ kind, object, previous, version, lastVersion }) => {
    const before = Number(previous?.metadata.resourceVersion ?? 0);
    const after = Number(object.metadata.resourceVersion);
    if (version > lastVersion && after > before) return undefined;
    return {
      object: nameOf(kind, object),
      text: `was written at version ${version} after ${lastVersion}, and has ${after} after ${before}`,
    };
  }),
};

/** Optimistic concurrency. */
const noLostUpdate: Invariant = {
  name: 'no-lost-update',
  promise: 'a write that names the version it replaces replaces that one',
  onWrite: ofEveryKind(({ type, kind, object, previous, named, by }) => {
    if (type !== 'MODIFIED' || named === undefined || previous === undefined) return undefined;
    const { resourceVersion } = previous.metadata;
    if (named === resourceVersion) return undefined;
    return { object: nameOf(kind, object), text: `was at version ${resourceVersion} when ${by} replaced ${named}` };
  }),
};

/** What holds an object lets go of it first. */
const finalizersHold: Invariant = {
  name: 'finalizers-hold',
  promise: 'an object goes only once none of its finalizers is left',
  onWrite: ofEveryKind(({ type, kind, object, previous, by }) => {
    const { finalizers = [], deletionTimestamp } = previous?.metadata ?? {};
    if (type !== 'DELETED' || finalizers.length === 0) return undefined;
    // The write that takes the last one off a marked object removes it, and is told with the object as it was before.
    if (deletionTimestamp !== undefined && !by.startsWith('kubelet/')) return undefined;
    return { object: nameOf(kind, object), text: `was removed by ${by}, and ${finalizers.join(', ')} held it` };
  }),
};

const EVICTED = 'EvictionByEvictionAPI';

/** Evictions are let through by budgets. */
const budgetsHold: Invariant = {
  name: 'budgets-hold',
  promise: 'a healthy pod is evicted only while its budget has a disruption left, which is taken from it first',
  onWrite: {
    Pod: ({ type, object, previous }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || object.metadata.deletionTimestamp === undefined)
        return undefined;
      if (previous.metadata.deletionTimestamp !== undefined || !isPodReady(previous)) return undefined;
      const target = getCondition(object.status.conditions, 'DisruptionTarget');
      if (target?.reason !== EVICTED) return undefined;
      const { namespace = '', name, labels } = object.metadata;
      for (const budget of world.list('PodDisruptionBudget')) {
        if (budget.metadata.namespace !== namespace) continue;
        if (!compileLabelSelector(budget.spec.selector).matches(labels)) continue;
        const { disruptedPods, disruptionsAllowed } = budget.status ?? {};
        if (disruptedPods?.[name] !== undefined && (disruptionsAllowed ?? 0) >= 0) continue;
        return {
          object: `Pod ${namespace}/${name}`,
          text: `was evicted though budget ${budget.metadata.name} has not counted it`,
        };
      }
      return undefined;
    },
  },
};

/** No budget is spent below nothing. */
const budgetsNeverOverdrawn: Invariant = {
  name: 'budgets-not-overdrawn',
  promise: 'a budget allows no fewer than 0 disruptions',
  onWrite: {
    PodDisruptionBudget: ({ object }) => {
      const allowed = object.status?.disruptionsAllowed ?? 0;
      if (allowed >= 0) return undefined;
      return { object: nameOf('PodDisruptionBudget', object), text: `allows ${allowed} disruptions` };
    },
  },
};

/** Judged is what the controller writes: evictions take from it what they take. */
const budgetsAddUp: Invariant = {
  name: 'budgets-add-up',
  promise: 'a budget allows as many disruptions as serve beside those that it needs',
  onWrite: {
    PodDisruptionBudget: ({ type, object, previous, by }) => {
      if (type !== 'MODIFIED' || !isOfManager(by) || object.status === previous?.status) return undefined;
      const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed } = object.status;
      const spare = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
      // Where its pods cannot be counted none is allowed.
      if (disruptionsAllowed === spare || disruptionsAllowed === 0) return undefined;
      const text = `allows ${disruptionsAllowed} disruptions, and ${currentHealthy} of ${desiredHealthy} serve`;
      return { object: nameOf('PodDisruptionBudget', object), text };
    },
  },
};

/** A granted eviction is counted in the budget as it is stored, not as it was read before. */
const evictionsCounted: Invariant = {
  name: 'evictions-counted',
  promise: 'an eviction takes one disruption of those that its budget has left, beside those that were granted before',
  onWrite: {
    PodDisruptionBudget: ({ object, previous }) => {
      const granted = object.status?.disruptedPods ?? {};
      const before = previous?.status?.disruptedPods ?? {};
      if (previous === undefined || Object.keys(granted).every((pod) => pod in before)) return undefined;
      const [left = 0, leftBefore = 0] = [object, previous].map(({ status }) => status?.disruptionsAllowed);
      const forgotten = Object.keys(before).filter((pod) => !(pod in granted));
      if (left === leftBefore - 1 && forgotten.length === 0) return undefined;
      const rest = forgotten.length === 0 ? '' : `, and the grant of ${forgotten.join(', ')} is forgotten`;
      const text = `granted an eviction of ${leftBefore} that it had left, and now has ${left}${rest}`;
      return { object: nameOf('PodDisruptionBudget', object), text };
    },
  },
};

/** Finished jobs stay finished. */
const finishedJobs: Invariant = {
  name: 'finished-jobs',
  promise: 'a job that is complete or has failed stays so, and gets no more pods',
  onWrite: {
    Job: ({ object, previous }) => {
      if (previous === undefined || previous.metadata.uid !== object.metadata.uid) return undefined;
      const before = endOf(previous);
      if (before === undefined || endOf(object) === before) return undefined;
      return { object: nameOf('Job', object), text: `was ${before} and is ${endOf(object) ?? 'running'}` };
    },
    Pod: ({ type, object }, world) => {
      if (type !== 'ADDED') return undefined;
      const owner = object.metadata.ownerReferences?.find(
        ({ kind, controller }) => kind === 'Job' && controller === true,
      );
      if (owner === undefined) return undefined;
      const { namespace = '' } = object.metadata;
      const job = world.find('Job', { namespace, name: owner.name });
      if (job === undefined || job.metadata.uid !== owner.uid) return undefined;
      const end = endOf(job);
      if (end === undefined) return undefined;
      return { object: nameOf('Job', job), text: `is ${end} and got pod ${object.metadata.name}` };
    },
  },
};

/** Nothing is left of what was owned. */
const noOrphans: Invariant = {
  name: 'no-orphans',
  promise: 'an object whose owners are all gone is gone once garbage collection has settled',
  *atRest(world) {
    const uids = new Set(USUAL_KINDS.flatMap((kind) => world.list(kind).map(({ metadata }) => metadata.uid)));
    for (const kind of USUAL_KINDS) {
      for (const object of world.list(kind)) {
        const { ownerReferences = [] } = object.metadata;
        const gone = ownerReferences.filter(({ uid }) => !uids.has(uid));
        if (gone.length === 0) continue;
        if (gone.length < ownerReferences.length) {
          const names = gone.map((owner) => `${owner.kind} ${owner.name}`).join(', ');
          yield { object: nameOf(kind, object), text: `names ${names} as its owner beside others, and that is gone` };
          continue;
        }
        // Its grace is not over: its owner went a moment ago, such as a job that its cron job has replaced.
        if ((object.metadata.deletionTimestamp ?? '') >= world.now) continue;
        const owners = ownerReferences.map((owner) => `${owner.kind} ${owner.name}`).join(', ');
        yield { object: nameOf(kind, object), text: `is owned by ${owners}, of which nothing is left` };
      }
    }
  },
};

/** Every invariant of objects. */
export const OBJECT_INVARIANTS: readonly Invariant[] = [
  oneObjectPerName,
  versionsRise,
  noLostUpdate,
  finalizersHold,
  budgetsHold,
  budgetsNeverOverdrawn,
  budgetsAddUp,
  evictionsCounted,
  finishedJobs,
  noOrphans,
];

/** The same check for the objects of every kind. */
function ofEveryKind(check: (write: Write) => Finding | undefined): WriteChecks {
  return Object.fromEntries(USUAL_KINDS.map((kind) => [kind, check]));
}

function nameOf(kind: Kind, object: AnyObject | KubeObject): string {
  return `${kind} ${keyOf(object)}`;
}

function endOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  for (const type of ['Complete', 'Failed'] as const) {
    if (getCondition(status.conditions, type)?.status === 'True') return type;
  }
  return undefined;
}
