import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import { AttemptLog } from '../../../src/scheduler/explain/attempt-log.js';
import type { AttemptExplanation, NodeScoreExplanation } from '../../../src/scheduler/explain/explanation.js';
import { Code, codeName } from '../../../src/scheduler/framework/status.js';
import { Algorithm, type AlgorithmOptions, type DecisionDetails } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';
import { queued } from '../support/queued.js';

/** Decisions with a log beside them. */
class Stage {
  readonly log = new AttemptLog();
  /** The same decisions as they are noted while thousands of pods wait. */
  readonly busyLog = new AttemptLog();
  readonly algorithm: Algorithm;

  constructor(options: AlgorithmOptions = {}) {
    this.algorithm = new Algorithm(options);
  }

  /** Decides, and notes it; the pod takes no room. */
  attempt(pod: Pod, number = 1): void {
    this.#note(pod, number, this.algorithm.decide(pod));
  }

  /** The same, with everything that was seen. */
  attemptInDetail(pod: Pod): DecisionDetails {
    const details = this.algorithm.decideInDetail(pod);
    this.#note(pod, 1, details.decision);
    return details;
  }

  #note(pod: Pod, number: number, decision: Decision): void {
    const { scheduler, snapshot } = this.algorithm;
    this.log.note(queued(pod, number), number, decision, scheduler, snapshot.columns, 0);
    this.busyLog.note(queued(pod, number), number, decision, scheduler, snapshot.columns, 10_000);
  }

  attempts(name: string): readonly AttemptExplanation[] {
    return this.log.explain(`default/${name}`)?.attempts ?? [];
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

test('AttemptLog › tells of every node what the decision saw, whatever the forms of the plugins', (t) => {
  for (const isPlain of [false, true]) {
    const stage = new Stage({ isPlain });
    stage.algorithm.addNodes(
      names('n', 150).map((name, index) =>
        testNode(name, {
          zone: `z${index % 3}`,
          allocatable: { cpu: String(1 + (index % 5)), memory: '8Gi', pods: '110' },
          ...(index % 7 === 0 ? { taints: [{ key: 'a', value: String(index % 2), effect: 'NoSchedule' }] } : {}),
          ...(index % 4 === 0 ? { taints: [{ key: 'b', effect: 'PreferNoSchedule' }] } : {}),
          ...(index % 11 === 0 ? { unschedulable: true } : {}),
        }),
      ),
    );
    for (const cpu of ['100m', '2', '4500m', '9']) {
      const name = `pod-${cpu}`;
      const { decision, feasible, rejected, raw, normalized, totals, best } = stage.attemptInDetail(
        testPod(name, { requests: { cpu, memory: '1Gi' } }),
      );
      const [attempt] = stage.attempts(name);
      t.deepEqual(attempt?.nodes, { total: 150, visited: feasible.length + rejected.size, feasible: feasible.length });
      const told = (attempt?.rejections ?? []).flatMap(({ nodes, plugin, code, reasons }) =>
        nodes.map((node) => [node, { plugin, code, reasons }] as const),
      );
      const seen = [...rejected].map(([node, { plugin, code, reasons }]) => {
        return [node, { plugin, code: codeName(code), reasons }] as const;
      });
      t.deepEqual(told.toSorted(byName), seen.toSorted(byName));
      if (decision.kind !== 'placed') {
        t.deepEqual([attempt?.outcome, attempt?.scores, attempt?.best], ['unschedulable', [], []]);
        continue;
      }
      const scores = feasible.map((node): NodeScoreExplanation => {
        const plugins = Object.keys(raw).map((plugin) => {
          const weight = stage.algorithm.framework.scores.find((each) => each.plugin.name === plugin)?.weight ?? 0;
          const score = normalized[plugin]?.[node] ?? -1;
          return { plugin, raw: raw[plugin]?.[node] ?? -1, normalized: score, weight, weighted: score * weight };
        });
        return { node, total: totals[node] ?? -1, plugins };
      });
      t.deepEqual(
        attempt?.scores,
        scores.toSorted((a, b) => b.total - a.total),
      );
      t.deepEqual([attempt?.node, attempt?.best], [decision.nodeName, best]);
      t.is(attempt?.best[attempt.tieBreak?.drawn ?? 0], decision.nodeName);
    }
  }
});

test('AttemptLog › while thousands of pods wait, what theirs would overwrite is not written at all', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes(
    names('n', 150).map((name, index) =>
      testNode(name, { allocatable: { cpu: String(2 + (index % 5)), memory: '8Gi', pods: '110' } }),
    ),
  );
  for (const cpu of ['100m', '2']) stage.attempt(testPod(`pod-${cpu}`, { requests: { cpu, memory: '1Gi' } }));
  for (const name of ['pod-100m', 'pod-2']) assertBrief(t, stage, name);
});

test('AttemptLog › what plugins say by groups of nodes is told of the chosen node, though nothing else is written', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes(
    names('n', 600).map((name, index) =>
      testNode(name, {
        zone: `z${index % 3}`,
        allocatable: { cpu: String(2 + (index % 5)), memory: '8Gi', pods: '110' },
      }),
    ),
  );
  const labels = { app: 'a' };
  const inZone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] };
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference: { matchExpressions: [inZone] } }],
  };
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: labels },
    },
  ];
  for (let number = 0; number < 6; number += 1) {
    const name = `pod-${number}`;
    const requests = { cpu: '100m', memory: '1Gi' };
    stage.attempt(testPod(name, { labels, requests, spec: { affinity: { nodeAffinity }, topologySpreadConstraints } }));
    // Which groups matter is learnt by the first decisions of a shape.
    if (number > 1) assertBrief(t, stage, name);
  }
});

