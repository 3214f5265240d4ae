import test from 'ava';
import type { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import { budget, guest, PreemptionScene, shortly } from './preemption-scene.js';

const HIGH = guest('high', { priority: 10, requests: { cpu: '2' } });

test('dry run › the least important pods go, as few as the pod needs', (t) => {
  const pods = [
    guest('b', { priority: 2, startedAt: 1 }),
    guest('a', { priority: 1, startedAt: 1 }),
    guest('d', { priority: 3, startedAt: 1 }),
    guest('c', { priority: 2, startedAt: 2 }),
  ];
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: c a']);
});

test('dry run › of equal priority the one that started last goes, and one that has not started before it', (t) => {
  const pods = [
    guest('p1', { startedAt: 30 }),
    guest('p2', { startedAt: 10 }),
    guest('p3'),
    guest('p4', { startedAt: 20 }),
  ];
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: p1 p3']);
});

test('dry run › a pod that seems to start in the future is less important than one that has not started', (t) => {
  const pods = [
    guest('p1', { startedAt: 5000 }),
    guest('p2'),
    guest('p3', { startedAt: 1 }),
    guest('p4', { startedAt: 2 }),
  ];
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: p2 p1']);
});

test('dry run › a pod that starts at this very moment is as important as one that has not started', (t) => {
  const pods = [
    guest('waiting', { requests: { cpu: '2' } }),
    guest('now', { startedAt: 1000, requests: { cpu: '2' } }),
  ];
  const swapped = [...pods].reverse();
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: now']);
  t.deepEqual(shortly(new PreemptionScene().node('n1', swapped).evaluate(HIGH)), ['n1: waiting']);
});

test('dry run › pods of equal or higher priority stay', (t) => {
  const pods = [guest('same', { priority: 10, requests: { cpu: '2' } }), guest('low', { requests: { cpu: '2' } })];
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: low']);
});

test('dry run › a pod without priority counts as 0', (t) => {
  const pod = guest('high', { requests: { cpu: '2' } });
  const scene = new PreemptionScene().node('n1', [guest('low', { priority: -1, requests: { cpu: '4' } })]);
  t.deepEqual(shortly(scene.evaluate(pod)), ['n1: low']);
});

test('dry run › a node where no pod may be displaced says so', (t) => {
  const scene = new PreemptionScene().node('n1', [guest('same', { priority: 10, requests: { cpu: '3' } })]);
  const report = scene.evaluate(HIGH);
  t.is(report.outcome, 'unhelpful');
  t.is(report.message, '0/1 nodes are available: 1 No preemption victims found for incoming pod.');
});

test('dry run › a node where the removal of all does not help says what is in the way', (t) => {
  const pods = [guest('same', { priority: 10, requests: { cpu: '3' } }), guest('low')];
  const report = new PreemptionScene().node('n1', pods).evaluate(HIGH);
  t.is(report.message, '0/1 nodes are available: 1 Insufficient cpu.');
});

test('dry run › victims that are terminating already count, and need no other to go', (t) => {
  const pods = [
    guest('leaving', { isTerminating: true, requests: { cpu: '2' }, startedAt: 2 }),
    guest('low', { requests: { cpu: '2' }, startedAt: 1 }),
  ];
  t.deepEqual(shortly(new PreemptionScene().node('n1', pods).evaluate(HIGH)), ['n1: leaving']);
});

test('dry run › a pod nominated to the node counts if it is as important, and not if it is less', (t) => {
  const pods = [guest('p1', { startedAt: 1 }), guest('p2', { startedAt: 2 }), guest('p3', { startedAt: 3 })];
  const scene = new PreemptionScene().node('n1', pods);
  scene.nominate(guest('waiting', { priority: 10, requests: { cpu: '1' } }), 'n1');
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: p2 p3']);
  const other = new PreemptionScene().node('n1', pods);
  other.nominate(guest('waiting', { priority: 9, requests: { cpu: '1' } }), 'n1');
  t.deepEqual(shortly(other.evaluate(HIGH)), ['n1: p3']);
});

test('dry run › the node and the state of the attempt stay as they were', (t) => {
  const pods = [guest('p1', { startedAt: 1 }), guest('p2', { startedAt: 2 }), guest('p3', { startedAt: 3 })];
  const scene = new PreemptionScene().node('n1', pods);
  const before = scene.algorithm.snapshot;
  const first = shortly(scene.evaluate(HIGH));
  t.deepEqual(
    before.get('n1')?.pods.map(({ pod }) => pod.metadata.name),
    ['p1', 'p2', 'p3'],
  );
  t.is(before.get('n1')?.cpuMillis, 3000);
  t.deepEqual(shortly(scene.evaluate(HIGH)), first);
});

test('budgets › a pod under an exhausted budget is let stay first', (t) => {
  const labels = { app: 'db' };
  const pods = [
    guest('guarded', { startedAt: 9, labels }),
    guest('free', { startedAt: 1 }),
    guest('free2', { startedAt: 2 }),
    guest('free3', { startedAt: 3 }),
  ];
  const scene = new PreemptionScene().node('n1', pods);
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: free3 guarded']);
  scene.budgets.push(budget('db', { matchLabels: labels }, 0));
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: free2 free3']);
});

test('budgets › a budget is violated where nothing else helps, and counted', (t) => {
  const labels = { app: 'db' };
  const pods = [1, 2, 3, 4].map((start) => guest(`p${start}`, { startedAt: start, labels }));
  const scene = new PreemptionScene().node('n1', pods);
  scene.budgets.push(budget('db', { matchLabels: labels }, 1));
  // p1 has the only share, so that the others are asked to stay before it: p2 and p3 do.
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: p1 p4 !1']);
});

test('budgets › a pod that is let stay has used up its share all the same', (t) => {
  const labels = { app: 'db' };
  const pods = [
    guest('first', { startedAt: 1, labels }),
    guest('second', { startedAt: 2, labels, requests: { cpu: '2' } }),
  ];
  const scene = new PreemptionScene().node('n1', pods);
  scene.budgets.push(budget('db', { matchLabels: labels }, 1));
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: first']);
  t.deepEqual(shortly(scene.evaluate(guest('high', { priority: 10, requests: { cpu: '3' } }))), ['n1: second !1']);
});

test('budgets › an empty selector, or none, protects no pod here', (t) => {
  const pods = [guest('low', { labels: { a: 'b' }, requests: { cpu: '4' } })];
  const scene = new PreemptionScene().node('n1', pods);
  scene.budgets.push(budget('all', {}, 0), budget('none', undefined, 0));
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: low']);
});

test('budgets › pods without labels, and of other namespaces, match no budget', (t) => {
  const selector = { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] };
  const scene = new PreemptionScene().node('n1', [guest('bare', { requests: { cpu: '4' } })]);
  scene.budgets.push(budget('b', selector, 0));
  t.deepEqual(shortly(scene.evaluate(HIGH)), ['n1: bare']);
  const other = new PreemptionScene().node('n1', [guest('labelled', { labels: { a: 'b' }, requests: { cpu: '4' } })]);
  other.budgets.push(budget('b', selector, 0, { namespace: 'team' }));
  t.deepEqual(shortly(other.evaluate(HIGH)), ['n1: labelled']);
});

