/**
 * The resource claim controller: makes claims of templates for pods, keeps track of what a claim is reserved for, and
 * gives devices back once nothing uses them. It never allocates: the scheduler does. Mirrors kube-controller-manager
 * v1.34 pkg/controller/resourceclaim.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { isReservedFor, podClaimsOf, referenceOf, strangerProblem } from '../../api/devices/pod-claims.js';
import { keyOf, nameKey, parseKey, type Draft, type Pod } from '../../api/objects/objects.js';
import type { ConsumerReference, ResourceClaim } from '../../api/objects/device-objects.js';
import { CLAIM_FINALIZER } from '../../api/objects/device-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { BY_OWNER, ClaimMaker, ownerOf } from './claim-maker.js';
import { ClaimGauge } from './claim-metrics.js';

const POD = 'pod:';
const CLAIM = 'claim:';
const BY_CLAIM = 'resource-claim';
/** Uids of pods that are gone, as many as upstream keeps. */
const MOST_GONE = 500;

/** What one run keeps. */
interface ClaimsState {
  readonly pods: Lister<'Pod'>;
  readonly claims: Lister<'ResourceClaim'>;
  readonly maker: ClaimMaker;
  /** Pods that were seen to be deleted, the oldest first. */
  readonly gone: Set<string>;
}

/** See the file header. */
export const resourceClaimController = defineController({
  name: 'resourceclaim-controller',
  component: 'resource_claim',
  concurrentSyncs: 10,
  setup(context): ClaimsState {
    const gone = new Set<string>();
    const claims = context.informer('ResourceClaim', { [BY_OWNER]: (claim) => ownerUidsOf(claim) });
    const templates = context.informer('ResourceClaimTemplate');
    const enqueue = (pod: Pod, isDeleted: boolean): void => {
      if (pod.spec.resourceClaims !== undefined) enqueuePod(context, claims, gone, pod, isDeleted);
    };
    const pods = context.watch(
      'Pod',
      {
        onAdd: (pod) => enqueue(pod, false),
        onUpdate: (_previous, pod) => enqueue(pod, false),
        onDelete: (pod) => enqueue(pod, true),
      },
      { [BY_CLAIM]: claimKeysOf },
    );
    const maker = new ClaimMaker(context, claims, templates);
    const changed = (claim: ResourceClaim, isDeleted: boolean): void => {
      const key = keyOf(claim);
      if (!isDeleted) context.queue.add(`${CLAIM}${key}`);
      for (const pod of pods.byIndex(BY_CLAIM, key)) enqueue(pod, false);
    };
    const gauge = new ClaimGauge(context.metrics);
    context.watch('ResourceClaim', {
      onAdd(claim) {
        maker.forget(claim, ownerOf(claim));
        gauge.count(undefined, claim);
        changed(claim, false);
      },
      onUpdate(previous, claim) {
        gauge.count(previous, claim);
        changed(claim, false);
      },
      onDelete(claim) {
        gauge.count(claim, undefined);
        changed(claim, true);
      },
    });
    return { pods, claims, maker, gone };
  },
  async reconcile(context, key, state) {
    if (key.startsWith(POD)) await syncPod(context, state, key.slice(POD.length));
    else await syncClaim(context, state, key.slice(CLAIM.length));
  },
});

const NO_KEYS: readonly string[] = [];

function ownerUidsOf(claim: ResourceClaim): readonly string[] {
  const owner = ownerOf(claim);
  return owner === undefined ? NO_KEYS : [owner.uid];
}

/** The claims that a pod has, by their keys. */
function claimKeysOf(pod: Pod): readonly string[] {
  if (pod.spec.resourceClaims === undefined) return NO_KEYS;
  return podClaimsOf(pod).flatMap((entry) => {
    const reference = referenceOf(pod, entry);
    return 'problem' in reference || reference.name === undefined
      ? []
      : [nameKey(pod.metadata.namespace, reference.name)];
  });
}

function enqueuePod(
  { queue }: ControllerContext,
  claims: Lister<'ResourceClaim'>,
  gone: Set<string>,
  pod: Pod,
  isDeleted: boolean,
): void {
  if (isDeleted) {
    gone.add(pod.metadata.uid);
    const [oldest] = gone;
    if (gone.size > MOST_GONE && oldest !== undefined) gone.delete(oldest);
  }
  if (!needsClaims(pod, isDeleted)) for (const key of claimKeysOf(pod)) queue.add(`${CLAIM}${key}`);
  if (needsWork(pod, claims)) queue.add(`${POD}${keyOf(pod)}`);
}

function needsClaims(pod: Pod, isDeleted: boolean): boolean {
  return !isDeleted && !isTerminal(pod) && !isGivenUp(pod);
}

/** Deleted before it had a node. */
function isGivenUp({ metadata, spec }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (spec.nodeName ?? '') === '';
}

function isTerminal({ status }: Pod): boolean {
  return status.phase === 'Failed' || status.phase === 'Succeeded';
}

/** Whether the pod will not use its claims any more. */
function isDone(pod: Pod): boolean {
  return isTerminal(pod) || isGivenUp(pod);
}

