import test from 'ava';
import fc from 'fast-check';
import type { Pod } from '../../../src/api/objects/objects.js';
import { Crowd, PodRoster, TimeReader } from '../../../src/controllers/replica-set/pod-roster.js';
import { podsToDelete, type Rank } from '../../../src/controllers/replica-set/ranking.js';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import { pod, type PodTraits } from '../objects.js';

const { toMs } = new TimeReader(createTimestamps('2030-01-01T00:00:00Z'));

/** Ranks of pods that crowd each other's nodes, or of pods without a controller. */
function ranksOf(pods: readonly Pod[], crowd?: Crowd): Rank[] {
  const roster = new PodRoster(crowd, { toMs });
  for (const each of pods) roster.add(each);
  return roster.ranks([]);
}

function order(pods: readonly Pod[], crowd?: Crowd): string[] {
  const last = pod('last', { readySince: '2030-01-01T00:00:00Z', node: 'n', cost: '999' });
  return podsToDelete(ranksOf([...pods, last], crowd), pods.length, 3_600_000).map(({ metadata }) => metadata.name);
}

test('7.1.3 › unassigned before assigned, Pending before Unknown before Running, not ready before ready', (t) => {
  const pods = [
    pod('ready', { node: 'n', readySince: '2030-01-01T00:00:10Z' }),
    pod('running', { node: 'n', phase: 'Running' }),
    pod('unknown', { node: 'n', phase: 'Unknown' }),
    pod('pending', { node: 'n' }),
    pod('unassigned'),
  ];
  t.deepEqual(order(pods), ['unassigned', 'pending', 'unknown', 'running', 'ready']);
});

test('7.1.3 › the lower deletion cost goes first; text that is no 32-bit integer counts as 0', (t) => {
  const ready = { node: 'n', readySince: '2030-01-01T00:00:10Z' };
  const pods = [
    pod('one', { ...ready, cost: '1' }),
    pod('padded', { ...ready, cost: '-05', restarts: 2 }),
    pod('huge', { ...ready, cost: '2147483648', restarts: 1 }),
    pod('minus', { ...ready, cost: '-10' }),
  ];
  t.deepEqual(order(pods), ['minus', 'padded', 'huge', 'one']);
});

test('7.1.3 › pods of one controller that crowd a node go first, and nothing crowds without a controller', (t) => {
  const ready = { readySince: '2030-01-01T00:00:10Z' };
  const pods = [
    pod('lonely', { ...ready, node: 'a' }),
    pod('crowded', { ...ready, node: 'b' }),
    pod('also', { ...ready, node: 'b', restarts: 1 }),
  ];
  t.deepEqual(order(pods), ['also', 'lonely', 'crowded']);
  t.deepEqual(order(pods, new Crowd()), ['also', 'crowded', 'lonely']);
});

test('7.1.3 › the more recently ready goes first by powers of two only; within one, the smaller uid', (t) => {
  const pods = [
    pod('old', { node: 'n', readySince: '2030-01-01T00:00:00Z', uid: 'b' }),
    pod('old-too', { node: 'n', readySince: '2030-01-01T00:10:00Z', uid: 'a' }),
    pod('young', { node: 'n', readySince: '2030-01-01T00:59:00Z', uid: 'z' }),
  ];
  t.deepEqual(order(pods), ['young', 'old-too', 'old']);
});

test('7.1.3 › pods readied in the same second fall through to restarts, then to creation', (t) => {
  const ready = { node: 'n', readySince: '2030-01-01T00:30:00Z' };
  const pods = [
    pod('early', { ...ready, created: '2030-01-01T00:00:00Z' }),
    pod('late', { ...ready, created: '2030-01-01T00:29:00Z' }),
    pod('restarted', { ...ready, restarts: 4 }),
  ];
  t.deepEqual(order(pods), ['restarted', 'late', 'early']);
});

test('7.1.3 › restarts of regular containers count before those of sidecars, and those of other init containers not at all', (t) => {
  const ready = { node: 'n', readySince: '2030-01-01T00:30:00Z' };
  const withInit = (name: string, restartPolicy: 'Always' | undefined, restartCount: number): Pod => {
    const plain = pod(name, ready);
    const init = { name: 's', image: 'pause', ...(restartPolicy === undefined ? {} : { restartPolicy }) };
    const status = { name: 's', image: 'pause', imageID: '', ready: true, restartCount };
    return {
      ...plain,
      spec: { ...plain.spec, initContainers: [init] },
      status: { ...plain.status, initContainerStatuses: [status] },
    };
  };
  const pods = [
    withInit('init', undefined, 9),
    withInit('sidecar', 'Always', 2),
    withInit('calmer', 'Always', 1),
    pod('regular', { ...ready, restarts: 1 }),
  ];
  t.deepEqual(order(pods), ['regular', 'sidecar', 'calmer', 'init']);
});

function recorded(name: string, node: string, second: string, uid: string, more: PodTraits = {}): Pod {
  return pod(name, { node, uid, readySince: `2026-11-20T23:58:${second}Z`, created: '2026-11-20T23:58:22Z', ...more });
}

