/** Replays a story on kubeloom's control plane: sends its requests at their times, and writes down what watches tell. */
import { compareAnswer } from './comparison/compare-answers.js';
import { compareStreams } from './comparison/compare-streams.js';
import { compareTellings } from './comparison/compare-tellings.js';
import { ConditionWords } from './conditions.js';
import { ControlPlane, USUAL_OPTIONS, type PlaneOptions } from './control-plane.js';
import type { Difference } from './difference.js';
import { futileUids } from './comparison/futile.js';
import { isForeignObject } from './plain-object.js';
import { RecordedChoices } from './recorded-choices.js';
import { isToldByPass, passOf, recordedOrder } from './recorded-order.js';
import { sendRequest } from './rest-request.js';
import { sharedCluster, type Neighbours } from './shared-cluster.js';
import { kindOf, simulatedPart, type SimulatedPart } from './simulated-part.js';
import { isObject, type Json } from '../recorded-lines.js';
import { isRecordedObject, type ActionLine, type RecordedObject, type Story } from './story.js';
import { changeOf, recordedChanges, type Change } from './telling.js';

/** Wait for what the recording had by now, beyond its time: periods of controllers have no common start. */
const PATIENCE_MS = 90_000;
/** Changes of others are made this long before the scheduler's events about them. */
const AHEAD_MS = 15;
const TRAILING_MS = 500;

/** What a replay came to. */
export interface StoryReport {
  readonly actions: number;
  readonly changes: number;
  /** What of it is nothing that is simulated, with how many changes or requests. */
  readonly ignored: readonly string[];
  readonly differences: readonly Difference[];
}

/**
 * Replays and compares. What differs is tried at other paces, at which what raced comes in another order; of the
 * tellings the nearest one counts.
 */
export async function replayStory(whole: Story): Promise<StoryReport> {
  const part = simulatedPart(whole);
  const words = new ConditionWords();
  let nearest: readonly Difference[] | undefined;
  for (const pace of PACES) {
    const differences = await differencesAt(part, pace, words);
    if (nearest === undefined || differences.length < nearest.length) nearest = differences;
    if (nearest.length === 0) break;
  }
  const { story, ignored } = part;
  return { actions: story.actions.length, changes: story.events.length, ignored, differences: nearest ?? [] };
}

/**
 * The usual pace, a machine on which controllers are slow, two on which kubelets are, with pods that go or with those
 * that come, one on which all but those are, and other phases of what is periodic: every 5 s, 15 s or 20 s, of which a
 * story may tell one.
 */
const PACES: readonly Partial<PlaneOptions>[] = [
  {},
  { controllersLatency: 20 },
  { deletionMs: 30 },
  { reactionMs: 25 },
  { schedulerLatency: 15, controllersLatency: 40 },
  { startMs: 5000 },
  { startMs: 10_000 },
  { startMs: 15_000 },
  { startMs: 20_000 },
  { startMs: 40_000 },
];

async function differencesAt(
  { story, present }: SimulatedPart,
  pace: Partial<PlaneOptions>,
  words: ConditionWords,
): Promise<readonly Difference[]> {
  const replay = new Replay(story, present, pace);
  await replay.play();
  const told = compareTellings(recordedChanges(story), replay.changes, story, words);
  return [...replay.differences, ...compareStreams(story), ...told].sort((a, b) => a.step - b.step);
}

class Replay {
  readonly changes: Change[] = [];
  readonly differences: Difference[] = [];
  readonly #story: Story;
  readonly #choices: RecordedChoices;
  readonly #plane: ControlPlane;
  readonly #neighbours: Neighbours[];
  /** How often each object came and went. */
  readonly #seen = new Map<string, number>();
  /** Of what the recording does not wait for. */
  readonly #futile: ReadonlySet<string>;
  #sent = 0;
  #lateMs = 0;

