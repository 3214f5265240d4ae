import type { Pod } from '../../api/objects/objects.js';
import type { Client, EventRecorder } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { RandomStream } from '../../kernel/random.js';
import type { Nominator } from '../cycle/attempt/nominated-filter.js';
import type { ChangeLog } from '../framework/change-log.js';
import type { Framework } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import { preemptionLimits, type PreemptionArgs } from '../framework/preemption/preemption-args.js';
import type { Preemptor } from '../framework/preemption/preemptor.js';
import type { DisruptionBudget } from './budgets.js';
import { PreemptionEvaluator } from './evaluator.js';
import type { PreemptionReport } from './preemption-report.js';
import { VictimRemoval } from './victim-removal.js';

/** What a scheduler lends to the preemptors of its profiles. */
export interface PreemptionParts {
  readonly kernel: Pick<Kernel, 'clock' | 'timestamps'>;
  readonly client: Pick<Client, 'change' | 'delete'>;
  readonly recorder: EventRecorder;
  readonly snapshot: Snapshot;
  /** The profile that the pods belong to. */
  readonly framework: Framework;
  readonly queue: Nominator & { activate(pods: Iterable<Pod>): void };
  /** The newest known state of a pod, by `namespace/name`. */
  readonly findPod: (key: string) => Pod | undefined;
  readonly budgets: () => Iterable<DisruptionBudget>;
  /** Where the walk over the nodes begins, shared by all profiles; `undefined` = always at the first node. */
  readonly random: RandomStream | undefined;
  /** Told of each preemption, by the key of its pod. */
  readonly onReport?: ((podKey: string, report: PreemptionReport) => void) | undefined;
}

/** Builds the preemptor of one plugin of one profile. */
export function createPreemptor(
  parts: PreemptionParts,
  plugin: string,
  args: PreemptionArgs,
  openings: ChangeLog,
): Preemptor {
  const { kernel, client, recorder, framework, queue, snapshot, findPod, budgets, random, onReport } = parts;
  const remover = new VictimRemoval({
    kernel,
    client,
    recorder,
    nominator: queue,
    waitingPod: (uid) => framework.waitingPods.get(uid),
    activate: (pods) => queue.activate(pods),
    openings,
    plugin,
  });
  return new PreemptionEvaluator({
    framework,
    snapshot,
    nominator: queue,
    clock: kernel.clock,
    timestamps: kernel.timestamps,
    random,
    limits: preemptionLimits(args),
    findPod,
    budgets,
    remover,
    onReport,
  });
}
