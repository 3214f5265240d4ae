import test from 'ava';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { countHealthy, pendingDisruptions } from '../../../src/controllers/disruption/disrupted-pods.js';
import { selectorText } from '../../../src/controllers/shared/selector-text.js';
import { pod } from '../objects.js';

const TIMESTAMPS = createTimestamps('2030-01-01T00:00:00Z');
const EVICTED = '2030-01-01T00:00:10Z';
const DUE_MS = 130_000;

function leaving(name: string): Pod {
  const { metadata, ...rest } = pod(name, { readySince: EVICTED });
  return { ...rest, metadata: { ...metadata, deletionTimestamp: EVICTED } };
}

test('disrupted pods › an eviction is expected for two minutes', (t) => {
  const pods = [pod('p1')];
  t.deepEqual(pendingDisruptions(pods, { p1: EVICTED }, DUE_MS, TIMESTAMPS), {
    times: { p1: EVICTED },
    overdue: [],
    nextMs: DUE_MS,
  });
  t.deepEqual(pendingDisruptions(pods, { p1: EVICTED }, DUE_MS + 1, TIMESTAMPS), {
    times: {},
    overdue: pods,
    nextMs: undefined,
  });
});

test('disrupted pods › pods that are gone or terminating are dropped without a word', (t) => {
  t.deepEqual(pendingDisruptions([leaving('p1')], { p1: EVICTED, p2: EVICTED }, 999_000, TIMESTAMPS), {
    times: {},
    overdue: [],
    nextMs: undefined,
  });
});

test('disrupted pods › the next look is at the first that becomes overdue', (t) => {
  const times = { p1: '2030-01-01T00:00:20Z', p2: EVICTED };
  t.is(pendingDisruptions([pod('p1'), pod('p2')], times, 20_000, TIMESTAMPS).nextMs, DUE_MS);
});

test('healthy pods › ready ones that are expected to stay, whatever their phase', (t) => {
  const ready = pod('ready', { readySince: EVICTED });
  const failed = pod('failed', { readySince: EVICTED, phase: 'Failed' });
  const pods = [ready, failed, pod('unready'), leaving('leaving')];
  t.is(countHealthy(pods, {}, 20_000, TIMESTAMPS), 2);
  t.is(countHealthy(pods, { ready: EVICTED }, DUE_MS - 1, TIMESTAMPS), 1);
  t.is(countHealthy(pods, { ready: EVICTED }, DUE_MS, TIMESTAMPS), 2);
});

test('selector text › is how Go prints the type', (t) => {
  t.is(selectorText(undefined), 'nil');
  t.is(
    selectorText({}),
    '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}',
  );
  t.is(
    selectorText({
      matchLabels: { b: '2', a: '1' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['x', 'y'] },
        { key: 'z', operator: 'Exists' },
      ],
    }),
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[x y],},LabelSelectorRequirement{Key:z,Operator:Exists,Values:[],},},}',
  );
});
