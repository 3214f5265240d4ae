/** The world as invariants see it: what is stored, what the machines do, and what has to be remembered to judge. */
import {
  keyOf,
  type AnyObject,
  type Kind,
  type KindMap,
  type Node,
  type ObjectName,
  type Pod,
} from '../../api/objects/objects.js';
import type { ApiServer, Selection } from '../../apiserver/store/server-types.js';
import type { Bus, CacheReading } from '../../bus/bus-types.js';
import type { ControllerSettings } from '../../controllers/runtime/controller-settings.js';
import type { EngineClock } from '../../kernel/engine/clock.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ClusterControllers } from '../../assembly/cluster-controllers.js';
import type { NodeFleet } from '../../assembly/node-fleet.js';
import type { SchedulerReplicas } from '../../assembly/scheduler-replicas.js';
import type { World } from './invariant.js';
import { PodRegister, type FormerPod, type PodSpan, type Taking, type KnownPod } from '../registers/pod-register.js';
import { NodeRegister, type NodeMemory } from '../registers/node-register.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { LinkTimes, type Span } from '../registers/link-times.js';
import { WriteRegister, type Written } from '../registers/write-register.js';

/** Kinds of which something is remembered. */
export const REMEMBERED_KINDS: readonly Kind[] = ['Pod', 'Node', 'Service', 'PersistentVolumeClaim'];

/** What it is made of. */
export interface WorldParts {
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly clock: EngineClock;
  readonly timestamps: Timestamps;
  readonly clockRightSinceMs: World['clockRightSinceMs'];
  readonly fleet: NodeFleet;
  readonly controllers: Pick<ClusterControllers, 'names' | 'controller' | 'partiesOf'>;
  readonly scheduler: Pick<SchedulerReplicas, 'parties' | 'sinceMs'>;
  readonly settings: Pick<ControllerSettings, 'nodeMonitorGracePeriod'>;
}

/** One that runs a controller once more, by mistake. */
const SECOND_INSTANCE = /^kube-controller-manager\/\d+$/;

