import test from 'ava';
import { keyOf, parseKey } from '../../src/api/objects/objects.js';
import {
  CONTROLLER_NAMES,
  defineController,
  RetryError,
  type ControllerContext,
} from '../../src/controllers/controller-manager.js';
import { createHarness, deploymentDraft, replicaSetDraft } from './harness.js';

const NAME = { namespace: 'default', name: 'r' };

test('controller manager › names its controllers as kube-controller-manager does', (t) => {
  t.deepEqual(CONTROLLER_NAMES, [
    'node-lifecycle-controller',
    'deployment-controller',
    'replicaset-controller',
    'statefulset-controller',
    'replicationcontroller-controller',
    'daemonset-controller',
    'job-controller',
    'cronjob-controller',
    'ttl-after-finished-controller',
    'garbage-collector-controller',
    'namespace-controller',
    'serviceaccount-controller',
    'root-ca-certificate-publisher-controller',
    'disruption-controller',
    'persistentvolume-binder-controller',
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
    'volumeattributesclass-protection-controller',
    'ephemeral-volume-controller',
    'external-provisioner',
    'persistentvolume-attach-detach-controller',
    'external-attacher',
    'persistentvolume-expander-controller',
    'external-resizer',
    'endpoints-controller',
    'endpointslice-controller',
    'endpointslice-mirroring-controller',
    'pod-garbage-collector-controller',
    'taint-eviction-controller',
    'ttl-controller',
    'resourcequota-controller',
    'clusterrole-aggregation-controller',
    'horizontal-pod-autoscaler-controller',
    'resourceclaim-controller',
    'validatingadmissionpolicy-status-controller',
  ]);
});

test('controller manager › a stopped controller does nothing, and catches up when it starts again', async (t) => {
  const harness = createHarness();
  const controller = harness.manager.controller('replicaset-controller');
  await harness.run(100);
  t.true(controller.isRunning);
  controller.stop();
  t.false(controller.isRunning);
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 3 }));
  await harness.run(1000);
  t.is(harness.list('Pod').length, 0);
  controller.start();
  await harness.run(1000);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
});

test('controller manager › a crash in the middle of a burst loses nothing and creates nothing twice', async (t) => {
  const harness = createHarness({ runs: () => false });
  harness.server.create('ReplicaSet', replicaSetDraft('r', { replicas: 100 }));
  await harness.run(9);
  harness.manager.stop();
  const created = harness.list('Pod').length;
  t.true(created > 0 && created < 100);
  await harness.run(1000);
  t.true(harness.list('Pod').length < 100);
  harness.manager.start();
  await harness.run(5000);
  t.is(harness.list('Pod').length, 100);
  t.is(harness.server.get('ReplicaSet', NAME).status.replicas, 100);
  harness.dispose();
});

test('controller manager › a cut link stops everything until it is restored', async (t) => {
  const harness = createHarness();
  await harness.run(100);
  harness.bus.link('kube-controller-manager')?.cut();
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 3 }));
  await harness.run(30_000);
  t.is(harness.list('ReplicaSet').length, 0);
  harness.bus.link('kube-controller-manager')?.restore();
  await harness.run(30_000);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
});

test('controller manager › runs a controller of the user and tries again what it could not do', async (t) => {
  let failures = 2;
  const labeller = defineController({
    name: 'labeller',
    setup: (context: ControllerContext) => context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
    async reconcile(context, key, pods) {
      failures -= 1;
      if (failures >= 0) throw new RetryError('not yet');
      if (pods.getByKey(key) === undefined) return;
      await context.api.patch('Pod', parseKey(key), { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    },
  });
  const harness = createHarness({ definitions: [labeller], controllers: [], runs: () => false });
  harness.server.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await harness.run(1000);
  t.deepEqual(harness.list('Pod')[0]?.metadata.labels, { seen: 'yes' });
  t.is(failures, -1);
  harness.dispose();
});

test('controller manager › a bug in a controller ends the run', async (t) => {
  const broken = defineController({
    name: 'broken',
    setup: (context) => context.queue.add('x'),
    async reconcile() {
      await Promise.resolve();
      throw new TypeError('a bug');
    },
  });
  const harness = createHarness({ definitions: [broken], controllers: [] });
  await t.throwsAsync(harness.run(1000), { instanceOf: TypeError, message: 'a bug' });
  harness.dispose();
});

test('controller manager › disposal leaves no timer behind', async (t) => {
  const harness = createHarness({ runs: () => false });
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 3 }));
  await harness.run(500);
  harness.manager.dispose();
  await harness.run(30_000);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
  t.is(harness.kernel.clock.pending, 0);
});

async function digest(): Promise<string> {
  const harness = createHarness();
  harness.server.create('Deployment', deploymentDraft('d', { replicas: 30 }));
  await harness.run(3000);
  harness.server.setScale('Deployment', { namespace: 'default', name: 'd' }, 11);
  await harness.run(3000);
  const result = harness.kernel.trace.digest();
  harness.dispose();
  return result;
}

test('controller manager › the same seed gives the same trace', async (t) => {
  t.is(await digest(), await digest());
});
