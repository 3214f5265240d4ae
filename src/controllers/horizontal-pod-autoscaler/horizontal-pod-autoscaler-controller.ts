/**
 * The horizontal pod autoscaler: every 15 s it reads the scale of what an autoscaler names, works out how many replicas
 * its metrics ask for, keeps that within limits and sets it. It makes and deletes no pods, and knows of metrics only what
 * their APIs answer. Mirrors kube-controller-manager v1.34 pkg/controller/podautoscaler/horizontal.go.
 *
 * A sync that fails is not tried again before its next turn, as upstream's.
 */
import { groupKindOf } from '../../api/kinds/group-kind.js';
import { parseKey } from '../../api/objects/objects.js';
import { parseLabelSelector, type Selector } from '../../api/selectors/labels.js';
import type { Scale } from '../../apiserver/store/server-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { AutoscalerDraft, type ConditionDraft } from './autoscaler-draft.js';
import { AutoscalerMemory } from './autoscaler-memory.js';
import { actionOf, autoscalerMetrics, type Action } from './autoscaler-metrics.js';
import { autoscalerOf, type Autoscaler, type MetricSpec, type MetricStatus } from './autoscaler.js';
import { proposalFor, wordsFor, type MetricProposal, type Scaled } from './metric-proposals.js';
import { isFailure } from './metric-readings.js';
import { readScale, writeScale } from './scale-access.js';
import { limited } from './scale-limits.js';

/** What upstream's zero value of a metric's status is written as. */
const NO_STATUS = { type: '' } as MetricStatus;

/** See the file header. */
export const horizontalPodAutoscalerController = defineController({
  name: 'horizontal-pod-autoscaler-controller',
  component: 'horizontal-pod-autoscaler',
  setup: (context) => new AutoscalerMemory(context),
  async reconcile(context, key, memory) {
    const object = memory.autoscalers.getByKey(key);
    if (object === undefined) {
      memory.forget(key);
      context.queue.drop(key);
      return;
    }
    const sync = new Sync(context, memory, key, autoscalerOf(object));
    await sync.run();
    context.queue.addAfter(key, context.settings.horizontalPodAutoscalerSyncPeriod);
  },
});

/** What the metrics ask for together. */
interface Recommendation {
  readonly replicas: number;
  readonly metric: string;
  /** Of each metric; those that failed have none. */
  readonly statuses: readonly MetricStatus[];
  /** Why some of the metrics could not be used. */
  readonly problem: string | undefined;
}

/** What is done with the target. */
interface Decision {
  readonly replicas: number;
  readonly isRescale: boolean;
  readonly reason: string;
  readonly statuses?: readonly MetricStatus[];
  /** Whether some metric could not be used. */
  readonly hasProblem?: boolean;
}

/** One sync of one autoscaler. */
class Sync {
  readonly #context: ControllerContext;
  readonly #memory: AutoscalerMemory;
  readonly #key: string;
  readonly #autoscaler: Autoscaler;
  readonly #draft: AutoscalerDraft;

  constructor(context: ControllerContext, memory: AutoscalerMemory, key: string, autoscaler: Autoscaler) {
    this.#context = context;
    this.#memory = memory;
    this.#key = key;
    this.#autoscaler = autoscaler;
    this.#draft = new AutoscalerDraft(context, autoscaler);
  }

