/**
 * What the autoscaler makes of nodes and machines: how many of each group are ready, started, missing; what was asked
 * for and has not come; whether a group, or the whole cluster, is fit to be scaled. Mirrors cluster-autoscaler v1.34
 * `clusterstate`.
 */
import type { AutoscalerEvents } from './autoscaler-events.js';
import type { AutoscalerMetrics } from './autoscaler-metrics.js';
import type { KnownNode } from './known-node.js';
import type { Cloud, Instance, InstanceError, NodeGroup } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { NodeState, type NodeRoster } from './node-roster.js';
import { GroupBackOff } from './group-back-off.js';
import { goDuration } from '../../api/go/go-duration.js';

/** From the registration of a node to its being ready. */
const MAX_STARTUP_MS = 900_000;
/** From the deletion of a machine to its being gone. */
const MAX_DELETION_MS = 300_000;
const MOST_MESSAGES = 3;

/** Nodes by how they are. */
export interface Readiness {
  ready: number;
  unready: number;
  deleted: number;
  /** Their names. */
  readonly notStarted: string[];
  registered: number;
  longUnregistered: number;
  unregistered: number;
}

/** How many machines a group should have, and may have at the moment. */
export interface AcceptableRange {
  minNodes: number;
  readonly target: number;
}

interface ScaleUpRequest {
  readonly group: NodeGroup;
  atMs: number;
  expectedMs: number;
  increase: number;
}

interface IncorrectSize {
  readonly current: number;
  readonly expected: number;
  readonly sinceMs: number;
}

/** What the state is made with. */
export interface ClusterStateMeans {
  readonly cloud: Cloud;
  readonly settings: AutoscalerSettings;
  readonly events: AutoscalerEvents;
  readonly metrics: AutoscalerMetrics;
}

/** See the file header. */
export class ClusterState {
  readonly #means: ClusterStateMeans;
  readonly #backOff: GroupBackOff;
  readonly #scaleUps = new Map<string, ScaleUpRequest>();
  readonly #unregistered = new Map<string, number>();
  #readiness = new Map<string, Readiness>();
  #total = createReadiness();
  #ranges = new Map<string, AcceptableRange>();
  #incorrect = new Map<string, IncorrectSize>();
  #failed = new Map<string, readonly Instance[]>();
  #nodeCount = 0;
  #atMs = 0;

  constructor(means: ClusterStateMeans) {
    this.#means = means;
    this.#backOff = new GroupBackOff(means.settings);
  }

  get total(): Readiness {
    return this.#total;
  }

  get atMs(): number {
    return this.#atMs;
  }

  readinessOf(group: string): Readiness | undefined {
    return this.#readiness.get(group);
  }

  rangeOf(group: string): AcceptableRange | undefined {
    return this.#ranges.get(group);
  }

  /** Takes the present up. */
  update(nodes: ReadonlyMap<string, KnownNode>, roster: NodeRoster, nowMs: number): void {
    this.#atMs = nowMs;
    this.#nodeCount = nodes.size;
    this.#countNodes(nodes, roster, nowMs);
    this.#updateRanges();
    this.#settleScaleUps(nowMs);
    this.#handleCreationErrors(nowMs);
    this.#updateRanges();
    this.#updateIncorrectSizes(nowMs);
  }

  /** After a scale-up or a scale-down was begun. */
  recalculate(): void {
    this.#updateRanges();
  }

  get isHealthy(): boolean {
    const { okTotalUnreadyCount, maxTotalUnreadyPercentage } = this.#means.settings;
    const { unready } = this.#total;
    return unready <= okTotalUnreadyCount || unready <= (maxTotalUnreadyPercentage / 100) * this.#nodeCount;
  }

  isGroupHealthy(group: string): boolean {
    const range = this.#ranges.get(group);
    if (range === undefined) return false;
    const readiness = this.#readiness.get(group);
    if (readiness === undefined) return range.target === 0 || (range.minNodes === 0 && range.target > 0);
    const { okTotalUnreadyCount, maxTotalUnreadyPercentage } = this.#means.settings;
    const { ready, unready, notStarted } = readiness;
    const missing = Math.max(0, range.minNodes - ready);
    const counted = ready + unready + notStarted.length;
    return missing <= okTotalUnreadyCount || missing <= (maxTotalUnreadyPercentage / 100) * counted;
  }

  /** Why a group is left alone after a failure; `undefined` = it is not. */
  backOffOf(group: string, nowMs: number): InstanceError | undefined {
    return this.#backOff.reasonOf(group, nowMs);
  }

  isScalingUp(group: string): boolean {
    return this.#scaleUps.has(group) && this.#upcoming(group);
  }

