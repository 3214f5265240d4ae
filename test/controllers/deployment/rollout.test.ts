import test from 'ava';
import type { Deployment, ReplicaSet } from '../../../src/api/objects/objects.js';
import { createHarness, deploymentDraft, notes, template, type Harness } from '../harness.js';

/** A condition without its times. */
function said(deployment: Deployment): string[] {
  return (deployment.status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

/** The counts of a status, without conditions. */
function counts({ status }: Deployment | ReplicaSet): object {
  const { conditions: _conditions, ...rest } = status;
  return rest;
}

/** States of the Deployment in the log, in order, without repetition. */
function deployments(harness: Harness): Deployment[] {
  return harness.log.flatMap((event) =>
    event.type !== 'BOOKMARK' && event.kind === 'Deployment' ? [event.object as Deployment] : [],
  );
}

function byRevision(harness: Harness): (readonly [revision: string | undefined, replicas: number | undefined])[] {
  return harness
    .list('ReplicaSet')
    .map(({ metadata, spec }) => [metadata.annotations?.['deployment.kubernetes.io/revision'], spec.replicas] as const)
    .sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
}

test('7.2.7 › a deployment goes from creation to Ready by the recorded writes', async (t) => {
  const harness = createHarness({ watch: ['Deployment', 'ReplicaSet'] });
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 8 }));
  await harness.run(2000);
  const states = deployments(harness);
  const [created, told, seen] = states;
  t.deepEqual(counts(created as Deployment), {});
  t.deepEqual(said(told as Deployment), ['Progressing=True NewReplicaSetCreated']);
  t.deepEqual(told?.metadata.annotations, { 'deployment.kubernetes.io/revision': '1' });
  t.deepEqual(counts(told as Deployment), {});
  t.is(told?.metadata.generation, 1);
  t.deepEqual(counts(seen as Deployment), { observedGeneration: 1, unavailableReplicas: 8 });
  t.deepEqual(said(seen as Deployment), [
    'Progressing=True NewReplicaSetCreated',
    'Available=False MinimumReplicasUnavailable',
  ]);
  const last = states.at(-1) as Deployment;
  t.deepEqual(counts(last), {
    observedGeneration: 1,
    replicas: 8,
    updatedReplicas: 8,
    readyReplicas: 8,
    availableReplicas: 8,
  });
  t.deepEqual(said(last), ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable']);
  const [replicaSet] = harness.list('ReplicaSet');
  t.deepEqual(replicaSet?.metadata.annotations, {
    'deployment.kubernetes.io/desired-replicas': '8',
    'deployment.kubernetes.io/max-replicas': '10',
    'deployment.kubernetes.io/revision': '1',
  });
  t.deepEqual(notes(harness, 'd'), [
    `Normal ScalingReplicaSet Scaled up replica set ${replicaSet?.metadata.name} from 0 to 8`,
  ]);
  const first = harness.log.find((event) => event.type === 'MODIFIED' && event.kind === 'ReplicaSet');
  t.deepEqual(first?.type === 'MODIFIED' ? counts(first.object as ReplicaSet) : undefined, {
    replicas: 0,
    observedGeneration: 1,
  });
  harness.dispose();
});

test('7.2.3 › a deployment rolls over within surge and minimum availability, two at a time, as recorded', async (t) => {
  const harness = createHarness({ watch: ['ReplicaSet', 'Deployment'] });
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 8 }));
  await harness.run(2000);
  harness.log.length = 0;
  harness.server.patch(
    'Deployment',
    { namespace: 'default', name: 'd' },
    { type: 'merge', body: { spec: { template: template('v2') } } },
  );
  await harness.run(5000);
  t.deepEqual(byRevision(harness), [
    ['1', 0],
    ['2', 8],
  ]);
  const wishes = new Map<string, number>([
    [harness.list('ReplicaSet').find(({ spec }) => spec.replicas === 0)?.metadata.name ?? '', 8],
  ]);
  const steps: string[] = [];
  for (const event of harness.log) {
    if (event.type === 'BOOKMARK' || event.kind !== 'ReplicaSet') continue;
    const { metadata, spec } = event.object as ReplicaSet;
    const revision = metadata.annotations?.['deployment.kubernetes.io/revision'];
    if (wishes.get(metadata.name) !== spec.replicas) steps.push(`${revision}:${spec.replicas}`);
    wishes.set(metadata.name, spec.replicas ?? 0);
    t.true([...wishes.values()].reduce((sum, wish) => sum + wish, 0) <= 10);
  }
  t.deepEqual(steps.slice(0, 4), ['2:2', '1:6', '2:4', '1:4']);
  for (const deployment of deployments(harness)) t.true((deployment.status.availableReplicas ?? 0) >= 6);
  const told = deployments(harness)[1] as Deployment;
  t.deepEqual(said(told), ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetCreated']);
  t.is(told.status.observedGeneration, 1);
  t.is(harness.list('Pod').length, 8);
  harness.dispose();
});

