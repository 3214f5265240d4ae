/** What the attach/detach controller knows, and which volumes and nodes it has to look at. */
import {
  CONTROLLER_MANAGED_ATTACH,
  csiVolumeOf,
  recordedVolumeOf,
  type AttachableVolume,
} from '../../api/volumes/attachable-volume.js';
import {
  claimedVolumes,
  ownershipProblem,
  PODS_BY_CLAIM,
  type ClaimedVolume,
} from '../../api/volumes/claimed-volumes.js';
import { keyOf, type Node, type Pod } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from '../../api/objects/storage-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { ActualState, type AttachedPair } from './actual-state.js';
import type { AttachOperation } from './attach-operation.js';
import { AttachRecords } from './attach-records.js';
import { DesiredState, pairKey, type PairKey } from './desired-state.js';
import { PendingOperations } from './pending-operations.js';
import { needsNoVolumes } from './volume-need.js';

const LOOP_PERIOD_MS = 100;
/** How often pods with volumes that could not be resolved are looked at again. */
const RESOLVE_PERIOD_MS = 3 * 60_000;
/** That often it is made sure that what is attached still is. */
const VERIFY_PERIOD_MS = 60_000;

/** See the file header. */
export class AttachDetachMemory {
  readonly context: ControllerContext;
  readonly desired = new DesiredState();
  readonly actual = new ActualState();
  readonly pending: PendingOperations;
  /** Operations that are under way, by volume and node. */
  readonly operations = new Map<PairKey, AttachOperation>();
  /** Volumes and nodes to look at in the next pass. */
  readonly touched = new Set<PairKey>();
  /** Detached since the last pass: the queue may forget what it knows of them. */
  readonly detached = new Set<PairKey>();
  /** Pairs that may have come apart though no detaching was requested. */
  readonly suspects = new Set<PairKey>();
  readonly nodes: Lister<'Node'>;
  readonly volumes: Lister<'PersistentVolume'>;
  readonly attachments: Lister<'VolumeAttachment'>;
  /** Which node has which volume by the API, where the cluster keeps such records. */
  readonly records: AttachRecords;
  readonly random: RandomStream;
  readonly #pods: Lister<'Pod'>;
  readonly #claims: Lister<'PersistentVolumeClaim'>;
  readonly #drivers: Lister<'CSIDriver'>;
  /** Nodes to which this controller attaches volumes. */
  readonly #managed = new Set<string>();
  /** Operations that wait for a driver, by the name of the VolumeAttachment. */
  readonly #waiting = new Map<string, PairKey>();
  /** Pods with volumes that cannot be resolved yet. */
  readonly #unresolved = new Set<string>();
  #isPopulated = false;
  #isInPass = false;
  #startMs = 0;
  /** When the last pass ended: the next ones come whole periods later. */
  #passEndMs = 0;

