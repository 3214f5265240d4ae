/**
 * Replays recorded decisions through the ordinary framework and compares field by field. After each
 * comparison it follows the recorded choice, so that one mismatch does not cascade. What depends on
 * plugins that are not in our profile is left out of the comparison.
 */
import type { Pod } from '../../../src/api/objects.js';
import { fitErrorText } from '../../../src/scheduler/cycle/node-statuses.js';
import { codeName, type Status } from '../../../src/scheduler/framework/status.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm, type DecisionDetails } from '../support/algorithm.js';
import { completeNode, completePod, type RecordedAttempt, type RecordedScores, type Recording } from './recording.js';

/** A field in which we decided otherwise. */
export interface Mismatch {
  readonly scenario: string;
  readonly pod: string;
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** What a replay found. */
export interface ReplayReport {
  readonly decisions: number;
  /** Comparisons made, by field. */
  readonly compared: Readonly<Record<string, number>>;
  readonly mismatches: readonly Mismatch[];
}

const OURS = new Set([...IN_TREE_PLUGINS.keys(), '']);
/** What PostFilter adds to the text; no plugin of ours does so yet. */
const POST_FILTER_TEXT = / (?:no new claims to deallocate|preemption: |not found).*$/u;

/** Replays all recordings of a file. */
export function replayAll(recordings: readonly Recording[], isPlain = false): ReplayReport {
  const compared: Record<string, number> = {};
  const mismatches: Mismatch[] = [];
  let decisions = 0;
  for (const recording of recordings) {
    const replay = new ScenarioReplay(recording, isPlain, compared, mismatches);
    for (const attempt of recording.result) {
      replay.run(attempt);
      decisions += 1;
    }
  }
  return { decisions, compared, mismatches };
}

class ScenarioReplay {
  readonly #algorithm: Algorithm;
  readonly #pods = new Map<string, Pod>();
  readonly #recording: Recording;
  readonly #compared: Record<string, number>;
  readonly #mismatches: Mismatch[];

