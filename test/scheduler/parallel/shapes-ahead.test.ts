import test from 'ava';
import type { Pod } from '../../../src/api/objects.js';
import type { NodeColumns } from '../../../src/scheduler/framework/node-columns.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { ColumnMirror } from '../../../src/scheduler/parallel/column-mirror.js';
import type { ColumnNews, ShapeTask } from '../../../src/scheduler/parallel/judge-task.js';
import { ShapesAhead } from '../../../src/scheduler/parallel/shapes-ahead.js';
import { workerProfileOf } from '../../../src/scheduler/parallel/worker-profile.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm, type DecisionDetails } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

const NODES = 130;
const LINUX: Readonly<Record<string, string>> = { 'kubernetes.io/os': 'linux' };
/** So many slots are written before the log begins to forget. */
const LOG_SIZE = 8192;

function nodeOf(index: number, parts: Parameters<typeof testNode>[1] = {}): ReturnType<typeof testNode> {
  return testNode(`n${String(index).padStart(3, '0')}`, { zone: `z${index % 3}`, ...parts });
}

/** An algorithm over nodes of three zones; every other one has a taint and images of its own. */
function cluster(): Algorithm {
  const algorithm = new Algorithm({ percentageOfNodesToScore: 100 });
  const nodes = Array.from({ length: NODES }, (_, index) =>
    index % 2 === 0
      ? nodeOf(index)
      : nodeOf(index, {
          taints: [{ key: 'odd', value: 'yes', effect: 'PreferNoSchedule' }],
          images: [{ names: ['app:latest'], sizeBytes: 50_000_000 * (index % 5) }],
        }),
  );
  algorithm.addNodes(nodes);
  algorithm.cache.updateSnapshot(algorithm.snapshot);
  return algorithm;
}

/** @param nodeSelector - by default what nodes have after {@link change} only */
function shape(index: number, nodeSelector = LINUX): Pod {
  return testPod(`p${index}`, {
    requests: { cpu: `${100 + index}m`, memory: `${64 + index}Mi` },
    spec: {
      nodeSelector,
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 5,
              preference: {
                matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1', 'new'] }],
              },
            },
          ],
        },
      },
    },
  });
}

/** Everything that a worker must be told of the columns, as it stands now. */
function newsOf({ layout, nodeCount, orderRevision, arrays, tables, scalars }: NodeColumns): ColumnNews {
  return {
    layout,
    nodeCount,
    orderRevision,
    arrays: { ...arrays },
    scalars: [...scalars],
    labelSets: [...tables.labelSets],
    taintSets: [...tables.taintSets],
    imageSets: [...tables.imageSets],
  };
}

interface Stage {
  readonly algorithm: Algorithm;
  readonly ahead: ShapesAhead;
  /** Sends a shape. */
  readonly open: (pod: Pod) => ShapeTask;
  /** Does what a worker does, knowing the columns as they were when the stage was made. */
  readonly judge: (...shapes: readonly ShapeTask[]) => void;
}

function stage(algorithm: Algorithm): Stage {
  const { framework, scheduler, snapshot } = algorithm;
  const source = { schedulerName: 'default-scheduler', plugins: DEFAULT_PLUGINS, framework };
  const profile = workerProfileOf(source, IN_TREE_PLUGINS);
  if (profile === undefined) throw new Error('the default profile can be judged ahead');
  const ahead = new ShapesAhead({
    columns: () => snapshot.columns,
    evaluations: scheduler.evaluations,
    scoreCount: framework.scores.length,
    onNewShape: () => undefined,
    onTaken: () => undefined,
    patienceMs: () => 0,
  });
  const columns = newsOf(snapshot.columns);
  const mirror = new ColumnMirror([profile], columns);
  return {
    algorithm,
    ahead,
    open: (pod) => ahead.open(new PodInfo(pod), { start: 0, target: NODES }),
    judge: (...shapes) =>
      mirror.run({ columns, shapes, walks: new Int32Array(0), walkNews: { isAnew: false, outlines: [], blocks: [] } }),
  };
}

/** Changes nodes in everything that a shape's judgement depends on. */
function change({ cache, snapshot }: Algorithm): void {
  for (let index = 0; index < NODES; index += 1) cache.setNode(nodeOf(index, { labels: LINUX }));
  cache.setNode(nodeOf(1, { labels: LINUX, taints: [{ key: 'broken', effect: 'NoSchedule' }] }));
  cache.setNode(nodeOf(2, { labels: LINUX, zone: 'new' }));
  cache.setNode(nodeOf(3, { labels: LINUX, unschedulable: true }));
  cache.setNode(nodeOf(4, { labels: LINUX, allocatable: { cpu: '64', memory: '1Gi', pods: '1' } }));
  cache.setNode(nodeOf(5, { labels: LINUX, images: [{ names: ['app:latest'], sizeBytes: 900_000_000 }] }));
  cache.addPod(testPod('there', { requests: { cpu: '3', memory: '7Gi' }, spec: { nodeName: 'n006' } }));
  cache.updateSnapshot(snapshot);
}

