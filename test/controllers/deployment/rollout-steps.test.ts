import test from 'ava';
import type { Deployment, ReplicaSet } from '../../../src/api/objects/objects.js';
import { createHarness, deploymentDraft, notes, setReady, template, type Harness } from '../harness.js';

const NAME = { namespace: 'default', name: 'd' };

function patch({ server }: Harness, spec: object): void {
  server.patch('Deployment', NAME, { type: 'merge', body: { spec } });
}

function annotate({ server }: Harness, annotations: object): void {
  server.patch('Deployment', NAME, { type: 'merge', body: { metadata: { annotations } } });
}

/** Replica sets by the image of their template: how many pods each is wished to have. */
function sizes(harness: Harness): Record<string, number | undefined> {
  return Object.fromEntries(harness.list('ReplicaSet').map((set) => [imageOf(set), set.spec.replicas]));
}

function imageOf({ spec }: ReplicaSet | Deployment): string {
  return spec.template.spec.containers[0]?.image ?? '';
}

function setOf(harness: Harness, image: string): ReplicaSet | undefined {
  return harness.list('ReplicaSet').find((set) => imageOf(set) === image);
}

function progress({ server }: Harness): string | undefined {
  const condition = server.get('Deployment', NAME).status.conditions?.find(({ type }) => type === 'Progressing');
  return condition === undefined ? undefined : `${condition.status} ${condition.reason}: ${condition.message}`;
}

/** A deployment that is up. */
async function upAndRunning(spec: object, options: Parameters<typeof createHarness>[0] = {}): Promise<Harness> {
  const harness = createHarness(options);
  harness.server.create('Deployment', deploymentDraft('d', { template: template('v1'), ...spec }));
  await harness.run(2000);
  return harness;
}

test('7.2.1 › what is left out has a server’s defaults, and a rolling update that may do nothing is refused', (t) => {
  const harness = createHarness();
  const { server } = harness;
  server.create('Deployment', deploymentDraft('d', {}));
  const { selector: _selector, template: _template, ...rest } = server.get('Deployment', NAME).spec;
  t.deepEqual(rest as object, {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  const strategy = { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } };
  t.throws(() => server.create('Deployment', deploymentDraft('e', { strategy })), {
    message:
      'Deployment.apps "e" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
  });
  harness.dispose();
});

test('7.2.2 › the oldest of several replica sets with the template is the new one', async (t) => {
  const harness = await upAndRunning({ replicas: 2 });
  const { server } = harness;
  const [first] = harness.list('ReplicaSet') as [ReplicaSet];
  const { spec } = first;
  server.create('ReplicaSet', {
    metadata: { name: 'a-younger', labels: { a: 'b' } },
    spec: { replicas: 0, selector: spec.selector, template: spec.template },
  });
  await harness.run(2000);
  const owners = harness.list('ReplicaSet').map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
  t.deepEqual(owners, ['d', 'd']);
  t.is(server.get('ReplicaSet', first.metadata).spec.replicas, 2);
  t.is(server.get('ReplicaSet', { namespace: 'default', name: 'a-younger' }).spec.replicas, 0);
  harness.dispose();
});

test('7.2.3 › pods that are not available go first, those of the oldest replica set before the others', async (t) => {
  const harness = await upAndRunning(
    { replicas: 4, strategy: { rollingUpdate: { maxUnavailable: 2, maxSurge: 2 } } },
    { runs: ({ spec }) => spec.containers[0]?.image === 'v1' },
  );
  patch(harness, { template: template('v2') });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 2, v2: 4 });
  const old = harness.list('Pod').find(({ spec }) => spec.containers[0]?.image === 'v1');
  setReady(harness.kernel, harness.server, old?.metadata ?? NAME, false);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 2, v2: 4 });
  patch(harness, { template: template('v3') });
  await harness.run(2000);
  // Four may go: the broken one of v1, then three of v2, of which none ever ran.
  t.deepEqual(sizes(harness), { v1: 1, v2: 1, v3: 4 });
  harness.dispose();
});

