/** One way to decide, as the other must decide too: what both are told, and what each says of an attempt. */
import { keyOf, type KubeObject, type Node, type Pod } from '../../../src/api/objects/objects.js';
import type { EngineClock } from '../../../src/kernel/engine/clock.js';
import type { Timestamps } from '../../../src/kernel/timestamps.js';
import type { SchedulerConfiguration } from '../../../src/scheduler/config/configuration.js';
import type { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { Framework } from '../../../src/scheduler/framework/framework.js';
import type { PostFilterResult } from '../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { codeName, type Status } from '../../../src/scheduler/framework/status.js';
import type { VolumeHandle } from '../../../src/scheduler/plugins/volumes/volume-listers.js';
import type { PreemptionReport } from '../../../src/scheduler/preemption/preemption-report.js';
import type { ClusterObjects } from './cluster-objects.js';

/** Values by node name. */
export type ByNode = Readonly<Record<string, number>>;

/** What both sides are made of. */
export interface SideOptions {
  readonly seed: string;
  readonly configuration: SchedulerConfiguration;
  readonly objects: ClusterObjects;
  readonly clock: EngineClock;
  readonly timestamps: Timestamps;
}

/** One of the two that decide each pod. */
export interface Side {
  /** Told of what plugins write. */
  onWrite: VolumeHandle['update'];
  /** @param previous - absent for a new node; `node` is absent for one that is gone */
  changeNode(previous: Node | undefined, node: Node | undefined): void;
  /** @param previous - absent for a new pod; `pod` is absent for one that is gone */
  changePod(previous: Pod | undefined, pod: Pod | undefined): void;
  assume(pod: Pod, nodeName: string): void;
  forget(pod: Pod, nodeName: string): void;
  /** What the failure handler tells the queue: `''` takes a nomination back, absent = what the pod says. */
  nominate(pod: Pod, nodeName: string | undefined): void;
  /** Takes all changes in, as at the beginning of an attempt. */
  refresh(): void;
  /** @param isSpelledOut - whether the facts tell about single nodes */
  attempt(pod: Pod, isSpelledOut: boolean): Attempt;
}

/** One attempt, decided, and followed by PostFilter where nothing fits. */
export interface Attempt {
  /** What was said, as plain data. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Node that takes the pod. */
  readonly nodeName: string | undefined;
  readonly postFilter: PostFilterResult | undefined;
  /** Absent where no preemption was tried. */
  readonly report: PreemptionReport | undefined;
  readonly placement: Placement;
}

/** A pod on its way to a node. */
export class Placement {
  readonly #framework: Framework;
  readonly #state: CycleState;
  readonly #pod: Pod;
  readonly #nodeName: string;

  constructor(framework: Framework, state: CycleState, pod: Pod, nodeName: string) {
    this.#framework = framework;
    this.#state = state;
    this.#pod = onNode(pod, nodeName);
    this.#nodeName = nodeName;
  }

  reserve(): unknown {
    return plainStatus(this.#framework.runReserve(this.#state, new PodInfo(this.#pod), this.#nodeName));
  }

  unreserve(): void {
    this.#framework.runUnreserve(this.#state, new PodInfo(this.#pod), this.#nodeName);
  }

  /** Runs PreBind; `done` is told how it ended. */
  preBind(done: (status: unknown) => void): void {
    this.#framework.runPreBind(this.#state, new PodInfo(this.#pod), this.#nodeName, (status) =>
      done(plainStatus(status)),
    );
  }
}

/** The pod on a node. */
export function onNode(pod: Pod, nodeName: string): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName } };
}

/** What was written to the API server, as plain data without its version. */
export function plainWrite(kind: string, object: KubeObject): unknown {
  return [kind, keyOf(object), { ...object, metadata: { ...object.metadata, resourceVersion: '' } }];
}

/** A verdict as plain data. */
export function plainStatus(status: Status | undefined): unknown {
  return status === undefined ? null : [codeName(status.code), status.plugin, ...status.reasons];
}

/** What PostFilter says and has looked at, as plain data. */
export function plainPostFilter(result: PostFilterResult, report: PreemptionReport | undefined): unknown {
  const { status, nominatedNodeName } = result;
  const said = { status: plainStatus(status), nominatedNodeName };
  if (report === undefined) return said;
  const { outcome, message, potentialNodes, wanted, candidates, statuses, picked } = report;
  return {
    ...said,
    outcome,
    message,
    potentialNodes,
    wanted,
    candidates: candidates.map(({ nodeName, violations, victims }) => [nodeName, violations, victims.map(keyOf)]),
    statuses: [...statuses].map(([name, each]) => [name, plainStatus(each)]),
    picked: picked === undefined ? null : [picked.candidate.nodeName, picked.criterion, picked.ties],
  };
}
