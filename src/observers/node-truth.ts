/**
 * The truth of the nodes against what the API shows: which pods have processes where, which of them run on
 * without an object in the API, and which identities run twice. It looks and never acts. Mirrors no part
 * upstream: in a real cluster nothing could know it.
 *
 * An identity is a namespace and a name: at most one object bears it at a time, so two process sets of one
 * identity mean that an object was removed before the end of its processes was confirmed.
 */
import { Subject, type Observable, type Subscription } from 'rxjs';
import { keyOf, type Pod } from '../api/objects/objects.js';
import { USER, type ObjectEvent } from '../apiserver/store/server-types.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { EngineClock } from '../kernel/engine/clock.js';
import { isAlive, type PodSandbox } from '../kubelet/containers/container-runtime.js';
import type { ProcessFact } from '../kubelet/containers/process-facts.js';
import type { Metrics } from '../metrics/metrics.js';
import type { NodeFleet } from '../assembly/node-fleet.js';
import { programStream } from './program-stream.js';
import { checkValue, orAbsent, TEXT } from '../options/option-checks.js';
import type { ProcessSet, SafetyViolation, VolumeMount } from './safety-violation.js';

/** How often what happened. */
export interface ViolationCounts {
  readonly unconfirmedDeletions: number;
  readonly splitBrains: number;
}

/** What the truth is read from. */
export interface TruthSources {
  readonly lookout: Lookout;
  readonly clock: EngineClock;
  readonly fleet: NodeFleet;
  readonly metrics: Metrics;
}

/** Processes that have outlived their object. */
interface Ghost {
  readonly pod: Pod;
  readonly by: string;
  /** Process sets that it was seen beside, by uid. */
  readonly doubles: Set<string>;
}

/** See the file header. */
export class NodeTruth {
  readonly #sources: TruthSources;
  readonly #violations = new Subject<SafetyViolation>();
  /** In order of their removal, by uid. Machines are listened to only while there are some. */
  readonly #ghosts = new Map<string, Ghost>();
  #facts: Subscription | undefined;
  #unconfirmedDeletions = 0;
  #splitBrains = 0;

