/**
 * A random cluster and what happens to it: everything follows from the seed and from what the stage
 * looks like when the next operation is asked for.
 */
import { Dice } from './dice.js';
import type { Follow, Operation, Plan, PodStep, Template } from './operations.js';
import { randomConfiguration } from './random-configuration.js';
import { randomNode, randomNodeChange } from './random-nodes.js';
import {
  randomPodLabels,
  randomRequests,
  randomTemplate,
  withOtherField,
  withOtherRequests,
  type PodTraits,
} from './random-pods.js';
import { randomBudget, randomNamespace, randomOwner, randomStorage, randomStorageChange } from './random-storage.js';
import { drawStyle, type RunStyle, type Step } from './run-style.js';
import type { Stage } from './stage.js';

const FOLLOWS: readonly Follow[] = ['bind', 'bind', 'bind', 'assume', 'forget'];

/** Changes after which logs of changes have been overrun. */
const OVERRUN = { nodes: 8300, nominations: 1100 };

/** Which runs are wanted. */
export interface RunOptions {
  /** Pods that a worker pool is told of before they are tried. @defaultValue no pool */
  readonly isPooled?: boolean;
}

/** See the file header. */
export class RandomRun {
  readonly plan: Omit<Plan, 'operations'>;
  /** Operations that build the cluster. */
  readonly beginning: readonly Operation[];
  /** Operations after the beginning. */
  readonly length: number;
  readonly #dice: Dice;
  readonly #style: RunStyle;
  readonly #isPooled: boolean;
  /** How many attempts in a hundred tell about single nodes. */
  readonly #spelledOut: number;
  readonly #removed: string[] = [];
  /** Numbers given out. */
  readonly #serials = { node: 0, pod: 0, turn: 0 };
  /** Operations that follow the last one; `any` is drawn when its turn comes. */
  readonly #pending: (Operation | 'any')[] = [];

  constructor(seed: string, { isPooled = false }: RunOptions = {}) {
    const dice = new Dice(seed);
    const style = drawStyle(dice, isPooled);
    this.#dice = dice;
    this.#style = style;
    this.#isPooled = isPooled;
    this.#spelledOut = dice.pick([80, 10]);
    this.length = style.length;
    const schedulerNames = dice.chance(25) ? ['default-scheduler', 'second'] : ['default-scheduler'];
    const nodeNames = Array.from({ length: style.nodeCount }, (_, index) => `n${index}`);
    const percentage = dice.pick([0, 0, 0, 100, 5, 30, 60]);
    this.plan = {
      seed,
      configuration: randomConfiguration(dice, schedulerNames, percentage, style.isConfigured),
      templates: this.#drawTemplates({ ...style.traits, schedulerNames, nodeNames }),
    };
    this.beginning = [
      ...(style.traits.volumes > 0 ? randomStorage(dice, nodeNames.slice(0, 20)) : []),
      ...dice.several(0, 3, () => randomNamespace(dice)),
      ...dice.several(0, 2, () => randomOwner(dice)),
      ...dice.several(0, 2, () => randomBudget(dice)),
      ...nodeNames.map(() => this.#addNode()),
      ...dice.several(0, style.nodeCount * style.fill, () => this.#runPod(dice.pick(nodeNames))),
    ];
  }

  /** The next operation on a stage that has played all before it. */
  next(stage: Stage): Operation {
    const pending = this.#pending.shift();
    if (pending === 'any') return this.#draw(stage, 'changeNode') ?? this.next(stage);
    return pending ?? this.#draw(stage, this.#dice.weighted(this.#style.steps)) ?? this.#newPod();
  }

  #draw(stage: Stage, step: Step): Operation | undefined {
    const dice = this.#dice;
    const bound = stage.podNames('bound');
    switch (step) {
      case 'newPod':
        return this.#newPod();
      case 'retry': {
        const pod = dice.pickAny(stage.podNames(dice.chance(30) ? 'nominated' : 'pending'));
        return pod === undefined ? undefined : this.#attempt(pod);
      }
      case 'confirm':
      case 'abandon':
        return this.#about(step, stage.podNames('assumed'));
      case 'tell':
        return this.#about(step, stage.podNames('untold'));
      case 'terminatePod':
      case 'finishPod':
      case 'settlePod':
      case 'startPod':
        return this.#about(step, bound);
      case 'deletePod':
        return this.#about(step, this.#goers(stage));
      case 'touchPod':
        return this.#about(step, [
          ...(dice.chance(40) ? [] : bound),
          ...stage.podNames(dice.pick(['untold', 'pending'])),
        ]);
      case 'relabelPod': {
        const pod = dice.pickAny([...bound, ...stage.podNames('pending')]);
        return pod === undefined ? undefined : { do: step, pod, labels: randomPodLabels(dice) };
      }
      case 'resizePod': {
        const pod = dice.pickAny(bound);
        return pod === undefined
          ? undefined
          : { do: step, pod, requests: randomRequests(dice, this.#style.traits.oddities) };
      }
      case 'runPod': {
        const node = dice.pickAny(stage.nodeNames);
        return node === undefined ? undefined : this.#runPod(node);
      }
      case 'nominate':
        return this.#nominate(stage);
      case 'addNode':
      case 'changeNode':
      case 'removeNode':
      case 'touchNode':
        return this.#drawOfNode(step, stage);
      default:
        return this.#drawOfOthers(step);
    }
  }

  #drawOfNode(step: 'addNode' | 'changeNode' | 'removeNode' | 'touchNode', stage: Stage): Operation | undefined {
    const dice = this.#dice;
    if (step === 'addNode') return this.#addNode(dice.chance(50) ? this.#removed.pop() : undefined);
    const node = dice.pickAny(stage.nodeNames);
    if (node === undefined) return undefined;
    if (step === 'changeNode') return { do: step, node, change: randomNodeChange(dice, node) };
    if (step === 'touchNode') {
      return { do: step, node, turn: this.#next('turn'), times: OVERRUN.nodes };
    }
    this.#removed.push(node);
    // A node that comes back before the next decision.
    if (dice.chance(20)) this.#pending.push(this.#addNode(this.#removed.pop()));
    return { do: step, node };
  }

  #drawOfOthers(step: 'namespace' | 'owner' | 'budget' | 'storage' | 'wait'): Operation | undefined {
    const dice = this.#dice;
    switch (step) {
      case 'namespace':
        return randomNamespace(dice);
      case 'owner':
        return randomOwner(dice);
      case 'budget':
        return randomBudget(dice);
      case 'wait':
        return { do: step, ms: dice.int(1, 8000) };
      case 'storage':
        return this.#style.traits.volumes > 0 ? randomStorageChange(dice) : undefined;
    }
  }