  /** How many nodes of each group are about to be there, and which of them are registered. */
  upcoming(): ReadonlyMap<string, { readonly count: number; readonly registered: readonly string[] }> {
    const result = new Map<string, { readonly count: number; readonly registered: readonly string[] }>();
    for (const { id } of this.#means.cloud.groups) {
      const { ready, unready, longUnregistered, notStarted } = this.#readiness.get(id) ?? createReadiness();
      const target = this.#ranges.get(id)?.target ?? 0;
      const count = target - (ready + unready + longUnregistered);
      if (count > 0) result.set(id, { count, registered: notStarted });
    }
    return result;
  }

  /** Machines that have not registered for too long, by group. */
  longUnregistered(nowMs: number): ReadonlyMap<NodeGroup, readonly string[]> {
    const result = new Map<NodeGroup, string[]>();
    if (this.#unregistered.size === 0) return result;
    for (const group of this.#means.cloud.groups) {
      for (const { name } of group.instances) {
        const sinceMs = this.#unregistered.get(name);
        if (sinceMs === undefined || sinceMs + this.#means.settings.maxNodeProvisionTime >= nowMs) continue;
        result.set(group, [...(result.get(group) ?? []), name]);
      }
    }
    return result;
  }

  /** Machines that could not be made, by group. */
  failedInstances(): ReadonlyMap<NodeGroup, readonly string[]> {
    const failed = this.#means.cloud.groups.map((group): [NodeGroup, readonly string[]] => [
      group,
      group.failed.map(({ name }) => name),
    ]);
    return new Map(failed.filter(([, names]) => names.length > 0));
  }

  /** By how many machines a group has too few for too long; 0 = it has not. */
  shortfallOf(group: string, nowMs: number): number {
    const incorrect = this.#incorrect.get(group);
    if (incorrect === undefined) return 0;
    if (incorrect.sinceMs + this.#means.settings.maxNodeProvisionTime >= nowMs) return 0;
    return Math.max(0, incorrect.expected - incorrect.current);
  }

  registerScaleUp(group: NodeGroup, delta: number, nowMs: number): void {
    const { maxNodeProvisionTime } = this.#means.settings;
    const known = this.#scaleUps.get(group.id);
    if (known === undefined) {
      if (delta <= 0) return;
      this.#scaleUps.set(group.id, { group, increase: delta, atMs: nowMs, expectedMs: nowMs + maxNodeProvisionTime });
      return;
    }
    known.increase += delta;
    if (known.increase <= 0) this.#scaleUps.delete(group.id);
    if (delta <= 0) return;
    known.atMs = nowMs;
    known.expectedMs = nowMs + maxNodeProvisionTime;
  }

  registerFailedScaleUp(group: NodeGroup, error: InstanceError, nowMs: number): void {
    this.#means.metrics.failedScaleUp(error.code);
    this.#backOff.begin(group.id, error, nowMs);
  }

  #countNodes(nodes: ReadonlyMap<string, KnownNode>, roster: NodeRoster, nowMs: number): void {
    const total = createReadiness();
    const byGroup = new Map<NodeGroup, Readiness>();
    let last: NodeGroup | undefined;
    let ofLast = total;
    for (let slot = 0; slot < roster.end; slot += 1) {
      if (roster.state[slot] === NodeState.Hole) continue;
      countIn(total, roster, slot, nowMs);
      const group = roster.groupAt(slot);
      if (group === undefined) continue;
      if (group !== last) {
        last = group;
        ofLast = readinessIn(byGroup, group);
      }
      countIn(ofLast, roster, slot, nowMs);
    }
    const missing = this.#countMissing(nodes, total, byGroup, nowMs);
    for (const name of this.#unregistered.keys()) if (!missing.has(name)) this.#unregistered.delete(name);
    this.#readiness = new Map([...byGroup].map(([{ id }, readiness]) => [id, readiness]));
    this.#total = total;
  }

  /** Machines without a Node. @returns their names */
  #countMissing(
    nodes: ReadonlyMap<string, KnownNode>,
    total: Readiness,
    byGroup: Map<NodeGroup, Readiness>,
    nowMs: number,
  ): ReadonlySet<string> {
    const { cloud, settings } = this.#means;
    const missing = new Set<string>();
    for (const group of cloud.groups) {
      // Nodes of a group are machines of it: where there are as many, none is without.
      if (group.failed.length === 0 && group.size === (byGroup.get(group)?.registered ?? 0)) continue;
      for (const { name, error } of group.instances) {
        if (nodes.has(name) || error !== undefined) continue;
        missing.add(name);
        const sinceMs = this.#unregistered.get(name) ?? nowMs;
        this.#unregistered.set(name, sinceMs);
        const state = sinceMs + settings.maxNodeProvisionTime < nowMs ? 'longUnregistered' : 'unregistered';
        total[state] += 1;
        readinessIn(byGroup, group)[state] += 1;
      }
    }
    return missing;
  }

