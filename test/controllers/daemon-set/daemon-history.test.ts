import test from 'ava';
import type { ControllerRevision, DaemonSet } from '../../../src/api/objects/objects.js';
import { createDaemonScene, DAEMON, daemonSetDraft, update } from './daemon-sets.js';

test('7.4.5 › each template has a revision; one that comes back is found again and gets the highest number', async (t) => {
  const harness = createDaemonScene(['n1']);
  const revisions = (): (readonly [number, unknown])[] =>
    harness
      .list('ControllerRevision')
      .map(({ revision, data }) => [revision, imageOf({ data })] as const)
      .sort(([left], [right]) => left - right);
  harness.server.create('DaemonSet', daemonSetDraft({ revisionHistoryLimit: 1 }));
  await harness.run(1000);
  const [revision] = harness.list('ControllerRevision');
  t.deepEqual(revision?.metadata.labels, {
    a: 'b',
    'controller-revision-hash': revision?.metadata.labels?.['controller-revision-hash'],
  });
  t.is(revision?.metadata.ownerReferences?.[0]?.kind, 'DaemonSet');
  update(harness, 'v2');
  await harness.run(1000);
  t.deepEqual(revisions(), [
    [1, 'v1'],
    [2, 'v2'],
  ]);
  update(harness, 'v1');
  await harness.run(1000);
  t.deepEqual(revisions(), [
    [2, 'v2'],
    [3, 'v1'],
  ]);
  update(harness, 'v3');
  await harness.run(1000);
  t.deepEqual(revisions(), [
    [3, 'v1'],
    [4, 'v3'],
  ]);
  harness.dispose();
});

function imageOf({ data }: Pick<ControllerRevision, 'data'>): unknown {
  const { spec } = data as unknown as DaemonSet;
  return spec.template.spec.containers[0]?.image;
}

test('7.4.5 › a revision that a pod still carries is kept beyond the limit', async (t) => {
  const harness = createDaemonScene(['n1']);
  const draft = daemonSetDraft({ revisionHistoryLimit: 0, updateStrategy: { type: 'OnDelete' } });
  harness.server.create('DaemonSet', draft);
  await harness.run(1000);
  for (const image of ['v2', 'v3']) {
    update(harness, image);
    await harness.run(1000);
  }
  const kept = harness.list('ControllerRevision').map((revision) => String(imageOf(revision)));
  t.deepEqual(
    kept.sort((left, right) => (left < right ? -1 : 1)),
    ['v1', 'v3'],
  );
  harness.server.delete('Pod', harness.list('Pod')[0]?.metadata ?? DAEMON);
  await harness.run(1000);
  t.deepEqual(harness.list('ControllerRevision').map(imageOf), ['v3']);
  harness.dispose();
});

test('7.4.5 › a revision name that another template has taken raises the collision count and leads to another hash', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const [first] = harness.list('ControllerRevision');
  server.delete('DaemonSet', DAEMON);
  for (const pod of harness.list('Pod')) server.delete('Pod', pod.metadata, { gracePeriodSeconds: 0 });
  const name = { namespace: 'default', name: first?.metadata.name ?? '' };
  server.delete('ControllerRevision', name);
  server.create('ControllerRevision', { metadata: { name: name.name }, data: { spec: {} }, revision: 7 });
  await harness.run(1000);
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const { status } = server.get('DaemonSet', DAEMON);
  t.is(status.collisionCount, 1);
  t.is(status.numberAvailable, 1);
  const hash = harness.list('Pod')[0]?.metadata.labels?.['controller-revision-hash'];
  t.not(`d-${hash}`, name.name);
  t.true(harness.list('ControllerRevision').some(({ metadata }) => metadata.name === `d-${hash}`));
  harness.dispose();
});

test('7.4.5 › of several revisions of the present template the highest stays, and the pods take its hash', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  const [first] = harness.list('ControllerRevision');
  const { data, metadata } = first as ControllerRevision;
  const { ownerReferences = [] } = metadata;
  server.create('ControllerRevision', {
    metadata: { name: 'copy', labels: { a: 'b' }, ownerReferences },
    data,
    revision: 5,
  });
  server.patch('DaemonSet', DAEMON, { type: 'merge', body: { spec: { revisionHistoryLimit: 9 } } });
  await harness.run(1000);
  t.deepEqual(
    harness.list('ControllerRevision').map(({ metadata: { name, labels }, revision }) => [name, labels, revision]),
    [['copy', { a: 'b', 'controller-revision-hash': 'copy' }, 5]],
  );
  const [kept] = harness.list('Pod');
  t.is(kept?.metadata.uid, pod?.metadata.uid);
  t.is(kept?.metadata.labels?.['controller-revision-hash'], 'copy');
  harness.dispose();
});

test('7.4.5 › a set that is made again takes over the orphaned pods and revisions of the one before', async (t) => {
  const harness = createDaemonScene(['n1'], { controllers: ['daemonset-controller', 'garbage-collector-controller'] });
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  server.delete('DaemonSet', DAEMON, { propagationPolicy: 'Orphan' });
  await harness.run(1000);
  t.is(harness.list('ControllerRevision')[0]?.metadata.ownerReferences, undefined);
  const { metadata } = server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const owned = [...harness.list('Pod'), ...harness.list('ControllerRevision')];
  t.deepEqual(
    owned.map((object) => object.metadata.ownerReferences?.map(({ uid }) => uid)),
    [[metadata.uid], [metadata.uid]],
  );
  t.is(owned[0]?.metadata.uid, pod?.metadata.uid);
  harness.dispose();
});

test('7.4.5 › a revision is called as upstream calls it, and pods carry its hash', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  server.patch('Node', { name: 'n1' }, { type: 'merge', body: { metadata: { labels: { role: 'edge' } } } });
  const containers = [{ name: 'c', image: 'app:v1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }];
  const spec = { containers, nodeSelector: { role: 'edge' } };
  server.create('DaemonSet', {
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: { metadata: { labels: { app: 'agent' } }, spec } },
  });
  await harness.run(1000);
  const tolerations = [{ key: 'own', operator: 'Exists' }];
  const body = { spec: { template: { spec: { tolerations } } } };
  server.patch('DaemonSet', { namespace: 'default', name: 'agent' }, { type: 'merge', body });
  await harness.run(1000);
  const names = harness.list('ControllerRevision').map(({ metadata }) => metadata.name);
  t.deepEqual(names.sort(), ['agent-7c77bff98b', 'agent-85d7bdcbd9']);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.labels?.['controller-revision-hash']),
    ['7c77bff98b'],
  );
  harness.dispose();
});
