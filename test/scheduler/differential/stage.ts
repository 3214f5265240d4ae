/**
 * A cluster that is told to both sides at once: applies operations, lets both sides decide, and stops at
 * the first difference between what they say.
 */
import { keyOf, type Node, type Pod } from '../../../src/api/objects/objects.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';
import { parseSchedulerConfig } from '../../../src/scheduler/config/parse-scheduler-config.js';
import type { PluginRegistry } from '../../../src/scheduler/plugins/registry.js';
import { lowerNominations } from '../../../src/scheduler/preemption/victim-removal.js';
import { ClaimBinder } from './claim-binder.js';
import { ClusterObjects } from './cluster-objects.js';
import { assertSame } from './difference.js';
import { FastSide } from './fast-side.js';
import { nodeOf, podOf, type Follow, type NodePlan, type Operation, type Plan, type Template } from './operations.js';
import { PlainSide } from './plain-side.js';
import { leaving, nominatedTo, resized, running, settled, terminating } from './pod-states.js';
import type { Attempt, Side } from './side.js';

/** Lets worker threads judge for pods that come next. */
export type JudgeAhead = (side: FastSide, pods: readonly Pod[]) => Promise<void>;

/** What a stage may have besides its plan. */
export interface StageOptions {
  /** @defaultValue nothing is judged ahead */
  readonly judgeAhead?: JudgeAhead | undefined;
  /** Plugins of the fast side alone. @defaultValue the product's own */
  readonly registry?: PluginRegistry | undefined;
}

type NodeOperation = Extract<Operation, { readonly do: 'addNode' | 'changeNode' | 'removeNode' }>;
type PodOperation = Exclude<Extract<Operation, { readonly pod: string }>, { readonly do: 'attempt' }>;

/** See the file header. */
export class Stage {
  readonly fast: FastSide;
  readonly plain: PlainSide;
  readonly objects = new ClusterObjects();
  /** Attempts that were compared. */
  cycles = 0;
  /** Attempts by how they ended, which shows whether a run was worth something. */
  readonly outcomes: Record<string, number> = {};
  readonly #kernel;
  readonly #binder: ClaimBinder;
  readonly #sides: readonly Side[];
  readonly #templates: readonly Template[];
  readonly #judgeAhead: JudgeAhead | undefined;
  readonly #plans = new Map<string, NodePlan>();
  readonly #pods = new Map<string, Pod>();
  /** Nodes of pods with a binding under way, by the name of the pod. */
  readonly #assumed = new Map<string, string>();
  /** Nominations that the pods do not know of yet. */
  readonly #untold = new Map<string, string>();
  #started = 0;

  constructor(
    { seed, configuration, templates }: Omit<Plan, 'operations'>,
    { judgeAhead, registry }: StageOptions = {},
  ) {
    this.#kernel = createKernel({ seed });
    this.#templates = templates;
    this.#judgeAhead = judgeAhead;
    const options = {
      seed,
      configuration: parseSchedulerConfig(configuration, 'plan'),
      objects: this.objects,
      clock: this.#kernel.clock,
      timestamps: this.#kernel.timestamps,
    };
    this.#binder = new ClaimBinder(this.objects, this.#kernel.clock);
    this.fast = new FastSide(options, registry);
    this.plain = new PlainSide(options);
    this.#sides = [this.fast, this.plain];
  }

