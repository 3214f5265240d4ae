/**
 * Helps pods for which there is no place by more nodes: which groups could help, how many nodes of each, and the best of
 * these. Mirrors cluster-autoscaler v1.34 `core/scaleup/orchestrator`.
 */
import type { Pod } from '../../api/objects/objects.js';
import type { RandomStream } from '../../kernel/random.js';
import type { AutoscalerEvents } from './autoscaler-events.js';
import type { AutoscalerMemory } from './autoscaler-memory.js';
import type { AutoscalerMetrics } from './autoscaler-metrics.js';
import { CloudError, type Cloud, type NodeGroup } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { estimate } from './binpacking.js';
import type { ClusterState } from './cluster-state.js';
import { chooseOption, type ExpansionOption } from './expanders.js';
import { capacityOf } from './node-capacity.js';
import { PRIORITIES_NAME } from './priorities.js';
import { areSimilarNodes, balance, type Growth } from './similar-groups.js';
import { groupsOfSimilarPods } from './similar-pods.js';
import type { TemplateNode, TemplateNodes } from './template-nodes.js';

const BACK_OFF = 'in backoff after failed scale-up';
const MAX_SIZE = 'max node group size reached';
const NOT_READY = 'not ready for scale-up';
const GI = 1_073_741_824;

/** What has come of an attempt. */
export type ScaleUpResult = 'successful' | 'error' | 'noOptions' | 'notNeeded' | 'inCooldown' | 'limited';

/** What a scale-up is made with. */
export interface ScaleUpMeans {
  readonly cloud: Cloud;
  readonly settings: AutoscalerSettings;
  readonly memory: AutoscalerMemory;
  readonly state: ClusterState;
  readonly templates: TemplateNodes;
  readonly events: AutoscalerEvents;
  readonly metrics: AutoscalerMetrics;
  readonly random: RandomStream;
}

/** Pods that are alike, with what keeps them from the groups. */
interface PodGroup {
  readonly pods: readonly Pod[];
  isSchedulable: boolean;
  readonly errors: Map<string, readonly string[]>;
}

/** What may still be added before a limit of the whole cluster is met. */
interface Left {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** See the file header. */
export class ScaleUp {
  readonly #means: ScaleUpMeans;

  constructor(means: ScaleUpMeans) {
    this.#means = means;
  }

