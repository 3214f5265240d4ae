import test from 'ava';
import { SchedulerCache } from '../../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../../src/scheduler/cache/snapshot.js';
import type { TermTarget } from '../../../../src/scheduler/plugins/inter-pod-affinity/affinity-terms.js';
import { PodIndex } from '../../../../src/scheduler/plugins/inter-pod-affinity/pod-index.js';
import type { PodMatcher } from '../../../../src/scheduler/plugins/inter-pod-affinity/pod-matcher.js';
import { testNode, testPod } from '../../support/objects.js';

const HOST = 'kubernetes.io/hostname';

function matcherOf(app: string): PodMatcher {
  return { matches: ({ labels }: TermTarget) => labels['app'] === app, pairs: [`app=${app}`], text: app };
}

test('PodIndex › shares the sum of equal matchers and keys, and counts pods that were there before', (t) => {
  const [cache, snapshot] = [new SchedulerCache(), new CacheSnapshot()];
  cache.setNode(testNode('n1'));
  cache.addPod(testPod('a', { labels: { app: 'web' }, spec: { nodeName: 'n1' } }));
  cache.updateSnapshot(snapshot);
  const index = new PodIndex(snapshot.columns);
  const sum = index.matchesOf(matcherOf('web'), HOST);
  t.is(sum, index.matchesOf(matcherOf('web'), HOST));
  t.not(sum, index.matchesOf(matcherOf('web'), 'rack'));
  t.is(sum.of('n1'), 1);
  cache.addPod(testPod('b', { labels: { app: 'web' }, spec: { nodeName: 'n1' } }));
  cache.updateSnapshot(snapshot);
  t.is(sum.of('n1'), 1);
  index.refresh();
  t.is(sum.of('n1'), 2);
});

test('PodIndex › is to be built anew after a change of layout, and once it is full of unused terms', (t) => {
  const [cache, snapshot] = [new SchedulerCache(), new CacheSnapshot()];
  cache.setNode(testNode('n1'));
  cache.updateSnapshot(snapshot);
  const index = new PodIndex(snapshot.columns);
  for (let number = 0; number < 4096; number += 1) index.matchesOf(matcherOf(`app-${number}`), HOST);
  t.true(index.isGoodFor(snapshot.columns));
  index.matchesOf(matcherOf('one more'), HOST);
  t.false(index.isGoodFor(snapshot.columns));
  const other = new PodIndex(snapshot.columns);
  t.true(other.isGoodFor(snapshot.columns));
  t.false(other.isGoodFor(new CacheSnapshot().columns));
  snapshot.columns.layout += 1;
  t.false(other.isGoodFor(snapshot.columns));
});

test('PodIndex › wants to be built anew once most of the values it knows have gone', (t) => {
  const [cache, snapshot] = [new SchedulerCache(), new CacheSnapshot()];
  cache.setNode(testNode('n1'));
  cache.updateSnapshot(snapshot);
  const index = new PodIndex(snapshot.columns);
  index.matchesOf(matcherOf('web'), 'rack');
  const limit = 4 * snapshot.columns.capacity + 4096;
  for (let number = 0; number <= limit; number += 1) {
    t.true(index.isGoodFor(snapshot.columns));
    cache.setNode(testNode('n1', { labels: { rack: `${number}` } }));
    cache.updateSnapshot(snapshot);
    if (snapshot.columns.layout !== 0) break;
    index.refresh();
  }
  t.false(index.isGoodFor(snapshot.columns));
});