function needsWork(pod: Pod, claims: Lister<'ResourceClaim'>): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  for (const entry of podClaimsOf(pod)) {
    const reference = referenceOf(pod, entry);
    if ('problem' in reference) return true;
    if (reference.name === undefined) return false;
    const claim = claims.getByKey(nameKey(pod.metadata.namespace, reference.name));
    if (claim === undefined) return entry.resourceClaimTemplateName !== undefined;
    if (reference.isGenerated && strangerProblem(pod, claim) !== undefined) return false;
    if ((pod.spec.nodeName ?? '') !== '' && lacksReservation(pod, claim)) return true;
  }
  return false;
}

function lacksReservation(pod: Pod, claim: ResourceClaim): boolean {
  return claim.status.allocation !== undefined && !isReservedFor(pod, claim);
}

/** Sees that a pod has its claims, and that they are reserved for it once it has a node. */
async function syncPod(context: ControllerContext, { pods, claims, maker }: ClaimsState, key: string): Promise<void> {
  const pod = pods.getByKey(key);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
  await maker.makeFor(pod);
  if ((pod.spec.nodeName ?? '') === '') return;
  for (const entry of podClaimsOf(pod)) {
    const reference = referenceOf(pod, entry);
    if ('problem' in reference) throw maker.failure(reference.problem);
    if (reference.name === undefined) continue;
    const claim = claims.getByKey(nameKey(pod.metadata.namespace, reference.name));
    if (claim === undefined) return;
    const problem = reference.isGenerated ? strangerProblem(pod, claim) : undefined;
    if (problem !== undefined) throw maker.failure(problem);
    if (!lacksReservation(pod, claim)) continue;
    const { name, uid } = pod.metadata;
    const reservedFor = [...(claim.status.reservedFor ?? []), { resource: 'pods', name, uid }];
    await context.api.update('ResourceClaim', withStatus(claim, { ...claim.status, reservedFor }), 'status');
  }
}

/** Takes a claim from pods that are done with it, and gives its devices back after the last of them. */
async function syncClaim(context: ControllerContext, state: ClaimsState, key: string): Promise<void> {
  const claim = state.claims.getByKey(key);
  if (claim === undefined) return;
  const { reservedFor = [] } = claim.status;
  const valid: ConsumerReference[] = [];
  for (const consumer of reservedFor) if (await isValid(context, state, claim, consumer)) valid.push(consumer);
  const hasFinalizer = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
  if (valid.length < reservedFor.length) {
    const { reservedFor: _reserved, allocation, ...rest } = claim.status;
    const isFreed = valid.length === 0 && hasFinalizer;
    const stored = await context.api.update(
      'ResourceClaim',
      withStatus(claim, {
        ...rest,
        ...(isFreed || allocation === undefined ? {} : { allocation }),
        ...(valid.length === 0 ? {} : { reservedFor: valid }),
      }),
      'status',
    );
    if (stored.status.allocation === undefined) await dropFinalizer(context, stored);
  } else if (hasFinalizer && claim.metadata.deletionTimestamp !== undefined && valid.length === 0) {
    let stored = claim;
    if (claim.status.allocation !== undefined) {
      const { allocation: _freed, ...rest } = claim.status;
      stored = await context.api.update('ResourceClaim', withStatus(claim, rest), 'status');
    }
    await dropFinalizer(context, stored);
  }
  if (valid.length === 0) await deleteUnused(context, state, claim);
}

async function isValid(
  { api }: ControllerContext,
  { gone, pods }: ClaimsState,
  { metadata }: ResourceClaim,
  { name, uid }: ConsumerReference,
): Promise<boolean> {
  if (gone.has(uid)) return false;
  const known = pods.getByKey(nameKey(metadata.namespace, name));
  if (known !== undefined) return known.metadata.uid === uid && !isDone(known);
  try {
    // The cache may be behind: what the API says counts.
    const pod = await api.get('Pod', {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    });
    return pod.metadata.uid === uid;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

async function dropFinalizer({ api }: ControllerContext, claim: ResourceClaim): Promise<void> {
  const { finalizers = [] } = claim.metadata;
  if (!finalizers.includes(CLAIM_FINALIZER)) return;
  const kept = finalizers.filter((finalizer) => finalizer !== CLAIM_FINALIZER);
  await api.update('ResourceClaim', { ...claim, metadata: { ...claim.metadata, finalizers: kept } });
}

/** Claims that were made for a pod that is done go with it. */
async function deleteUnused({ api }: ControllerContext, { pods }: ClaimsState, claim: ResourceClaim): Promise<void> {
  const owner = ownerOf(claim);
  if (owner === undefined) return;
  const pod = pods.getByKey(nameKey(claim.metadata.namespace, owner.name));
  if (pod === undefined || (pod.metadata.uid === owner.uid && !isDone(pod))) return;
  await api.delete('ResourceClaim', parseKey(keyOf(claim)));
}

function withStatus(claim: ResourceClaim, status: ResourceClaim['status']): Draft {
  return { ...claim, status };
}