  /** @param readyNodes - nodes that are ready, with those that are about to be @returns what has come of it */
  run(
    pods: readonly Pod[],
    readyNodes: number,
    built: ReadonlyMap<string, TemplateNode>,
    nowMs: number,
  ): ScaleUpResult {
    const { cloud, memory, settings, events } = this.#means;
    const podGroups = groupsOfSimilarPods(pods).map((each): PodGroup => ({
      pods: each,
      isSchedulable: false,
      errors: new Map(),
    }));
    const upcoming = [...this.#means.state.upcoming().values()].reduce((sum, { count }) => sum + count, 0);
    const nodeCount = readyNodes + upcoming;
    const left = this.#left(built);
    const skipped = new Map<string, readonly string[]>();
    const valid = cloud.groups.filter((group) => {
      const reason = this.#whySkipped(group, built.get(group.id), left, nowMs);
      if (reason !== undefined) skipped.set(group.id, [reason]);
      return reason === undefined;
    });
    const fitting = new Map(valid.map((group) => [group.id, this.#fitting(podGroups, group, built)]));
    const options = valid.flatMap((group) => this.#option(group, fitting, built, nodeCount, nowMs) ?? []);
    const best = chooseOption(settings.expander, options, {
      random: this.#means.random,
      events,
      nodeCount: memory.nodes.size,
      template: (id) => built.get(id) as TemplateNode,
      requestsOf: (pod) => memory.placement.requestsOf(pod),
      priorities: memory.configMaps?.getByKey(`kube-system/${PRIORITIES_NAME}`),
    });
    if (best === undefined) {
      this.#tellRemaining(podGroups, skipped);
      return 'noOptions';
    }
    const nodes = this.#capped(best, nodeCount, left, built);
    if (nodes < 1) return 'error';
    const similar = this.#similarGroups(best.group, fitting, built, nowMs);
    return this.#execute(balance([best.group, ...similar], nodes), best.pods, nowMs);
  }

  /** Groups that are smaller than they may be grow to that. */
  toMinSizes(readyNodes: number, built: ReadonlyMap<string, TemplateNode>, nowMs: number): ScaleUpResult {
    const { cloud } = this.#means;
    const left = this.#left(built);
    const growths = cloud.groups.flatMap((group): readonly Growth[] => {
      const { targetSize: from, minSize } = group;
      if (from >= minSize || this.#whySkipped(group, built.get(group.id), left, nowMs) !== undefined) return [];
      const wanted = { group, nodeCount: minSize - from, pods: [] };
      const nodes = this.#capped(wanted, readyNodes, left, built);
      return nodes < 1 ? [] : [{ group, from, to: from + nodes }];
    });
    return growths.length === 0 ? 'notNeeded' : this.#execute(growths, [], nowMs);
  }

  /** Tells pods that are left without help why. */
  tellLimited(pods: readonly Pod[]): void {
    for (const pod of pods) this.#tellPod(pod, 'max total nodes in cluster reached');
  }

  #whySkipped(group: NodeGroup, template: TemplateNode | undefined, left: Left, nowMs: number): string | undefined {
    const { state } = this.#means;
    if (!state.isGroupHealthy(group.id)) return NOT_READY;
    if (state.backOffOf(group.id, nowMs) !== undefined) return BACK_OFF;
    if (group.targetSize >= group.maxSize) return MAX_SIZE;
    if (template === undefined) return NOT_READY;
    const { cpuMillis, memoryBytes } = capacityOf(template.node);
    const exceeded = [
      ...(Math.ceil(cpuMillis / 1000) > left.cores ? ['cpu'] : []),
      ...(memoryBytes > left.memoryBytes ? ['memory'] : []),
    ];
    return exceeded.length === 0 ? undefined : `max cluster ${exceeded.join(', ')} limit reached`;
  }

  /** Pods that could go to a node of the group, were it empty. */
  #fitting(
    podGroups: readonly PodGroup[],
    group: NodeGroup,
    built: ReadonlyMap<string, TemplateNode>,
  ): readonly PodGroup[] {
    const { placement } = this.#means.memory;
    const template = built.get(group.id);
    if (template === undefined) return [];
    placement.fork();
    placement.addNode(template.node, template.pods);
    const fitting = podGroups.filter((each) => {
      const [sample] = each.pods;
      if (sample === undefined) return false;
      const rejection = placement.whyNot(sample, template.node.metadata.name);
      if (rejection === undefined) each.isSchedulable = true;
      else each.errors.set(group.id, rejection.reasons);
      return rejection === undefined;
    });
    placement.revert();
    return fitting;
  }

  #option(
    group: NodeGroup,
    fitting: ReadonlyMap<string, readonly PodGroup[]>,
    built: ReadonlyMap<string, TemplateNode>,
    nodeCount: number,
    nowMs: number,
  ): ExpansionOption | undefined {
    const { settings, memory, templates } = this.#means;
    const podGroups = fitting.get(group.id) ?? [];
    const template = built.get(group.id);
    if (podGroups.length === 0 || template === undefined) return undefined;
    const similar = this.#similarGroups(group, fitting, built, nowMs);
    const room = [group, ...similar].reduce((sum, each) => sum + Math.max(0, each.maxSize - each.targetSize), 0);
    const clusterRoom = settings.maxNodesTotal > 0 ? settings.maxNodesTotal - nodeCount : Number.POSITIVE_INFINITY;
    const mostPerScaleUp = settings.maxNodesPerScaleup > 0 ? settings.maxNodesPerScaleup : Number.POSITIVE_INFINITY;
    const mostNodes = Math.min(room, clusterRoom, mostPerScaleUp);
    const groups = podGroups.map(({ pods }) => pods);
    const { nodeCount: nodes, pods } = estimate(memory.placement, templates, { template, groups, mostNodes });
    return nodes === 0 || pods.length === 0 ? undefined : { group, nodeCount: nodes, pods };
  }

  /** Groups like this one that could take the same pods, where scale-ups are spread. */
  #similarGroups(
    group: NodeGroup,
    fitting: ReadonlyMap<string, readonly PodGroup[]>,
    built: ReadonlyMap<string, TemplateNode>,
    nowMs: number,
  ): readonly NodeGroup[] {
    const { settings, cloud, state, memory } = this.#means;
    const template = built.get(group.id);
    const own = fitting.get(group.id) ?? [];
    if (!settings.balanceSimilarNodeGroups || template === undefined || own.length === 0) return [];
    return cloud.groups.filter((other) => {
      const otherTemplate = built.get(other.id);
      const others = fitting.get(other.id);
      if (other === group || otherTemplate === undefined || others === undefined) return false;
      if (!state.isGroupHealthy(other.id) || state.backOffOf(other.id, nowMs) !== undefined) return false;
      return areSimilarNodes(template, otherTemplate, memory.placement) && own.every((each) => others.includes(each));
    });
  }

  /** What limits of the whole cluster leave. */
  #left(built: ReadonlyMap<string, TemplateNode>): Left {
    const { cloud, memory, settings } = this.#means;
    let [cores, memoryBytes] = [0, 0];
    for (const { id, targetSize } of cloud.groups) {
      const template = built.get(id);
      if (template === undefined) continue;
      const capacity = capacityOf(template.node);
      cores += targetSize * Math.ceil(capacity.cpuMillis / 1000);
      memoryBytes += targetSize * capacity.memoryBytes;
    }
    for (const { name, capacity } of memory.nodes.values()) {
      if (cloud.groupOf(name) !== undefined) continue;
      cores += Math.ceil(capacity.cpuMillis / 1000);
      memoryBytes += capacity.memoryBytes;
    }
    const { coresTotal, memoryTotal } = settings;
    return {
      cores: Math.max(0, coresTotal.max - cores),
      memoryBytes: Math.max(0, memoryTotal.max * GI - memoryBytes),
    };
  }

  /** As many nodes of an option as limits of the whole cluster let come. */
  #capped(
    { group, nodeCount }: ExpansionOption,
    present: number,
    left: Left,
    built: ReadonlyMap<string, TemplateNode>,
  ): number {
    const { maxNodesTotal } = this.#means.settings;
    let nodes = nodeCount;
    if (maxNodesTotal > 0 && nodes + present > maxNodesTotal) {
      nodes = maxNodesTotal - present;
      const text = `Max total nodes in cluster reached: ${maxNodesTotal}`;
      this.#means.events.log('Warning', 'MaxNodesTotalReached', text);
    }
    const template = built.get(group.id);
    if (template === undefined) return 0;
    const { cpuMillis, memoryBytes } = capacityOf(template.node);
    if (cpuMillis > 0) nodes = Math.min(nodes, Math.floor(left.cores / Math.ceil(cpuMillis / 1000)));
    return memoryBytes > 0 ? Math.min(nodes, Math.floor(left.memoryBytes / memoryBytes)) : nodes;
  }

