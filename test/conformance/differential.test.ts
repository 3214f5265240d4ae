import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { benchProgram } from '../bench-program.js';
import { isTriedTooEarly, latestTaintMs } from '../../bench/differential/late-taints.js';
import type { EventLine } from '../../bench/conformance/stories/story.js';
import { randomStream } from '../../src/kernel/random.js';
import { judgeRound, type Recording } from '../../bench/differential/judged-round.js';
import { RandomStory } from '../../bench/differential/random-story.js';
import type { ToldStory } from '../../bench/differential/recorder.js';
import { Unrest } from '../../bench/differential/unrest.js';

const MAIN = benchProgram('differential');

/** The requests of a story with which nothing ever happens. */
async function requestsOf(seed: string): Promise<readonly string[]> {
  const requests: string[] = [];
  const note = (...parts: readonly unknown[]): Promise<unknown> => {
    requests.push(JSON.stringify(parts));
    return Promise.resolve();
  };
  const created: { readonly resource: string; readonly metadata: { readonly name: string } }[] = [];
  const story: ToldStory = {
    watchAll: () => Promise.resolve(),
    mark: (text) => void requests.push(text),
    list: (resource) => created.filter((each) => each.resource === resource),
    path: (resource, name) => `/${resource}/${name}`,
    create(resource, body) {
      created.push({ resource, ...(body as { readonly metadata: { readonly name: string } }) });
      return note('create', resource, body);
    },
    scale: (...request) => note('scale', ...request),
    image: (...request) => note('image', ...request),
    json: (...request) => note('json', ...request),
    smp: (...request) => note('smp', ...request),
    del: (...request) => note('delete', ...request),
    evict: (...request) => note('evict', ...request),
    merge: (...request) => note('merge', ...request),
    podRuns: (...request) => note('podRuns', ...request),
    podReady: (...request) => note('podReady', ...request),
    podEnds: (...request) => note('podEnds', ...request),
    podGone: (...request) => note('podGone', ...request),
    ownNode: async (name) => {
      await story.create('nodes', { metadata: { name } });
    },
    rest: () => Promise.resolve(),
    close: () => undefined,
    write: () => '',
  };
  for (const name of ['n1', 'n2']) created.push({ resource: 'nodes', metadata: { name } });
  await new RandomStory(story, randomStream(seed, 'differential'), ['n1', 'n2'], 'drawn').play(200);
  return requests;
}

test('differential › equal seeds give equal requests, of every sort, and others give others', async (t) => {
  const requests = await requestsOf('a');
  t.deepEqual(await requestsOf('a'), requests);
  t.notDeepEqual(await requestsOf('b'), requests);
  t.is(requests.at(-1), 'end');
  const verbs = requests.slice(0, -1).map((request) => (JSON.parse(request) as readonly string[])[0]);
  const wanted = ['create', 'delete', 'evict', 'image', 'json', 'merge', 'scale', 'smp'];
  t.deepEqual(
    wanted.filter((verb) => !verbs.includes(verb)),
    [],
  );
});

/** A recording on a machine that stood still for so long, and what its replay finds. */
function recordingOf(standstillMs: number, count: number): Recording {
  return { standstillMs, replay: () => Promise.resolve({ differences: named(count), text: `${count} found` }) };
}

/** Differences `0`, `1`, … */
function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}

async function judged(...recordings: readonly (readonly [number, number])[]): Promise<readonly unknown[]> {
  const left = recordings.map(([standstillMs, differences]) => recordingOf(standstillMs, differences));
  const said: string[] = [];
  const next = (): Promise<Recording> => Promise.resolve(left.shift() as Recording);
  const result = await judgeRound(next, { mostStandstillMs: 150, tries: 3 }, (text) => said.push(text));
  return [result, left.length, said];
}

function again(ms: number, then: string): string {
  return `the machine stood still for ${ms} ms (more than 150): 7 differences prove nothing, ${then}\n`;
}

test('differential › what differs on a machine that stood still is played again, three times at most', async (t) => {
  t.deepEqual(await judged([900, 0], [0, 7]), [
    { differences: 0, recordings: 1, isJudged: true, isByChance: false },
    1,
    ['0 found'],
  ]);
  t.deepEqual(await judged([151, 7], [20, 2], [400, 9]), [
    { differences: 2, recordings: 3, isJudged: true, isByChance: false },
    0,
    [
      again(151, 'played again'),
      '2 found',
      '2 differences, played again\n',
      again(400, 'and no try is left').replace('7', '9'),
    ],
  ]);
  t.deepEqual(await judged([300, 7], [400, 7], [500, 7], [0, 0]), [
    { differences: 0, recordings: 3, isJudged: false, isByChance: false },
    1,
    [again(300, 'played again'), again(400, 'played again'), again(500, 'and no try is left')],
  ]);
});

test('differential › what differs each time that the same requests are sent counts, and else is left to chance', async (t) => {
  t.deepEqual(await judged([150, 7], [20, 3], [20, 5]), [
    { differences: 3, recordings: 3, isJudged: true, isByChance: false },
    0,
    [
      '7 found',
      '7 differences, played again\n',
      '3 found',
      '3 differences, played again\n',
      '5 found',
      '5 differences, and no try is left\n',
    ],
  ]);
  t.deepEqual(await judged([20, 7], [900, 0], [20, 5]), [
    { differences: 0, recordings: 2, isJudged: true, isByChance: true },
    1,
    ['7 found', '7 differences, played again\n', '0 found'],
  ]);
});

