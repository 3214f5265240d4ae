/** Walks that were made elsewhere, at whatever moment, give the decisions of the plain forms. */
import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { randomStream, type RandomStream } from '../../../src/kernel/random.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { ColumnMirror } from '../../../src/scheduler/parallel/column-mirror.js';
import type { JudgeTask, WalkTask } from '../../../src/scheduler/parallel/judge-task.js';
import { TaskTeller } from '../../../src/scheduler/parallel/task-teller.js';
import { WalksAhead } from '../../../src/scheduler/parallel/walks-ahead.js';
import { workerProfileOf } from '../../../src/scheduler/parallel/worker-profile.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import { change, Pair, someNode, somePod } from '../support/direct-pair.js';
import { testNode, testPod } from '../support/objects.js';

/** A worker without a thread: it hears when it is told, and works when it is made to. */
class Stage {
  readonly ahead: WalksAhead;
  readonly #pair: Pair;
  readonly #teller = new TaskTeller();
  #mirror: ColumnMirror | undefined;
  readonly #profile;
  /** Messages that the worker has not come to. */
  readonly #messages: JudgeTask[] = [];

  constructor(pair: Pair, plugins: readonly PluginSpec[] = DEFAULT_PLUGINS) {
    const { framework, scheduler, snapshot } = pair.fast;
    const profile = workerProfileOf({ schedulerName: 'default-scheduler', plugins, framework }, IN_TREE_PLUGINS);
    if (profile === undefined) throw new Error('the profile can be judged ahead');
    this.#pair = pair;
    this.#profile = profile;
    this.ahead = new WalksAhead({
      columns: () => snapshot.columns,
      onNewShape: () => undefined,
      onTaken: () => undefined,
      patienceMs: () => 0,
      evaluations: scheduler.evaluations,
      walks: scheduler.walks,
      profile,
    });
  }

  /** Sends those of the pods that may be sent. */
  send(pods: readonly Pod[]): void {
    const { cache, snapshot } = this.#pair.fast;
    cache.updateSnapshot(snapshot);
    const tasks: WalkTask[] = [];
    for (const pod of pods) {
      const info = new PodInfo(pod);
      if (this.ahead.has(info.shape.id) || !this.ahead.isEligible(info)) continue;
      const task = this.ahead.open(info);
      if (task !== undefined) tasks.push(task);
    }
    this.#messages.push(this.#teller.tell(tasks, snapshot.columns));
  }

  /** The worker comes to the oldest message. */
  work(): void {
    const message = this.#messages.shift();
    if (message === undefined) return;
    this.#mirror ??= new ColumnMirror([this.#profile], message.columns);
    this.#mirror.run(message);
  }
}

/** Pods in batches, which are sent beforehand; the worker comes to them before, between and after the decisions. */
function* decisions(
  random: RandomStream,
  pair: Pair,
  stage: Stage,
  batches: readonly (readonly Pod[])[],
  disturb: (step: number) => void,
): Generator<readonly [fast: unknown, plain: unknown]> {
  let step = 0;
  for (const batch of batches) {
    stage.send(batch);
    for (const pod of batch) {
      if (random.int(0, 9) === 0) stage.work();
      disturb(step);
      yield pair.decide(pod);
      step += 1;
    }
  }
}

function batchesOf(count: number, size: number, make: (index: number) => Pod): Pod[][] {
  return Array.from({ length: count }, (_batch, first) =>
    Array.from({ length: size }, (_pod, index) => make(first * size + index)),
  );
}

for (const nodeCount of [33, 130, 320]) {
  test(`walks ahead › over ${nodeCount} nodes of all sizes, which change meanwhile`, (t) => {
    const random = randomStream(`ahead/${nodeCount}`, 'cluster');
    const pair = new Pair(100);
    const names = Array.from({ length: nodeCount }, (_value, index) => `n${index}`);
    for (const name of names) pair.set(someNode(random, name));
    const stage = new Stage(pair);
    const batches = batchesOf(40, 24, (index) => somePod(random, `p${index}`));
    const disturb = (step: number): void => {
      if (step % 30 === 29) change(random, pair, names, step);
    };
    for (const [fast, plain] of decisions(random, pair, stage, batches, disturb)) t.deepEqual(fast, plain);
    t.true(stage.ahead.taken > 200, `${stage.ahead.taken} of 960 walks were taken`);
  });
}

test('walks ahead › nodes that are all alike are ties, and those that pods went to meanwhile are none', (t) => {
  const random = randomStream('ahead/alike', 'cluster');
  const pair = new Pair(100);
  for (let index = 0; index < 90; index += 1) pair.set(testNode(`n${String(index).padStart(2, '0')}`));
  const stage = new Stage(pair);
  const batches = batchesOf(12, 32, (index) =>
    testPod(`p${index}`, { requests: { cpu: `${20 + index}m`, memory: '20Mi' } }),
  );
  for (const [fast, plain] of decisions(random, pair, stage, batches, () => undefined)) t.deepEqual(fast, plain);
  t.true(stage.ahead.taken > 100, `${stage.ahead.taken} of 384 walks were taken`);
});

