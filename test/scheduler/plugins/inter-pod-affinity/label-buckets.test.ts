import test from 'ava';
import fc from 'fast-check';
import { compileLabelSelector } from '../../../../src/api/selectors/labels.js';
import type { LabelSelector } from '../../../../src/api/objects/objects.js';
import {
  LabelBuckets,
  requiredPairs,
  SelectorBuckets,
} from '../../../../src/scheduler/plugins/inter-pod-affinity/label-buckets.js';

const key = fc.constantFrom('app', 'tier', 'env');
const value = fc.constantFrom('1', '2', '3');
const labels = fc.dictionary(key, value, { noNullPrototype: true });
const requirement = fc.record({
  key,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(value, { maxLength: 2 }),
});
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) },
  { requiredKeys: [] },
);

test('requiredPairs › names labels with one possible value only', (t) => {
  const matchExpressions = [
    { key: 'a', operator: 'In', values: ['1'] },
    { key: 'b', operator: 'In', values: ['1', '2'] },
    { key: 'c', operator: 'NotIn', values: ['1'] },
    { key: 'd', operator: 'Exists' },
  ];
  t.deepEqual(requiredPairs({ matchLabels: { app: 'web' }, matchExpressions }), ['app=web', 'a=1']);
  t.deepEqual(requiredPairs({}), []);
  t.deepEqual(requiredPairs(undefined), []);
});

test('LabelBuckets, SelectorBuckets › find everything that matches, once', (t) => {
  fc.assert(
    fc.property(
      fc.array(labels, { maxLength: 12 }),
      fc.array(selector, { maxLength: 12 }),
      fc.nat(12),
      (pods, selectors, gone) => {
        const byLabels = new LabelBuckets<number>();
        const bySelector = new SelectorBuckets<number>();
        pods.forEach((each, index) => byLabels.add(each, index));
        selectors.forEach((each, index) => bySelector.add(requiredPairs(each), index));
        const dropped = pods[gone];
        if (dropped !== undefined) byLabels.delete(dropped, gone);
        const matches = (which: number, pod: number): boolean =>
          compileLabelSelector(selectors[which]).matches(pods[pod]);
        for (const [which, each] of selectors.entries()) {
          const found = [...byLabels.having(requiredPairs(each))];
          const expected = [...pods.keys()].filter((pod) => pod !== gone && matches(which, pod));
          t.deepEqual(
            found.filter((pod) => matches(which, pod)).sort((a, b) => a - b),
            expected,
          );
        }
        for (const [pod, each] of pods.entries()) {
          const found: number[] = [];
          bySelector.visit(each, (which) => found.push(which));
          const expected = [...selectors.keys()].filter((which) => matches(which, pod));
          t.deepEqual(
            found.filter((which) => matches(which, pod)).sort((a, b) => a - b),
            expected,
          );
        }
      },
    ),
    { numRuns: 300, seed: 3 },
  );
});
