/**
 * VolumeBinding: claims must be bound, or bindable on the node. It finds volumes for claims that wait
 * for their pod, assumes them in a cache of its own, and writes them before the pod is bound. It never
 * finishes a binding: the volume binder does. Mirrors plugin VolumeBinding of kube-scheduler v1.34.
 */
import { keyOf, type Node } from '../../../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../../../api/objects/storage-objects.js';
import { boundVolume, isFullyBound, SELECTED_NODE, withAnnotation } from '../../../../api/volumes/volume-rules.js';
import type { ClusterEventWithHint } from '../../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../../framework/cycle-state.js';
import type {
  ColumnFilter,
  FilterPlugin,
  PreBindPlugin,
  PreFilterPlugin,
  PreFilterResult,
  ReservePlugin,
  StatusCallback,
} from '../../../framework/interface.js';
import type { NodeColumns } from '../../../framework/node-columns.js';
import type { NodeInfo } from '../../../framework/node-info.js';
import type { PodInfo } from '../../../framework/pod-info.js';
import type { PodShape } from '../../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../../framework/status.js';
import { LabelColumns } from '../label-columns.js';
import { claimUsesOf } from '../pod-claims.js';
import { VolumeListers, type VolumeHandle } from '../volume-listers.js';
import { AssumeCache } from './assume-cache.js';
import { bindVolumes } from './bind-volumes.js';
import { BoundVolumesFilter, placedVolumes } from './bound-volumes.js';
import { findClaimProblem, planClaims, type BindingCaches, type ClaimPlan } from './claim-plan.js';
import { findNodeVolumes, WRONG_NODE, type PodVolumes } from './node-volumes.js';
import { volumeBindingEvents } from './volume-binding-hints.js';
import { hasPlacedVolumes } from '../placed-volumes.js';

const NAME = 'VolumeBinding';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const NO_STATE = createStatus(Code.Error, NAME, 'not found');
const OUT_OF_REACH = createStatus(Code.UnschedulableAndUnresolvable, NAME, WRONG_NODE);
const DEFAULT_TIMEOUT_SECONDS = 600;

/** VolumeBindingArgs. */
export interface VolumeBindingArgs {
  /** How long PreBind waits for the binder. @defaultValue 600 */
  readonly bindTimeoutSeconds?: number | undefined;
}

/** Shared by the copies of a state, as upstream: what a node has does not depend on other pods. */
class BindingState implements StateData {
  readonly volumesByNode = new Map<string, PodVolumes>();
  /** Nothing is left to be written. */
  isAllBound = false;
  #placed: ReturnType<typeof placedVolumes> | null = null;

  constructor(readonly plan: ClaimPlan) {}

  /** @see placedVolumes */
  get placed(): ReturnType<typeof placedVolumes> {
    if (this.#placed === null) this.#placed = placedVolumes(this.plan);
    return this.#placed;
  }

  clone(): BindingState {
    return this;
  }
}

const STATE = new StateKey<BindingState>(NAME);

/** See the file header. */
export class VolumeBinding implements PreFilterPlugin, FilterPlugin, ReservePlugin, PreBindPlugin {
  readonly name = NAME;
  readonly #handle: VolumeHandle;
  readonly #listers: VolumeListers;
  readonly #caches: BindingCaches;
  readonly #timeoutMs: number;
  readonly #reach = new LabelColumns();

  constructor(handle: VolumeHandle, { bindTimeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: VolumeBindingArgs = {}) {
    const listers = new VolumeListers(handle);
    this.#handle = handle;
    this.#listers = listers;
    this.#timeoutMs = bindTimeoutSeconds * 1000;
    this.#caches = {
      claims: new AssumeCache((key) => listers.find('PersistentVolumeClaim', key)),
      volumes: new AssumeCache((key) => listers.find('PersistentVolume', key)),
    };
  }

  answersByShape({ spec }: PodShape): boolean {
    return !hasPlacedVolumes(spec);
  }