test('budgets › a pod whose eviction was granted takes no share', (t) => {
  const labels = { app: 'db' };
  const pods = [
    guest('granted', { labels, requests: { cpu: '2' }, startedAt: 1 }),
    guest('other', { labels, requests: { cpu: '2' }, startedAt: 2 }),
  ];
  const selector = { matchLabels: labels };
  const both = guest('high', { priority: 10, requests: { cpu: '4' } });
  const scene = new PreemptionScene().node('n1', pods);
  scene.budgets.push(budget('db', selector, 1, { disruptedPods: { granted: '2030-01-01T00:00:00Z' } }));
  t.deepEqual(shortly(scene.evaluate(both)), ['n1: granted other']);
  scene.budgets[0] = budget('db', selector, 1);
  t.deepEqual(shortly(scene.evaluate(both)), ['n1: granted other !1']);
});

test('budgets › a pod under several budgets is violating if one of them is exhausted, and takes from all', (t) => {
  const pods = [
    guest('both', { startedAt: 1, labels: { a: '1', b: '1' }, requests: { cpu: '2' } }),
    guest('only-a', { startedAt: 2, labels: { a: '1' }, requests: { cpu: '2' } }),
  ];
  const all = guest('high', { priority: 10, requests: { cpu: '4' } });
  const scene = new PreemptionScene().node('n1', pods);
  scene.budgets.push(budget('a', { matchLabels: { a: '1' } }, 1), budget('b', { matchLabels: { b: '1' } }, 0));
  t.deepEqual(shortly(scene.evaluate(all)), ['n1: both only-a !2']);
  scene.budgets[0] = budget('a', { matchLabels: { a: '1' } }, 2);
  t.deepEqual(shortly(scene.evaluate(all)), ['n1: both only-a !1']);
});