  constructor(story: Story, present: readonly RecordedObject[], pace: Partial<PlaneOptions>) {
    this.#story = story;
    this.#futile = futileUids(recordedChanges(story));
    const cluster = sharedCluster(story, present);
    this.#choices = new RecordedChoices(story, present);
    const mapOrder = recordedOrder(story, this.#choices);
    this.#plane = new ControlPlane(this.#choices, cluster, {
      ...USUAL_OPTIONS,
      mapOrder,
      pass: passOf(story),
      ...pace,
    });
    this.#neighbours = [...cluster.neighbours];
    const [first] = this.#neighbours;
    if (first !== undefined) this.#plane.setNeighbours(first.count, first.notReady);
  }

  async play(): Promise<void> {
    const plane = this.#plane;
    await plane.start();
    for (const res of new Set(this.#story.events.map((each) => each.res))) this.#watch(res);
    for (const action of this.#story.actions) {
      await this.#catchUp(action.sentMs);
      this.#sent += 1;
      this.#send(action);
    }
    await this.#catchUp(this.#story.lastMs, Number.POSITIVE_INFINITY);
    await this.#runUntil(this.#story.lastMs + TRAILING_MS);
    await plane.dispose();
  }

  /** Runs to a time of the story, and on until all has come and gone that had before it, or before another time. */
  async #catchUp(atMs: number, beforeMs = atMs): Promise<void> {
    await this.#runUntil(atMs);
    const missing = this.#missing(beforeMs);
    if (missing.size === 0) return;
    const present = this.#plane.nowMs;
    await this.#plane.runUntil(present + PATIENCE_MS, () => {
      for (const [key, count] of missing) if ((this.#seen.get(key) ?? 0) >= count) missing.delete(key);
      return missing.size === 0;
    });
    this.#lateMs += this.#plane.nowMs - present;
    for (const [key, count] of missing) this.#seen.set(key, count);
  }

  async #runUntil(atMs: number): Promise<void> {
    for (
      let next = this.#neighbours[0];
      next !== undefined && next.atMs - AHEAD_MS <= atMs;
      next = this.#neighbours[0]
    ) {
      await this.#plane.runUntil(next.atMs - AHEAD_MS + this.#lateMs);
      this.#plane.setNeighbours(next.count, next.notReady);
      this.#neighbours.shift();
    }
    await this.#plane.runUntil(atMs + this.#lateMs);
  }

  /** What had come or gone in the recording up to a time and has not here, with how often. */
  #missing(untilMs: number): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const { ms, type, object } of this.#story.events) {
      if (ms >= untilMs || type === 'MODIFIED' || object.kind === 'Event' || isForeignObject(object)) continue;
      if (this.#futile.has(object.metadata.uid ?? '')) continue;
      const key = comingAndGoing(type, object);
      wanted.set(key, (wanted.get(key) ?? 0) + 1);
    }
    return new Map([...wanted].filter(([key, count]) => (this.#seen.get(key) ?? 0) < count));
  }

  #watch(res: string): void {
    const lines = this.#story.events.filter((each) => each.res === res);
    const namespaces = new Set(lines.map(({ object }) => object.metadata.namespace));
    const kind = kindOf(lines[0]?.object);
    if (kind === undefined) return;
    this.#plane.watch(kind, ({ type, object }, ms) => {
      const shown = this.#choices.shown(object as unknown as RecordedObject);
      if (!namespaces.has(shown.metadata.namespace) || this.#plane.isNeighbour(shown) || isForeignObject(shown)) return;
      const key = comingAndGoing(type, shown);
      this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1);
      // A pass that falls after the end of the story cannot be in it.
      if (ms - this.#lateMs > this.#story.lastMs && type === 'MODIFIED' && isToldByPass(shown)) return;
      this.changes.push(changeOf(type, shown, { line: undefined, ms, storyMs: ms - this.#lateMs, sent: this.#sent }));
    });
  }

  #send(action: ActionLine): void {
    const { request } = action;
    const body = this.#translated(request.body, action);
    const answer = sendRequest(this.#plane, { ...request, body });
    this.differences.push(...compareAnswer(action, answer, this.#sent));
  }

  /** A version that was the newest of its object is so here, too. */
  #translated(body: unknown, action: ActionLine): unknown {
    if (Array.isArray(body)) return body.map((each) => this.#translated(each, action));
    if (!isObject(body)) return body;
    return Object.fromEntries(
      Object.entries(body).map(([field, value]) => [
        field,
        field === 'resourceVersion' && typeof value === 'string'
          ? this.#present(value, action)
          : (this.#translated(value, action) as Json),
      ]),
    );
  }

  #present(version: string, { sentLine }: ActionLine): string {
    const shown = this.#shownBefore(sentLine);
    const known = shown.find(({ metadata }) => metadata.resourceVersion === version);
    if (known === undefined) return version;
    const newest = shown.findLast(({ metadata }) => metadata.uid === known.metadata.uid);
    const kind = kindOf(known);
    if (newest?.metadata.resourceVersion !== version || kind === undefined) return version;
    return this.#plane.server.find(kind, known.metadata)?.metadata.resourceVersion ?? version;
  }

  /** The objects that watches and answers had shown before a line. */
  #shownBefore(line: number): readonly RecordedObject[] {
    const { events, actions } = this.#story;
    const shown = [
      ...events,
      ...actions.flatMap((each) => (isRecordedObject(each.response) ? [{ ...each, object: each.response }] : [])),
    ];
    return shown
      .filter((each) => each.line < line)
      .sort((a, b) => a.line - b.line)
      .map(({ object }) => object);
  }
}

function comingAndGoing(type: string, { kind, metadata }: RecordedObject): string {
  return `${type} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}