test('walks ahead › pods that leave give their nodes back, which may be better than all that were told of', (t) => {
  const random = randomStream('ahead/leave', 'cluster');
  const pair = new Pair(100);
  const there: Pod[] = [];
  for (let index = 0; index < 100; index += 1) {
    pair.set(testNode(`n${index}`, { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } }));
    const pod = testPod(`there${index}`, {
      requests: { cpu: `${1000 + 60 * index}m`, memory: `${1 + (index % 29)}Gi` },
    });
    pair.place(pod, `n${index}`);
    there.push({ ...pod, spec: { ...pod.spec, nodeName: `n${index}` } });
  }
  const stage = new Stage(pair);
  const leave = (step: number): void => {
    if (step % 3 > 0) return;
    const [pod] = there.splice(random.int(0, there.length - 1), 1);
    if (pod === undefined) return;
    pair.fast.cache.removePod(pod);
    pair.plain.cache.removePod(pod);
  };
  const batches = batchesOf(12, 16, (index) =>
    testPod(`p${index}`, { requests: { cpu: `${1000 + 7 * index}m`, memory: `${500 + index}Mi` } }),
  );
  for (const [fast, plain] of decisions(random, pair, stage, batches, leave)) t.deepEqual(fast, plain);
  t.true(stage.ahead.taken > 50, `${stage.ahead.taken} of 192 walks were taken`);
});

test('walks ahead › weights count, and so does no place of a filter that workers do not have', (t) => {
  const plugins = DEFAULT_PLUGINS.map((spec): PluginSpec =>
    spec.name === 'ImageLocality' ? { ...spec, weight: 9 } : spec,
  );
  const random = randomStream('ahead/weights', 'cluster');
  const pair = new Pair(100, plugins);
  for (let index = 0; index < 140; index += 1) pair.set(someNode(random, `n${index}`));
  const stage = new Stage(pair, plugins);
  const batches = batchesOf(20, 20, (index) => somePod(random, `p${index}`));
  for (const [fast, plain] of decisions(random, pair, stage, batches, () => undefined)) t.deepEqual(fast, plain);
  t.true(stage.ahead.taken > 100, `${stage.ahead.taken} of 400 walks were taken`);

  const affinityFirst = [
    ...DEFAULT_PLUGINS.filter(({ name }) => name === 'InterPodAffinity'),
    ...DEFAULT_PLUGINS.filter(({ name }) => name !== 'InterPodAffinity'),
  ];
  const other = new Pair(100, affinityFirst);
  for (let index = 0; index < 140; index += 1) other.set(someNode(random, `n${index}`));
  const early = new Stage(other, affinityFirst);
  for (const [fast, plain] of decisions(random, other, early, batches.slice(0, 3), () => undefined))
    t.deepEqual(fast, plain);
  t.true(early.ahead.taken > 10, `${early.ahead.taken} of 60 walks were taken`);
});

/** So many slots are written before the log begins to forget. */
const LOG_SIZE = 8192;

/** A stage with a pod whose walk a worker has made. */
function walked(pod: Pod): { pair: Pair; stage: Stage } {
  const pair = new Pair(100);
  for (let index = 0; index < 40; index += 1) pair.set(testNode(`n${index}`));
  const stage = new Stage(pair);
  // Pods of the outline must have been decided by walks before.
  for (let index = 0; index < 8; index += 1)
    pair.decide(testPod(`first${index}`, { requests: { cpu: `${3 + index}m` } }));
  stage.send([pod]);
  stage.work();
  return { pair, stage };
}

const LATER = testPod('later', { requests: { cpu: '77m' } });

test('walks ahead › with other nodes, other columns or more writes than the log remembers none counts', (t) => {
  t.true(isTaken(() => undefined));
  t.false(isTaken(({ cache }) => cache.removeNode('n1')));
  t.false(
    isTaken(({ cache }) =>
      cache.setNode(testNode('n0', { allocatable: { cpu: '4', memory: '8Gi', pods: '9', 'x.io/gpu': '1' } })),
    ),
  );
  t.false(
    isTaken(({ cache, snapshot }) => {
      for (let write = 0; write <= LOG_SIZE; write += 1) {
        cache.setNode(testNode('n0', { unschedulable: write % 2 === 0 }));
        cache.updateSnapshot(snapshot);
      }
    }),
  );
});

function isTaken(disturb: (fast: Pair['fast']) => void): boolean {
  const { pair, stage } = walked(LATER);
  disturb(pair.fast);
  pair.fast.cache.updateSnapshot(pair.fast.snapshot);
  return stage.ahead.take(new PodInfo(LATER).shape.id) !== undefined;
}

test('walks ahead › pods that only the engine can judge are not sent', (t) => {
  const { stage } = walked(LATER);
  const isEligible = (pod: Pod): boolean => stage.ahead.isEligible(new PodInfo(pod));
  const asks = { requests: { cpu: '5m' } };
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [named] } };
  t.true(isEligible(testPod('new', { requests: { cpu: '99m' } })));
  t.false(isEligible(testPod('there', { ...asks, spec: { nodeName: 'n1' } })));
  t.false(isEligible(testPod('by-name', { ...asks, spec: { affinity: { nodeAffinity } } })));
});
