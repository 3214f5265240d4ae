/** What is promised of objects that go, and of what must not be left behind. */
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type AnyObject, type Job } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { isFullyBound } from '../../api/volumes/volume-rules.js';
import { areCalm, isOfManager } from './calm.js';
import type { Finding, Invariant, World, Write, WriteChecks } from './invariant.js';
import { LOST_TAINTS } from '../registers/node-register.js';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
/** How long nothing was in the garbage collector's way: its caches show then what it has to know. */
const SETTLED_MS = 60_000;

/** Pods that have been known for long. */
const foregroundWaits: Invariant = {
  name: 'foreground-waits',
  promise: 'an owner that is deleted in the foreground goes after its dependents',
  onWrite: ofEveryKind(({ type, kind, object, previous, by }, world) => {
    if (type !== 'DELETED' || !isOfManager(by) || previous?.metadata.finalizers?.includes(FOREGROUND) !== true)
      return undefined;
    if (!areCalm(world, ['garbage-collector-controller'], SETTLED_MS)) return undefined;
    const { uid } = object.metadata;
    for (const { pod, createdMs } of world.podsOf(uid)) {
      const isHeld = pod.metadata.ownerReferences?.some(
        (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
      );
      if (isHeld !== true || world.nowMs - createdMs < SETTLED_MS) continue;
      return { object: `${kind} ${keyOf(object)}`, text: `is gone before pod ${pod.metadata.name}` };
    }
    return undefined;
  }),
};

/** What is to stay does not go with the owner. */
const orphansLetGo: Invariant = {
  name: 'orphans-let-go',
  promise: 'an owner whose dependents are to stay goes after they have let go of it',
  onWrite: ofEveryKind(({ type, kind, object, previous, by }, world) => {
    if (type !== 'DELETED' || !isOfManager(by) || previous?.metadata.finalizers?.includes(ORPHAN) !== true)
      return undefined;
    if (!areCalm(world, ['garbage-collector-controller'], SETTLED_MS)) return undefined;
    const { uid, namespace } = object.metadata;
    const pods = [...world.podsOf(uid)].filter(({ createdMs }) => world.nowMs - createdMs >= SETTLED_MS);
    const sets = world.list('ReplicaSet', { namespace }).filter(({ metadata }) => {
      const isNew = world.nowMs - (world.written(metadata.uid)?.atMs ?? world.nowMs) < SETTLED_MS;
      return !isNew && metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
    });
    const held = pods[0]?.pod.metadata.name ?? sets[0]?.metadata.name;
    return held === undefined
      ? undefined
      : { object: `${kind} ${keyOf(object)}`, text: `is gone, and ${held} is still its own` };
  }),
};

/** A pod that runs has what it was promised. */
const usedClaimsStay: Invariant = {
  name: 'used-claims-stay',
  promise: 'no claim goes while a pod on a node uses it, and no volume while a claim has it',
  onWrite: {
    PersistentVolumeClaim: ({ type, object }, world) => {
      if (type !== 'DELETED' || !areCalm(world, ['persistentvolumeclaim-protection-controller'], SETTLED_MS))
        return undefined;
      const { namespace, name } = object.metadata;
      for (const pod of world.list('Pod', { namespace })) {
        if (isPodTerminal(pod) || (pod.spec.nodeName ?? '') === '') continue;
        if (pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) !== true) continue;
        if (world.nowMs - (world.pod(pod.metadata.uid)?.createdMs ?? world.nowMs) < SETTLED_MS) continue;
        const text = `is gone, and pod ${pod.metadata.name} uses it`;
        return { object: `PersistentVolumeClaim ${keyOf(object)}`, text };
      }
      return undefined;
    },
    PersistentVolume: ({ type, object }, world) => {
      if (type !== 'DELETED' || !areCalm(world, ['persistentvolume-protection-controller'], SETTLED_MS))
        return undefined;
      const { namespace, name = '', uid } = object.spec.claimRef ?? {};
      const claim = world.find('PersistentVolumeClaim', { namespace, name });
      if (claim === undefined || claim.metadata.uid !== uid || !isFullyBound(claim)) return undefined;
      return { object: `PersistentVolume ${object.metadata.name}`, text: `is gone, and claim ${keyOf(claim)} has it` };
    },
  },
};

