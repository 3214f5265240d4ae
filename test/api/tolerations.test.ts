import test from 'ava';
import { findUntolerated, isTolerated, tolerates } from '../../src/api/selectors/tolerations.js';

const TAINT = { key: 'gpu', value: 'a', effect: 'NoSchedule' };

test('a toleration covers a taint by key, operator, value and effect', (t) => {
  const cases = [
    [{ key: 'gpu', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'gpu', value: 'a' }, true],
    [{ key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoSchedule' }, true],
    [{ key: 'gpu', operator: 'Equal', value: 'b' }, false],
    [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'cpu', operator: 'Exists' }, false],
    [{ key: 'gpu', operator: 'Like', value: 'a' }, false],
    // An empty key with Equal compares only the value.
    [{ operator: 'Equal', value: 'a' }, true],
    [{ key: 'gpu' }, false],
  ] as const;
  t.deepEqual(
    cases.map(([toleration]) => tolerates(toleration, TAINT)),
    cases.map(([, expected]) => expected),
  );
  t.true(tolerates({ key: 'gpu' }, { key: 'gpu', effect: 'NoSchedule' }));
});

test('the first taint in list order without a toleration is found', (t) => {
  const soft = { key: 'soft', effect: 'PreferNoSchedule' };
  const hard = { key: 'hard', effect: 'NoExecute' };
  t.is(findUntolerated([TAINT, soft, hard], [{ key: 'gpu', operator: 'Exists' }], ['NoSchedule', 'NoExecute']), hard);
  t.is(findUntolerated([TAINT, soft, hard], [{ key: 'gpu', operator: 'Exists' }]), soft);
  t.is(findUntolerated([soft], undefined, ['NoSchedule']), undefined);
  t.is(findUntolerated(undefined, undefined), undefined);
  t.false(isTolerated(TAINT, undefined));
});