  #nominate(stage: Stage): Operation | undefined {
    const dice = this.#dice;
    const pod = dice.pickAny(stage.podNames('pending'));
    const node = dice.chance(25) ? '' : dice.pickAny(stage.nodeNames);
    if (pod === undefined || node === undefined) return undefined;
    const times = this.#style.steps.touchNode > 0 && dice.chance(30) ? { times: OVERRUN.nominations } : {};
    return { do: 'nominate', pod, node, ...times };
  }

  /** Some differ from an earlier one in a single field. */
  #drawTemplates(traits: Omit<PodTraits, 'priorities'>): readonly Template[] {
    const dice = this.#dice;
    const { templateCount, priorities, otherRequests } = this.#style;
    const templates: Template[] = [];
    for (let index = 0; index < templateCount; index += 1) {
      const own = { ...traits, priorities: priorities[index % 2 === 0 ? 0 : 1] };
      const like = dice.chance(otherRequests) ? dice.pickAny(templates) : undefined;
      if (like !== undefined) {
        templates.push(withOtherRequests(dice, like));
        continue;
      }
      const earlier = dice.chance(30) ? dice.pickAny(templates) : undefined;
      templates.push(earlier === undefined ? randomTemplate(dice, own) : withOtherField(dice, own, earlier));
    }
    return templates;
  }

  #newPod(): Operation {
    const pods = Array.from({ length: this.#isPooled ? this.#dice.int(2, 8) : 1 }, () => this.#podName());
    const [first, ...others] = pods.map((pod): Operation => {
      return { do: 'createPod', pod, template: this.#newTemplate(), isCopy: this.#dice.chance(15) };
    });
    this.#pending.push(...others);
    if (this.#isPooled) this.#pending.push({ do: 'judgeAhead', pods });
    for (const [index, pod] of pods.entries()) {
      // What was judged ahead is no longer true everywhere.
      if (index > 0 && this.#dice.chance(30)) this.#pending.push('any');
      this.#pending.push(this.#attempt(pod));
    }
    return first as Operation;
  }

  #attempt(pod: string): Operation {
    const dice = this.#dice;
    return {
      do: 'attempt',
      pod,
      follow: dice.pick(FOLLOWS),
      victims: dice.pick(['gone', 'leaving']),
      nomination: dice.pick(['told', 'told', 'untold']),
      isSpelledOut: dice.chance(this.#spelledOut),
    };
  }

  #about(step: PodStep, pods: readonly string[]): Operation | undefined {
    const pod = this.#dice.pickAny(pods);
    return pod === undefined ? undefined : { do: step, pod };
  }

  /** Pods that may go: first of all those that have been told to. */
  #goers(stage: Stage): readonly string[] {
    const bound = stage.podNames('bound');
    const leaving = bound.filter((name) => stage.pod(name)?.metadata.deletionTimestamp !== undefined);
    return leaving.length > 0 && this.#dice.chance(60) ? leaving : [...bound, ...stage.podNames('pending')];
  }

  #runPod(node: string): Operation {
    const template = this.#template();
    const even = template - (template % 2);
    return { do: 'runPod', pod: this.#podName(), template: this.#style.isCrowded ? even : template, node };
  }

  #addNode(node = `n${this.#next('node')}`): Operation {
    return { do: 'addNode', node, plan: randomNode(this.#dice, node, this.#dice.chance(this.#style.equalNodes)) };
  }

  /** Where there is no room the more important pods come. */
  #newTemplate(): number {
    const template = this.#template();
    const isOther = this.#style.isCrowded && template % 2 === 0 && template + 1 < this.plan.templates.length;
    return isOther && this.#dice.chance(60) ? template + 1 : template;
  }

  /** Most pods are of the first templates, unless there are to be many shapes. */
  #template(): number {
    const { length } = this.plan.templates;
    const last = this.#style.hasManyShapes || this.#dice.chance(30) ? length - 1 : Math.min(2, length - 1);
    return this.#dice.int(0, last);
  }

  #podName(): string {
    return `p${this.#next('pod')}`;
  }

  #next(what: 'node' | 'pod' | 'turn'): number {
    this.#serials[what] += 1;
    return this.#serials[what] - 1;
  }
}