test('7.2.4 and 7.2.8 › a rollout that cannot run times out, scales in proportion, and goes back', async (t) => {
  const harness = createHarness({ runs: ({ spec }) => spec.nodeSelector === undefined });
  const name = { namespace: 'default', name: 'd' };
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 8 }));
  await harness.run(2000);
  harness.server.patch('Deployment', name, {
    type: 'merge',
    body: { spec: { progressDeadlineSeconds: 3, template: { spec: { nodeSelector: { no: 'where' } } } } },
  });
  await harness.run(2500);
  t.deepEqual(byRevision(harness), [
    ['1', 6],
    ['2', 4],
  ]);
  t.deepEqual(said(harness.server.get('Deployment', name)), [
    'Available=True MinimumReplicasAvailable',
    'Progressing=True ReplicaSetUpdated',
  ]);
  await harness.run(2500);
  t.deepEqual(said(harness.server.get('Deployment', name)), [
    'Available=True MinimumReplicasAvailable',
    'Progressing=False ProgressDeadlineExceeded',
  ]);
  harness.server.setScale('Deployment', name, 12);
  await harness.run(2000);
  t.deepEqual(byRevision(harness), [
    ['1', 9],
    ['2', 6],
  ]);
  harness.server.patch('Deployment', name, {
    type: 'merge',
    body: { spec: { template: { spec: { nodeSelector: null } } } },
  });
  await harness.run(3000);
  t.deepEqual(byRevision(harness), [
    ['2', 0],
    ['3', 12],
  ]);
  const back = harness.list('ReplicaSet').find(({ spec }) => spec.replicas === 12);
  t.is(back?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
  const done = harness.server.get('Deployment', name);
  t.deepEqual(said(done), ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable']);
  t.is(done.metadata.annotations?.['deployment.kubernetes.io/revision'], '3');
  harness.dispose();
});

test('7.2.9 › a pause and its end are each told before observedGeneration moves', async (t) => {
  const harness = createHarness({ watch: ['Deployment'] });
  const name = { namespace: 'default', name: 'd' };
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 2 }));
  await harness.run(2000);
  const pairs = (): (readonly [string | undefined, number | undefined])[] =>
    deployments(harness).map((deployment) => [
      said(deployment).find((text) => text.startsWith('Progressing')),
      deployment.status.observedGeneration,
    ]);
  harness.log.length = 0;
  harness.server.patch('Deployment', name, { type: 'merge', body: { spec: { paused: true } } });
  await harness.run(1000);
  t.deepEqual(pairs().slice(1), [
    ['Progressing=Unknown DeploymentPaused', 1],
    ['Progressing=Unknown DeploymentPaused', 2],
  ]);
  harness.server.patch('Deployment', name, { type: 'merge', body: { spec: { template: template('v2') } } });
  await harness.run(1000);
  t.is(harness.list('ReplicaSet').length, 1);
  harness.log.length = 0;
  harness.server.patch('Deployment', name, { type: 'merge', body: { spec: { paused: false } } });
  await harness.run(2000);
  t.is(pairs()[1]?.[0], 'Progressing=Unknown DeploymentResumed');
  t.is(pairs().at(-1)?.[0], 'Progressing=True NewReplicaSetAvailable');
  t.is(harness.list('ReplicaSet').length, 2);
  harness.dispose();
});

