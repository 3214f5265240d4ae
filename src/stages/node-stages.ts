/**
 * Stages of nodes that say that a node is not ready: the kubelet of such a node stops once the stage's delay is over,
 * and starts anew when its node comes into no such stage any more, as a label that the stage asks for is taken away.
 * All other stages of nodes are what kubelets do by themselves.
 */
import type { Node } from '../api/objects/objects.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { FaultHandle, FaultInjector } from '../faults/fault-injector.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import { chooseStage, stageDelayMs } from './choose-stage.js';
import type { JsonObject } from './jq/jq-values.js';
import { StageFailure, type Stage } from './stage.js';
import { StageTemplates } from './stage-templates.js';

/** What nodes are seen and stopped with. */
export interface NodeStageParts {
  readonly kernel: Kernel;
  readonly lookout: Lookout;
  readonly faults: () => Pick<FaultInjector, 'stopKubelet'>;
}

/** A node whose kubelet stops, or is to stop. */
interface Failing {
  readonly timer: Timer;
  handle: FaultHandle | undefined;
}

/** See the file header. */
export class NodeStages {
  readonly #parts: NodeStageParts;
  readonly #random: RandomStream;
  readonly #templates: StageTemplates;
  readonly #failing = new Map<string, Failing>();
  #stages: readonly Stage[] = [];
  #failures = new Set<Stage>();
  #isListening = false;

  constructor(parts: NodeStageParts) {
    this.#parts = parts;
    this.#random = parts.kernel.random('stages/Node');
    this.#templates = new StageTemplates({ random: this.#random, startMs: this.#epochMs });
  }

  set stages(stages: readonly Stage[]) {
    this.#stages = stages;
    this.#failures = new Set(stages.filter((stage) => this.#saysNotReady(stage)));
    if (this.#failures.size === 0 || this.#isListening) return;
    this.#isListening = true;
    const seen = new Map<string, object>();
    listen(this.#parts.lookout.watch('Node'), ({ type, object }) => {
      const { name } = object.metadata;
      if (type === 'DELETED') {
        seen.delete(name);
        this.#end(name);
        return;
      }
      const { labels, annotations } = object.metadata;
      const before = seen.get(name) as { labels: unknown; annotations: unknown; spec: unknown } | undefined;
      if (before?.labels === labels && before?.annotations === annotations && before?.spec === object.spec) return;
      seen.set(name, { labels, annotations, spec: object.spec });
      this.#judge(object);
    });
  }

  #judge(node: Node): void {
    const { name } = node.metadata;
    const nowMs = this.#epochMs + this.#parts.kernel.clock.now();
    const view = { object: healthy(node), nowMs, draw: () => this.#random.unit() };
    try {
      const stage = chooseStage(this.#stages, view, this.#random);
      if (stage === undefined || !this.#failures.has(stage)) return this.#end(name);
      if (this.#failing.has(name)) return;
      const delayMs = stageDelayMs(stage, view, this.#random);
      const timer = this.#parts.kernel.clock.schedule(delayMs, () => {
        failing.handle = this.#parts.faults().stopKubelet(name);
      });
      const failing: Failing = { timer, handle: undefined };
      this.#failing.set(name, failing);
    } catch (error) {
      if (!(error instanceof StageFailure)) throw error;
    }
  }

  #end(name: string): void {
    const failing = this.#failing.get(name);
    if (failing === undefined) return;
    this.#failing.delete(name);
    this.#parts.kernel.clock.cancel(failing.timer);
    const { handle } = failing;
    if (handle !== undefined) this.#parts.kernel.clock.schedule(0, () => handle.heal());
  }

  /** Whether a stage makes of a node that is well one that is not ready. */
  #saysNotReady({ steps }: Stage): boolean {
    const sample = healthy({ metadata: { name: 'node', labels: {}, annotations: {} } } as unknown as Node);
    return steps.some(({ patch }) => {
      if (patch === undefined) return false;
      try {
        const rendered = this.#templates.render(patch.template, sample, this.#epochMs) as Readonly<
          Record<string, unknown>
        >;
        const status = (patch.root === 'status' ? rendered : rendered['status']) as Node['status'] | undefined;
        return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value !== 'True') === true;
      } catch (error) {
        if (error instanceof StageFailure) return false;
        throw error;
      }
    });
  }

  get #epochMs(): number {
    return -this.#parts.kernel.timestamps.toMs('1970-01-01T00:00:00Z');
  }
}

/** A node as kwok keeps it while nothing is wrong with it. */
function healthy(node: Node): JsonObject {
  const { conditions = [], ...status } = node.status ?? {};
  const others = conditions.filter(({ type }) => type !== 'Ready');
  const ready = { type: 'Ready', status: 'True' };
  const shown = { ...status, phase: 'Running', conditions: [ready, ...others] };
  return { ...node, apiVersion: 'v1', kind: 'Node', status: shown } as unknown as JsonObject;
}