  #updateRanges(): void {
    const ranges = new Map<string, AcceptableRange>();
    for (const { id, targetSize } of this.#means.cloud.groups) {
      const long = this.#readiness.get(id)?.longUnregistered ?? 0;
      const increase = this.#scaleUps.get(id)?.increase ?? 0;
      ranges.set(id, { minNodes: targetSize - long - increase, target: targetSize });
    }
    this.#ranges = ranges;
  }

  #upcoming(group: string): boolean {
    const range = this.#ranges.get(group);
    if (range === undefined) return false;
    const readiness = this.#readiness.get(group);
    const provisioned = readiness === undefined ? 0 : readiness.registered - readiness.notStarted.length;
    return range.target > provisioned;
  }

  #settleScaleUps(nowMs: number): void {
    this.#backOff.forgetOld(nowMs);
    for (const [id, { group, atMs, expectedMs }] of this.#scaleUps) {
      if (!this.#upcoming(id)) {
        this.#scaleUps.delete(id);
        continue;
      }
      if (expectedMs >= nowMs) continue;
      const after = goDuration(nowMs - atMs);
      const text = `Nodes added to group ${id} failed to register within ${after}`;
      this.#means.events.log('Warning', 'ScaleUpTimedOut', text);
      const message = `Scale-up timed out for node group ${id} after ${after}`;
      this.registerFailedScaleUp(group, { errorClass: 'Other', code: 'timeout', message }, nowMs);
      this.#scaleUps.delete(id);
    }
  }

  #handleCreationErrors(nowMs: number): void {
    const previous = this.#failed;
    this.#failed = new Map();
    for (const group of this.#means.cloud.groups) {
      const { failed } = group;
      if (failed.length === 0) continue;
      this.#failed.set(group.id, failed);
      const seen = new Set(previous.get(group.id)?.map(({ name, error }) => `${name} ${error?.code ?? ''}`));
      const byCode = new Map<string, Instance[]>();
      for (const instance of failed) {
        const code = `${instance.error?.errorClass ?? ''}.${instance.error?.code ?? ''}`;
        byCode.set(code, [...(byCode.get(code) ?? []), instance]);
      }
      for (const [code, instances] of byCode) {
        const unseen = instances.filter(({ name, error }) => !seen.has(`${name} ${error?.code ?? ''}`)).length;
        const [first] = instances;
        if (unseen === 0 || first?.error === undefined || !this.isScalingUp(group.id)) continue;
        const messages = [...new Set(instances.map(({ error }) => error?.message ?? ''))];
        const message = messages.join(', ') + (messages.length > MOST_MESSAGES ? ', ...' : '');
        const text = `Failed adding ${unseen} nodes to group ${group.id} due to ${code}; source errors: ${message}`;
        this.#means.events.log('Warning', 'ScaleUpFailed', text);
        this.registerScaleUp(group, -unseen, nowMs);
        this.registerFailedScaleUp(group, { ...first.error, message }, nowMs);
      }
    }
  }

  #updateIncorrectSizes(nowMs: number): void {
    const result = new Map<string, IncorrectSize>();
    for (const { id } of this.#means.cloud.groups) {
      const readiness = this.#readiness.get(id);
      const range = this.#ranges.get(id);
      if (readiness === undefined || range === undefined) continue;
      const { registered: current } = readiness;
      const missing = readiness.unregistered + readiness.longUnregistered;
      const expected = range.target;
      if (current <= expected && current >= expected - missing) continue;
      const known = this.#incorrect.get(id);
      const isSame = known?.current === current && known.expected === expected;
      result.set(id, { current, expected, sinceMs: isSame ? known.sinceMs : nowMs });
    }
    this.#incorrect = result;
  }
}

/** How long a node that is being deleted may still be there, ms. */
export const NODE_DELETION_MS = MAX_DELETION_MS;

function createReadiness(): Readiness {
  return { ready: 0, unready: 0, deleted: 0, notStarted: [], registered: 0, longUnregistered: 0, unregistered: 0 };
}

function readinessIn(byGroup: Map<NodeGroup, Readiness>, group: NodeGroup): Readiness {
  const known = byGroup.get(group);
  if (known !== undefined) return known;
  const made = createReadiness();
  byGroup.set(group, made);
  return made;
}

function countIn(readiness: Readiness, roster: NodeRoster, slot: number, nowMs: number): void {
  readiness.registered += 1;
  const state = roster.state[slot];
  if (state === NodeState.Ready) {
    readiness.ready += 1;
    return;
  }
  const known = roster.at(slot);
  if (state === NodeState.Deleted || known === undefined) readiness.deleted += 1;
  else if (known.createdMs + MAX_STARTUP_MS > nowMs) readiness.notStarted.push(known.name);
  else readiness.unready += 1;
}