test('dry run › a filter that does not heed pods is asked as well where room alone was missing before', (t) => {
  const extra = {
    Picky: () => ({
      name: 'Picky',
      filterScope: 'node' as const,
      heedsPods: false,
      filter: (_state: unknown, _pod: unknown, { name }: { name: string }) =>
        name === 'n1' ? createStatus(Code.Unschedulable, 'Picky', 'not that one') : undefined,
    }),
  };
  const scene = new PreemptionScene({ extra })
    .node('n1', [guest('low1', { requests: { cpu: '4' } })])
    .node('n2', [guest('low2', { requests: { cpu: '4' } })]);
  const report = scene.evaluate(HIGH);
  t.deepEqual(shortly(report), ['n2: low2']);
  t.deepEqual([...report.statuses], [['n1', { code: Code.Unschedulable, plugin: 'Picky', reasons: ['not that one'] }]]);
});

test('dry run › a pod that has changed since its attempt leaves nothing behind for others of its new kind', (t) => {
  const extra = {
    Gate: () => ({
      name: 'Gate',
      filterScope: 'node' as const,
      heedsPods: false,
      preFilter: (_state: unknown, { shape }: PodInfo) =>
        shape.labels['gate'] === undefined ? { status: createStatus(Code.Skip, 'Gate') } : undefined,
      filter: (_state: unknown, _pod: unknown, { name }: { name: string }) =>
        name === 'n1' ? createStatus(Code.Unschedulable, 'Gate', 'closed') : undefined,
    }),
  };
  const scene = new PreemptionScene({ extra })
    .node('n1', [guest('low1', { requests: { cpu: '4' } })])
    .node('n2', [guest('low2', { requests: { cpu: '4' } })]);
  const parts = { priority: 10, requests: { cpu: '2' } };
  const labels = { gate: 'main' };
  // Its attempt did not know of the label, so that the gate has nothing to say.
  t.deepEqual(scene.preempt(guest('p', parts), guest('p', { ...parts, labels })), { nominatedNodeName: 'n1' });
  t.deepEqual(shortly(scene.evaluate(guest('q', { ...parts, labels }))), ['n2: low2']);
});

test('dry run › a filter that fails loses the node only, unless no candidate is left', (t) => {
  const extra = {
    Broken: () => ({
      name: 'Broken',
      filter: (_state: unknown, _pod: unknown, node: { name: string; pods: readonly unknown[] }) =>
        node.name !== 'n2' && node.pods.length === 0
          ? createStatus(Code.Error, 'Broken', `lost ${node.name}`)
          : undefined,
    }),
  };
  const full = [guest('low', { requests: { cpu: '4' } })];
  const pod = guest('high', { priority: 10, requests: { cpu: '2' } });
  const scene = new PreemptionScene({ extra }).node('n1', full).node('n3', [guest('low3', { requests: { cpu: '4' } })]);
  const broken = scene.evaluate(pod);
  t.is(broken.outcome, 'error');
  t.is(broken.message, '[running "Broken" filter plugin: lost n1, running "Broken" filter plugin: lost n3]');
  scene.node('n2', [guest('low2', { requests: { cpu: '4' } })]);
  t.deepEqual(shortly(scene.evaluate(pod)), ['n2: low2']);
});

test('dry run › filters that contradict themselves are an error', (t) => {
  const extra = {
    Moody: () => {
      const rejected = new Set<string>();
      return {
        name: 'Moody',
        filter: (_state: unknown, _pod: unknown, { name }: { name: string }) => {
          if (rejected.has(name)) return undefined;
          rejected.add(name);
          return createStatus(Code.Unschedulable, 'Moody', 'not today');
        },
      };
    },
  };
  const report = new PreemptionScene({ extra }).node('n1', [guest('low')]).evaluate(guest('high', { priority: 1 }));
  t.is(report.outcome, 'error');
  t.is(report.message, 'expected at least one victim pod on node "n1"');
});
