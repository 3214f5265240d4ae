import test from 'ava';
import { namespaceConditions } from '../../../src/controllers/namespace/namespace-conditions.js';

const NOW = '2030-01-01T00:00:05Z';
const NOTHING = {
  remaining: new Map<string, number>(),
  finalizers: new Map<string, number>(),
  failures: [],
  discoveryFailure: '',
};

test('namespace conditions › an empty namespace has five good ones in upstream order and words', (t) => {
  const good = (type: string, reason: string, message: string): object => ({
    type,
    status: 'False',
    lastTransitionTime: NOW,
    reason,
    message,
  });
  t.deepEqual(namespaceConditions([], NOTHING, NOW) as object[], [
    good('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    good(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    good(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    good('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
    good('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
  ]);
});

test('namespace conditions › tell what remains, sorted, and change in place', (t) => {
  const before = namespaceConditions([], NOTHING, '2030-01-01T00:00:00Z');
  const remaining = new Map([
    ['services.', 2],
    ['pods.', 1],
  ]);
  const after = namespaceConditions(before, { ...NOTHING, remaining, finalizers: new Map([['x.y/z', 1]]) }, NOW);
  t.is(
    after[3]?.message,
    'Some resources are remaining: pods. has 1 resource instances, services. has 2 resource instances',
  );
  t.is(after[4]?.message, 'Some content in the namespace has finalizers remaining: x.y/z in 1 resource instances');
  t.deepEqual(
    after.map(({ status, lastTransitionTime }) => [status, lastTransitionTime]),
    [
      ['False', '2030-01-01T00:00:00Z'],
      ['False', '2030-01-01T00:00:00Z'],
      ['False', '2030-01-01T00:00:00Z'],
      ['True', NOW],
      ['True', NOW],
    ],
  );
});
