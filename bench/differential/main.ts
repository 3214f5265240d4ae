/**
 * `npm run differential -- [--seed 1] [--rounds 3] [--minutes M] [--steps 25] [--dir FOLDER] [--port 6443]
 * [--still 150] [--tries 3]`: plays random sequences of requests against a real control plane, records what it does,
 * replays each story on ours and prints what differs. Round n has the seed `seed + n`; with `--minutes` rounds begin
 * until they are over. A sequence that differs is played again, `--tries` times at most: what differs counts when it
 * does so each time, but for those in which the machine stood still for longer than `--still` milliseconds. Needs the tools in ../shared/tools; the stories stay in FOLDER.
 * Exit code 1 when anything differs, 2 for bad input, without the tools, or when the machine let no round be judged.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomStream } from '../../src/kernel/random.js';
import { OLDER_VERSION } from '../conformance/stories/comparison/compare-streams.js';
import { replayStory } from '../conformance/stories/replay-story.js';
import { readStories } from '../conformance/stories/story.js';
import { storyText } from '../conformance/stories/story-text.js';
import { HELD, SHARED_OBJECTS } from './drawn-objects.js';
import { isTriedTooEarly, latestTaintMs } from './late-taints.js';
import { judgeRound, type Recording, type Replayed, type RoundResult } from './judged-round.js';
import { hasTools, loadRecorder, realCluster, TOOLS, type Recorder, type ToldStory } from './recorder.js';
import { RandomStory } from './random-story.js';
import { REQUEST_CLASSES } from './request-classes.js';
import { Unrest } from './unrest.js';
import { MINUTE_MS } from '../../src/kernel/time-units.js';

const WATCHED = [
  'pods',
  'events',
  'deployments',
  'replicasets',
  'replicationcontrollers',
  'statefulsets',
  'daemonsets',
  'controllerrevisions',
  'jobs',
  'cronjobs',
  'poddisruptionbudgets',
  'services',
  'endpointslices',
  'configmaps',
  'persistentvolumeclaims',
  'namespaces',
];
const WATCHED_AROUND = [
  ['nodes', '/api/v1/nodes'],
  ['persistentvolumes', '/api/v1/persistentvolumes'],
] as const;
/** An error of the scheduler, which tries again after its back-off: of two watches one was faster. */
const CLAIM_UNKNOWN = 'could not find v1.PersistentVolumeClaim';

/** The end of a name that the server dealt. */
const DEALT_NAME = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g;

/** What all rounds came to. */
class Summary {
  readonly #startMs = performance.now();
  readonly #met = new Map<string, number>();
  #rounds = 0;
  #again = 0;
  #byChance = 0;
  unjudged = 0;
  differences = 0;