test('7.2.3 › a new replica set beyond the wish is cut down to it', async (t) => {
  const harness = await upAndRunning({ replicas: 3 });
  const { server } = harness;
  const [set] = harness.list('ReplicaSet');
  server.setScale('ReplicaSet', set?.metadata ?? NAME, 5);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 3 });
  t.is(
    notes(harness, 'd').at(-1),
    `Normal ScalingReplicaSet Scaled down replica set ${set?.metadata.name} from 5 to 3`,
  );
  harness.dispose();
});

test('7.2.4 › a deployment with one active replica set gives it the new size, and marks it', async (t) => {
  const harness = await upAndRunning({ replicas: 4 });
  harness.server.setScale('Deployment', NAME, 8);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 8 });
  const annotations = setOf(harness, 'v1')?.metadata.annotations ?? {};
  t.is(annotations['deployment.kubernetes.io/desired-replicas'], '8');
  t.is(annotations['deployment.kubernetes.io/max-replicas'], '10');
  const name = setOf(harness, 'v1')?.metadata.name;
  t.deepEqual(notes(harness, 'd'), [
    `Normal ScalingReplicaSet Scaled up replica set ${name} from 0 to 4`,
    `Normal ScalingReplicaSet Scaled up replica set ${name} from 4 to 8`,
  ]);
  harness.server.setScale('Deployment', NAME, 0);
  await harness.run(2000);
  harness.server.setScale('Deployment', NAME, 2);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 2 });
  harness.dispose();
});

test('7.2.5 › Recreate does not wait for old pods that have ended', async (t) => {
  const harness = await upAndRunning({ replicas: 1, strategy: { type: 'Recreate' } });
  const { server } = harness;
  const [pod] = harness.list('Pod');
  const finalizers = ['example.com/hold'];
  server.patch('Pod', pod?.metadata ?? NAME, { type: 'merge', body: { metadata: { finalizers } } });
  patch(harness, { template: template('v2') });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 0 });
  server.change('Pod', pod?.metadata ?? NAME, (old) => ({ ...old, status: { ...old.status, phase: 'Failed' } }), {
    subresource: 'status',
  });
  annotate(harness, { look: 'again' });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 0, v2: 1 });
  harness.dispose();
});

test('7.2.5 › a paused deployment rolls nothing out and nothing back, but scales', async (t) => {
  const harness = await upAndRunning({ replicas: 2 });
  patch(harness, { paused: true, template: template('v2') });
  annotate(harness, { 'deprecated.deployment.rollback.to': '1' });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 2 });
  t.is(imageOf(harness.server.get('Deployment', NAME)), 'v2');
  harness.server.setScale('Deployment', NAME, 5);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 5 });
  t.is(harness.server.get('Deployment', NAME).status.availableReplicas, 5);
  t.is(harness.server.get('Deployment', NAME).status.updatedReplicas, undefined);
  harness.dispose();
});

test('7.2.5 › a replica set that begins with no pods is not told of', async (t) => {
  const harness = await upAndRunning({ replicas: 0 });
  t.deepEqual(sizes(harness), { v1: 0 });
  t.deepEqual(notes(harness, 'd'), []);
  harness.dispose();
});

test('7.2.6 › of the oldest replica sets beyond the limit those in use are skipped, and no others go for them', async (t) => {
  const harness = await upAndRunning({ replicas: 1, revisionHistoryLimit: 10 });
  for (const image of ['v2', 'v3', 'v4']) {
    patch(harness, { template: template(image) });
    await harness.run(2000);
  }
  // No controller observes the first set's new generation: it stays in use.
  harness.manager.controller('replicaset-controller').stop();
  const first = setOf(harness, 'v1');
  harness.server.patch('ReplicaSet', first?.metadata ?? NAME, {
    type: 'merge',
    body: { spec: { minReadySeconds: 1 } },
  });
  patch(harness, { revisionHistoryLimit: 1 });
  await harness.run(2000);
  t.deepEqual(Object.keys(sizes(harness)).sort(), ['v1', 'v3', 'v4']);
  harness.dispose();
});

