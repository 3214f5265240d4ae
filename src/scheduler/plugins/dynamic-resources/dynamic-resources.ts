/**
 * DynamicResources: the claims of a pod must be allocated where it goes, or there must be devices for them. It chooses
 * devices in Filter, sets them aside in Reserve, and writes them into the claims before the pod is bound. Mirrors
 * plugin DynamicResources of kube-scheduler v1.34 with the feature gates that are on by default.
 */
import type { AllocationResult, ResourceClaim } from '../../../api/objects/device-objects.js';
import { CLAIM_FINALIZER } from '../../../api/objects/device-objects.js';
import { isReservedFor, podClaimsOf, referenceOf, strangerProblem } from '../../../api/devices/pod-claims.js';
import { keyOf, type Node, type Pod } from '../../../api/objects/objects.js';
import { compileNodeSelector, type CompiledNodeSelector } from '../../../api/selectors/node-affinity.js';
import type { ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type {
  FilterPlugin,
  PostFilterPlugin,
  PostFilterResult,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreFilterResult,
  ReservePlugin,
  StatusCallback,
} from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { allocate, AllocationFault } from './allocator.js';
import { bindClaims } from './claim-binding.js';
import { ClaimTracker, type DeviceHandle } from './claim-tracker.js';
import { dynamicResourcesEvents } from './dynamic-resources-hints.js';

const NAME = 'DynamicResources';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const NOTHING_TO_DO: PostFilterResult = {
  status: createStatus(Code.Unschedulable, NAME, 'no new claims to deallocate'),
};
const NO_STATE: PostFilterResult = { status: createStatus(Code.Error, NAME, 'not found') };
const DEALLOCATED: PostFilterResult = {
  status: createStatus(Code.Unschedulable, NAME, 'deallocation of ResourceClaim completed'),
};
const STILL_STUCK: PostFilterResult = { status: createStatus(Code.Unschedulable, NAME, 'still not schedulable') };
const NOT_HERE = rejection('resourceclaim not available on the node');
const NO_DEVICES = rejection('cannot allocate all claims');

/** Shared by the copies of a state, as upstream. */
class ClaimState implements StateData {
  /** In the order of the pod; replaced as they are written. */
  claims: ResourceClaim[] = [];
  /** Where allocated claims can be used, by their place. */
  readonly selectors = new Map<number, CompiledNodeSelector>();
  /** Places of the claims that have to be allocated. */
  toAllocate: readonly number[] = [];
  /** Devices that were allocated when the attempt began. */
  allocated: ReadonlySet<string> = new Set();
  /** Places of allocated claims that cannot be used on some node. */
  readonly unavailable = new Set<number>();
  readonly byNode = new Map<string, readonly AllocationResult[]>();
  /** What Reserve has taken, by the place of the claim. */
  readonly taken = new Map<number, AllocationResult>();

  clone(): ClaimState {
    return this;
  }
}

const STATE = new StateKey<ClaimState>(NAME);
/** PreFilter was here, and there is nothing else to know. */
const NO_CLAIMS = new ClaimState();

/** See the file header. */
export class DynamicResources
  implements PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, ReservePlugin, PreBindPlugin
{
  readonly name = NAME;
  /** Its devices stay with a pod that is taken away in a dry run, as upstream. */
  readonly heedsPods = false;
  readonly #handle: DeviceHandle;
  readonly #tracker: ClaimTracker;

  constructor(handle: DeviceHandle) {
    this.#handle = handle;
    this.#tracker = new ClaimTracker(handle);
  }

  answersByShape({ spec }: PodShape): boolean {
    return spec.resourceClaims === undefined || spec.resourceClaims.length === 0;
  }

  preEnqueue(pod: Pod): Status | undefined {
    if (pod.spec.resourceClaims === undefined) return undefined;
    const claims = this.#claimsOf(pod);
    return typeof claims === 'string' ? rejection(claims) : undefined;
  }

  preFilter(state: CycleState, { pod }: PodInfo): PreFilterResult | undefined {
    state.write(STATE, NO_CLAIMS);
    if (pod.spec.resourceClaims === undefined) return SKIPPED;
    const claims = this.#claimsOf(pod);
    if (typeof claims === 'string') return { status: rejection(claims) };
    if (claims.length === 0) return SKIPPED;
    const known = new ClaimState();
    const toAllocate: number[] = [];
    for (const [index, claim] of claims.entries()) {
      const { allocation } = claim.status;
      if (allocation === undefined) {
        const problem = this.#allocationProblem(claim);
        if (problem !== undefined) return { status: problem };
        toAllocate.push(index);
      } else if (allocation.nodeSelector !== undefined) {
        known.selectors.set(index, compileNodeSelector(allocation.nodeSelector));
      }
    }
    known.claims = [...claims];
    known.toAllocate = toAllocate;
    if (toAllocate.length > 0) known.allocated = this.#tracker.allocatedDevices();
    state.write(STATE, known);
    return undefined;
  }

  /** Why a claim cannot be allocated, whatever the node. */
  #allocationProblem(claim: ResourceClaim): Status | undefined {
    const shown = keyOf(claim);
    if (this.#tracker.isInFlight(claim)) {
      return rejection(`resource claim ${shown} is in the process of being allocated`);
    }
    for (const { name, exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      if (exactly === undefined && firstAvailable.length === 0) {
        return rejection(`resource claim ${shown}, request ${name}: unknown request type`);
      }
      const wanted =
        exactly === undefined
          ? firstAvailable.map((each) => [`${name}/${each.name}`, each.deviceClassName] as const)
          : [[name, exactly.deviceClassName] as const];
      for (const [request, className] of wanted) {
        if (className === '') return fault(`request ${request}: unsupported request type`);
        if (this.#tracker.deviceClass(className) === undefined) {
          return rejection(`request ${request}: device class ${className} does not exist`);
        }
      }
    }
    return undefined;
  }

  filter(state: CycleState, _pod: PodInfo, { name, node }: NodeInfo): Status | undefined {
    const known = state.read(STATE);
    if (known === undefined) return fault('not found');
    if (known.claims.length === 0) return undefined;
    const unavailable: number[] = [];
    for (const [index, selector] of known.selectors) {
      if (!selector.matches(node?.metadata.labels, name)) unavailable.push(index);
    }
    let results: readonly AllocationResult[] | undefined;
    if (known.toAllocate.length > 0) {
      const found = this.#allocate(known, node as Node);
      if (found === undefined) return NO_DEVICES;
      if (typeof found === 'string') return fault(found);
      results = found;
    }
    if (unavailable.length > 0) {
      for (const index of unavailable) known.unavailable.add(index);
      return NOT_HERE;
    }
    if (results !== undefined) known.byNode.set(name, results);
    return undefined;
  }

  /** A text when it fails. */
  #allocate(
    { claims, toAllocate, allocated }: ClaimState,
    node: Node,
  ): readonly AllocationResult[] | string | undefined {
    const wanted = toAllocate.map((index) => claims[index] as ResourceClaim);
    const tracker = this.#tracker;
    try {
      const pools = tracker.slices.poolsOf(node);
      return allocate(wanted, node.metadata.name, { pools, allocated, classOf: (name) => tracker.deviceClass(name) });
    } catch (error) {
      if (!(error instanceof AllocationFault)) throw error;
      return error.message;
    }
  }

  /** An error, which ends PostFilter, when another plugin stopped PreFilter before it came here. */
  postFilter(state: CycleState, { pod }: PodInfo): PostFilterResult {
    const known = state.read(STATE);
    if (known === undefined) return NO_STATE;
    if (known.claims.length === 0) return NOTHING_TO_DO;
    // Upstream takes any of them, in the order of a Go map.
    for (const index of [...known.unavailable].toSorted((a, b) => a - b)) {
      const claim = known.claims[index] as ResourceClaim;
      const { reservedFor = [] } = claim.status;
      if (reservedFor.some(({ uid }) => uid !== pod.metadata.uid)) continue;
      this.#handle.updateStatus?.('ResourceClaim', { ...claim, status: {} } as ResourceClaim);
      return DEALLOCATED;
    }
    return STILL_STUCK;
  }

  reserve(state: CycleState, _pod: PodInfo, nodeName: string): Status | undefined {
    const known = state.read(STATE);
    if (known === undefined || known.toAllocate.length === 0) return undefined;
    const results = known.byNode.get(nodeName);
    if (results === undefined) return fault('claim allocation not found for node');
    for (const [at, index] of known.toAllocate.entries()) {
      const claim = known.claims[index] as ResourceClaim;
      const allocation = results[at] as AllocationResult;
      known.taken.set(index, allocation);
      const { finalizers = [] } = claim.metadata;
      const kept = finalizers.includes(CLAIM_FINALIZER) ? finalizers : [...finalizers, CLAIM_FINALIZER];
      const metadata = { ...claim.metadata, finalizers: kept };
      this.#tracker.launch({ ...claim, metadata, status: { ...claim.status, allocation } });
    }
    return undefined;
  }

  unreserve(state: CycleState, { pod }: PodInfo, _nodeName: string): void {
    const known = state.read(STATE);
    if (known === undefined) return;
    const { uid } = pod.metadata;
    for (const claim of known.claims) {
      if (this.#tracker.land(claim)) this.#tracker.restore(claim);
      if (claim.status.allocation === undefined || !isReservedFor(pod, claim)) continue;
      const patch = { metadata: { uid: claim.metadata.uid }, status: { reservedFor: [{ $patch: 'delete', uid }] } };
      this.#handle.patchStatus?.('ResourceClaim', claim, patch);
    }
  }

  preBind(state: CycleState, { pod }: PodInfo, _nodeName: string, done: StatusCallback): void {
    const known = state.read(STATE);
    if (known === undefined || known.claims.length === 0) {
      done(undefined);
      return;
    }
    bindClaims({
      handle: this.#handle,
      tracker: this.#tracker,
      pod,
      claims: known.claims,
      allocations: known.taken,
      done: (problem) => done(problem === undefined ? undefined : fault(problem)),
    });
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return dynamicResourcesEvents((pod) => this.#claimsOf(pod));
  }

  /** Those that there are; why one is not, that there should be. */
  #claimsOf(pod: Pod): readonly ResourceClaim[] | string {
    const { namespace = '' } = pod.metadata;
    const claims: ResourceClaim[] = [];
    for (const entry of podClaimsOf(pod)) {
      const reference = referenceOf(pod, entry);
      if ('problem' in reference) return reference.problem;
      if (reference.name === undefined) continue;
      const claim = this.#tracker.claim(namespace, reference.name);
      if (claim === undefined) return `could not find ResourceClaim "${namespace}/${reference.name}"`;
      if (claim.metadata.deletionTimestamp !== undefined) {
        return `resourceclaim ${JSON.stringify(claim.metadata.name)} is being deleted`;
      }
      const problem = reference.isGenerated ? strangerProblem(pod, claim) : undefined;
      if (problem !== undefined) return problem;
      claims.push(claim);
    }
    return claims;
  }
}

function rejection(text: string): Status {
  return createStatus(Code.UnschedulableAndUnresolvable, NAME, text);
}

function fault(text: string): Status {
  return createStatus(Code.Error, NAME, text);
}