  preFilter(state: CycleState, { pod }: PodInfo): PreFilterResult | undefined {
    if (!hasPlacedVolumes(pod.spec) || claimUsesOf(pod).length === 0) return SKIPPED;
    const problem = findClaimProblem(this.#listers, pod);
    if (problem !== undefined) return { status: rejection(problem) };
    const plan = planClaims(this.#listers, this.#caches, pod);
    if ('text' in plan) return { status: plan.isFault ? fault(plan.text) : rejection(plan.text) };
    state.write(STATE, new BindingState(plan));
    return undefined;
  }

  passesAll(state: CycleState): boolean {
    return state.read(STATE)?.placed?.length === 0;
  }

  /** Reserve reads nothing of bound claims: `volumesByNode` may stay empty. */
  compileFilter(state: CycleState, _pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    const placed = state.read(STATE)?.placed;
    return placed === undefined ? undefined : new BoundVolumesFilter(placed, this.#reach, columns, OUT_OF_REACH);
  }

  filter(state: CycleState, _pod: PodInfo, { name, node }: NodeInfo): Status | undefined {
    const known = state.read(STATE);
    if (known === undefined) return NO_STATE;
    const found = findNodeVolumes(this.#listers, known.plan, node as Node);
    if ('reasons' in found) return createStatus(Code.UnschedulableAndUnresolvable, NAME, ...found.reasons);
    known.volumesByNode.set(name, found);
    return undefined;
  }

  /** Sets volumes aside for the pod's claims, and claims for the node, as far as this scheduler goes. */
  reserve(state: CycleState, { pod }: PodInfo, nodeName: string): undefined {
    const known = state.read(STATE);
    if (known === undefined) return;
    const { claims, volumes } = this.#caches;
    const found = known.volumesByNode.get(nodeName);
    const { namespace = '' } = pod.metadata;
    known.isAllBound =
      found === undefined ||
      claimUsesOf(pod).every(({ claimName }) => isBound(claims.get(`${namespace}/${claimName}`)));
    if (found === undefined || known.isAllBound) return;
    const bindings = found.bindings.map((binding) => {
      const volume = boundVolume(binding.volume, binding.claim);
      if (volume !== binding.volume) volumes.assume(volume);
      return { ...binding, volume };
    });
    const provisions = found.provisions.map((claim) => {
      const selected = { ...claim, metadata: withAnnotation(claim.metadata, SELECTED_NODE, nodeName) };
      claims.assume(selected);
      return selected;
    });
    known.volumesByNode.set(nodeName, { bindings, provisions });
  }

  unreserve(state: CycleState, _pod: PodInfo, nodeName: string): void {
    const found = state.read(STATE)?.volumesByNode.get(nodeName);
    if (found === undefined) return;
    for (const { volume } of found.bindings) this.#caches.volumes.restore(keyOf(volume));
    for (const claim of found.provisions) this.#caches.claims.restore(keyOf(claim));
  }

  preBind(state: CycleState, podInfo: PodInfo, nodeName: string, done: StatusCallback): void {
    const known = state.read(STATE);
    if (known === undefined || known.isAllBound) {
      done(undefined);
      return;
    }
    const volumes = known.volumesByNode.get(nodeName);
    if (volumes === undefined) {
      done(fault(`no pod volumes found for node "${nodeName}"`));
      return;
    }
    bindVolumes({
      handle: this.#handle,
      listers: this.#listers,
      caches: this.#caches,
      timeoutMs: this.#timeoutMs,
      pod: podInfo.pod,
      nodeName,
      volumes,
      done: (problem) => {
        // Once all is bound, the informers know more than was assumed.
        if (problem === undefined) this.unreserve(state, podInfo, nodeName);
        done(problem === undefined ? undefined : fault(problem));
      },
    });
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return volumeBindingEvents;
  }
}

function isBound(claim: PersistentVolumeClaim | undefined): boolean {
  return claim !== undefined && isFullyBound(claim);
}

function rejection(text: string): Status {
  return createStatus(Code.UnschedulableAndUnresolvable, NAME, text);
}

function fault(text: string): Status {
  return createStatus(Code.Error, NAME, text);
}
