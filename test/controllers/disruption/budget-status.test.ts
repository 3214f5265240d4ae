import test from 'ava';
import { statusAfterFailure, statusAfterSync } from '../../../src/controllers/disruption/budget-status.js';
import { budget } from './budgets.js';

const NOW = '2030-01-01T00:01:00Z';
const COUNTS = { expected: 3, desiredHealthy: 2, currentHealthy: 3, disruptedPods: {} };

test('budget status › what is healthy beyond the wish may go', (t) => {
  t.deepEqual(statusAfterSync(budget({}), COUNTS, NOW), {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'True',
        observedGeneration: 1,
        lastTransitionTime: NOW,
        reason: 'SufficientPods',
        message: '',
      },
    ],
  });
});

test('budget status › fewer healthy pods than wished allow nothing, never less', (t) => {
  const status = statusAfterSync(budget({}), { ...COUNTS, currentHealthy: 1 }, NOW);
  t.is(status?.disruptionsAllowed, 0);
  t.like(status?.conditions?.[0], { status: 'False', reason: 'InsufficientPods', message: '' });
});

test('budget status › a budget that expects no pod allows nothing, whatever is healthy', (t) => {
  t.is(statusAfterSync(budget({}), { ...COUNTS, expected: 0, desiredHealthy: 0 }, NOW)?.disruptionsAllowed, 0);
  t.is(statusAfterSync(budget({}), { ...COUNTS, expected: 1, desiredHealthy: 0 }, NOW)?.disruptionsAllowed, 3);
});

test('budget status › is left alone when nothing differs', (t) => {
  const first = statusAfterSync(budget({}), COUNTS, NOW);
  t.is(statusAfterSync(budget({}, first), COUNTS, '2030-01-01T00:02:00Z'), undefined);
});

test('budget status › each difference is written', (t) => {
  const first = statusAfterSync(budget({}), COUNTS, NOW);
  const same = budget({}, first);
  t.not(statusAfterSync(same, { ...COUNTS, currentHealthy: 2 }, NOW), undefined);
  t.not(statusAfterSync(same, { ...COUNTS, desiredHealthy: 1 }, NOW), undefined);
  t.not(statusAfterSync(same, { ...COUNTS, expected: 4 }, NOW), undefined);
  t.not(statusAfterSync(same, { ...COUNTS, disruptedPods: { p: NOW } }, NOW), undefined);
  t.not(statusAfterSync(budget({}, first, { generation: 2 }), COUNTS, NOW), undefined);
  t.not(statusAfterSync(budget({}, { ...first, conditions: [] }), COUNTS, NOW), undefined);
});

test('budget status › the transition time stays while the condition stays', (t) => {
  const first = statusAfterSync(budget({}), COUNTS, NOW);
  const later = '2030-01-01T00:05:00Z';
  const next = statusAfterSync(budget({}, first), { ...COUNTS, currentHealthy: 4 }, later);
  t.is(next?.conditions?.[0]?.lastTransitionTime, NOW);
  const last = statusAfterSync(budget({}, first), { ...COUNTS, currentHealthy: 2 }, later);
  t.is(last?.conditions?.[0]?.lastTransitionTime, later);
});

test('budget status › a failure closes the budget, keeps its numbers and says why', (t) => {
  const first = statusAfterSync(budget({}), COUNTS, NOW);
  t.deepEqual(statusAfterFailure(budget({}, first, { generation: 2 }), 'found no controllers for pod "p"', NOW), {
    ...first,
    disruptionsAllowed: 0,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        observedGeneration: 1,
        lastTransitionTime: NOW,
        reason: 'SyncFailed',
        message: 'found no controllers for pod "p"',
      },
    ],
  });
});