test('7.2.5 › Recreate waits until no old pod is left and then creates the new replica set at full size', async (t) => {
  const harness = createHarness({ watch: ['ReplicaSet', 'Pod'], stopMs: 700 });
  const name = { namespace: 'default', name: 'r' };
  harness.server.create('Deployment', deploymentDraft('r', { replicas: 2, strategy: { type: 'Recreate' } }));
  await harness.run(2000);
  harness.log.length = 0;
  harness.server.patch('Deployment', name, { type: 'merge', body: { spec: { template: template('v2') } } });
  await harness.run(500);
  t.is(harness.list('ReplicaSet').length, 1);
  t.is(harness.list('Pod').length, 2);
  await harness.run(2000);
  t.deepEqual(byRevision(harness), [
    ['1', 0],
    ['2', 2],
  ]);
  const order = harness.log.flatMap((event) =>
    event.type === 'BOOKMARK' || event.type === 'MODIFIED' ? [] : [`${event.type} ${event.kind}`],
  );
  t.deepEqual(order, ['DELETED Pod', 'DELETED Pod', 'ADDED ReplicaSet', 'ADDED Pod', 'ADDED Pod']);
  t.true(harness.server.get('Deployment', name).status.availableReplicas === 2);
  harness.dispose();
});

test('7.2.6 › a deployment keeps no more old replica sets than its history limit, lowest revision first', async (t) => {
  const harness = createHarness();
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 1, revisionHistoryLimit: 1 }));
  await harness.run(1000);
  for (const image of ['v2', 'v3', 'v4']) {
    harness.server.patch(
      'Deployment',
      { namespace: 'default', name: 'd' },
      { type: 'merge', body: { spec: { template: template(image) } } },
    );
    await harness.run(2000);
  }
  t.deepEqual(byRevision(harness), [
    ['3', 0],
    ['4', 1],
  ]);
  harness.dispose();
});

test('7.2.12 › the rollback annotation brings an old template back and goes', async (t) => {
  const harness = createHarness();
  const name = { namespace: 'default', name: 'd' };
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 1 }));
  await harness.run(1000);
  harness.server.patch('Deployment', name, { type: 'merge', body: { spec: { template: template('v2') } } });
  await harness.run(2000);
  harness.server.patch('Deployment', name, {
    type: 'merge',
    body: { metadata: { annotations: { 'deprecated.deployment.rollback.to': '0' } } },
  });
  await harness.run(2000);
  const after = harness.server.get('Deployment', name);
  t.is(after.spec.template.spec.containers[0]?.image, 'pause');
  t.deepEqual(after.metadata.annotations, { 'deployment.kubernetes.io/revision': '3' });
  t.true(notes(harness, 'd').includes('Normal DeploymentRollback Rolled back deployment "d" to revision 1'));
  harness.dispose();
});

test('7.2.2 › a name that another replica set has taken raises the collision count and leads to another name', async (t) => {
  const harness = createHarness();
  const { server } = harness;
  server.create('Deployment', deploymentDraft('d', { replicas: 1 }));
  await harness.run(1000);
  const [first] = harness.list('ReplicaSet');
  const name = { namespace: 'default', name: first?.metadata.name ?? '' };
  server.delete('Deployment', { namespace: 'default', name: 'd' });
  await harness.run(1000);
  t.is(harness.list('ReplicaSet').length, 0);
  server.create('ReplicaSet', {
    metadata: { name: name.name },
    spec: { replicas: 0, selector: { matchLabels: { x: 'y' } }, template: template('other', { x: 'y' }) },
  });
  server.create('Deployment', deploymentDraft('d', { replicas: 1 }));
  await harness.run(2000);
  t.is(server.get('Deployment', { namespace: 'default', name: 'd' }).status.collisionCount, 1);
  t.is(server.get('Deployment', { namespace: 'default', name: 'd' }).status.availableReplicas, 1);
  t.is(harness.list('ReplicaSet').length, 2);
  harness.dispose();
});

test('7.2.2 › a deployment adopts a replica set that has lost its owner', async (t) => {
  const harness = createHarness();
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 1 }));
  await harness.run(1000);
  const [replicaSet] = harness.list('ReplicaSet');
  harness.server.delete('Deployment', { namespace: 'default', name: 'd' }, { propagationPolicy: 'Orphan' });
  await harness.run(1000);
  t.is(harness.list('ReplicaSet')[0]?.metadata.ownerReferences, undefined);
  const again = harness.server.create('Deployment', deploymentDraft('d', { replicas: 1 }));
  await harness.run(1000);
  const [adopted, ...others] = harness.list('ReplicaSet');
  t.deepEqual(others, []);
  t.is(adopted?.metadata.uid, replicaSet?.metadata.uid);
  t.is(adopted?.metadata.ownerReferences?.[0]?.uid, again.metadata.uid);
  t.is(harness.list('Pod').length, 1);
  harness.dispose();
});