test('7.1.3 › deletes as a real control plane was seen to', (t) => {
  const pods = [
    recorded('47bs7', '0', '23', '2fd7db7a'),
    recorded('6qpbb', '0', '23', '3d6eecb7'),
    recorded('885jj', '0', '23', '93eb1a9d'),
    recorded('9r4v6', '1', '23', '72ddc54a', { restarts: 4 }),
    recorded('c4ff7', '1', '23', '21899da1'),
    pod('ghdkw', { node: '2', phase: 'Running' }),
    recorded('h8xhl', '3', '23', 'deb8fcb9', { cost: '-10' }),
    recorded('kzw2t', '4', '25', 'a3c4f4b4'),
    pod('rlhmz'),
    pod('z2hmq'),
  ];
  const roster = new PodRoster(undefined, new TimeReader(createTimestamps('2026-11-20T23:58:22.900Z')));
  for (const each of pods) roster.add(each);
  const deleted = [5336, 5944, 6552, 7162, 7775, 8381, 8989].map((nowMs) => {
    const [victim] = podsToDelete(roster.ranks([]), 1, nowMs);
    if (victim !== undefined) roster.remove(victim);
    return victim?.metadata.name ?? '';
  });
  t.deepEqual(deleted.slice(0, 2).sort(), ['rlhmz', 'z2hmq']);
  t.deepEqual(deleted.slice(2, 5), ['ghdkw', 'h8xhl', '9r4v6']);
  t.true(['47bs7', '6qpbb', '885jj', 'c4ff7'].includes(deleted[5] ?? ''));
  t.is(deleted[6], 'kzw2t');
});

test('7.1.3 › where each of three goes before the next, the steps of Go decide', (t) => {
  // Of one magnitude: those readied in the same second by restarts, others by uid.
  const circle = Array.from({ length: 24 }, (_, index) => {
    const second = String(10 + (index % 3)).padStart(2, '0');
    const uid = String((index * 11) % 24).padStart(2, '0');
    return pod(`p${index}`, { node: 'n', uid, restarts: index % 5, readySince: `2030-01-01T00:00:${second}Z` });
  });
  t.is(
    order(circle).join(' '),
    'p11 p22 p9 p20 p7 p5 p3 p18 p1 p16 p14 p12 p23 p10 p21 p8 p19 p6 p17 p4 p15 p0 p2 p13',
  );
  const few = podsToDelete(ranksOf(circle), 3, 3_600_000).map(({ metadata }) => metadata.name);
  t.deepEqual(few, ['p11', 'p22', 'p9']);
});

test('7.1.3 › equal pods go in the order of the map where there is one, and never before pods that rank lower', (t) => {
  const since = '2030-01-01T00:00:00Z';
  const pods = [...['a', 'b', 'c'].map((name) => pod(name, { node: 'n', readySince: since })), pod('unassigned')];
  const backwards = { pods: (left: Pod, right: Pod) => (left.metadata.name < right.metadata.name ? 1 : -1) };
  const names = (mapOrder?: typeof backwards): string[] =>
    podsToDelete(ranksOf(pods), 3, 3_600_000, mapOrder).map(({ metadata }) => metadata.name);
  t.deepEqual(names(), ['unassigned', 'a', 'b']);
  t.deepEqual(names(backwards), ['unassigned', 'c', 'b']);
});

test('7.1.3 › without a choice to make nothing is reordered', (t) => {
  const pods = [pod('ready', { node: 'n', readySince: '2030-01-01T00:00:00Z' }), pod('unassigned')];
  const chosen = podsToDelete(ranksOf(pods), 2, 0);
  t.deepEqual(
    chosen.map(({ metadata }) => metadata.name),
    ['ready', 'unassigned'],
  );
});

test('7.1.3 › a property: choosing few out of many equals the front of the whole order', (t) => {
  const traits = fc.record({
    assigned: fc.boolean(),
    second: fc.option(fc.constantFrom('00', '08', '12', '14'), { nil: undefined }),
    cost: fc.integer({ min: -1, max: 1 }),
    restarts: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(traits, { minLength: 20, maxLength: 80 }), fc.integer({ min: 1, max: 2 }), (list, count) => {
      const pods = list.map(({ assigned, second, cost, restarts }, index) =>
        pod(`p${index}`, {
          cost: String(cost),
          restarts,
          ...(assigned ? { node: 'n' } : {}),
          ...(second === undefined ? {} : { readySince: `2030-01-01T00:00:${second}Z` }),
        }),
      );
      const ranks = ranksOf(pods, new Crowd());
      const few = podsToDelete(ranks, count, 16_000);
      const most = podsToDelete(ranks, pods.length - 1, 16_000);
      t.deepEqual(
        few.map(({ metadata }) => metadata.name),
        most.slice(0, count).map(({ metadata }) => metadata.name),
      );
    }),
    { numRuns: 60 },
  );
});