/** Only Replace takes a job away that runs. */
const jobsRunToTheirEnd: Invariant = {
  name: 'cron-jobs-run-on',
  promise: 'a job of a cron job that does not replace is taken away by no controller before it has ended',
  onWrite: {
    Job: ({ type, object, previous, by }, world) => {
      if (!isOfManager(by) || previous === undefined || previous.metadata.deletionTimestamp !== undefined)
        return undefined;
      if (type === 'MODIFIED' && object.metadata.deletionTimestamp === undefined) return undefined;
      const owner = controllerOf(object);
      const cronJob =
        owner?.kind === 'CronJob'
          ? world.find('CronJob', { namespace: object.metadata.namespace, name: owner.name })
          : undefined;
      if (cronJob === undefined || cronJob.metadata.uid !== owner?.uid || hasEnded(previous)) return undefined;
      if (cronJob.spec.concurrencyPolicy === 'Replace' || cronJob.metadata.deletionTimestamp !== undefined)
        return undefined;
      return { object: `Job ${keyOf(object)}`, text: 'is taken away, and has not ended' };
    },
  },
};

/** What is left where nothing should be. */
const nothingLeftBehind: Invariant = {
  name: 'nothing-left-behind',
  promise:
    'at rest no pod is bound to a node that is gone, no ready node is tainted as lost, and no job is past its time',
  *atRest(world) {
    for (const pod of world.list('Pod')) {
      const name = pod.spec.nodeName ?? '';
      if (name === '' || world.find('Node', { name }) !== undefined) continue;
      yield { object: `Pod ${keyOf(pod)}`, text: `is bound to ${name}, which is gone` };
    }
    for (const { metadata, spec, status } of world.list('Node')) {
      if (getCondition(status.conditions, 'Ready')?.status !== 'True') continue;
      const taint = spec.taints?.find(({ key }) => LOST_TAINTS.includes(key));
      if (taint !== undefined) yield { object: `Node ${metadata.name}`, text: `is ready, and has taint ${taint.key}` };
    }
    yield* overdueJobs(world);
  },
};

/** Every invariant of what goes. */
export const GOING_INVARIANTS: readonly Invariant[] = [
  foregroundWaits,
  orphansLetGo,
  usedClaimsStay,
  jobsRunToTheirEnd,
  nothingLeftBehind,
];

function* overdueJobs(world: World): Iterable<Finding> {
  for (const job of world.list('Job')) {
    const { ttlSecondsAfterFinished: seconds } = job.spec;
    const endedAt = endOf(job)?.lastTransitionTime;
    if (seconds === undefined || endedAt === undefined || job.metadata.deletionTimestamp !== undefined) continue;
    const overdueMs = world.nowMs - world.msOf(endedAt) - seconds * 1000;
    if (overdueMs < SETTLED_MS) continue;
    yield { object: `Job ${keyOf(job)}`, text: `has been past its time to live for ${Math.round(overdueMs / 1000)} s` };
  }
}

function hasEnded(job: Job): boolean {
  return endOf(job) !== undefined;
}

function endOf({ status }: Job): ReturnType<typeof getCondition> {
  for (const type of ['Complete', 'Failed']) {
    const condition = getCondition(status.conditions, type);
    if (condition?.status === 'True') return condition;
  }
  return undefined;
}

function ofEveryKind(
  check: (write: Write & { readonly object: AnyObject }, world: World) => Finding | undefined,
): WriteChecks {
  return Object.fromEntries(USUAL_KINDS.map((kind) => [kind, check]));
}