function assertBrief(t: ExecutionContext, stage: Stage, name: string): void {
  const [full] = stage.attempts(name);
  const [brief] = stage.busyLog.explain(`default/${name}`)?.attempts ?? [];
  const chosen = full?.scores.filter(({ node }) => node === full.node) ?? [];
  t.is(chosen.length, 1);
  t.deepEqual(brief, {
    ...full,
    detail: 'summary',
    scores: chosen,
    best: full?.tieBreak === undefined ? full?.best : [],
  });
}

test('AttemptLog › keeps the last 16 attempts of a pod', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes([testNode('n1', { unschedulable: true })]);
  for (let number = 1; number <= 17; number += 1) {
    stage.attempt(testPod('web'), number);
    stage.log.noteFailure('default/web', Code.Unschedulable, `failure ${number}`);
  }
  t.deepEqual(
    stage.attempts('web').map(({ attempt, message }) => [attempt, message]),
    Array.from({ length: 16 }, (_, index) => [index + 2, `failure ${index + 2}`]),
  );
});

test('AttemptLog › keeps 10,000 pods that were placed at once, and 10,000 that were not', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes([testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } })]);
  const placed = testPod('p', { requests: { cpu: '1' } });
  const refused = testPod('r', { requests: { cpu: '2' } });
  for (let index = 0; index <= 10_000; index += 1) {
    for (const pod of [placed, refused]) {
      const name = `${pod.metadata.name}${index}`;
      stage.attempt({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
    }
  }
  const known = (name: string): boolean => stage.attempts(name).length === 1;
  t.deepEqual(['p0', 'p1', 'p10000', 'r0', 'r1', 'r10000'].map(known), [false, true, true, false, true, true]);
});

/** 500 nodes: 2 MiB hold about a hundred attempts. */
function crowd(): Stage {
  const stage = new Stage({ percentageOfNodesToScore: 100 });
  stage.algorithm.addNodes([
    ...names('n', 500).map((name) => testNode(name)),
    testNode('off', { unschedulable: true }),
    testNode('far', { unschedulable: true }),
    testNode('out', { unschedulable: true }),
    testNode('dead', { unschedulable: true }),
  ]);
  return stage;
}

test('AttemptLog › leaves a summary of attempts whose nodes have had to make room', (t) => {
  const stage = crowd();
  const pod = testPod('web', { requests: { cpu: '1', memory: '1Gi' } });
  stage.attempt(pod);
  const [full] = stage.attempts('web');
  t.is(full?.scores.length, 500);
  t.is(full?.best.length, 500);
  for (const name of names('other', 1000)) {
    stage.attempt({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
  }
  const [summary] = stage.attempts('web');
  t.deepEqual(summary, {
    ...(full as AttemptExplanation),
    detail: 'summary',
    scores: full?.scores.filter(({ node }) => node === full.node) ?? [],
    best: [],
    rejections: full?.rejections.map((group) => ({ ...group, nodes: group.nodes.slice(0, 3) })) ?? [],
  });
  t.is(summary?.rejections[0]?.count, 4);
  t.is(stage.attempts('other999')[0]?.detail, 'full');
});

test('AttemptLog › attempts at pods in focus are not displaced by others', (t) => {
  const stage = crowd();
  stage.log.focusOn({ namespace: 'default', namePrefix: 'we' });
  const pod = testPod('web', { requests: { cpu: '1', memory: '1Gi' } });
  stage.attempt(pod);
  const [full] = stage.attempts('web');
  for (const name of names('other', 10_001)) {
    stage.attempt({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
  }
  t.deepEqual(stage.attempts('web'), [full as AttemptExplanation]);
  t.is(full?.detail, 'full');
  t.deepEqual(stage.attempts('other0'), []);
});

test('AttemptLog › of a preemption before the last 256 only the nominated node is left', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes([testNode('n1', { unschedulable: true })]);
  const candidates = ['n1', 'n2'].map((node) => ({ node, victims: ['default/low'], pdbViolations: 0 }));
  for (const name of names('p', 257)) {
    stage.attempt(testPod(name));
    stage.log.notePreemption(`default/${name}`, {
      nominated: 'n2',
      candidates,
      decidedBy: 'node-name',
      ties: ['n1', 'n2'],
    });
  }
  t.deepEqual(stage.attempts('p0')[0]?.preemption, {
    nominated: 'n2',
    candidates: candidates.slice(1),
    decidedBy: 'node-name',
    ties: ['n1', 'n2'],
  });
  t.deepEqual(stage.attempts('p1')[0]?.preemption?.candidates, candidates);
});

test('AttemptLog › nodes keep the names that they had', (t) => {
  const stage = new Stage();
  stage.algorithm.addNodes([testNode('n1'), testNode('n2'), testNode('n3', { unschedulable: true })]);
  stage.attempt(testPod('web'));
  const before = stage.attempts('web');
  for (const name of ['n1', 'n3']) stage.algorithm.cache.removeNode(name);
  stage.attempt(testPod('b'));
  stage.algorithm.addNodes([testNode('x1'), testNode('x2')]);
  stage.attempt(testPod('c'));
  t.deepEqual(stage.attempts('web'), before);
  t.deepEqual(
    stage
      .attempts('c')[0]
      ?.scores.map(({ node }) => node)
      .toSorted(),
    ['n2', 'x1', 'x2'],
  );
});