  constructor(recording: Recording, isPlain: boolean, compared: Record<string, number>, mismatches: Mismatch[]) {
    this.#recording = recording;
    this.#compared = compared;
    this.#mismatches = mismatches;
    const { scenario } = recording;
    const { config = {} } = scenario;
    this.#algorithm = new Algorithm({
      percentageOfNodesToScore: config.percentageOfNodesToScore ?? 0,
      plugins: pluginsFor(config),
      isPlain,
    });
    const nodes = (scenario.nodes ?? []).map(completeNode);
    this.#algorithm.addNodes(nodes.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
    for (const each of scenario.pods ?? []) {
      const pod = completePod(each, scenario);
      this.#pods.set(nameOf(pod), pod);
      this.#algorithm.cache.addPod(pod);
    }
    for (const each of scenario.pending ?? []) {
      const pod = completePod(each, scenario);
      this.#pods.set(nameOf(pod), pod);
      const isGated = (pod.spec.schedulingGates ?? []).length > 0;
      const nominated = pod.status.nominatedNodeName ?? '';
      if (nominated !== '' && !isGated) this.#algorithm.nominator.nominate(pod, nominated);
    }
  }

  run(attempt: RecordedAttempt): void {
    const pod = this.#find(attempt.pod);
    if (attempt.preEnqueue !== undefined) {
      const [status] = this.#algorithm.framework.preEnqueue.flatMap((plugin) => plugin.preEnqueue(pod) ?? []);
      this.#compare(attempt, 'preEnqueue', attempt.preEnqueue, status === undefined ? undefined : plainStatus(status));
      return;
    }
    const startIndex = this.#algorithm.start.index;
    const details = this.#algorithm.decideInDetail(pod);
    this.#compareFilter(attempt, details);
    this.#compareScores(attempt, details);
    this.#compareMessage(attempt, details);
    this.#follow(attempt, pod);
    if (!isOurs(attempt)) this.#followScan(attempt, startIndex);
  }

  /** Where a plugin that we lack rejected nodes, the real scan went on for longer than ours. */
  #followScan(attempt: RecordedAttempt, startIndex: number): void {
    const visited = Object.values(attempt.filter).filter((status) => status?.plugin !== '').length;
    this.#algorithm.start.index = (startIndex + visited) % Math.max(1, this.#algorithm.snapshot.size);
  }

  #compareFilter(attempt: RecordedAttempt, { feasible, rejected, decision }: DecisionDetails): void {
    const expectedRejection = attempt.preFilter?.rejected;
    if (expectedRejection !== undefined) {
      if (!OURS.has(expectedRejection.plugin)) return;
      const absent = decision.kind === 'unfit' ? plainStatus(decision.diagnosis.nodeToStatus.absentStatus) : undefined;
      this.#compare(attempt, 'preFilter', expectedRejection, absent);
      return;
    }
    if (attempt.nominatedFirst !== undefined) {
      const nominated = decision.kind === 'placed' && decision.isNominated ? decision.nodeName : undefined;
      this.#compare(attempt, 'nominatedFirst', attempt.nominatedFirst, nominated);
      return;
    }
    const actual = new Map<string, unknown>([...rejected].map(([name, status]) => [name, plainStatus(status)]));
    for (const name of feasible) actual.set(name, null);
    for (const [name, expected] of Object.entries(attempt.filter)) {
      if (expected !== null && !OURS.has(expected.plugin)) continue;
      // Nodes outside the names that PreFilter narrowed to are listed, though nobody visits them.
      if (expected?.plugin === '') continue;
      if (!isOurs(attempt) && !actual.has(name)) continue;
      this.#compare(attempt, `filter of ${name}`, expected, actual.get(name));
    }
    for (const name of actual.keys()) {
      if (!(name in attempt.filter)) this.#compare(attempt, `filter of ${name}`, 'not visited', actual.get(name));
    }
  }

  #compareScores(attempt: RecordedAttempt, details: DecisionDetails): void {
    const { decision, raw, normalized, totals, best, feasible } = details;
    // Where a plugin that we lack rejected nodes, the sets of feasible nodes differ.
    if (!isOurs(attempt) || decision.kind !== 'placed' || decision.isNominated) return;
    const { scores } = attempt;
    if (scores === undefined) {
      this.#compare(attempt, 'best', attempt.best, [...feasible].sort());
      return;
    }
    this.#compareByPlugin(attempt, 'raw', scores, raw);
    this.#compareByPlugin(attempt, 'normalized', attempt.normalized ?? {}, normalized);
    if (Object.keys(scores).every((plugin) => OURS.has(plugin))) {
      this.#compare(attempt, 'total', sorted(attempt.total ?? {}), sorted(totals));
      this.#compare(attempt, 'best', attempt.best, [...best].sort());
    }
  }

  #compareByPlugin(attempt: RecordedAttempt, field: string, expected: RecordedScores, actual: RecordedScores): void {
    for (const plugin of OURS) {
      if (!(plugin in expected) && !(plugin in actual)) continue;
      this.#compare(attempt, `${field} ${plugin}`, sorted(expected[plugin] ?? {}), sorted(actual[plugin] ?? {}));
    }
  }

  #compareMessage(attempt: RecordedAttempt, { decision }: DecisionDetails): void {
    if (attempt.error !== undefined) {
      const text = decision.kind === 'error' ? decision.status.reasons.join(', ') : undefined;
      this.#compare(attempt, 'error', attempt.error, text);
    }
    if (attempt.message === undefined) return;
    if (!isOurs(attempt)) return;
    const text =
      decision.kind === 'unfit' ? fitErrorText(decision.diagnosis, this.#algorithm.snapshot.size) : undefined;
    this.#compare(attempt, 'message', attempt.message.replace(POST_FILTER_TEXT, ''), text);
  }

  /** Does what the real scheduler did. */
  #follow(attempt: RecordedAttempt, pod: Pod): void {
    const { nominator, cache } = this.#algorithm;
    const { preemption, chosen } = attempt;
    if (chosen !== undefined && attempt.startTime !== undefined) {
      nominator.forget(pod);
      const running: Pod = { ...pod, status: { ...pod.status, phase: 'Running', startTime: attempt.startTime } };
      this.#pods.set(nameOf(pod), this.#algorithm.place(running, chosen));
    }
    if (preemption === undefined) return;
    for (const name of preemption.victims) cache.removePod(this.#find(name));
    for (const name of preemption.clearedNominations ?? []) this.#renominate(this.#find(name), '');
    // Whoever is not eligible for preemption, or met an error there, keeps its nomination.
    const isKept = preemption.code === 'Error' || preemption.message.includes('not eligible');
    if (preemption.nominated !== null) this.#renominate(pod, preemption.nominated);
    else if (!isKept) this.#renominate(pod, '');
  }

  #renominate(pod: Pod, nodeName: string): void {
    const { nominatedNodeName: _dropped, ...status } = pod.status;
    const next: Pod = { ...pod, status: nodeName === '' ? status : { ...status, nominatedNodeName: nodeName } };
    this.#pods.set(nameOf(pod), next);
    if (nodeName === '') this.#algorithm.nominator.forget(pod);
    else this.#algorithm.nominator.nominate(next, nodeName);
  }

  #find(name: string): Pod {
    const pod = this.#pods.get(name) ?? [...this.#pods.values()].find(({ metadata }) => metadata.name === name);
    if (pod === undefined) throw new RangeError(`no pod ${name} in scenario ${this.#recording.scenario.name}`);
    return pod;
  }

  #compare(attempt: RecordedAttempt, field: string, expected: unknown, actual: unknown): void {
    const [kind = field] = field.split(' ');
    this.#compared[kind] = (this.#compared[kind] ?? 0) + 1;
    if (JSON.stringify(expected) === JSON.stringify(actual)) return;
    this.#mismatches.push({ scenario: this.#recording.scenario.name, pod: attempt.pod, field, expected, actual });
  }
}

/** Whether only plugins that we have rejected the pod or nodes. */
function isOurs({ filter, preFilter }: RecordedAttempt): boolean {
  return [...Object.values(filter), preFilter?.rejected ?? null].every(
    (status) => status === null || OURS.has(status.plugin),
  );
}

function pluginsFor(config: NonNullable<Recording['scenario']['config']>): readonly PluginSpec[] {
  const args: Readonly<Record<string, unknown>> = {
    NodeResourcesFit: { scoringStrategy: config.scoringStrategy },
    NodeAffinity: { addedAffinity: config.addedAffinity },
  };
  return DEFAULT_PLUGINS.map((spec) => (args[spec.name] === undefined ? spec : { ...spec, args: args[spec.name] }));
}

function plainStatus(status: Status): { plugin: string; code: string; reasons: string[] } {
  return { plugin: status.plugin, code: codeName(status.code), reasons: [...status.reasons].sort() };
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function sorted(scores: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(scores).sort(([a], [b]) => (a < b ? -1 : 1));
}