test('7.2.6 › history is trimmed when a rollout is complete, and while paused, not before', async (t) => {
  const harness = await upAndRunning(
    { replicas: 1, revisionHistoryLimit: 0 },
    { runs: ({ spec }) => spec.containers[0]?.image !== 'v2' },
  );
  patch(harness, { template: template('v2') });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 1, v2: 1 });
  patch(harness, { template: template('v3') });
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v3: 1 });
  patch(harness, { revisionHistoryLimit: 5, template: template('v4') });
  await harness.run(2000);
  t.deepEqual(Object.keys(sizes(harness)).sort(), ['v3', 'v4']);
  patch(harness, { revisionHistoryLimit: 0, paused: true });
  await harness.run(2000);
  t.deepEqual(Object.keys(sizes(harness)), ['v4']);
  harness.dispose();
});

test('7.2.8 › without a deadline progress is not told, and a rollout goes on after it', async (t) => {
  const harness = await upAndRunning({ replicas: 1, progressDeadlineSeconds: 2_147_483_647 });
  t.is(progress(harness), undefined);
  harness.dispose();
  const late = await upAndRunning({ replicas: 1, progressDeadlineSeconds: 5 }, { startMs: 20_000, runs: () => true });
  await late.run(10_000);
  const name = setOf(late, 'v1')?.metadata.name;
  t.is(progress(late), `False ProgressDeadlineExceeded: ReplicaSet "${name}" has timed out progressing.`);
  await late.run(20_000);
  t.is(progress(late), `True NewReplicaSetAvailable: ReplicaSet "${name}" has successfully progressed.`);
  late.dispose();
});

test('7.2.9 › a deadline that appears finds its replica set; a pause is not told once the deadline has passed', async (t) => {
  const harness = await upAndRunning({ replicas: 1, progressDeadlineSeconds: 2_147_483_647 });
  patch(harness, { progressDeadlineSeconds: 5 });
  await harness.run(4);
  const name = setOf(harness, 'v1')?.metadata.name;
  t.is(progress(harness), `True FoundNewReplicaSet: Found new replica set "${name}"`);
  harness.dispose();
  const stuck = await upAndRunning({ replicas: 1, progressDeadlineSeconds: 2 }, { runs: () => false });
  await stuck.run(5000);
  const timedOut = progress(stuck);
  t.regex(timedOut ?? '', /^False ProgressDeadlineExceeded/);
  patch(stuck, { paused: true });
  await stuck.run(2000);
  t.is(progress(stuck), timedOut);
  stuck.dispose();
});

test('7.2.9 › a replica set that is refused shows in a condition and an event', async (t) => {
  const harness = await upAndRunning({ replicas: 1 });
  const { server } = harness;
  const hash = harness.list('ReplicaSet')[0]?.metadata.labels?.['pod-template-hash'] ?? '';
  // Cut to make room for the hash, this name ends in a dot, after which no dash may follow.
  const name = `${'d'.repeat(251 - hash.length)}.${'d'.repeat(hash.length + 1)}`;
  server.create('Deployment', deploymentDraft(name, { template: template('v1') }));
  await harness.run(1000);
  const [told] = server.get('Deployment', { namespace: 'default', name }).status.conditions ?? [];
  t.deepEqual([told?.type, told?.status, told?.reason], ['Progressing', 'False', 'ReplicaSetCreateError']);
  const text = `Failed to create new replica set "${name.slice(0, 252 - hash.length)}-${hash}": ReplicaSet.apps`;
  t.true(told?.message?.startsWith(text));
  t.is(notes(harness, name)[0], `Warning ReplicaSetCreateError ${told?.message}`);
  harness.dispose();
});