  constructor(context: ControllerContext) {
    this.context = context;
    this.pending = new PendingOperations(context.kernel.clock);
    this.random = context.kernel.random('attachdetach-controller');
    this.#drivers = context.informer('CSIDriver');
    const note = ({ metadata }: PersistentVolume): void => {
      if (this.#isPopulated) context.queue.add(`record ${metadata.name}`);
    };
    this.volumes = context.settings.attachRecords
      ? context.watch('PersistentVolume', { onAdd: note, onUpdate: (_previous, stored) => note(stored) })
      : context.informer('PersistentVolume');
    this.records = new AttachRecords(context, this.volumes);
    this.nodes = context.watch('Node', {
      onAdd: (node) => this.#nodeAdded(node),
      onUpdate: (_previous, node) => this.#nodeSeen(node),
      onDelete: (node) => this.#nodeSeen(node),
    });
    this.#claims = context.watch('PersistentVolumeClaim', {
      onAdd: (claim) => this.#claimSeen(claim),
      onUpdate: (previous, claim) => {
        if (!isBound(previous)) this.#claimSeen(claim);
      },
    });
    this.#pods = context.watch(
      'Pod',
      {
        onAdd: (pod) => this.#podSeen(pod),
        onUpdate: (_previous, pod) => this.#podSeen(pod),
        onDelete: (pod) => this.#podGone(pod),
      },
      PODS_BY_CLAIM,
    );
    this.attachments = context.watch('VolumeAttachment', {
      onAdd: (attachment) => this.#attachmentSeen(attachment, false),
      onUpdate: (_previous, attachment) => this.#attachmentSeen(attachment, false),
      onDelete: (attachment) => this.#attachmentSeen(attachment, true),
    });
  }

  get nowMs(): number {
    return this.context.kernel.clock.now();
  }

  /** Looks at a volume and a node in the next pass. */
  touch(key: PairKey): void {
    this.touched.add(key);
    this.requestPass();
  }

  /** Looks at everything that needs a volume in the next pass. */
  touchVolume(uniqueName: string): void {
    for (const { key } of this.desired.ofVolume(uniqueName)) this.touched.add(key);
    this.requestPass();
  }

  /** Looks at a volume and a node once that time has passed. */
  touchAfter(key: PairKey, delayMs: number): void {
    this.context.queue.addAfter(`due ${key}`, delayMs);
  }

  /** The next pass is to run, at its time. */
  requestPass(): void {
    if (this.#isInPass) return;
    const sinceMs = this.nowMs - this.#passEndMs;
    const periods = Math.max(1, Math.ceil(sinceMs / LOOP_PERIOD_MS));
    this.context.queue.addAfter('pass', periods * LOOP_PERIOD_MS - sinceMs);
  }

  /** A pass begins; the first one brings in all that is there. @returns whether it is the first one */
  beginPass(): boolean {
    this.#isInPass = true;
    if (this.#isPopulated) return false;
    this.#isPopulated = true;
    this.#startMs = this.nowMs;
    this.#populate();
    return true;
  }

  endPass(): void {
    this.#isInPass = false;
    this.#passEndMs = this.nowMs;
    for (const key of this.detached) this.#forget(key);
    this.detached.clear();
    if (this.touched.size > 0 || this.actual.dueNodes().length > 0) this.requestPass();
  }

  /** An operation has begun: what becomes of that VolumeAttachment is for it. */
  follow(attachmentName: string, key: PairKey): void {
    this.#waiting.set(attachmentName, key);
  }

  unfollow(attachmentName: string): void {
    this.#waiting.delete(attachmentName);
  }

  /** Looks again at pods with volumes that could not be resolved. */
  resolveAgain(): void {
    const keys = [...this.#unresolved];
    this.#unresolved.clear();
    for (const key of keys) {
      const pod = this.#pods.getByKey(key);
      if (pod !== undefined) this.#podSeen(pod);
    }
  }

  /** At the next look at what is attached it is made sure of that one. */
  suspect(key: PairKey): void {
    this.suspects.add(key);
    this.context.queue.addAfter('verify', this.#untilNextMs(VERIFY_PERIOD_MS));
  }

  /** A volume may be attached to a node; what the node says of it counts from the start. */
  markUncertain(nodeName: string, volume: AttachableVolume): void {
    this.actual.markUncertain(nodeName, volume);
    const node = this.nodes.getByKey(nodeName);
    if (node !== undefined) this.#noteMounted(node);
  }

  #forget(key: PairKey): void {
    if (this.operations.has(key) || this.actual.get(key) !== undefined) return;
    for (const work of ['operation', 'due'] as const) this.context.queue.drop(`${work} ${key}`);
  }

  /** What the cluster shows at the start: what is attached, what may be, and what is needed. */
  #populate(): void {
    for (const node of this.nodes.list()) {
      this.#noteManaged(node);
      for (const { name } of node.status.volumesAttached ?? []) {
        this.actual.markAttached(node.metadata.name, name, undefined);
        this.suspect(pairKey(node.metadata.name, name));
      }
      this.actual.setDue(node.metadata.name, false);
      this.#noteMounted(node);
    }
    for (const { spec } of this.attachments.list()) {
      const stored = this.volumes.getByKey(spec.source.persistentVolumeName ?? '');
      const volume = stored === undefined ? undefined : csiVolumeOf(stored);
      if (volume === undefined) continue;
      if (this.actual.nodesOf(volume.uniqueName).includes(spec.nodeName)) continue;
      this.markUncertain(spec.nodeName, volume);
    }
    for (const pod of this.#pods.list()) this.#podSeen(pod);
    for (const { key } of this.actual.all()) this.touched.add(key);
  }

  #nodeAdded(node: Node): void {
    if (!this.#isPopulated) return;
    this.actual.setDue(node.metadata.name, true);
    if (this.actual.isDue(node.metadata.name)) this.requestPass();
    this.#nodeSeen(node);
  }

  /** Also of a node that is gone: what it said last counts on. */
  #nodeSeen(node: Node): void {
    if (!this.#isPopulated) return;
    this.#noteManaged(node);
    this.#noteMounted(node);
    for (const { key } of this.actual.ofNode(node.metadata.name)) {
      if (this.desired.get(key) === undefined) this.touch(key);
    }
  }

  #noteManaged({ metadata }: Node): void {
    if (metadata.annotations?.[CONTROLLER_MANAGED_ATTACH] !== undefined) this.#managed.add(metadata.name);
  }

  #noteMounted({ metadata, status }: Node): void {
    for (const pair of this.actual.ofNode(metadata.name)) {
      pair.isMounted = status.volumesInUse?.includes(pair.uniqueName) === true;
    }
  }

  #claimSeen(claim: PersistentVolumeClaim): void {
    if (!this.#isPopulated || !isBound(claim)) return;
    for (const pod of this.#pods.byIndex('claim', keyOf(claim))) this.#podSeen(pod);
  }

  #podSeen(pod: Pod): void {
    if (pod.spec.volumes === undefined || !this.#isPopulated) return;
    const claimed = claimedVolumes(pod);
    const { nodeName = '' } = pod.spec;
    if (claimed.length === 0 || nodeName === '') return;
    if (needsNoVolumes(pod)) this.#podGone(pod);
    else if (this.#managed.has(nodeName)) this.#require(pod, nodeName, claimed);
    else this.#resolveLater(pod);
  }

  #require(pod: Pod, nodeName: string, claimed: readonly ClaimedVolume[]): void {
    for (const each of claimed) {
      const volume = this.#volumeOf(pod, each);
      if (volume === 'unknown') this.#resolveLater(pod);
      if (volume === 'unknown' || volume === undefined) continue;
      const attached = this.#needed(pod, nodeName, volume);
      if (attached !== undefined) attached.volume ??= volume;
    }
  }

  #needed(pod: Pod, nodeName: string, volume: AttachableVolume): AttachedPair | undefined {
    const key = pairKey(nodeName, volume.uniqueName);
    const isKnown = this.desired.get(key)?.pods.has(pod.metadata.uid) === true;
    this.desired.add(pod, nodeName, volume);
    if (!isKnown) this.touch(key);
    return this.actual.get(key);
  }

  /** The volume of a claim; `undefined` = one that needs no attaching. */
  #volumeOf(pod: Pod, { claimName, isEphemeral }: ClaimedVolume): AttachableVolume | 'unknown' | undefined {
    const claim = this.#claims.getByKey(`${pod.metadata.namespace ?? ''}/${claimName}`);
    if (claim === undefined || !isBound(claim)) return 'unknown';
    if (isEphemeral && ownershipProblem(pod, claim) !== undefined) return 'unknown';
    const stored = this.volumes.getByKey(claim.spec.volumeName ?? '');
    if (stored === undefined || stored.spec.claimRef?.uid !== claim.metadata.uid) return 'unknown';
    return this.attachableOf(stored);
  }

  /** What a PersistentVolume stands for; `undefined` = what needs no attaching. */
  attachableOf(stored: PersistentVolume): AttachableVolume | undefined {
    const csi = csiVolumeOf(stored);
    const driver = csi === undefined ? undefined : this.#drivers.getByKey(csi.handle.driver);
    if (csi !== undefined && driver?.spec.attachRequired !== false) return csi;
    return this.records.areKept ? recordedVolumeOf(stored) : undefined;
  }

  #resolveLater(pod: Pod): void {
    this.#unresolved.add(keyOf(pod));
    this.context.queue.addAfter('resolve', this.#untilNextMs(RESOLVE_PERIOD_MS));
  }

  #podGone(pod: Pod): void {
    if (pod.spec.volumes === undefined) return;
    this.#unresolved.delete(keyOf(pod));
    for (const { key } of this.desired.removePod(pod.metadata.uid)) this.touch(key);
  }

  #attachmentSeen({ metadata, spec, status }: VolumeAttachment, isGone: boolean): void {
    const key = this.#waiting.get(metadata.name);
    if (key !== undefined) return this.context.queue.add(`operation ${key}`);
    if (!isGone && status?.attached === true) return;
    const stored = this.volumes.getByKey(spec.source.persistentVolumeName ?? '');
    const volume = stored === undefined ? undefined : csiVolumeOf(stored);
    if (volume === undefined || !this.#isPopulated) return;
    for (const pair of this.actual.ofNode(spec.nodeName)) {
      if (pair.uniqueName !== volume.uniqueName || !pair.isConfirmed) continue;
      this.suspect(pair.key);
    }
  }

  #untilNextMs(periodMs: number): number {
    return periodMs - ((this.nowMs - this.#startMs) % periodMs);
  }
}

function isBound({ spec, status }: PersistentVolumeClaim): boolean {
  return status.phase === 'Bound' && (spec.volumeName ?? '') !== '';
}
