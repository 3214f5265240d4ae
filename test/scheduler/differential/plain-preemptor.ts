/**
 * Preemption as upstream words it (`SelectVictimsOnNode`, `DryRunPreemption`, `pickOneNodeForPreemption`
 * of kube-scheduler v1.34), in the simplest form: every node is copied, every pod is taken out and put
 * back one by one, nothing is kept.
 */
import { compileLabelSelector } from '../../../src/api/selectors/labels.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { sortAsGo } from '../../../src/kernel/go-sort.js';
import type { RandomStream } from '../../../src/kernel/random.js';
import type { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { NodeToStatus, PostFilterResult, Snapshot } from '../../../src/scheduler/framework/interface.js';
import type { NodeInfo } from '../../../src/scheduler/framework/node-info.js';
import { podPriority, type PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import {
  candidatesWanted,
  preemptionLimits,
  type PreemptionArgs,
} from '../../../src/scheduler/framework/preemption/preemption-args.js';
import type { Preemptor } from '../../../src/scheduler/framework/preemption/preemptor.js';
import { Code, createStatus, type Status } from '../../../src/scheduler/framework/status.js';
import type { DisruptionBudget } from '../../../src/scheduler/preemption/budgets.js';
import type { Candidate } from '../../../src/scheduler/preemption/candidate.js';
import type { PreemptionCriterion } from '../../../src/scheduler/preemption/pick-node.js';
import type { PreemptionReport } from '../../../src/scheduler/preemption/preemption-report.js';
import { nodesText, type PlainFramework } from './plain-framework.js';

/** What the preemptor of one attempt looks at. */
export interface PlainPreemptorOptions {
  readonly profile: PlainFramework;
  readonly snapshot: Snapshot;
  readonly nowMs: number;
  readonly toMs: (timestamp: string) => number;
  readonly random: RandomStream;
  readonly args: PreemptionArgs;
  readonly budgets: readonly DisruptionBudget[];
}

const NO_VICTIMS = createStatus(Code.UnschedulableAndUnresolvable, '', 'No preemption victims found for incoming pod');
const NOT_HELPFUL = createStatus(Code.UnschedulableAndUnresolvable, '', 'Preemption is not helpful for scheduling');

/** See the file header. */
export class PlainPreemptor implements Preemptor {
  report: PreemptionReport | undefined;
  readonly #options: PlainPreemptorOptions;

  constructor(options: PlainPreemptorOptions) {
    this.#options = options;
  }

  isPreempting(): boolean {
    return false;
  }

  preempt(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult {
    const report = this.#evaluate(state, pod, nodeToStatus);
    this.report = report;
    const { picked, outcome, message } = report;
    if (picked !== undefined) return { nominatedNodeName: picked.candidate.nodeName };
    const status = createStatus(outcome === 'error' ? Code.Error : Code.Unschedulable, '', message);
    return { ...(outcome === 'unhelpful' ? { nominatedNodeName: '' } : {}), status };
  }

  #evaluate(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PreemptionReport {
    const { snapshot, random, args } = this.#options;
    const without = { potentialNodes: 0, wanted: 0, candidates: [], statuses: new Map<string, Status>() };
    const obstacle = this.#obstacle(pod.pod, nodeToStatus);
    if (obstacle !== undefined) return { ...without, outcome: 'ineligible', message: obstacle };
    const nodes = potentialNodes(nodeToStatus, snapshot);
    const wanted = candidatesWanted(preemptionLimits(args), nodes.length);
    const offset = nodes.length === 0 ? 0 : random.int(0, nodes.length - 1);
    const clean: Candidate[] = [];
    const violating: Candidate[] = [];
    const statuses = new Map<string, Status>();
    for (let step = 0; step < nodes.length; step += 1) {
      const node = nodes[(offset + step) % nodes.length] as NodeInfo;
      const result = this.#selectVictims(state, pod, node);
      if ('code' in result) statuses.set(node.name, result);
      else {
        const list = result.violations === 0 ? clean : violating;
        if (list.length < wanted) list.push(result);
        if (clean.length > 0 && clean.length + violating.length >= wanted) break;
      }
    }
    const candidates = [...clean, ...violating];
    const found = { potentialNodes: nodes.length, wanted, candidates, statuses };
    if (candidates.length > 0) return { ...found, outcome: 'nominated', message: '', picked: this.#pick(candidates) };
    const errors = [...statuses.values()]
      .filter(({ code }) => code === Code.Error)
      .map(({ reasons }) => reasons.join(', '));
    if (errors.length > 0) {
      const texts = [...new Set(errors)];
      return { ...found, outcome: 'error', message: texts.length > 1 ? `[${texts.join(', ')}]` : texts.join('') };
    }
    return { ...found, outcome: 'unhelpful', message: nodesText(statuses, NOT_HELPFUL, snapshot.size) };
  }

  #obstacle(pod: Pod, nodeToStatus: NodeToStatus): string | undefined {
    if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
    const nominated = pod.status.nominatedNodeName ?? '';
    if (nominated === '' || nodeToStatus.get(nominated).code === Code.UnschedulableAndUnresolvable) return undefined;
    const pods = this.#options.snapshot.get(nominated)?.pods ?? [];
    const isLeaving = pods.some(
      ({ pod: { metadata, spec, status } }) =>
        metadata.deletionTimestamp !== undefined &&
        (spec.priority ?? 0) < podPriority(pod) &&
        status.conditions?.some(
          ({ type, status: value, reason }) =>
            type === 'DisruptionTarget' && value === 'True' && reason === 'PreemptionByScheduler',
        ) === true,
    );
    return isLeaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
  }

  #selectVictims(state: CycleState, pod: PodInfo, original: NodeInfo): Candidate | Status {
    const { profile } = this.#options;
    const node = original.clone();
    const dryState = state.clone();
    const lesser = original.pods.filter((other) => podPriority(other.pod) < podPriority(pod.pod));
    if (lesser.length === 0) return NO_VICTIMS;
    for (const other of lesser) profile.removePod(dryState, other, node);
    const rejection = profile.verdictOn(dryState, node);
    if (rejection !== undefined) return rejection;
    const byImportance = sortAsGo([...lesser], (a, b) => this.#moreImportant(a, b) < 0);
    const isViolating = this.#violations(byImportance);
    const victims: PodInfo[] = [];
    let violations = 0;
    for (const group of [true, false]) {
      for (const other of byImportance) {
        if (isViolating.has(other) !== group) continue;
        profile.addPod(dryState, other, node);
        if (profile.verdictOn(dryState, node) === undefined) continue;
        profile.removePod(dryState, other, node);
        victims.push(other);
        if (group) violations += 1;
      }
    }
    if (victims.length === 0) {
      return createStatus(Code.Error, '', `expected at least one victim pod on node "${node.name}"`);
    }
    sortAsGo(victims, (a, b) => this.#moreImportant(a, b) < 0);
    return { nodeName: node.name, victims: victims.map((each) => each.pod), violations };
  }

  readonly #moreImportant = (a: PodInfo, b: PodInfo): number =>
    podPriority(b.pod) - podPriority(a.pod) || this.#startOf(a.pod) - this.#startOf(b.pod);

  #startOf({ status }: Pod): number {
    return status.startTime === undefined ? this.#options.nowMs : this.#options.toMs(status.startTime);
  }

  /** The pods that find a budget exhausted, if all were evicted in order. */
  #violations(pods: readonly PodInfo[]): ReadonlySet<PodInfo> {
    const violating = new Set<PodInfo>();
    const left = new Map(this.#options.budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
    for (const each of pods) {
      const { name, namespace, labels = {} } = each.pod.metadata;
      if (Object.keys(labels).length === 0) continue;
      for (const budget of left.keys()) {
        const selector = compileLabelSelector(budget.spec?.selector);
        if (budget.metadata.namespace !== namespace || selector.isEmpty || !selector.matches(labels)) continue;
        if (budget.status?.disruptedPods?.[name] !== undefined) continue;
        const allowed = (left.get(budget) ?? 0) - 1;
        left.set(budget, allowed);
        if (allowed < 0) violating.add(each);
      }
    }
    return violating;
  }

  #pick(candidates: readonly Candidate[]): NonNullable<PreemptionReport['picked']> {
    const criteria: readonly (readonly [PreemptionCriterion, (candidate: Candidate) => number])[] = [
      ['budget-violations', ({ violations }) => violations],
      ['highest-victim-priority', highest],
      ['sum-of-priorities', ({ victims }) => victims.reduce((sum, pod) => sum + podPriority(pod) + 2 ** 31, 0)],
      ['victim-count', ({ victims }) => victims.length],
      [
        'latest-start',
        (candidate) =>
          -Math.min(
            ...candidate.victims
              .filter((pod) => podPriority(pod) === highest(candidate))
              .map((pod) => this.#startOf(pod)),
          ),
      ],
    ];
    let left = candidates;
    for (const [criterion, cost] of criteria) {
      if (left.length === 1) break;
      const least = Math.min(...left.map(cost));
      left = left.filter((candidate) => cost(candidate) === least);
      if (left.length === 1) return { candidate: left[0] as Candidate, criterion, ties: [] };
    }
    const [first, ...others] = [...left].sort((a, b) => (a.nodeName < b.nodeName ? -1 : 1)) as [Candidate];
    if (others.length === 0) return { candidate: first, criterion: 'only-candidate', ties: [] };
    return { candidate: first, criterion: 'node-name', ties: [first, ...others].map(({ nodeName }) => nodeName) };
  }
}

function highest({ victims }: Candidate): number {
  return podPriority(victims[0] as Pod);
}

/** Nodes on which fewer pods might help. */
function potentialNodes(nodeToStatus: NodeToStatus, snapshot: Snapshot): readonly NodeInfo[] {
  if (nodeToStatus.absentStatus.code === Code.Unschedulable) {
    return snapshot.nodes.filter(({ name }) => nodeToStatus.get(name).code === Code.Unschedulable);
  }
  return [...nodeToStatus.entries()].flatMap(([name, { code }]) => {
    const node = snapshot.get(name);
    return code === Code.Unschedulable && node !== undefined ? [node] : [];
  });
}