/** The decision without any worker, and without anything kept. */
function expected(pod: Pod): DecisionDetails {
  const algorithm = cluster();
  change(algorithm);
  return algorithm.decideInDetail(pod);
}

test('what a worker found out of a node that has changed since the shape was sent does not count', (t) => {
  for (const [pod, isJudgedFirst] of [shape(0), shape(0, {}), testPod('idle')].flatMap((each) => [
    [each, true] as const,
    [each, false] as const,
  ])) {
    const { algorithm, ahead, open, judge } = stage(cluster());
    const task = open(pod);
    if (isJudgedFirst) judge(task);
    change(algorithm);
    // The worker reads new columns, knowing nothing of the sets of labels, taints and images in them.
    if (!isJudgedFirst) judge(task);
    t.deepEqual(algorithm.decideInDetail(pod), expected(pod));
    t.is(ahead.taken, 1);
  }
});

test('what a worker found out of nodes that are as they were is not judged again', (t) => {
  const algorithm = cluster();
  change(algorithm);
  const { ahead, open, judge } = stage(algorithm);
  const pod = shape(0);
  const task = open(pod);
  judge(task);
  // Spoilt on purpose: that shows where the decision has its judgements from.
  const evaluation = ahead.take(new PodInfo(pod).shape.id);
  evaluation?.buffers.verdicts.fill((1 << 16) | 1);
  t.is(evaluation?.buffers.verdicts.length, algorithm.snapshot.columns.capacity);
  const slots = algorithm.snapshot.order;
  evaluation?.filter(slots, NODES, algorithm.snapshot.columns);
  t.true(evaluation?.buffers.verdicts.every((verdict) => verdict === ((1 << 16) | 1)));
});

test('a shape that nobody has judged, or that a worker still judges, is left to the engine', (t) => {
  const algorithm = cluster();
  change(algorithm);
  const { ahead, open } = stage(algorithm);
  open(shape(1));
  t.is(ahead.take(new PodInfo(shape(1)).shape.id), undefined);
  t.is(ahead.take(new PodInfo(shape(2)).shape.id), undefined);
  t.deepEqual(algorithm.decideInDetail(shape(1)), expected(shape(1)));
});

test('with other nodes, other columns or more writes than the log remembers nothing of a worker counts', (t) => {
  const disturb: readonly ((algorithm: Algorithm) => void)[] = [
    ({ cache }) => cache.removeNode('n001'),
    ({ cache }) => cache.setNode(nodeOf(0, { allocatable: { cpu: '4', memory: '8Gi', pods: '9', 'x.io/gpu': '1' } })),
    ({ cache, snapshot }) => {
      for (let write = 0; write <= LOG_SIZE; write += 1) {
        cache.setNode(nodeOf(0, { unschedulable: write % 2 === 0 }));
        cache.updateSnapshot(snapshot);
      }
    },
  ];
  for (const disturbance of disturb) {
    const { algorithm, ahead, open, judge } = stage(cluster());
    judge(open(shape(3)));
    disturbance(algorithm);
    algorithm.cache.updateSnapshot(algorithm.snapshot);
    t.is(ahead.take(new PodInfo(shape(3)).shape.id), undefined);
  }
});

test('a shape that takes more than columns to judge is left to the engine', (t) => {
  const { ahead, open, judge } = stage(cluster());
  const pod = testPod('web', { ports: [{ containerPort: 80, hostPort: 80 }] });
  judge(open(pod));
  t.is(ahead.take(new PodInfo(pod).shape.id), undefined);
});

test('pods that only the engine can judge are not sent', (t) => {
  const { ahead, algorithm, open } = stage(cluster());
  const isEligible = (pod: Pod): boolean => ahead.isEligible(new PodInfo(pod));
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n001'] }] };
  t.true(isEligible(shape(4)));
  t.false(isEligible(testPod('there', { spec: { nodeName: 'n001' } })));
  t.false(
    isEligible(
      testPod('by-name', {
        spec: {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [named] } },
          },
        },
      }),
    ),
  );
  algorithm.decide(shape(4));
  t.false(isEligible(shape(4)), 'its judgements are there');
  open(shape(5));
  t.false(isEligible(shape(5)), 'it is under way');
});

test('memory is used again once newer shapes have pushed a shape out', (t) => {
  const algorithm = cluster();
  change(algorithm);
  const { ahead, open, judge } = stage(algorithm);
  const memories = new Set<SharedArrayBuffer>();
  const SHAPES = 1100;
  const play = (): void => {
    for (let index = 0; index < SHAPES; index += 1) {
      const task = open(shape(index));
      memories.add(task.memory);
      judge(task);
      algorithm.decide(shape(index));
    }
  };
  play();
  t.is(ahead.taken, SHAPES);
  // Four shapes that came up once are kept, as many are spare, and one is on its way.
  t.is(memories.size, 9);
  play();
  play();
  // Of shapes that come back 1024 are kept.
  t.is(memories.size, 1024 + 9);
});