/** See the file header. */
export class ObservedWorld implements World {
  readonly #parts: WorldParts;
  readonly #pods = new PodRegister();
  readonly #nodes = new NodeRegister();
  readonly #servicesMs = new Map<string, number>();
  /** From when to when claims of a name, as keys, were on their way out, ms. */
  readonly #claimsGoing = new Map<string, Span>();
  /** Names of pods, as keys, of which one went from a node that it did not tolerate; with the time, ms. */
  readonly #unwelcomeMs = new Map<string, number>();
  readonly #writes = new WriteRegister();
  readonly #steady: LinkTimes;
  readonly #calm: LinkTimes;
  readonly #audible: LinkTimes;
  readonly #firstVersion: number;
  /** Changes that were told since. */
  #told = 0;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#steady = LinkTimes.steady(parts.bus, parts.clock);
    this.#calm = LinkTimes.calm(parts.bus, parts.clock);
    this.#audible = LinkTimes.audible(parts.bus, parts.clock);
    this.#firstVersion = parts.server.version;
  }

  get nowMs(): number {
    return this.#parts.clock.now();
  }

  get now(): string {
    return this.#parts.timestamps.toTime(this.nowMs);
  }

  msOf(time: string): number {
    return this.#parts.timestamps.toMs(time);
  }

  get machines(): Iterable<string> {
    return this.#parts.fleet.names;
  }

  get nodeMonitorGraceMs(): number {
    return this.#parts.settings.nodeMonitorGracePeriod;
  }

  find<K extends Kind>(kind: K, name: ObjectName): KindMap[K] | undefined {
    return this.#parts.server.find(kind, name);
  }

  list<K extends Kind>(kind: K, selection?: Selection): readonly KindMap[K][] {
    return this.#parts.server.list(kind, selection).items;
  }

  pod(uid: string): KnownPod | undefined {
    return this.#pods.get(uid);
  }

  podsOf(ownerUid: string): ReadonlySet<KnownPod> {
    return this.#pods.ofOwner(ownerUid);
  }

  get pendingPods(): ReadonlySet<KnownPod> {
    return this.#pods.pending;
  }

  servingLostMs(ownerUid: string): number | undefined {
    return this.#pods.lostMs(ownerUid);
  }

  servingGoneMs(ownerUid: string): number | undefined {
    return this.#pods.goneMs(ownerUid);
  }

  podsAlteredMs(ownerUid: string): number | undefined {
    return this.#pods.alteredMs(ownerUid);
  }

  takenByOthersMs(ownerUid: string): number | undefined {
    return this.#pods.takenByOthersMs(ownerUid);
  }

  get roomClaimedMs(): number | undefined {
    return this.#pods.claimedMs;
  }

  podPassed(ownerUid: string): PodSpan | undefined {
    return this.#pods.passed(ownerUid);
  }

  taking(podUid: string): Taking | undefined {
    return this.#pods.taking(podUid);
  }

  formerPod(key: string): FormerPod | undefined {
    return this.#pods.former(key);
  }

  written(uid: string): Written | undefined {
    return this.#writes.get(uid);
  }

  unwelcomeMs(key: string): number | undefined {
    return this.#unwelcomeMs.get(key);
  }

  claimGoing(key: string): Span | undefined {
    return this.#claimsGoing.get(key);
  }

  serviceWrittenMs(key: string): number | undefined {
    return this.#servicesMs.get(key);
  }

  node(name: string): NodeMemory | undefined {
    return this.#nodes.get(name);
  }

  get allNodesLostSinceMs(): number | undefined {
    return this.#nodes.allLostSinceMs;
  }

  get told(): World['told'] {
    return { told: this.#told, written: this.#parts.server.version - this.#firstVersion };
  }

  machine(node: string): ReturnType<World['machine']> {
    return this.#parts.fleet.kubelet(node);
  }

  caches(party?: string): readonly CacheReading[] {
    return this.#parts.bus.caches(party);
  }

  steadySinceMs(party: string): number | undefined {
    return this.#steady.sinceMs(party);
  }

  calmSinceMs(name: string): number | undefined {
    const { bus } = this.#parts;
    const workingMs = this.workingSinceMs(name);
    if (workingMs === undefined || [...bus.links].some(({ party }) => SECOND_INSTANCE.test(party))) return undefined;
    return this.#latest(workingMs, this.#linksOf(name));
  }

  disturbedMs(name: string): number {
    return this.#linksOf(name).reduce((longestMs, party) => {
      const { fromMs = 0, untilMs = fromMs } = this.#calm.lapse(party) ?? {};
      return Math.max(longestMs, untilMs - fromMs);
    }, 0);
  }

  get schedulerCalmSinceMs(): number | undefined {
    const { sinceMs, parties } = this.#parts.scheduler;
    return sinceMs === undefined ? undefined : this.#latest(sinceMs, parties);
  }

  silenceOf(node: string): Span | undefined {
    return this.#audible.lapse(`kubelet/${node}`);
  }

  clockRightSinceMs(party: string): number | undefined {
    return this.#parts.clockRightSinceMs(party);
  }

  workingSinceMs(name: string): number | undefined {
    const { controllers } = this.#parts;
    return controllers.names.includes(name) ? controllers.controller(name).sinceMs : undefined;
  }

  /** A change was told. */
  heard(): void {
    this.#told += 1;
  }

  /** An object is there, is new or has changed. @param by - absent = it was there before the cluster ran */
  stored(object: AnyObject, by: string | undefined): void {
    const { nowMs } = this;
    this.#writes.stored(object, by, nowMs);
    if (object.kind === 'Service') this.#servicesMs.set(keyOf(object), nowMs);
    else if (object.kind === 'Node') {
      this.#nodes.stored(object as Node, nowMs);
      // From now on it is heard of its link.
      this.silenceOf(object.metadata.name);
    }
    if (object.kind !== 'Pod') return;
    const pod = object as Pod;
    const before = this.#pods.get(pod.metadata.uid)?.pod;
    const isSame = before?.spec.nodeName === pod.spec.nodeName && before?.status.phase === pod.status.phase;
    if (!isSame) this.#nodes.occupied(pod.spec.nodeName ?? '', nowMs);
    this.#pods.stored(pod, by, nowMs);
  }

  /** An object is gone. @param by - the writer that took it away at last */
  removed(object: AnyObject, by: string): void {
    const { nowMs } = this;
    this.#writes.removed(object);
    if (object.kind === 'Service') this.#servicesMs.delete(keyOf(object));
    else if (object.kind === 'Node') this.#nodes.removed(object as Node, nowMs);
    else if (object.kind === 'Lease') this.#nodes.leaseRemoved(object.metadata.name, nowMs);
    else if (object.kind === 'PersistentVolumeClaim') {
      const { deletionTimestamp } = object.metadata;
      const fromMs = deletionTimestamp === undefined ? nowMs : this.msOf(deletionTimestamp);
      this.#claimsGoing.set(keyOf(object), { fromMs, untilMs: nowMs });
    }
    if (object.kind !== 'Pod') return;
    this.#pods.removed(object.metadata.uid, by, nowMs);
    const { nodeName = '', tolerations } = (object as Pod).spec;
    this.#nodes.occupied(nodeName, nowMs);
    const node =
      this.#nodes.get(nodeName)?.taintedSinceMs === undefined ? undefined : this.find('Node', { name: nodeName });
    if (findUntolerated(node?.spec.taints, tolerations, ['NoExecute']) !== undefined)
      this.#unwelcomeMs.set(keyOf(object), nowMs);
  }

  dispose(): void {
    this.#steady.dispose();
    this.#calm.dispose();
    this.#audible.dispose();
  }

  /** A part of the manager has no link of its own until it is a process of its own. */
  #linksOf(name: string): readonly string[] {
    const { controllers, bus } = this.#parts;
    return controllers.partiesOf(name).map((part) => (bus.link(part) === undefined ? part.replace(/\/.*$/, '') : part));
  }

  /** Since when all of them are calm, and no sooner than that. */
  #latest(sinceMs: number, parties: readonly string[]): number | undefined {
    let latestMs = sinceMs;
    for (const party of parties) {
      const calmMs = this.#calm.sinceMs(party);
      if (calmMs === undefined) return undefined;
      latestMs = Math.max(latestMs, calmMs);
    }
    return latestMs;
  }
}
