/** Which of several groups grows. Mirrors cluster-autoscaler v1.34 `expander`. */
import type { ConfigMap } from '../../api/objects/config-objects.js';
import type { Pod } from '../../api/objects/objects.js';
import { powerOfE } from '../../kernel/elementary-functions.js';
import type { RandomStream } from '../../kernel/random.js';
import type { AutoscalerEvents } from './autoscaler-events.js';
import type { Amounts, NodeGroup } from './autoscaler-seams.js';
import type { ExpanderName } from './autoscaler-settings.js';
import { capacityOf } from './node-capacity.js';
import { readPriorities } from './priorities.js';
import type { TemplateNode } from './template-nodes.js';

/** A way to help pods: that many nodes of a group. */
export interface ExpansionOption {
  readonly group: NodeGroup;
  readonly nodeCount: number;
  readonly pods: readonly Pod[];
}

/** What expanders look at. */
export interface ExpanderMeans {
  readonly random: RandomStream;
  readonly events: AutoscalerEvents;
  /** Nodes in the cluster. */
  readonly nodeCount: number;
  readonly template: (group: string) => TemplateNode;
  readonly requestsOf: (pod: Pod) => Amounts;
  /** The ConfigMap `cluster-autoscaler-priority-expander`. */
  readonly priorities: ConfigMap | undefined;
}

type Filter = (options: readonly ExpansionOption[], means: ExpanderMeans) => readonly ExpansionOption[];

const MI = 1_048_576;
const FILTERS: Readonly<Record<ExpanderName, Filter>> = {
  random: (options, { random }) => [drawn(options, random)].filter((option) => option !== undefined),
  'most-pods': (options) => best(options, ({ pods }) => pods.length),
  'least-nodes': (options) => best(options, ({ nodeCount }) => -nodeCount),
  'least-waste': (options, means) => best(options, (option) => -wasteOf(option, means)),
  price: byPrice,
  priority: byPriority,
};

/** One option, by the expanders in their order, and then by chance. */
export function chooseOption(
  names: readonly ExpanderName[],
  options: readonly ExpansionOption[],
  means: ExpanderMeans,
): ExpansionOption | undefined {
  let left = options;
  for (const name of names) {
    left = FILTERS[name](left, means);
    if (left.length === 1) return left[0];
  }
  return drawn(left, means.random);
}

function drawn(options: readonly ExpansionOption[], random: RandomStream): ExpansionOption | undefined {
  return options.length === 0 ? undefined : options[random.int(0, options.length - 1)];
}

/** Those with the highest score. */
function best(
  options: readonly ExpansionOption[],
  scoreOf: (option: ExpansionOption) => number,
): readonly ExpansionOption[] {
  const scores = options.map(scoreOf);
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  return options.filter((_option, index) => scores[index] === highest);
}

/** Shares of cores and of memory that would be left over. */
function wasteOf({ group, nodeCount, pods }: ExpansionOption, { template, requestsOf }: ExpanderMeans): number {
  const capacity = capacityOf(template(group.id).node);
  const asked = pods.map(requestsOf);
  const sum = (field: keyof Amounts): number => asked.reduce((total, amounts) => total + amounts[field], 0);
  const wasted = (field: keyof Amounts): number => {
    const available = capacity[field] * nodeCount;
    return (available - sum(field)) / available;
  };
  return wasted('cpuMillis') + wasted('memoryBytes');
}

/** Price of the pod that keeps the ratio of prices from extremes: half a core and 500 MiB. */
const STABILIZATION: Amounts = { cpuMillis: 500, memoryBytes: 500 * MI };
/** Beyond so many nodes their shape hardly counts. */
const SHAPE_NODES = 15;

function tanh(value: number): number {
  return 1 - 2 / (powerOfE(2 * value) + 1);
}

/** Groups without a price are not chosen. */
function byPrice(options: readonly ExpansionOption[], means: ExpanderMeans): readonly ExpansionOption[] {
  const priced = options.filter(({ group }) => group.price !== undefined);
  const podPrice = podPriceOf(priced, means);
  const stabilization = podPrice(STABILIZATION);
  const preferredCpu = preferredCpuMillis(means.nodeCount);
  return best(priced, ({ group, nodeCount, pods }) => {
    const nodes = (group.price ?? 0) * nodeCount;
    const podsPrice = pods.reduce((sum, pod) => sum + podPrice(means.requestsOf(pod)), 0);
    const { cpuMillis } = capacityOf(means.template(group.id).node);
    const unfitness = Math.max(preferredCpu / cpuMillis, cpuMillis / preferredCpu);
    const suppressed = (unfitness - 1) * (1 - tanh((nodeCount - 1) / SHAPE_NODES)) + 1;
    return -suppressed * ((nodes + stabilization) / (podsPrice + stabilization));
  });
}

function unitsOf({ cpuMillis, memoryBytes }: Amounts): number {
  return cpuMillis / 1000 + memoryBytes / (8192 * MI);
}

/** What a pod is worth by what cores and memory cost on the cheapest of the machines; one core is taken for 8 GiB. */
function podPriceOf(options: readonly ExpansionOption[], { template }: ExpanderMeans): (amounts: Amounts) => number {
  const perUnit = options
    .map(({ group }) => (group.price ?? 0) / unitsOf(capacityOf(template(group.id).node)))
    .reduce((least, price) => Math.min(least, price), Number.POSITIVE_INFINITY);
  return (amounts) => unitsOf(amounts) * (Number.isFinite(perUnit) ? perUnit : 0);
}

/** Nodes may be larger the more of them there are. */
function preferredCpuMillis(nodes: number): number {
  const [, cores = 32] = [
    [2, 1],
    [6, 2],
    [20, 4],
    [60, 8],
    [200, 16],
  ].find(([most = 0]) => nodes <= most) ?? [0, 32];
  return cores * 1000;
}

function byPriority(
  options: readonly ExpansionOption[],
  { priorities, events }: ExpanderMeans,
): readonly ExpansionOption[] {
  if (priorities === undefined) return options;
  const warn = (reason: string, message: string): void => events.of(priorities, 'Warning', reason, message);
  const read = readPriorities(priorities);
  if (typeof read === 'string') {
    warn('PriorityConfigMapInvalid', read);
    return options;
  }
  const ranked = options.map((option) => {
    const ranks = read.filter(({ patterns }) => patterns.some((pattern) => pattern.test(option.group.id)));
    if (ranks.length === 0) {
      const id = option.group.id;
      const text = `Priority expander: node group ${id} not found in priority expander configuration. The group won't be used.`;
      warn('PriorityConfigMapNotMatchedGroup', text);
    }
    return { option, rank: ranks.reduce((most, { priority }) => Math.max(most, priority), -1) };
  });
  const highest = ranked.reduce((most, { rank }) => Math.max(most, rank), -1);
  if (highest >= 0) return ranked.filter(({ rank }) => rank === highest).map(({ option }) => option);
  const text = 'Priority expander: no priorities info found for any of the expansion options. No options filtered.';
  warn('PriorityConfigMapNoGroupMatched', text);
  return options;
}