  async run(): Promise<void> {
    const draft = this.#draft;
    const scale = await this.#readScale();
    if (scale === undefined) return this.#end('none', true);
    draft.say(able('SucceededGetScale', "the HPA controller was able to get the target's current scale"));
    const { replicas: currentReplicas } = scale.spec;
    this.#memory.history(this.#key).begin(currentReplicas, this.#nowMs);
    const decision = await this.#decide(scale);
    if (decision === undefined) return this.#end('none', true);
    const { replicas, isRescale, statuses, hasProblem = false } = decision;
    if (isRescale && !(await this.#rescale(scale, decision))) return this.#end('none', true);
    const desiredReplicas = isRescale ? replicas : currentReplicas;
    draft.state({ currentReplicas, desiredReplicas, currentMetrics: statuses, isRescaled: isRescale });
    await this.#end(isRescale ? actionOf(currentReplicas, replicas) : 'none', hasProblem);
  }

  get #nowMs(): number {
    return this.#context.kernel.clock.now();
  }

  async #end(action: Action, isFailed: boolean): Promise<void> {
    await this.#draft.write();
    autoscalerMetrics(this.#context.metrics).synced(action, isFailed ? 'internal' : 'none');
  }

  async #readScale(): Promise<Scale | undefined> {
    const { scaleTargetRef: target } = this.#autoscaler.spec;
    const { namespace } = this.#autoscaler.metadata;
    try {
      return await readScale(this.#memory.scales, groupKindOf(target), { namespace, name: target.name });
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.#draft.warn('FailedGetScale', error.message);
      const message = `the HPA controller was unable to get the target's current scale: ${error.message}`;
      this.#draft.say({ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message });
      return undefined;
    }
  }

  /** @returns undefined if the metrics do not say */
  async #decide(scale: Scale): Promise<Decision | undefined> {
    const { minReplicas = 1, maxReplicas } = this.#autoscaler.spec;
    const { replicas } = scale.spec;
    if (replicas === 0 && minReplicas !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      this.#draft.say({ type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled', message });
      return { replicas: 0, isRescale: false, reason: '' };
    }
    if (replicas > maxReplicas) {
      const reason = 'Current number of replicas above Spec.MaxReplicas';
      return { replicas: maxReplicas, isRescale: true, reason };
    }
    if (replicas < minReplicas) {
      const reason = 'Current number of replicas below Spec.MinReplicas';
      return { replicas: minReplicas, isRescale: true, reason };
    }
    return this.#follow(scale);
  }