  get minutes(): number {
    return (performance.now() - this.#startMs) / MINUTE_MS;
  }

  /** Whether the machine let no round be judged. */
  get isEmpty(): boolean {
    return this.unjudged === this.#rounds;
  }

  add(result: RoundResult): void {
    this.#rounds += 1;
    this.#again += result.recordings - 1;
    this.differences += result.differences;
    if (!result.isJudged) this.unjudged += 1;
    if (result.isByChance) this.#byChance += 1;
  }

  meet(met: ReadonlyMap<string, number>): void {
    for (const [name, count] of met) this.#met.set(name, (this.#met.get(name) ?? 0) + count);
  }

  toString(): string {
    const met = [...this.#met].sort(([, left], [, right]) => right - left);
    const never = REQUEST_CLASSES.filter(({ name }) => !this.#met.has(name)).map(({ name }) => name);
    return [
      `${this.#rounds} rounds in ${this.minutes.toFixed(1)} minutes, ${this.#again} played again, `,
      `${this.unjudged} not judged, ${this.#byChance} differed by chance, ${this.differences} differences\n`,
      `requests: ${met.map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
      never.length === 0 ? '' : `never met: ${never.join(', ')}\n`,
    ].join('');
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string' },
      minutes: { type: 'string', default: '0' },
      steps: { type: 'string', default: '25' },
      dir: { type: 'string', default: path.join(tmpdir(), 'kubeloom-differential') },
      port: { type: 'string', default: '6443' },
      still: { type: 'string', default: '150' },
      tries: { type: 'string', default: '3' },
    },
  });
  const seed = numberOf('--seed', values.seed, 0, 1e9);
  const minutes = numberOf('--minutes', values.minutes, 0, 10_000);
  const rounds = numberOf('--rounds', values.rounds ?? (minutes > 0 ? '10000' : '3'), 1, 10_000);
  const mostMinutes = minutes === 0 ? Number.POSITIVE_INFINITY : minutes;
  const steps = numberOf('--steps', values.steps, 1, 1000);
  const port = numberOf('--port', values.port, 1024, 45_000);
  const mostStandstillMs = numberOf('--still', values.still, 1, 60_000);
  const tries = numberOf('--tries', values.tries, 1, 100);
  if (!hasTools()) throw new Error(`${TOOLS} is not there: it has the programs of a real control plane`);
  mkdirSync(values.dir, { recursive: true });
  const summary = new Summary();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.stdout.write(`interrupted: ${summary.toString()}`);
      realCluster('down', values.dir, port);
      process.exit(130);
    });
  }
  realCluster('up', values.dir, port);
  try {
    const recorder = await loadRecorder(port);
    const kubelets = new recorder.FakeKubelets();
    await kubelets.start();
    for (let round = 0; round < rounds && summary.minutes < mostMinutes; round += 1) {
      const name = `random-${seed + round}`;
      const say = (text: string): void =>
        void process.stdout.write(text.startsWith('watch-') ? text : `${name}: ${text}`);
      const play = (): Promise<Recording> => record(recorder, name, steps, values.dir, summary);
      summary.add(await judgeRound(play, { mostStandstillMs, tries }, say));
    }
    kubelets.stop();
  } finally {
    realCluster('down', values.dir, port);
  }
  process.stdout.write(summary.toString());
  if (summary.isEmpty)
    throw new Error('the machine is too busy: no round could be judged (--still sets what is borne)');
  return summary.differences === 0 ? 0 : 1;
}

/** Records one story. */
async function record(
  recorder: Recorder,
  name: string,
  steps: number,
  folder: string,
  summary: Summary,
): Promise<Recording> {
  // The pod collector remembers the names of nodes that are gone, beyond a story.
  const nodes = recorder.SIX.map(({ name: usual }) => `${usual}-${String(Math.round(performance.now()))}`);
  await recorder.resetNodes(nodes.map((node) => ({ name: node })));
  await recorder.makeNamespace(name);
  const story = new recorder.Story(name, name);
  const unrest = new Unrest(() => recorder.api('GET', '/livez/ping'));
  await story.watchAll(WATCHED, WATCHED_AROUND);
  const requests = new RandomStory(story, randomStream(name, 'differential'), nodes, name);
  unrest.start();
  await requests.play(steps);
  const standstillMs = unrest.stop();
  story.close();
  const file = story.write(folder);
  summary.meet(requests.met);
  await release(recorder, story);
  await recorder.dropNamespace(name);
  for (const object of SHARED_OBJECTS) await drop(recorder, object);
  const isBehind = readFileSync(file, 'utf8').includes(CLAIM_UNKNOWN);
  const stories = readStories(file);
  const isEarly = stories.some(isTriedTooEarly);
  const tried = isEarly ? 'the scheduler came to a pod while a new node still had its first taint' : undefined;
  const chance = isBehind ? 'the scheduler came to a pod before it had heard of its claim' : tried;
  const lateMs = Math.max(standstillMs, ...stories.map((told) => Math.round(latestTaintMs(told))));
  return { standstillMs: lateMs, chance, replay: () => replay(file, lateMs) };
}

async function replay(file: string, standstillMs: number): Promise<Replayed> {
  const differences: string[] = [];
  let text = '';
  let isWatchBehind = false;
  for (const story of readStories(file)) {
    const report = await replayStory(story);
    differences.push(...report.differences.map(({ what }) => what.replaceAll(DEALT_NAME, '-*')));
    isWatchBehind ||= report.differences.some(({ what }) => what.endsWith(OLDER_VERSION));
    text += storyText(`${path.basename(file, '.jsonl')} (still for ${standstillMs} ms)`, story, report);
  }
  return { differences, text, chance: isWatchBehind ? 'a watch was far behind another' : undefined };
}

/** Takes away the finalizers that the story gave, so that what it made can go. */
async function release(recorder: Recorder, story: ToldStory): Promise<void> {
  for (const resource of WATCHED) {
    for (const { metadata } of story.list(resource)) {
      const finalizers = metadata.finalizers?.filter((each) => each !== HELD) ?? [];
      if (finalizers.length === (metadata.finalizers ?? []).length) continue;
      const body = { metadata: { finalizers } };
      await recorder.api('PATCH', story.path(resource, metadata.name), body, 'application/merge-patch+json');
    }
  }
}

/** Until an object is gone. */
async function drop(recorder: Recorder, object: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { status } = await recorder.api('DELETE', object);
    if (status === 404) return;
    await sleep(50);
  }
  throw new Error(`the real control plane does not let go of ${object}`);
}

function numberOf(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${option} must be an integer in ${least}..${most}, got ${JSON.stringify(text)}`);
}

try {
  // The recorder's connections stay open.
  process.exit(await main());
} catch (error) {
  process.stderr.write(`differential: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
