/** The world as invariants see it: what is stored, what the machines do, and what has to be remembered to judge. */
import { keyOf, type AnyObject, type Kind, type KindMap, type ObjectName, type Pod } from '../../api/objects.js';
import type { ApiServer, Selection } from '../../apiserver/server-types.js';
import type { Bus, CacheReading } from '../../bus/bus-types.js';
import type { ControllerHandle } from '../../controllers/controller-manager.js';
import type { ControllerSettings } from '../../controllers/controller-settings.js';
import type { Clock } from '../../kernel/clock.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { NodeFleet } from '../node-fleet.js';
import type { KnownPod, World } from './invariant.js';
import { PodRegister } from './pod-register.js';
import { SteadyLinks } from './steady-links.js';

/** Kinds of which something is remembered. */
export const REMEMBERED_KINDS: readonly Kind[] = ['Pod', 'Node'];

/** What it is made of. */
export interface WorldParts {
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly timestamps: Timestamps;
  readonly fleet: NodeFleet;
  readonly controllers: { readonly names: readonly string[]; controller(name: string): ControllerHandle };
  readonly settings: Pick<ControllerSettings, 'nodeMonitorGracePeriod'>;
}

const NEVER: readonly number[] = [];

/** See the file header. */
export class ObservedWorld implements World {
  readonly #parts: WorldParts;
  readonly #pods = new PodRegister();
  readonly #nodeDeletions = new Map<string, readonly number[]>();
  readonly #links: SteadyLinks;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#links = new SteadyLinks(parts.bus, parts.clock);
  }

  get nowMs(): number {
    return this.#parts.clock.now();
  }

  get now(): string {
    return this.#parts.timestamps.toTime(this.nowMs);
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

  nodeDeletions(name: string): readonly number[] {
    return this.#nodeDeletions.get(name) ?? NEVER;
  }

  machine(node: string): ReturnType<World['machine']> {
    return this.#parts.fleet.kubelet(node);
  }

  caches(party?: string): readonly CacheReading[] {
    return this.#parts.bus.caches(party);
  }

  steadySinceMs(party: string): number | undefined {
    return this.#links.sinceMs(party);
  }

  workingSinceMs(name: string): number | undefined {
    const { controllers } = this.#parts;
    return controllers.names.includes(name) ? controllers.controller(name).sinceMs : undefined;
  }

  /** An object is there, is new or has changed. @param by - absent = it was there before the cluster ran */
  stored(object: AnyObject, by: string | undefined): void {
    if (object.kind === 'Pod') this.#pods.stored(object as Pod, by, this.nowMs);
  }

  /** An object is gone. */
  removed(object: AnyObject): void {
    if (object.kind === 'Pod') this.#pods.removed(object.metadata.uid);
    if (object.kind !== 'Node') return;
    const key = keyOf(object);
    this.#nodeDeletions.set(key, [...this.nodeDeletions(key), this.nowMs]);
  }

  dispose(): void {
    this.#links.dispose();
  }
}
