/**
 * Replays recorded decisions through the ordinary framework and compares field by field. After each
 * comparison it follows the recorded choice, so that one mismatch does not cascade.
 */
import type { Pod } from '../../src/api/objects/objects.js';
import { fitErrorText } from '../../src/scheduler/cycle/attempt/node-statuses.js';
import { codeName, messageOf, type Status } from '../../src/scheduler/framework/status.js';
import { lowerNominations } from '../../src/scheduler/preemption/victim-removal.js';
import type { RecordedAttempt, RecordedPreemption, RecordedScores, Recording } from './recording.js';
import { detailsOf, type DecisionDetails } from './decision-details.js';
import { World, type Forms, type WorldAttempt } from './world.js';

/** A field in which the replay decided otherwise. */
export interface Mismatch {
  readonly scenario: string;
  readonly pod: string;
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** What a replay found. */
export interface ReplayReport {
  decisions: number;
  /** Comparisons made, by field. */
  readonly compared: Record<string, number>;
  readonly mismatches: Mismatch[];
}

/** What a pool that works ahead of a scheduler reads of it. */
export type AheadWorld = Pick<
  World,
  'plugins' | 'framework' | 'percentageOfNodesToScore' | 'scheduler' | 'snapshot' | 'start'
>;

/** Judges ahead of the decisions, as the worker pool of a scheduler does. */
export interface Ahead {
  judge(world: AheadWorld, pods: readonly Pod[]): Promise<void>;
  /** Shapes whose judgements were of use so far. */
  readonly judged: number;
  /** The scenario is over. */
  forget(): Promise<void>;
  /** No scenario comes any more. */
  close(): Promise<void>;
}

/** How to replay. */
export interface ReplayOptions extends Forms {
  readonly ahead?: Ahead | undefined;
}

/** Attempts that are judged ahead together. */
const AHEAD = 8;

/** A report of nothing yet. */
export function emptyReport(): ReplayReport {
  return { decisions: 0, compared: {}, mismatches: [] };
}

/** Replays one scenario into `report`. */
export async function replayScenario(
  recording: Recording,
  report: ReplayReport,
  { ahead, ...forms }: ReplayOptions = {},
): Promise<void> {
  const world = new World(recording.scenario, forms);
  const replay = new ScenarioReplay(recording.scenario.name, world, report);
  for (const [index, attempt] of recording.result.entries()) {
    if (ahead !== undefined && index % AHEAD === 0) {
      const next = recording.result.slice(index, index + AHEAD).map(({ pod }) => world.find(pod));
      world.refresh();
      await ahead.judge(world, next);
    }
    replay.run(attempt);
    report.decisions += 1;
  }
  await ahead?.forget();
}

class ScenarioReplay {
  constructor(
    private readonly scenario: string,
    private readonly world: World,
    private readonly report: ReplayReport,
  ) {}

  run(recorded: RecordedAttempt): void {
    const { world } = this;
    if (recorded.preEnqueue !== undefined) {
      const pod = world.find(recorded.pod);
      const [status] = world.framework.preEnqueue.flatMap((plugin) => plugin.preEnqueue(pod) ?? []);
      this.#compare(recorded, 'preEnqueue', recorded.preEnqueue, status === undefined ? undefined : plain(status));
      return;
    }
    const attempt = world.attempt(recorded.pod);
    const details = detailsOf(world, attempt.decision);
    this.#compareFilter(recorded, details);
    this.#compareScores(recorded, details);
    this.#comparePreemption(recorded, attempt);
    this.#compareError(recorded, details);
    this.#follow(recorded, attempt);
  }

  #compareFilter(recorded: RecordedAttempt, { feasible, rejected, decision }: DecisionDetails): void {
    const expectedRejection = recorded.preFilter?.rejected;
    if (expectedRejection !== undefined) {
      const absent = decision.kind === 'unfit' ? plain(decision.diagnosis.nodeToStatus.absentStatus) : undefined;
      this.#compare(recorded, 'preFilter', expectedRejection, absent);
      return;
    }
    if (recorded.nominatedFirst !== undefined) {
      const nominated = decision.kind === 'placed' && decision.isNominated ? decision.nodeName : undefined;
      this.#compare(recorded, 'nominatedFirst', recorded.nominatedFirst, nominated);
      return;
    }
    const actual = new Map<string, unknown>([...rejected].map(([name, status]) => [name, plain(status)]));
    for (const name of feasible) actual.set(name, null);
    for (const [name, expected] of Object.entries(recorded.filter)) {
      if (expected?.plugin === '' && decision.kind !== 'error') {
        // Nodes outside the names that PreFilter narrowed to are listed, though they are not visited.
        const { absentStatus } = decision.diagnosis.nodeToStatus;
        this.#compare(recorded, `filter of ${name}`, expected.reasons, absentStatus.reasons);
        continue;
      }
      this.#compare(recorded, `filter of ${name}`, expected, actual.get(name));
    }
    for (const name of actual.keys()) {
      if (!(name in recorded.filter)) this.#compare(recorded, `filter of ${name}`, 'not visited', actual.get(name));
    }
  }