  async #follow(scale: Scale): Promise<Decision | undefined> {
    const { minReplicas = 1, maxReplicas, behavior } = this.#autoscaler.spec;
    const { replicas: currentReplicas } = scale.spec;
    const wanted = await this.#recommend(scale);
    if (wanted === undefined) return undefined;
    const { replicas: desiredReplicas, metric, statuses, problem } = wanted;
    const reason = desiredReplicas > currentReplicas ? `${metric} above target` : 'All metrics below target';
    const { replicas, conditions } = limited(
      behavior,
      { currentReplicas, desiredReplicas, minReplicas, maxReplicas },
      {
        history: this.#memory.history(this.#key),
        nowMs: this.#nowMs,
        stabilizationMs: this.#context.settings.horizontalPodAutoscalerDownscaleStabilization,
      },
    );
    for (const condition of conditions) this.#draft.say(condition);
    const isRescale = replicas !== currentReplicas;
    const told = desiredReplicas === currentReplicas ? '' : reason;
    return { replicas, isRescale, reason: told, statuses, hasProblem: problem !== undefined };
  }

  /** What the metrics ask for; undefined if they do not say. */
  async #recommend(scale: Scale): Promise<Recommendation | undefined> {
    const { metrics = [] } = this.#autoscaler.spec;
    let best: MetricProposal | undefined;
    let failed = 0;
    let first: { readonly condition: ConditionDraft; readonly problem: string } | undefined;
    const statuses: MetricStatus[] = [];
    let selector: Selector;
    try {
      selector = this.#selectorOf(scale);
    } catch (error) {
      if (!isFailure(error)) throw error;
      return this.#fail(scale, undefined, error.message);
    }
    for (const spec of metrics) {
      const outcome = await this.#propose(scale, selector, spec);
      if ('problem' in outcome) {
        failed += 1;
        first ??= outcome;
        statuses.push(NO_STATUS);
        continue;
      }
      statuses.push(outcome.status);
      if (best === undefined || best.replicas === 0 || outcome.replicas > best.replicas) best = outcome;
    }
    const problem =
      first && `invalid metrics (${failed} invalid out of ${metrics.length}), first error is: ${first.problem}`;
    const replicas = best?.replicas ?? 0;
    if (first !== undefined && (failed >= metrics.length || replicas < scale.spec.replicas)) {
      this.#draft.say(first.condition);
      return this.#fail(scale, statuses, problem ?? '');
    }
    const metric = best?.metric ?? '';
    const message = `the HPA was able to successfully calculate a replica count from ${metric}`;
    this.#draft.say({ type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound', message });
    return { replicas, metric, statuses, problem };
  }

  #fail({ spec }: Scale, statuses: readonly MetricStatus[] | undefined, problem: string): undefined {
    const { desiredReplicas } = this.#draft;
    this.#draft.state({
      currentReplicas: spec.replicas,
      desiredReplicas,
      currentMetrics: statuses,
      isRescaled: false,
    });
    this.#draft.warn('FailedComputeMetricsReplicas', problem);
    return undefined;
  }

  async #propose(
    scale: Scale,
    selector: Selector,
    spec: MetricSpec,
  ): Promise<MetricProposal | { readonly condition: ConditionDraft; readonly problem: string }> {
    const counted = autoscalerMetrics(this.#context.metrics);
    const before = this.#autoscaler.status.currentReplicas ?? 0;
    try {
      const reader = { memory: this.#memory, apis: this.#context.metricApis };
      const proposal = await proposalFor(reader, this.#scaled(scale, selector), spec);
      counted.computed(actionOf(before, proposal.replicas), 'none', spec.type);
      return proposal;
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { reason, prefix } = wordsFor(spec);
      counted.computed('none', 'internal', spec.type);
      this.#draft.warn(reason, error.message);
      const message = `the HPA was unable to compute the replica count: ${error.message}`;
      return {
        condition: { type: 'ScalingActive', status: 'False', reason, message },
        problem: `${prefix}: ${error.message}`,
      };
    }
  }

  #scaled({ spec, status }: Scale, selector: Selector): Scaled {
    const { settings, kernel } = this.#context;
    const namespace = this.#namespace;
    const memory = this.#memory;
    const key = this.#key;
    const periods = {
      cpuInitializationMs: settings.horizontalPodAutoscalerCPUInitializationPeriod,
      initialReadinessMs: settings.horizontalPodAutoscalerInitialReadinessDelay,
    };
    const { clock, timestamps } = kernel;
    const { horizontalPodAutoscalerTolerance: tolerance } = settings;
    return {
      namespace,
      selector,
      currentReplicas: spec.replicas,
      statusReplicas: status.replicas,
      // That of a behaviour is behind a feature gate, HPAConfigurableTolerance, which v1.34 has off.
      tolerances: { scaleDown: tolerance, scaleUp: tolerance },
      periods,
      // Metrics are read first, and then pods, as they are at that moment.
      get pods() {
        return memory.select(key, selector).list();
      },
      get columns() {
        return memory.select(key, selector);
      },
      get present() {
        return { nowMs: clock.now(), timestamps };
      },
    };
  }

  get #namespace(): string {
    return parseKey(this.#key).namespace ?? '';
  }

  /** @throws RetryError for a scale without a selector, or one that takes pods of another autoscaler */
  #selectorOf({ status: { selector: text = '' } }: Scale): Selector {
    if (text === '') {
      const said = "the HPA target's scale is missing a selector";
      this.#refuseSelector('SelectorRequired', 'selector is required', 'InvalidSelector', said);
    }
    const selector = parseLabelSelector(text);
    const autoscalers = this.#memory.selecting(this.#memory.select(this.#key, selector));
    if (autoscalers.length > 1) {
      const told = `pods by selector ${text} are controlled by multiple HPAs: [${autoscalers.join(' ')}]`;
      this.#refuseSelector('AmbiguousSelector', told, 'AmbiguousSelector', told);
    }
    return selector;
  }

  #refuseSelector(event: string, told: string, reason: string, message: string): never {
    this.#draft.warn(event, told);
    this.#draft.say({ type: 'ScalingActive', status: 'False', reason, message });
    throw new RetryError(told);
  }

  /** @returns whether the target has the replicas now */
  async #rescale(scale: Scale, { replicas, reason, statuses }: Decision): Promise<boolean> {
    const { spec, metadata } = this.#autoscaler;
    const { scaleTargetRef: target } = spec;
    const { recorder, kernel } = this.#context;
    const { replicas: currentReplicas } = scale.spec;
    try {
      const means = { scales: this.#memory.scales, clock: kernel.clock };
      const name = { namespace: metadata.namespace, name: target.name };
      await writeScale(means, groupKindOf(target), name, { scale, replicas });
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.#draft.warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error.message}`);
      const message = `the HPA controller was unable to update the target scale: ${error.message}`;
      this.#draft.say({ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale', message });
      const { desiredReplicas } = this.#draft;
      this.#draft.state({ currentReplicas, desiredReplicas, currentMetrics: statuses, isRescaled: false });
      return false;
    }
    this.#draft.say(able('SucceededRescale', `the HPA controller was able to update the target scale to ${replicas}`));
    recorder.record(this.#autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    this.#memory.history(this.#key).scaled(spec.behavior, currentReplicas, replicas, this.#nowMs);
    return true;
  }
}

function able(reason: string, message: string): ConditionDraft {
  return { type: 'AbleToScale', status: 'True', reason, message };
}