  #execute(growths: readonly Growth[], pods: readonly Pod[], nowMs: number): ScaleUpResult {
    const { events, metrics, state } = this.#means;
    for (const { group, from, to } of growths) {
      const { id, maxSize } = group;
      const change = `${to} instead of ${from} (max: ${maxSize})`;
      events.log('Normal', 'ScaledUpGroup', `Scale-up: setting group ${id} size to ${change}`);
      try {
        group.increaseSize(to - from);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        events.log('Warning', 'FailedToScaleUpGroup', `Scale-up failed for group ${id}: ${error.message}`);
        const message = `failed to increase node group size: ${error.message}`;
        state.registerFailedScaleUp(group, { errorClass: 'Other', code: 'cloudProviderError', message }, nowMs);
        return 'error';
      }
      state.registerScaleUp(group, to - from, nowMs);
      metrics.scaledUp(to - from);
      events.log('Normal', 'ScaledUpGroup', `Scale-up: group ${id} size set to ${change}`);
    }
    state.recalculate();
    const plan = growths.map(({ group, from, to }) => `{${group.id} ${from}->${to} (max: ${group.maxSize})}`).join(' ');
    if (growths.length > 0) {
      for (const pod of pods) events.of(pod, 'Normal', 'TriggeredScaleUp', `pod triggered scale-up: [${plan}]`);
    }
    return 'successful';
  }

  #tellRemaining(podGroups: readonly PodGroup[], skipped: ReadonlyMap<string, readonly string[]>): void {
    for (const { pods, isSchedulable, errors } of podGroups) {
      if (isSchedulable) continue;
      const counts = new Map<string, number>();
      for (const reasons of [...errors.values(), ...skipped.values()]) {
        for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
      const text = [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
      for (const pod of pods) this.#tellPod(pod, text);
    }
  }

  #tellPod(pod: Pod, why: string): void {
    this.#means.events.of(pod, 'Normal', 'NotTriggerScaleUp', `pod didn't trigger scale-up: ${why}`);
  }
}
