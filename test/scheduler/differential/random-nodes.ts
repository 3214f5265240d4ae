/** Random nodes, and changes of them. */
import type { core, ResourceList, StringMap } from '../../../src/api/objects/objects.js';
import { present, type Dice } from './dice.js';
import type { NodePlan } from './operations.js';

export const HOST = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const GPU = 'example.com/gpu';
export const IMAGES = ['registry/app:1', 'registry/app:2', 'base', 'tools:v3', 'large:9'] as const;
export const TAINT_KEYS = ['dedicated', 'spot'] as const;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute', 'PreferNoSchedule'] as const;
const MEGABYTE = 1024 * 1024;

const EQUAL = { allocatable: { cpu: '8', memory: '16Gi', pods: '110' } };

/** A node; `name` is its hostname. Equal nodes differ in their zone alone. */
export function randomNode(dice: Dice, name: string, isEqual: boolean): NodePlan {
  if (isEqual) return { labels: { [HOST]: name, [ZONE]: dice.pick(['z1', 'z2', 'z3']), disk: 'ssd' }, ...EQUAL };
  return present<NodePlan>({
    labels: randomNodeLabels(dice, name),
    allocatable: randomAllocatable(dice),
    taints: dice.maybe(25, () => randomTaints(dice)),
    unschedulable: dice.maybe(5, () => true),
    images: dice.maybe(40, () => randomImages(dice)),
  });
}

/** Some of a node is no longer what it was; possibly nothing. */
export function randomNodeChange(dice: Dice, name: string): Partial<NodePlan> {
  switch (dice.weighted({ labels: 4, allocatable: 4, taints: 4, cordon: 2, uncordon: 2, images: 3, nothing: 2 })) {
    case 'labels':
      return { labels: randomNodeLabels(dice, name) };
    case 'allocatable':
      return { allocatable: randomAllocatable(dice) };
    case 'taints':
      return { taints: dice.chance(40) ? [] : randomTaints(dice) };
    case 'cordon':
      return { unschedulable: true };
    case 'uncordon':
      return { unschedulable: false };
    case 'images':
      return { images: randomImages(dice) };
    case 'nothing':
      return {};
  }
}

function randomNodeLabels(dice: Dice, name: string): StringMap {
  return present<Record<string, string>>({
    [HOST]: dice.maybe(96, () => name),
    [ZONE]: dice.maybe(88, () => dice.pick(['z1', 'z2', 'z3', 'z4'])),
    [REGION]: dice.maybe(70, () => dice.pick(['r1', 'r2'])),
    'failure-domain.beta.kubernetes.io/zone': dice.maybe(4, () => 'old'),
    disk: dice.maybe(80, () => dice.pick(['ssd', 'hdd'])),
    size: dice.maybe(60, () => String(dice.int(1, 9))),
    rack: dice.maybe(60, () => `rack-${dice.int(1, 6)}`),
  });
}

function randomAllocatable(dice: Dice): ResourceList {
  return present<Record<string, string>>({
    cpu: dice.pick(['1', '2', '4', '8', '3900m', '16']),
    memory: dice.pick(['2Gi', '4Gi', '8Gi', '16Gi', '7900Mi']),
    pods: dice.pick(['2', '4', '8', '110', '110']),
    'ephemeral-storage': dice.maybe(50, () => dice.pick(['10Gi', '40Gi'])),
    [GPU]: dice.maybe(30, () => String(dice.int(1, 4))),
    'hugepages-2Mi': dice.maybe(10, () => '64Mi'),
  });
}

function randomTaints(dice: Dice): core.Taint[] {
  return dice.several(1, 2, () =>
    present<core.Taint>({
      key: dice.pick(TAINT_KEYS),
      value: dice.maybe(70, () => dice.pick(['a', 'b'])),
      effect: dice.pick(EFFECTS),
    }),
  );
}

function randomImages(dice: Dice): core.ContainerImage[] {
  return dice.several(1, 4, () => ({
    names: [dice.pick(IMAGES)].map((name) => (name.includes(':') ? name : `${name}:latest`)),
    sizeBytes: dice.pick([10, 60, 300, 700, 1500]) * MEGABYTE,
  }));
}