  #compareScores(recorded: RecordedAttempt, details: DecisionDetails): void {
    const { decision, raw, normalized, totals, best, feasible } = details;
    if (recorded.best === undefined || recorded.nominatedFirst !== undefined) return;
    if (decision.kind !== 'placed') return this.#compare(recorded, 'best', recorded.best, undefined);
    if (recorded.scores === undefined) return this.#compare(recorded, 'best', recorded.best, [...feasible].sort());
    this.#compareByPlugin(recorded, 'raw', recorded.scores, raw);
    this.#compareByPlugin(recorded, 'normalized', recorded.normalized ?? {}, normalized);
    this.#compare(recorded, 'total', sorted(recorded.total ?? {}), sorted(totals));
    this.#compare(recorded, 'best', recorded.best, [...best].sort());
    const isAmongBest = recorded.best.includes(decision.nodeName);
    this.#compare(recorded, 'chosen', 'among the best', isAmongBest ? 'among the best' : decision.nodeName);
  }

  #compareByPlugin(recorded: RecordedAttempt, field: string, expected: RecordedScores, actual: RecordedScores): void {
    for (const plugin of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      this.#compare(recorded, `${field} ${plugin}`, sorted(expected[plugin]), sorted(actual[plugin]));
    }
  }

  #comparePreemption(recorded: RecordedAttempt, attempt: WorldAttempt): void {
    const { decision } = attempt;
    if (recorded.preemption === undefined && recorded.message === undefined) return;
    if (decision.kind !== 'unfit') return this.#compare(recorded, 'message', recorded.message, decision.kind);
    const { world } = this;
    const result = world.postFilter(attempt);
    const { diagnosis } = decision;
    diagnosis.postFilterMessage = result?.status === undefined ? '' : messageOf(result.status);
    this.#compare(recorded, 'message', recorded.message, fitErrorText(diagnosis, world.snapshot.size));
    const { preemption } = recorded;
    if (preemption === undefined) return;
    const actual = this.#preemptionOf(attempt, result?.status);
    for (const [field, expected] of Object.entries(expectedPreemption(preemption))) {
      this.#compare(recorded, `preemption.${field}`, expected, actual[field]);
    }
  }

  #preemptionOf({ pod }: WorldAttempt, status: Status | undefined): Readonly<Record<string, unknown>> {
    const { preemption, nominations } = this.world;
    const { candidates = [], picked } = preemption ?? {};
    const nominated = picked?.candidate.nodeName ?? null;
    const deleted = (picked?.candidate.victims ?? []).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    const cleared = nominated === null ? [] : lowerNominations(nominations, pod, nominated);
    return {
      nominated,
      victims: namesOf(deleted),
      code: status === undefined ? 'Success' : codeName(status.code),
      message: status === undefined ? '' : messageOf(status),
      candidates: sorted(
        Object.fromEntries(
          candidates.map(({ nodeName, victims, violations }) => [
            nodeName,
            { victims: namesOf(victims), pdbViolations: violations },
          ]),
        ),
      ),
      ties: picked?.ties ?? [],
      clearedNominations: namesOf(cleared),
    };
  }

  #compareError(recorded: RecordedAttempt, { decision }: DecisionDetails): void {
    if (recorded.error === undefined) return;
    const text = decision.kind === 'error' ? decision.status.reasons.join(', ') : decision.kind;
    this.#compare(recorded, 'error', recorded.error, text);
  }

  /** Does what the real scheduler did. */
  #follow(recorded: RecordedAttempt, attempt: WorldAttempt): void {
    const { world } = this;
    const { preemption, chosen } = recorded;
    if (chosen !== undefined) {
      const status = world.reserve(attempt, chosen);
      this.#compare(recorded, 'reserve', recorded.reserve, status === undefined ? undefined : plain(status));
      if (recorded.startTime !== undefined) world.place(attempt.pod, chosen, recorded.startTime);
    }
    if (preemption === undefined) return;
    for (const name of preemption.victims) world.remove(name);
    for (const name of preemption.clearedNominations ?? []) world.renominate(world.find(name), '');
    // A pod that is not eligible for preemption, or met an error there, keeps its nomination.
    const isKept = preemption.code === 'Error' || preemption.message.includes('not eligible');
    if (preemption.nominated !== null) world.renominate(attempt.pod, preemption.nominated);
    else if (!isKept) world.renominate(attempt.pod, '');
  }

  #compare({ pod }: RecordedAttempt, field: string, expected: unknown, actual: unknown): void {
    const [kind = field] = field.split(' ');
    this.report.compared[kind] = (this.report.compared[kind] ?? 0) + 1;
    if (JSON.stringify(expected) === JSON.stringify(actual)) return;
    this.report.mismatches.push({ scenario: this.scenario, pod, field, expected, actual });
  }
}

function expectedPreemption(preemption: RecordedPreemption): Readonly<Record<string, unknown>> {
  const { nominated, victims, code, message, candidates, ties = [], clearedNominations = [] } = preemption;
  return { nominated, victims, code, message, candidates: sorted(candidates), ties, clearedNominations };
}

function plain(status: Status): { plugin: string; code: string; reasons: string[] } {
  return { plugin: status.plugin, code: codeName(status.code), reasons: [...status.reasons].sort() };
}

function namesOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name).sort();
}

function sorted<T>(byName: Readonly<Record<string, T>> = {}): [string, T][] {
  return Object.entries(byName).sort(([a], [b]) => (a < b ? -1 : 1));
}
