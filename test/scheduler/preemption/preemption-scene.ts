/** A preemption decided on hand-made nodes and pods, without API server, bus and queue. */
import type { LabelSelector, Pod, StringMap } from '../../../src/api/objects/objects.js';
import { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { PluginFactory } from '../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { preemptionLimits, type PreemptionArgs } from '../../../src/scheduler/framework/preemption/preemption-args.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import type { DisruptionBudget } from '../../../src/scheduler/preemption/budgets.js';
import { PreemptionEvaluator } from '../../../src/scheduler/preemption/evaluator.js';
import type { PreemptionReport } from '../../../src/scheduler/preemption/preemption-report.js';
import { randomStream } from '../../../src/kernel/random.js';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode, testPod, type NodeParts, type PodParts } from '../support/objects.js';

export interface SceneOptions {
  readonly args?: PreemptionArgs;
  /** Where the walk begins. @defaultValue at the first node */
  readonly seed?: string;
  /** Plugins after the default ones. */
  readonly extra?: Readonly<Record<string, PluginFactory>>;
  readonly nowMs?: number;
}

export interface GuestParts extends PodParts {
  readonly priority?: number;
  /** Seconds after the epoch; absent = not started. */
  readonly startedAt?: number;
  readonly isTerminating?: boolean;
}

/** A pod with a priority and 1 core unless told otherwise. */
export function guest(name: string, parts: GuestParts = {}): Pod {
  const { priority, startedAt, isTerminating = false, requests = { cpu: '1' }, ...more } = parts;
  const pod = testPod(name, {
    ...more,
    requests,
    spec: { ...(priority === undefined ? {} : { priority }), ...more.spec },
    status: { ...(startedAt === undefined ? {} : { startTime: timeAt(startedAt) }), ...more.status },
  });
  if (!isTerminating) return pod;
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timeAt(100) } };
}

/** A budget as preemption reads it. */
export function budget(
  name: string,
  selector: LabelSelector | undefined,
  disruptionsAllowed: number,
  more: { readonly namespace?: string; readonly disruptedPods?: StringMap } = {},
): DisruptionBudget {
  const { namespace = 'default', disruptedPods } = more;
  return {
    metadata: { name, namespace },
    spec: selector === undefined ? {} : { selector },
    status: { disruptionsAllowed, ...(disruptedPods === undefined ? {} : { disruptedPods }) },
  };
}

export function timeAt(seconds: number): string {
  return `${new Date(Date.parse('2030-01-01T00:00:00Z') + seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export class PreemptionScene {
  readonly algorithm: Algorithm;
  readonly evaluator: PreemptionEvaluator;
  readonly budgets: DisruptionBudget[] = [];
  /** Preemptions that were set about, as `node: victims`. */
  readonly removed: string[] = [];
  readonly #pods = new Map<string, Pod>();

  constructor({ args, seed, extra = {}, nowMs = 1_000_000 }: SceneOptions = {}) {
    this.algorithm = new Algorithm({
      plugins: [...DEFAULT_PLUGINS, ...Object.keys(extra).map((name) => ({ name }))],
      registry: new Map([...IN_TREE_PLUGINS, ...Object.entries(extra)]),
    });
    const { framework, snapshot, nominator } = this.algorithm;
    this.evaluator = new PreemptionEvaluator({
      framework,
      snapshot,
      nominator,
      clock: { now: () => nowMs, schedule: unused, cancel: unused, hold: unused, settle: unused },
      timestamps: createTimestamps('2030-01-01T00:00:00Z'),
      random: seed === undefined ? undefined : randomStream(seed, 'scheduler/preemption-offset'),
      limits: preemptionLimits(args),
      findPod: (key) => this.#pods.get(key),
      budgets: () => this.budgets,
      remover: {
        remove: ({ nodeName, victims }) => this.removed.push(`${nodeName}: ${victims.map(nameOf).join(' ')}`),
        isPreempting: () => false,
      },
    });
  }

  /** A node of 4 cores unless told otherwise, with pods on it. */
  node(name: string, pods: readonly Pod[], parts: NodeParts = {}): this {
    this.algorithm.addNodes([testNode(name, parts)]);
    for (const pod of pods) this.algorithm.place(pod, name);
    return this;
  }

  nominate(pod: Pod, nodeName: string): this {
    const nominated: Pod = { ...pod, status: { ...pod.status, nominatedNodeName: nodeName } };
    this.#pods.set(`default/${pod.metadata.name}`, nominated);
    this.algorithm.nominator.nominate(nominated, nodeName);
    return this;
  }

  /** Decides about a pod that must fit nowhere, and what preemption would do for it. */
  evaluate(pod: Pod): PreemptionReport {
    const { state, podInfo, nodeToStatus } = this.#reject(pod);
    return this.evaluator.evaluate(state, podInfo, nodeToStatus);
  }

  /**
   * The same, through PostFilter's door.
   *
   * @param known - the pod as the informer knows it; `null` = not at all
   */
  preempt(pod: Pod, known: Pod | null = pod): ReturnType<PreemptionEvaluator['preempt']> {
    const { state, podInfo, nodeToStatus } = this.#reject(pod);
    if (known === null) this.#pods.delete(podInfo.key);
    else this.#pods.set(podInfo.key, known);
    const { explanation: _told, ...result } = this.evaluator.preempt(state, podInfo, nodeToStatus);
    return result;
  }

  #reject(pod: Pod) {
    const { cache, snapshot, scheduler } = this.algorithm;
    cache.updateSnapshot(snapshot);
    const state = new CycleState();
    const podInfo = new PodInfo(pod);
    const decision = scheduler.decide(state, podInfo);
    if (decision.kind !== 'unfit') throw new RangeError(`${podInfo.key} must fit nowhere, got ${decision.kind}`);
    return { state, podInfo, nodeToStatus: decision.diagnosis.nodeToStatus };
  }
}

/** Candidates in short: node, victims, and violations if there are any. */
export function shortly({ candidates }: PreemptionReport): string[] {
  return candidates.map(
    ({ nodeName, victims, violations }) =>
      `${nodeName}: ${victims.map(nameOf).join(' ')}${violations === 0 ? '' : ` !${violations}`}`,
  );
}

function nameOf({ metadata }: Pod): string {
  return metadata.name;
}

function unused(): never {
  throw new Error('a decision needs no timer');
}
