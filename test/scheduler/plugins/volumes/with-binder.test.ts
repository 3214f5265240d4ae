/** Scheduler and volume binder together, over the API server. */
import test from 'ava';
import type { Draft, Kind } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../src/api/objects/storage-objects.js';
import { createControllerManager, type ControllerManager } from '../../../../src/controllers/controller-manager.js';
import { testNode, testPod } from '../../support/objects.js';
import { createScheduledCluster, type ScheduledCluster } from '../../support/scheduled-cluster.js';

interface World {
  readonly cluster: ScheduledCluster;
  readonly binder: ControllerManager;
  put(kind: Kind, draft: Draft): void;
  claim(name: string): PersistentVolumeClaim;
  volume(name: string): PersistentVolume;
  createPod(name: string, claimName: string): void;
  dispose(): Promise<void>;
}

function createWorld(): World {
  const cluster = createScheduledCluster();
  const { kernel, server, bus } = cluster;
  const connection = bus.connect('kube-controller-manager');
  const binder = createControllerManager({
    kernel,
    connection,
    controllers: ['persistentvolume-binder-controller', 'external-provisioner'],
  });
  binder.start();
  cluster.create(testNode('n1', { zone: 'a' }), testNode('n2', { zone: 'b' }));
  return {
    cluster,
    binder,
    put: (kind, draft) => void server.create(kind, draft),
    claim: (name) => server.get('PersistentVolumeClaim', { namespace: 'default', name }),
    volume: (name) => server.get('PersistentVolume', { name }),
    createPod(name, claimName) {
      cluster.create(testPod(name, { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] } }));
    },
    async dispose() {
      binder.dispose();
      await cluster.dispose();
    },
  };
}

function claimDraft(name: string, storageClassName: string): Draft {
  return {
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName },
  };
}

function classDraft(name: string, provisioner: string, volumeBindingMode: string): Draft {
  return { metadata: { name }, provisioner, volumeBindingMode };
}

test('a pod goes where its local volume is, once that is bound', async (t) => {
  const world = createWorld();
  world.put('StorageClass', classDraft('local', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'));
  world.put('PersistentVolume', {
    metadata: { name: 'pv' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      local: { path: '/x' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }] },
          ],
        },
      },
    },
  });
  world.put('PersistentVolumeClaim', claimDraft('c', 'local'));
  await world.cluster.run(2000);
  world.createPod('p', 'c');
  await world.cluster.run(500);
  t.deepEqual(world.cluster.placements(), {});
  await world.cluster.run(1500);
  t.deepEqual(world.cluster.placements(), { p: 'n2' });
  t.is(world.claim('c').spec.volumeName, 'pv');
  t.is(world.volume('pv').metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
  await world.dispose();
});

test('a volume is made for the node that the scheduler chose', async (t) => {
  const world = createWorld();
  world.put('StorageClass', classDraft('made', 'csi.example.com', 'WaitForFirstConsumer'));
  world.put('PersistentVolumeClaim', claimDraft('c', 'made'));
  world.createPod('p', 'c');
  await world.cluster.run(3000);
  const { p: nodeName } = world.cluster.placements();
  t.true(nodeName === 'n1' || nodeName === 'n2');
  t.is(world.claim('c').metadata.annotations?.['volume.kubernetes.io/selected-node'], nodeName);
  t.is(world.claim('c').status.phase, 'Bound');
  await world.dispose();
});

test('a pod with a claim that is bound at once waits for that, and is called by it', async (t) => {
  const world = createWorld();
  world.put('StorageClass', classDraft('now', 'csi.example.com', 'Immediate'));
  world.createPod('p', 'c');
  await world.cluster.run(2000);
  t.deepEqual(
    world.cluster.events('FailedScheduling').map(({ message }) => message),
    ['0/2 nodes are available: persistentvolumeclaim "c" not found. not found'],
  );
  world.put('PersistentVolumeClaim', claimDraft('c', 'now'));
  await world.cluster.run(20_000);
  t.deepEqual(Object.keys(world.cluster.placements()), ['p']);
  await world.dispose();
});

test('without a binder the binding times out after ten minutes', async (t) => {
  const world = createWorld();
  world.binder.stop();
  world.put('StorageClass', classDraft('made', 'csi.example.com', 'WaitForFirstConsumer'));
  world.put('PersistentVolumeClaim', claimDraft('c', 'made'));
  world.createPod('p', 'c');
  await world.cluster.run(599_000);
  t.deepEqual(world.cluster.events('FailedScheduling'), []);
  await world.cluster.run(2000);
  t.deepEqual(
    world.cluster.events('FailedScheduling').map(({ message }) => message),
    ['running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'],
  );
  await world.dispose();
});
