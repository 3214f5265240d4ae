/** Sorts of random runs: each leans on other parts of the scheduler. */
import type { Dice } from './dice.js';
import type { PodTraits } from './random-pods.js';

/** Kinds of steps after the beginning, with how often they come. */
export const STEPS = {
  newPod: 46,
  retry: 14,
  confirm: 5,
  abandon: 2,
  deletePod: 6,
  terminatePod: 3,
  finishPod: 1,
  touchPod: 4,
  relabelPod: 4,
  resizePod: 2,
  settlePod: 1,
  startPod: 2,
  tell: 3,
  runPod: 4,
  nominate: 3,
  changeNode: 10,
  addNode: 2,
  removeNode: 2,
  touchNode: 0,
  namespace: 4,
  owner: 3,
  budget: 2,
  storage: 2,
  wait: 3,
};

/** A kind of step. */
export type Step = keyof typeof STEPS;

/** Priorities of pods that are there already, and of those that come, where there is no room for all. */
const LOW = [-5, 0, undefined, 3];
const HIGH = [10, 100, 100, 100];

/** See the file header. */
export interface RunStyle {
  readonly steps: Readonly<Record<Step, number>>;
  readonly nodeCount: number;
  readonly templateCount: number;
  /** Operations after the beginning. */
  readonly length: number;
  readonly traits: Omit<PodTraits, 'schedulerNames' | 'nodeNames' | 'priorities'>;
  /** Priorities of templates with even, and with odd numbers. */
  readonly priorities: readonly [PodTraits['priorities'], PodTraits['priorities']];
  /** Pods at the beginning, per node at most; where it is crowded they are of templates with even numbers. */
  readonly fill: number;
  readonly isCrowded: boolean;
  /** Pods are of many templates alike, and not of the first few most of the time. */
  readonly hasManyShapes: boolean;
  /** How many templates in a hundred differ from an earlier one in nothing but requests. */
  readonly otherRequests: number;
  /** How many nodes in a hundred are alike but for their zone. */
  readonly equalNodes: number;
  /** Whether the profile may differ from the default one. */
  readonly isConfigured: boolean;
}

const SIMPLE = { nodeRules: 0, spread: 0, interPod: 0, ports: 0, oddities: 2, volumes: 0 };

/** Draws one. */
export function drawStyle(dice: Dice, isPooled: boolean): RunStyle {
  if (isPooled) return unlike(dice);
  switch (dice.weighted({ mixed: 38, crowded: 18, preemption: 24, manyShapes: 8, worn: 5, bulk: 7 })) {
    case 'mixed':
      return mixed(dice);
    case 'crowded':
      return crowded(dice);
    case 'preemption':
      return preemption(dice);
    case 'manyShapes':
      return manyShapes(dice);
    case 'worn':
      return worn(dice);
    case 'bulk':
      return bulk(dice);
  }
}

function mixed(dice: Dice): RunStyle {
  const nodeCount = someNodes(dice);
  return {
    steps: STEPS,
    nodeCount,
    templateCount: dice.int(2, 7),
    length: dice.int(40, nodeCount > 40 ? 90 : 160),
    traits: {
      nodeRules: dice.pick([0, 40, 80]),
      spread: dice.pick([0, 25, 70]),
      interPod: dice.pick([0, 20, 70]),
      ports: dice.pick([0, 0, 25]),
      oddities: 12,
      volumes: dice.pick([0, 0, 40]),
    },
    priorities: [
      [...LOW, ...HIGH],
      [...LOW, ...HIGH],
    ],
    fill: dice.int(0, 3),
    isCrowded: false,
    hasManyShapes: false,
    otherRequests: 0,
    equalNodes: dice.pick([0, 0, 95]),
    isConfigured: true,
  };
}

/** Nodes are full of less important pods. */
function crowded(dice: Dice): RunStyle {
  const style = mixed(dice);
  return {
    ...style,
    traits: {
      ...style.traits,
      nodeRules: dice.pick([0, 0, 40]),
      spread: dice.pick([0, 0, 30]),
      interPod: dice.pick([0, 0, 30]),
    },
    priorities: [LOW, HIGH],
    fill: 5,
    isCrowded: true,
  };
}

/** One preemption after the other for pods that are alike, for which nothing counts but the single node. */
function preemption(dice: Dice): RunStyle {
  const style = crowded(dice);
  return {
    ...style,
    steps: {
      ...STEPS,
      retry: 25,
      startPod: 10,
      runPod: 14,
      budget: 14,
      nominate: 5,
      tell: 8,
      confirm: 8,
      changeNode: 4,
    },
    nodeCount: dice.int(3, 30),
    templateCount: dice.int(2, 6),
    length: 160,
    traits: { ...SIMPLE, nodeRules: dice.pick([0, 0, 20]), ports: dice.pick([0, 0, 20]) },
    fill: 9,
    equalNodes: dice.pick([60, 100]),
    isConfigured: dice.chance(30),
  };
}

/** More shapes than are kept. */
function manyShapes(dice: Dice): RunStyle {
  const hasManyShapes = true;
  return { ...mixed(dice), nodeCount: dice.int(3, 12), templateCount: dice.int(70, 120), length: 260, hasManyShapes };
}

/** Pods that differ in what they request, most of them in nothing else, and find room. */
function unlike(dice: Dice): RunStyle {
  const style = manyShapes(dice);
  const traits = { ...SIMPLE, nodeRules: dice.pick([0, 0, 40]), oddities: 0 };
  const otherRequests = dice.pick([90, 97]);
  const priorities = [[0], [0]] as const;
  const steps = { ...STEPS, nominate: 0 };
  return { ...style, steps, traits, priorities, otherRequests, nodeCount: someNodes(dice), fill: 0, equalNodes: 50 };
}

/** So much changes between two attempts at one template that logs of changes are too short. */
function worn(dice: Dice): RunStyle {
  const traits = { ...SIMPLE, nodeRules: dice.pick([0, 40]), spread: dice.pick([0, 40]), interPod: dice.pick([0, 40]) };
  return {
    ...mixed(dice),
    steps: { ...STEPS, touchNode: 14, changeNode: 20, nominate: 8 },
    nodeCount: dice.int(60, 160),
    templateCount: dice.int(2, 4),
    length: 90,
    traits,
    equalNodes: 90,
  };
}

/** Many simple pods over many equal nodes, as in most benchmarks. */
function bulk(dice: Dice): RunStyle {
  const traits = { ...SIMPLE, spread: dice.pick([0, 30]), interPod: dice.pick([0, 30]) };
  return {
    ...mixed(dice),
    nodeCount: dice.int(130, 260),
    templateCount: dice.int(1, 3),
    length: 120,
    traits,
    fill: 1,
    equalNodes: dice.pick([97, 100]),
    isConfigured: dice.chance(30),
  };
}

function someNodes(dice: Dice): number {
  switch (dice.weighted({ few: 60, some: 25, many: 15 })) {
    case 'few':
      return dice.int(3, 12);
    case 'some':
      return dice.int(13, 60);
    case 'many':
      return dice.int(101, 260);
  }
}