  constructor(sources: TruthSources) {
    this.#sources = sources;
    listen(sources.lookout.watch('Pod'), (event) => this.#podWritten(event));
  }

  /** What has happened so far. */
  get counts(): ViolationCounts {
    return { unconfirmedDeletions: this.#unconfirmedDeletions, splitBrains: this.#splitBrains };
  }

  /** What happens from now on, in a tick of its own at the same simulated time; slow subscribers as in `Cluster.watch`. Completes on dispose. */
  get violations$(): Observable<SafetyViolation> {
    return programStream(this.#sources.clock, this.#violations);
  }

  /** What processes do on their machines, at once. Costs something only while subscribed; slow subscribers as in `Cluster.watch`. */
  get facts$(): Observable<ProcessFact> {
    return this.#sources.fleet.processes.facts$;
  }

  /** Every process set of all machines, machine by machine; of one identity (`name` or `namespace/name`) if named. */
  processes(pod?: string): readonly ProcessSet[] {
    checkValue('pod', pod, orAbsent(TEXT));
    const wanted = pod === undefined || pod.includes('/') ? pod : `default/${pod}`;
    const sets: ProcessSet[] = [];
    for (const node of this.#sources.fleet.names) {
      for (const sandbox of this.#sources.fleet.kubelet(node)?.runtime.sandboxes ?? []) {
        if (wanted !== undefined && keyOf(sandbox.pod) !== wanted) continue;
        if (isAlive(sandbox)) sets.push(processSet(node, sandbox));
      }
    }
    return sets;
  }

  /** Whether the machine of a node is on, whatever the API shows. */
  isOn(node: string): boolean {
    checkValue('node', node, TEXT);
    return this.#sources.fleet.kubelet(node)?.isPowered === true;
  }

  /** Every mount of all machines, machine by machine; of one PersistentVolume if named. */
  mounts(volume?: string): readonly VolumeMount[] {
    checkValue('volume', volume, orAbsent(TEXT));
    const found: VolumeMount[] = [];
    for (const node of this.#sources.fleet.names) {
      const machine = this.#sources.fleet.kubelet(node);
      for (const { uid, volume: mounted } of machine?.mounts.all() ?? []) {
        if (volume !== undefined && mounted.name !== volume) continue;
        const pod = machine?.runtime.held(uid)?.pod;
        found.push({ volume: mounted.name, pod: pod === undefined ? '' : keyOf(pod), uid, node });
      }
    }
    return found;
  }

  /** Process sets that have outlived their objects, in order of removal. */
  unconfirmed(): readonly ProcessSet[] {
    this.#prune();
    return [...this.#ghosts.values()].flatMap(({ pod }) => this.#setOf(pod) ?? []);
  }

  /** Lets go of everything. */
  dispose(): void {
    this.#facts?.unsubscribe();
    this.#facts = undefined;
    this.#violations.complete();
  }

  #podWritten(event: ObjectEvent<'Pod'>): void {
    if (event.type !== 'DELETED') return;
    const { object: pod, by = USER } = event;
    const set = this.#setOf(pod);
    if (set === undefined) return;
    this.#ghosts.set(pod.metadata.uid, { pod, by, doubles: new Set() });
    this.#facts ??= listen(this.facts$, (fact) => this.#processTold(fact));
    this.#unconfirmedDeletions += 1;
    const what = `was removed by ${by} while its processes may run on ${set.node}: nobody has confirmed their end`;
    this.#violated('UnconfirmedDeletion', by, [set], `pod ${set.pod} ${what}`);
  }

  /** Something happened on a machine: only identities that a ghost bears are of interest. */
  #processTold(fact: ProcessFact): void {
    this.#prune();
    const identity = keyOf(fact.pod);
    for (const ghost of this.#ghosts.values()) {
      const { pod, by, doubles } = ghost;
      const { uid } = fact.pod.metadata;
      if (uid === pod.metadata.uid || keyOf(pod) !== identity || doubles.has(uid)) continue;
      const older = this.#setOf(pod);
      const newer = this.#setOn(fact.node, uid);
      if (older === undefined || newer === undefined || newer.containers.length === 0) continue;
      doubles.add(uid);
      this.#splitBrains += 1;
      const text = `split brain: ${identity} runs on ${older.node} (${older.uid}) and on ${newer.node} (${newer.uid})`;
      this.#violated('SplitBrain', by, [older, newer], text);
    }
  }

  #violated(type: SafetyViolation['type'], by: string, instances: readonly ProcessSet[], text: string): void {
    const { clock, metrics } = this.#sources;
    const help = 'Safety promises of Kubernetes that were broken, by kind.';
    metrics.counter('kubeloom_safety_violations_total', help, ['type']).inc({ type });
    const violation = { atMs: clock.now(), type, pod: instances[0]?.pod ?? '', by, instances, text };
    clock.schedule(0, () => this.#violations.next(violation));
  }

  #setOf(pod: Pod): ProcessSet | undefined {
    const { nodeName } = pod.spec;
    return nodeName === undefined ? undefined : this.#setOn(nodeName, pod.metadata.uid);
  }

  #setOn(node: string, uid: string): ProcessSet | undefined {
    const sandbox = this.#sources.fleet.kubelet(node)?.runtime.held(uid);
    return sandbox === undefined || !isAlive(sandbox) ? undefined : processSet(node, sandbox);
  }

  /** Drops ghosts once their processes have ended. */
  #prune(): void {
    for (const [uid, { pod }] of this.#ghosts) if (this.#setOf(pod) === undefined) this.#ghosts.delete(uid);
    if (this.#ghosts.size > 0) return;
    this.#facts?.unsubscribe();
    this.#facts = undefined;
  }
}

function processSet(node: string, { pod, slots }: PodSandbox): ProcessSet {
  const containers = slots.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  return { pod: keyOf(pod), uid: pod.metadata.uid, node, containers };
}
