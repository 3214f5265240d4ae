import test from 'ava';
import { withRevision, withScale } from '../../../src/controllers/deployment/annotations.js';
import { deployment } from '../objects.js';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';

test('7.2.11 › a first revision leaves no history', (t) => {
  t.deepEqual(withRevision(undefined, deployment(), 1n), { [REVISION]: '1' });
});

test('7.2.11 › a replica set that comes back appends its former revision', (t) => {
  const d = deployment();
  const second = withRevision({ [REVISION]: '2' }, d, 4n);
  t.deepEqual(second, { [REVISION]: '4', [HISTORY]: '2' });
  t.deepEqual(withRevision(second, d, 7n), { [REVISION]: '7', [HISTORY]: '2,4' });
});

test('7.2.11 › a revision that is high enough is left alone, as the very same object', (t) => {
  const annotations = { [REVISION]: '5' };
  t.is(withRevision(annotations, deployment(), 5n), annotations);
  t.is(withRevision(annotations, deployment(), 4n), annotations);
});

test('7.2.2 › annotations of the Deployment are copied, its bookkeeping is not', (t) => {
  const annotations = { team: 'a', [REVISION]: '9', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  t.deepEqual(withRevision(undefined, deployment({}, {}, { annotations }), 1n), { team: 'a', [REVISION]: '1' });
});

test('7.2.11 › a history never exceeds 2,000 characters: the oldest revisions go', (t) => {
  const numbers = Array.from({ length: 400 }, (_, index) => String(1000 + index));
  const full = numbers.join(',');
  t.is(full.length, 1999);
  const after = withRevision({ [REVISION]: '1400', [HISTORY]: full }, deployment(), 1401n)[HISTORY] ?? '';
  t.is(after, [...numbers.slice(1), '1400'].join(','));
});

test('7.2.2 › the scale is written once', (t) => {
  const annotations = withScale(undefined, 8, 10);
  t.deepEqual(annotations, {
    'deployment.kubernetes.io/desired-replicas': '8',
    'deployment.kubernetes.io/max-replicas': '10',
  });
  t.is(withScale(annotations, 8, 10), annotations);
});

test('7.2.11 › a revision beyond 2^53 is followed by the next one', (t) => {
  const adopted = withRevision({ [REVISION]: '3546343826724305832' }, deployment(), 3546343826724305833n);
  t.deepEqual(adopted, { [REVISION]: '3546343826724305833', [HISTORY]: '3546343826724305832' });
});