test('differential › what differs in something else each time is left to chance', async (t) => {
  const left: Recording[] = ['order', 'status', 'text'].map((what) => ({
    standstillMs: 0,
    replay: () => Promise.resolve({ differences: [what, `${what} too`], text: '' }),
  }));
  const next = (): Promise<Recording> => Promise.resolve(left.shift() as Recording);
  t.deepEqual(await judgeRound(next, { mostStandstillMs: 150, tries: 3 }, () => undefined), {
    differences: 0,
    recordings: 2,
    isJudged: true,
    isByChance: true,
  });
});

test('differential › what differs where a cache or a watch of the real control plane was behind is played again', async (t) => {
  const behind = { differences: named(7), text: '', chance: 'a watch was behind' };
  const left: Recording[] = [
    { ...recordingOf(0, 7), chance: 'a cache was behind' },
    { standstillMs: 0, replay: () => Promise.resolve(behind) },
    recordingOf(0, 0),
  ];
  const said: string[] = [];
  const next = (): Promise<Recording> => Promise.resolve(left.shift() as Recording);
  const result = await judgeRound(next, { mostStandstillMs: 150, tries: 3 }, (text) => said.push(text));
  t.deepEqual(result, { differences: 0, recordings: 3, isJudged: true, isByChance: false });
  t.deepEqual(said, [
    'a cache was behind: 7 differences prove nothing, played again\n',
    'a watch was behind: 7 differences prove nothing, played again\n',
    '0 found',
  ]);
});

// Only least times are asserted: a slower machine makes them longer.
test('differential › a machine that stands still is noticed, by late timers and by slow answers', async (t) => {
  const blocked = new Unrest(() => Promise.resolve());
  blocked.start();
  await sleep(50);
  for (const startMs = performance.now(); performance.now() - startMs < 150;);
  await sleep(50);
  t.true(blocked.stop() >= 100);
  const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>();
  const slow = new Unrest(async () => {
    await sleep(120);
    answered();
  });
  slow.start();
  await isAnswered;
  await sleep(1);
  t.true(slow.stop() >= 100);
});

/** A node as a watch tells of it. */
function nodeLine(ms: number, name: string, isCordoned: boolean, isTainted: boolean): EventLine {
  const taints = isTainted ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : [];
  const spec = { ...(isCordoned ? { unschedulable: true } : {}), taints };
  return {
    line: 1,
    ms,
    res: 'nodes',
    type: 'MODIFIED',
    object: { kind: 'Node', apiVersion: 'v1', metadata: { name }, spec },
  };
}

test('differential › a node lifecycle controller that is late with a taint tells of a busy machine', (t) => {
  const events = [
    nodeLine(0, 'a', false, false),
    nodeLine(100, 'a', true, false),
    nodeLine(120, 'b', true, true),
    nodeLine(130, 'a', true, true),
    nodeLine(200, 'b', false, true),
    nodeLine(450, 'b', false, true),
    nodeLine(526, 'b', false, false),
    nodeLine(600, 'a', false, true),
  ];
  t.is(latestTaintMs({ events: events.slice(0, 4) }), 30);
  t.is(latestTaintMs({ events }), 326);
  t.is(latestTaintMs({ events: [...events.slice(0, 5), { ...nodeLine(300, 'b', false, true), type: 'DELETED' }] }), 30);
});

/** A node that has its first taint, or has lost it, with a status of its Ready condition where it has one. */
function newNode(isTainted: boolean, ready?: string): EventLine {
  const taints = isTainted ? [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] : [];
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
  const metadata = { name: 'a' };
  const object = { kind: 'Node', apiVersion: 'v1', metadata, spec: { taints }, status: { conditions } };
  return { line: 1, ms: 0, res: 'nodes', type: 'MODIFIED', object };
}

const TRIED: EventLine = {
  line: 1,
  ms: 0,
  res: 'events',
  type: 'ADDED',
  object: { kind: 'Event', apiVersion: 'v1', metadata: { name: 'e' }, reason: 'FailedScheduling' },
};

test('differential › a pod that is tried while a new node has its first taint proves nothing', (t) => {
  t.true(isTriedTooEarly({ events: [newNode(true), TRIED] }));
  t.true(isTriedTooEarly({ events: [newNode(true), newNode(true, 'True'), TRIED] }));
  t.false(isTriedTooEarly({ events: [newNode(true), newNode(false, 'True'), TRIED] }));
  t.false(isTriedTooEarly({ events: [newNode(true, 'False'), TRIED] }));
});

function run(...args: readonly string[]): readonly [number | null, string] {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', cwd: tmpdir() });
  return [status, stderr];
}

test('differential › without the tools, or with a bad option, one line says so, with exit code 2', (t) => {
  t.deepEqual(run(), [2, 'differential: ../shared/tools is not there: it has the programs of a real control plane\n']);
  t.deepEqual(run('--rounds', '0'), [2, 'differential: --rounds must be an integer in 1..10000, got "0"\n']);
});