test('7.2.9 › the failure of a replica set is the deployment’s until it is over', async (t) => {
  const spec = { priorityClassName: 'late', containers: [{ name: 'c', image: 'v1' }] };
  const harness = await upAndRunning({ replicas: 1, template: { metadata: { labels: { a: 'b' } }, spec } });
  const failure = (): (string | undefined)[] =>
    (harness.server.get('Deployment', NAME).status.conditions ?? [])
      .filter(({ type }) => type === 'ReplicaFailure')
      .map(({ status, reason }) => `${status} ${reason}`);
  t.deepEqual(failure(), ['True FailedCreate']);
  harness.server.create('PriorityClass', { metadata: { name: 'late' }, value: 11 });
  await harness.run(60_000);
  t.deepEqual(failure(), []);
  harness.dispose();
});

test('7.2.11 › minReadySeconds reaches the new replica set in place, and the revision leaves the generation alone', async (t) => {
  const harness = await upAndRunning({ replicas: 1 });
  const before = harness.server.get('Deployment', NAME).metadata;
  t.deepEqual([before.generation, before.annotations], [1, { 'deployment.kubernetes.io/revision': '1' }]);
  patch(harness, { minReadySeconds: 7 });
  await harness.run(2000);
  t.deepEqual(
    harness.list('ReplicaSet').map(({ spec }) => spec.minReadySeconds),
    [7],
  );
  patch(harness, { minReadySeconds: 0 });
  await harness.run(2000);
  t.false(
    harness.list('ReplicaSet').some(({ spec }) => 'minReadySeconds' in spec),
    'as Go leaves zero out',
  );
  harness.dispose();
});

test('7.2.12 › a rollback names a revision that is there and has another template, else a warning says why not', async (t) => {
  const harness = await upAndRunning({ replicas: 1 });
  const rollBack = async (revision: string): Promise<string | undefined> => {
    annotate(harness, { 'deprecated.deployment.rollback.to': revision });
    await harness.run(2000);
    t.is(harness.server.get('Deployment', NAME).metadata.annotations?.['deprecated.deployment.rollback.to'], undefined);
    return notes(harness, 'd').at(-1);
  };
  t.is(await rollBack('0'), 'Warning DeploymentRollbackRevisionNotFound Unable to find last revision.');
  patch(harness, { template: template('v2') });
  await harness.run(2000);
  t.is(await rollBack('7'), 'Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.');
  t.is(
    await rollBack('2'),
    'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "d"',
  );
  t.is(imageOf(harness.server.get('Deployment', NAME)), 'v2');
  annotate(harness, { 'deprecated.deployment.rollback.to': '1' });
  await harness.run(2000);
  t.is(imageOf(harness.server.get('Deployment', NAME)), 'v1');
  t.true(notes(harness, 'd').includes('Normal DeploymentRollback Rolled back deployment "d" to revision 1'));
  harness.dispose();
});

test('7.2.13 › for a deployment that is being deleted only the status is kept', async (t) => {
  const harness = createHarness({ controllers: ['deployment-controller', 'replicaset-controller'] });
  const { server } = harness;
  const draft = deploymentDraft('d', { replicas: 2, template: template('v1') });
  server.create('Deployment', { ...draft, metadata: { name: 'd', finalizers: ['example.com/hold'] } });
  await harness.run(2000);
  server.delete('Deployment', NAME, { propagationPolicy: 'Orphan' });
  patch(harness, { replicas: 5, template: template('v2') });
  setReady(harness.kernel, server, harness.list('Pod')[0]?.metadata ?? NAME, false);
  await harness.run(2000);
  t.deepEqual(sizes(harness), { v1: 2 });
  const { status, metadata } = server.get('Deployment', NAME);
  t.deepEqual([status.observedGeneration, status.availableReplicas], [metadata.generation, 1]);
  t.throws(() => server.create('Deployment', deploymentDraft('all', { selector: {} })), {
    message: /spec\.selector: Invalid value: \{\}: empty selector is invalid for deployment/,
  });
  harness.dispose();
});
