/**
 * Which pods of a cluster reach which: the truth of the network between machines, apart from the links of kubelets
 * to the API server. Runs with scripts that need peers are told whether they have them, whenever a process begins or
 * ends, comes up, or a partition begins or heals. It carries no traffic, and costs nothing while no script needs
 * peers. Stands for the pod network that a CNI plugin makes.
 */
import type { Subscription } from 'rxjs';
import { parseLabelSelector, type Selector } from '../../api/selectors/labels.js';
import type { Pod } from '../../api/objects/objects.js';
import { listen } from '../../bus/rx/listen.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { sample } from '../../kernel/distribution.js';
import type { RandomStream } from '../../kernel/random.js';
import {
  exitReason,
  type ContainerInstance,
  type ContainerRuntime,
  type ContainerSlot,
  type PodSandbox,
} from '../containers/container-runtime.js';
import type { ProcessFact, ProcessWatch } from '../containers/process-facts.js';
import type { PeerNeed } from './peer-need.js';

/** Whether a partition lies between two machines; the same both ways. */
export type Separation = (node: string, other: string) => boolean;

/** One run of a container that needs peers. */
export interface NeedyRun {
  readonly node: string;
  readonly sandbox: PodSandbox;
  readonly slot: ContainerSlot;
  readonly instance: ContainerInstance;
  readonly need: PeerNeed;
  /** For the times after which it gives up. */
  readonly random: RandomStream;
}

/** A needy run, with how it fares. */
interface Follower extends NeedyRun {
  /** How many of its peers it reaches. */
  count: number;
  /** The end that it comes to if nothing changes. */
  ending: Timer | undefined;
}

/** A pod that has, or had, processes on some machine. */
interface Peer {
  readonly node: string;
  readonly sandbox: PodSandbox;
}

/** The pods of a namespace with some labels, and the runs that need some of them. */
interface Circle {
  readonly namespace: string | undefined;
  readonly selector: Selector;
  /** By uid. */
  readonly peers: Map<string, Peer>;
  /** By the uid of their pods. */
  readonly followers: Map<string, Set<Follower>>;
  /** When some peer comes up. */
  timer: Timer | undefined;
}

/** See the file header. */
export class PodNetwork {
  readonly #clock: Clock;
  readonly #processes: ProcessWatch;
  readonly #machines = new Map<string, ContainerRuntime>();
  /** Each with what is called when it makes a difference. */
  readonly #partitions = new Map<Separation, () => void>();
  /** By namespace and labels. */
  readonly #circles = new Map<string, Circle>();
  #facts: Subscription | undefined;

  constructor(clock: Clock, processes: ProcessWatch) {
    this.#clock = clock;
    this.#processes = processes;
  }

  /** A machine is connected. */
  join(node: string, runtime: ContainerRuntime): void {
    this.#machines.set(node, runtime);
  }

  /** A machine is gone for good. */
  leave(node: string): void {
    this.#machines.delete(node);
    this.#reconsiderAll();
  }

  /** The pod with that address; `undefined` = there is none. */
  podAt(address: string): PodSandbox | undefined {
    for (const { sandboxes } of this.#machines.values()) {
      for (const sandbox of sandboxes) {
        if (sandbox.address === address && sandbox.isReady && sandbox.pod.spec.hostNetwork !== true) return sandbox;
      }
    }
    return undefined;
  }

  /** Whether pods of one machine reach those of another; those of one machine reach each other. */
  canReach(node: string, other: string): boolean {
    return this.#between(node, other).length === 0;
  }

  /**
   * Lets nothing through between some machines.
   *
   * @param onMet - called each time that a container reaches other peers than before, and misses one because of it
   * @returns what ends that
   */
  separate(isBetween: Separation, onMet: () => void): () => void {
    this.#partitions.set(isBetween, onMet);
    this.#reconsiderAll();
    return () => {
      if (this.#partitions.delete(isBetween)) this.#reconsiderAll();
    };
  }

  /** Tells a run with a script that needs peers, until it is over, whether it has them. */
  follow(run: NeedyRun): void {
    const circle = this.#circleOf(run);
    const { uid } = run.sandbox.pod.metadata;
    const follower: Follower = { ...run, count: 0, ending: undefined };
    const others = circle.followers.get(uid);
    if (others === undefined) circle.followers.set(uid, new Set([follower]));
    else others.add(follower);
    this.#facts ??= listen(this.#processes.facts$, (fact) => this.#processTold(fact));
    this.#reconsider(circle);
  }

  #circleOf({ need, sandbox }: NeedyRun): Circle {
    const { namespace } = sandbox.pod.metadata;
    const selector = parseLabelSelector(need.script.selector);
    const key = keyOf({ namespace, selector });
    let circle = this.#circles.get(key);
    if (circle === undefined) {
      circle = { namespace, selector, peers: new Map(), followers: new Map(), timer: undefined };
      this.#circles.set(key, circle);
      for (const [node, { sandboxes }] of this.#machines) {
        for (const each of sandboxes)
          if (isOf(circle, each.pod)) circle.peers.set(each.pod.metadata.uid, { node, sandbox: each });
      }
    }
    return circle;
  }