  get nodeNames(): readonly string[] {
    return [...this.#plans.keys()];
  }

  /** Names of pods by where they stand. */
  podNames(place: 'pending' | 'nominated' | 'assumed' | 'bound' | 'untold'): readonly string[] {
    if (place === 'assumed') return [...this.#assumed.keys()];
    if (place === 'untold') return [...this.#untold.keys()];
    const names: string[] = [];
    for (const [name, { spec, status }] of this.#pods) {
      const isBound = (spec.nodeName ?? '') !== '';
      if (this.#assumed.has(name) || isBound !== (place === 'bound')) continue;
      if (place !== 'nominated' || status.nominatedNodeName !== undefined) names.push(name);
    }
    return names;
  }

  pod(name: string): Pod | undefined {
    return this.#pods.get(name);
  }

  dispose(): void {
    this.fast.queue.close();
    this.#kernel.clock.dispose();
  }

  /** @throws Difference when the sides disagree */
  async apply(operation: Operation): Promise<void> {
    switch (operation.do) {
      case 'attempt':
        await this.#attempt(operation);
        return;
      case 'judgeAhead': {
        const pods = operation.pods.flatMap((name) => this.#pods.get(name) ?? []);
        for (const side of this.#sides) side.refresh();
        if (this.#judgeAhead !== undefined && this.#plans.size > 0) await this.#judgeAhead(this.fast, pods);
        return;
      }
      case 'addNode':
      case 'changeNode':
      case 'removeNode':
        this.#applyToNode(operation);
        return;
      case 'touchNode':
        this.#touchNode(operation);
        return;
      case 'wait':
        await this.#kernel.clock.run({ untilMs: this.#kernel.clock.now() + operation.ms });
        return;
      case 'put':
        this.objects.put(operation.object);
        return;
      case 'drop':
        this.objects.drop(operation.kind, operation.key);
        return;
      default:
        this.#applyToPod(operation);
    }
  }

  #applyToNode(operation: NodeOperation): void {
    const name = operation.node;
    const previous = this.objects.find('Node', name) as Node | undefined;
    if (operation.do === 'removeNode') {
      if (previous === undefined) return;
      this.#plans.delete(name);
      this.objects.drop('Node', name);
      for (const side of this.#sides) side.changeNode(previous, undefined);
      return;
    }
    const present = this.#plans.get(name);
    if (operation.do === 'changeNode' && present === undefined) return;
    const plan = operation.do === 'addNode' ? operation.plan : { ...(present as NodePlan), ...operation.change };
    this.#plans.set(name, plan);
    const node = this.objects.put(nodeOf(name, plan, 0));
    for (const side of this.#sides) side.changeNode(previous, node);
  }

  #touchNode({ node, turn, times }: Extract<Operation, { readonly do: 'touchNode' }>): void {
    const { labels } = this.#plans.get(node) ?? {};
    if (labels === undefined) return;
    for (let time = 0; time < times; time += 1) {
      this.#applyToNode({ do: 'changeNode', node, change: { labels: { ...labels, turn: `${turn}-${time}` } } });
      for (const side of this.#sides) side.refresh();
    }
  }

  #applyToPod(operation: PodOperation): void {
    const name = operation.pod;
    if (operation.do === 'createPod' || operation.do === 'runPod') {
      const template = this.#templates[operation.template];
      if (template === undefined || this.#pods.has(name)) return;
      const isCopy = operation.do === 'createPod' && operation.isCopy === true;
      const pod = podOf(name, isCopy ? structuredClone(template) : template, 0);
      this.#setPod(name, operation.do === 'runPod' ? this.#running(pod, operation.node) : pod);
      return;
    }
    const pod = this.#pods.get(name);
    if (pod === undefined) return;
    const { metadata, spec, status } = pod;
    const isBound = (spec.nodeName ?? '') !== '';
    switch (operation.do) {
      case 'confirm':
        this.#confirm(name);
        return;
      case 'abandon':
        this.#abandon(name);
        return;
      case 'deletePod':
        this.#abandon(name);
        this.#setPod(name, undefined);
        return;
      case 'finishPod':
        if (!isBound) return;
        this.#setPod(name, { ...pod, status: { ...status, phase: 'Succeeded' } });
        this.#pods.delete(name);
        return;
      case 'terminatePod':
        if (isBound) this.#setPod(name, terminating(pod));
        return;
      case 'touchPod':
        this.#setPod(name, { ...pod, status: { ...status, message: `seen ${this.objects.nextVersion()}` } });
        return;
      case 'relabelPod':
        if (!this.#assumed.has(name))
          this.#setPod(name, { ...pod, metadata: { ...metadata, labels: operation.labels } });
        return;
      case 'resizePod':
        if (isBound) this.#setPod(name, resized(pod, operation.requests));
        return;
      case 'startPod':
        if (isBound) this.#setPod(name, { ...pod, status: { ...status, startTime: this.#now() } });
        return;
      case 'settlePod':
        if (isBound) this.#setPod(name, settled(pod));
        return;
      case 'tell':
        if (!this.#assumed.has(name)) this.#tell(name);
        return;
      case 'nominate':
        if (isBound || this.#assumed.has(name)) return;
        for (let time = 1; time < (operation.times ?? 1); time += 1) {
          this.#setNomination(name, time % 2 === 0 ? '' : operation.node);
        }
        this.#setNomination(name, operation.node);
    }
  }

  async #attempt(operation: Extract<Operation, { readonly do: 'attempt' }>): Promise<void> {
    const { pod: name, follow, victims, nomination, isSpelledOut } = operation;
    const pod = this.#pods.get(name);
    if (pod === undefined || (pod.spec.nodeName ?? '') !== '' || this.#assumed.has(name)) return;
    this.cycles += 1;
    const fast = this.fast.attempt(pod, isSpelledOut);
    const plain = this.plain.attempt(pod, isSpelledOut);
    assertSame(`decision about ${name}`, plain.facts, fast.facts);
    this.#note(fast);
    if (fast.nodeName !== undefined) await this.#follow(name, fast, plain, follow);
    else this.#afterFailure(name, fast, victims, nomination);
  }

  async #follow(name: string, fast: Attempt, plain: Attempt, follow: Follow): Promise<void> {
    const pod = this.#pods.get(name) as Pod;
    const nodeName = fast.nodeName ?? '';
    for (const side of this.#sides) side.assume(pod, nodeName);
    this.#assumed.set(name, nodeName);
    assertSame(`Reserve for ${name}`, plain.placement.reserve(), fast.placement.reserve());
    const hasClaims = (pod.spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
    if (hasClaims && follow !== 'forget') {
      const bound = await this.#binder.bind(this.fast, fast, true);
      assertSame(`the binding of the claims of ${name}`, await this.#binder.bind(this.plain, plain, false), bound);
      if (bound.writes.length > 0) this.#count('claims bound');
    }
    if (follow === 'bind') this.#confirm(name);
    if (follow !== 'forget') return;
    fast.placement.unreserve();
    plain.placement.unreserve();
    this.#abandon(name);
  }

  /** Nominates, removes the victims, clears what has lost its ground. */
  #afterFailure(
    name: string,
    { postFilter, report }: Attempt,
    victims: 'gone' | 'leaving',
    nomination: 'told' | 'untold',
  ): void {
    const pod = this.#pods.get(name) as Pod;
    const nominated = postFilter?.nominatedNodeName;
    const { candidate } = report?.picked ?? {};
    if (candidate !== undefined) {
      for (const lower of lowerNominations(this.fast.queue, pod, candidate.nodeName)) {
        this.#setNomination(lower.metadata.name, '');
      }
    }
    for (const side of this.#sides) side.nominate(pod, nominated);
    if (nominated !== undefined) {
      this.#untold.set(name, nominated);
      if (nomination === 'told') this.#tell(name);
    }
    for (const { metadata } of candidate?.victims ?? []) {
      const victim = this.#pods.get(metadata.name);
      if (victim === undefined || this.#assumed.has(metadata.name)) this.#abandon(metadata.name);
      else if (victims === 'gone') this.#setPod(metadata.name, undefined);
      else this.#setPod(metadata.name, leaving(victim));
    }
  }

  #confirm(name: string): void {
    const nodeName = this.#assumed.get(name);
    const pod = this.#pods.get(name);
    if (nodeName === undefined || pod === undefined) return;
    this.#assumed.delete(name);
    this.#setPod(name, this.#running(pod, nodeName));
  }

  #abandon(name: string): void {
    const nodeName = this.#assumed.get(name);
    const pod = this.#pods.get(name);
    if (nodeName === undefined || pod === undefined) return;
    for (const side of this.#sides) side.forget(pod, nodeName);
    this.#assumed.delete(name);
    this.#setNomination(name, '');
  }

  /** Some wait for their kubelet, and some have started in the future of this clock. */
  #running(pod: Pod, nodeName: string): Pod {
    this.#started += 1;
    if (this.#started % 3 === 0) return running(pod, nodeName, undefined);
    const startTime = this.#started % 5 === 0 ? `2030-01-01T00:00:0${this.#started % 7}Z` : this.#now();
    return running(pod, nodeName, startTime);
  }

  #now(): string {
    return this.#kernel.timestamps.toTime(this.#kernel.clock.now());
  }

  #setNomination(name: string, nodeName: string): void {
    const pod = this.#pods.get(name);
    if (pod === undefined) return;
    for (const side of this.#sides) side.nominate(pod, nodeName);
    this.#untold.set(name, nodeName);
    this.#tell(name);
  }

  /** Writes a nomination to the pod's status. */
  #tell(name: string): void {
    const nodeName = this.#untold.get(name);
    const pod = this.#pods.get(name);
    this.#untold.delete(name);
    if (nodeName === undefined || pod === undefined || (pod.spec.nodeName ?? '') !== '') return;
    this.#setPod(name, nominatedTo(pod, nodeName));
  }

  /** Stores a new state of a pod, or its end, and tells both sides. */
  #setPod(name: string, next: Pod | undefined): void {
    const previous = this.#pods.get(name);
    if (next === undefined) {
      if (previous === undefined) return;
      this.#pods.delete(name);
      this.objects.drop('Pod', keyOf(previous));
      for (const side of this.#sides) side.changePod(previous, undefined);
      return;
    }
    const pod = this.objects.put(next);
    this.#pods.set(name, pod);
    for (const side of this.#sides) side.changePod(previous, pod);
  }

  #note({ facts, report, postFilter }: Attempt): void {
    this.#count(String(facts['kind']));
    if (postFilter !== undefined) this.#count(`preemption ${report?.outcome ?? 'none'}`);
    if (facts['isNominated'] === true) this.#count('nominated node taken');
  }

  #count(outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }
}