  #processTold({ node, pod }: ProcessFact): void {
    const { uid } = pod.metadata;
    for (const circle of this.#circles.values()) {
      const isPeer = isOf(circle, pod);
      const sandbox = isPeer ? this.#machines.get(node)?.held(uid) : undefined;
      if (sandbox !== undefined) circle.peers.set(uid, { node, sandbox });
      if (isPeer) this.#reconsider(circle);
      else if (circle.followers.has(uid)) this.#forgetTheEnded(circle, uid);
    }
  }

  #reconsiderAll(): void {
    for (const circle of this.#circles.values()) this.#reconsider(circle);
  }

  #reconsider(circle: Circle): void {
    const { peers, followers } = circle;
    const nowMs = this.#clock.now();
    const up: Peer[] = [];
    let nextMs = Infinity;
    for (const [uid, peer] of peers) {
      if (this.#machines.get(peer.node)?.held(uid) !== peer.sandbox) peers.delete(uid);
      const atMs = upSinceMs(peer.sandbox);
      if (atMs <= nowMs) up.push(peer);
      else nextMs = Math.min(nextMs, atMs);
    }
    for (const uid of [...followers.keys()]) {
      this.#forgetTheEnded(circle, uid);
      for (const follower of followers.get(uid) ?? []) this.#count(follower, up, nowMs);
    }
    this.#wakeAt(circle, followers.size === 0 ? Infinity : nextMs);
  }

  #count(follower: Follower, up: readonly Peer[], nowMs: number): void {
    let count = 0;
    const partitions = new Set<() => void>();
    for (const { node } of up) {
      const between = this.#between(follower.node, node);
      if (between.length === 0) count += 1;
      for (const onMet of between) partitions.add(onMet);
    }
    if (count !== follower.count) for (const onMet of partitions) onMet();
    follower.count = count;
    this.#tell(follower, nowMs);
  }

  /** The callbacks of the partitions between two machines. */
  #between(node: string, other: string): readonly (() => void)[] {
    if (node === other || this.#partitions.size === 0) return [];
    return [...this.#partitions].flatMap(([isBetween, onMet]) => (isBetween(node, other) ? [onMet] : []));
  }

  #tell(follower: Follower, nowMs: number): void {
    const { need, random, count } = follower;
    const { exitAfter, atLeast } = need.script;
    need.tell(count >= atLeast, nowMs);
    if (count >= atLeast) this.#callOff(follower);
    else if (exitAfter !== undefined) {
      follower.ending ??= this.#clock.schedule(sample(exitAfter, random), () => this.#giveUp(follower));
    }
  }

  #giveUp(follower: Follower): void {
    const { node, sandbox, slot, need } = follower;
    follower.ending = undefined;
    if (isOver(follower)) return;
    const { exitCode: code = 1 } = need.script;
    this.#machines.get(node)?.exit(sandbox, slot, { code, reason: exitReason(code) });
  }

  #callOff(follower: Follower): void {
    if (follower.ending !== undefined) this.#clock.cancel(follower.ending);
    follower.ending = undefined;
  }

  /** Drops runs of a pod that are over; once no run needs peers, nothing is listened to. */
  #forgetTheEnded(circle: Circle, uid: string): void {
    const ofPod = circle.followers.get(uid);
    for (const follower of ofPod ?? []) {
      if (!isOver(follower)) continue;
      this.#callOff(follower);
      ofPod?.delete(follower);
    }
    if (ofPod?.size !== 0) return;
    circle.followers.delete(uid);
    if (circle.followers.size > 0) return;
    this.#wakeAt(circle, Infinity);
    this.#circles.delete(keyOf(circle));
    if (this.#circles.size > 0) return;
    this.#facts?.unsubscribe();
    this.#facts = undefined;
  }

  #wakeAt(circle: Circle, atMs: number): void {
    if (circle.timer?.dueMs === atMs) return;
    if (circle.timer !== undefined) this.#clock.cancel(circle.timer);
    circle.timer = undefined;
    if (atMs === Infinity) return;
    circle.timer = this.#clock.schedule(atMs - this.#clock.now(), () => {
      circle.timer = undefined;
      this.#reconsider(circle);
    });
  }
}

function keyOf({ namespace, selector }: Pick<Circle, 'namespace' | 'selector'>): string {
  return `${namespace ?? ''}/${selector.text}`;
}

function isOf({ namespace, selector }: Circle, { metadata }: Pod): boolean {
  return metadata.namespace === namespace && selector.matches(metadata.labels);
}

function isOver({ slot, instance }: NeedyRun): boolean {
  return slot.current !== instance || instance.exit !== undefined;
}

/** Since when, or from when on, a pod can be reached: one of its app containers has come up. Infinity = it cannot. */
function upSinceMs({ isReady, pod, slots }: PodSandbox): number {
  if (!isReady) return Infinity;
  let atMs = Infinity;
  for (const { name } of pod.spec.containers) {
    const slot = slots.find((each) => each.name === name);
    if (slot?.isRunning !== true || slot.current === undefined) continue;
    const { runningMs, answers } = slot.current;
    atMs = Math.min(atMs, runningMs + answers.startDelayMs);
  }
  return atMs;
}
