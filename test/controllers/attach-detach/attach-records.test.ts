/** Which node has a volume, by compare and swap: the lock of the pod safety proposal. */
import test from 'ava';
import { createCluster } from '../../../src/index.js';
import { attachRecordOf, withAttachRecord, type AttachRecord } from '../../../src/api/volumes/attach-record.js';
import {
  createVolumeScene,
  DRIVER,
  withRunningPod,
  type VolumeScene,
  type VolumeSceneOptions,
} from './volume-scene.js';

const CONTROLLER = 'persistentvolume-attach-detach-controller';
const SECOND = 'kube-controller-manager/2';
const MINUTE = 60;
const UNIQUE_NAME = `kubernetes.io/csi/${DRIVER}^handle-data`;
const RECORDED = { attachRecords: true };
const EXPORT = { ...RECORDED, source: { nfs: { server: 'files', path: '/data' } } };
const CONFLICT =
  'Warning FailedAttachVolume AttachVolume.Attach failed for volume "pv-data" : Operation cannot be fulfilled on persistentvolumes "pv-data": the object has been modified; please apply your changes to the latest version and try again';

const texts = (scene: VolumeScene): readonly string[] => scene.log.map(({ text }) => text);

const records = (scene: VolumeScene): readonly string[] => texts(scene).filter((text) => text.startsWith('record '));

const recordOf = (scene: VolumeScene, name = 'pv-data'): AttachRecord | undefined =>
  attachRecordOf(scene.server.get('PersistentVolume', { name }));

/** Runs on, and tells how many nodes had the volume mounted, or attached, at once at most. */
async function mostHolders(scene: VolumeScene, seconds: number): Promise<{ mounted: number; attached: number }> {
  const most = { mounted: 0, attached: 0 };
  for (let step = 0; step < seconds * 10; step += 1) {
    await scene.run(0.1);
    const holders = [...scene.kubelets.keys()].filter((node) => scene.mounted(node).length > 0);
    most.mounted = Math.max(most.mounted, holders.length);
    most.attached = Math.max(most.attached, scene.attachments().filter((text) => text.includes(' attached')).length);
  }
  return most;
}

/** Two controllers, of which one saw pods come and the other listed them, want one volume for different nodes first. */
async function withRivals(options: VolumeSceneOptions): Promise<VolumeScene> {
  const scene = await withRunningPod({ nodes: ['a', 'b', 'c'], ...options });
  scene.bind('z', 'b');
  await scene.run(2);
  scene.bind('q', 'c');
  await scene.run(2);
  scene.runTwice(SECOND, CONTROLLER);
  await scene.run(2);
  scene.log.length = 0;
  scene.deletePod('p');
  return scene;
}

test('9.28 › of two controllers that want a volume for different nodes one takes it, and one node has it', async (t) => {
  const scene = await withRivals(RECORDED);
  t.deepEqual(await mostHolders(scene, 60), { mounted: 1, attached: 1 });
  t.deepEqual(records(scene), [
    'record of pv-data: a for p, to be given up',
    'record of pv-data: none',
    'record of pv-data: c for q',
  ]);
  t.is(scene.pod('q')?.status.phase, 'Running');
  t.is(scene.pod('z')?.status.phase, 'Pending');
  scene.deletePod('q');
  t.deepEqual(await mostHolders(scene, 150), { mounted: 1, attached: 1 });
  t.is(scene.pod('z')?.status.phase, 'Running');
  t.deepEqual([recordOf(scene)?.nodeName, recordOf(scene)?.pod.name], ['b', 'z']);
  await scene.dispose();
});

test('9.28 › without records the same two controllers have two nodes write to it, as upstream’s would', async (t) => {
  const scene = await withRivals({});
  t.deepEqual(await mostHolders(scene, 60), { mounted: 2, attached: 2 });
  t.deepEqual(records(scene), []);
  t.is(scene.server.get('PersistentVolume', { name: 'pv-data' }).metadata.annotations, undefined);
  await scene.dispose();
});

test('9.28 › the second of two pods is refused with a conflict, says so, and waits', async (t) => {
  const scene = await withRivals({ ...RECORDED, latencyMs: 200 });
  t.deepEqual(await mostHolders(scene, 60), { mounted: 1, attached: 1 });
  const told = [...scene.events('q', 'FailedAttachVolume'), ...scene.events('z', 'FailedAttachVolume')];
  t.is(told.filter((text) => text === CONFLICT).length, 1);
  t.is(records(scene).length, 3);
  await scene.dispose();
});

test('9.28 › what others change on the volume is no reason to lose it', async (t) => {
  const scene = await createVolumeScene({ ...RECORDED, latencyMs: 50 });
  const { server, kernel } = scene;
  server.watch('Pod', {}, (event) => {
    if (event.type !== 'MODIFIED') return;
    for (const afterMs of [100, 150, 200]) {
      kernel.clock.schedule(afterMs, () =>
        server.patch(
          'PersistentVolume',
          { name: 'pv-data' },
          { type: 'merge', body: { metadata: { labels: { at: String(afterMs) } } } },
        ),
      );
    }
  });
  scene.bind('p', 'a');
  await scene.run(30);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.deepEqual(scene.events('p', 'FailedAttachVolume'), []);
  await scene.dispose();
});

test('9.28 › a record that names another node by the end of the detaching is left alone', async (t) => {
  const scene = await withRunningPod(RECORDED);
  scene.manager.controller('external-attacher').stop();
  scene.deletePod('p');
  await scene.run(15);
  const before = recordOf(scene);
  t.is(before?.nodeName, 'a');
  t.not(before?.release, undefined);
  const { metadata } = scene.bind('q', 'b');
  const other = { nodeName: 'b', pod: { namespace: 'default', name: 'q', uid: metadata.uid }, release: undefined };
  scene.server.change('PersistentVolume', { name: 'pv-data' }, (volume) => withAttachRecord(volume, other));
  scene.manager.controller('external-attacher').start();
  await scene.run(5);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.deepEqual(recordOf(scene), other);
  await scene.dispose();
});

test('9.28 › a controller that crashes between any two writes leaves nothing that the next one cannot end', async (t) => {
  for (const writes of [1, 2, 3, 4, 5, 6, 7]) {
    const scene = await withRunningPod(RECORDED);
    scene.bind('q', 'b');
    await scene.run(5);
    const controller = scene.manager.controller(CONTROLLER);
    let left = writes;
    controller.listen({
      wrote() {
        left -= 1;
        if (left === 0) controller.stop();
      },
    });
    scene.deletePod('p');
    await scene.run(20);
    t.true(left <= 0, `after ${writes} writes`);
    controller.start();
    t.deepEqual(await mostHolders(scene, 60), { mounted: 1, attached: 1 });
    t.is(scene.pod('q')?.status.phase, 'Running', `after ${writes} writes`);
    t.deepEqual(
      [recordOf(scene)?.nodeName, recordOf(scene)?.pod.name, recordOf(scene)?.release],
      ['b', 'q', undefined],
    );
    await scene.dispose();
  }
});

test('9.28 › a volume with a detaching begun by an earlier run is attached again to the node that needs it', async (t) => {
  const scene = await withRunningPod(RECORDED);
  const controller = scene.manager.controller(CONTROLLER);
  controller.stop();
  scene.server.change('PersistentVolume', { name: 'pv-data' }, (volume) => {
    const record = attachRecordOf(volume) as AttachRecord;
    return withAttachRecord(volume, { ...record, release: 'begun' });
  });
  controller.start();
  await scene.run(30);
  t.is(recordOf(scene)?.release, undefined);
  t.is(recordOf(scene)?.nodeName, 'a');
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  await scene.dispose();
});

test('9.29 › a volume is handed over step by step, and each step waits for the one before', async (t) => {
  const scene = await withRunningPod(RECORDED);
  scene.bind('q', 'b');
  await scene.run(15);
  t.deepEqual(texts(scene), ['pod q Pending', 'event q FailedAttachVolume', 'node b inUse [data] attached []']);
  scene.log.length = 0;
  scene.deletePod('p');
  await scene.run(60);
  t.deepEqual(texts(scene), [
    'pod p Running terminating',
    'pod p Succeeded terminating',
    'pod p gone',
    'node a inUse [] attached [data]',
    'node a inUse [] attached []',
    'record of pv-data: a for p, to be given up',
    'attachment a MODIFIED held attached going',
    'attachment a DELETED held attached going',
    'record of pv-data: none',
    'record of pv-data: b for q',
    'attachment b ADDED',
    'attachment b MODIFIED held',
    'attachment b MODIFIED held attached',
    'event q SuccessfulAttachVolume',
    'node b inUse [data] attached [data]',
    'pod q Running',
  ]);
  await scene.dispose();
});

test('9.29 › storage that no driver attaches is handed over by its record alone', async (t) => {
  const scene = await withRunningPod(EXPORT);
  t.deepEqual([recordOf(scene)?.nodeName, recordOf(scene)?.pod.name], ['a', 'p']);
  t.deepEqual(scene.node('a').status.volumesInUse, ['kubeloom.dev/recorded/pv-data']);
  scene.bind('q', 'b');
  await scene.run(15);
  t.deepEqual(scene.events('q', 'FailedAttachVolume'), [
    'Warning FailedAttachVolume Multi-Attach error for volume "pv-data" Volume is already used by pod(s) p',
  ]);
  scene.log.length = 0;
  scene.deletePod('p');
  t.deepEqual((await mostHolders(scene, 60)).mounted, 1);
  t.deepEqual(texts(scene), [
    'pod p Running terminating',
    'pod p Succeeded terminating',
    'pod p gone',
    'node a inUse [] attached [pv-data]',
    'node a inUse [] attached []',
    'record of pv-data: a for p, to be given up',
    'record of pv-data: none',
    'record of pv-data: b for q',
    'event q SuccessfulAttachVolume',
    'node b inUse [pv-data] attached [pv-data]',
    'pod q Running',
  ]);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.29 › a kubelet mounts nothing before the record names its node, whatever the node’s status shows', async (t) => {
  const scene = await createVolumeScene(RECORDED);
  scene.manager.controller(CONTROLLER).stop();
  scene.bind('p', 'a');
  await scene.run(20);
  t.deepEqual(scene.node('a').status.volumesInUse, [UNIQUE_NAME]);
  const volumesAttached = [{ name: UNIQUE_NAME, devicePath: '' }];
  scene.server.change('Node', { name: 'a' }, (node) => ({ ...node, status: { ...node.status, volumesAttached } }), {
    subresource: 'status',
  });
  await scene.run(60);
  t.deepEqual(scene.mounted('a'), []);
  scene.manager.controller(CONTROLLER).start();
  await scene.run(130);
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.29 › pods of one node share a volume under one record', async (t) => {
  const scene = await withRunningPod(RECORDED);
  scene.bind('q', 'a');
  await scene.run(5);
  scene.deletePod('p');
  await scene.run(20);
  t.is(scene.pod('q')?.status.phase, 'Running');
  t.is(recordOf(scene)?.nodeName, 'a');
  scene.deletePod('q');
  await scene.run(20);
  t.is(recordOf(scene), undefined);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.29 › volumes that many nodes may have, and those of one node by their nature, have no record', async (t) => {
  const scene = await createVolumeScene(RECORDED);
  scene.addVolume('shared', ['ReadWriteMany']);
  scene.addVolume('own', ['ReadWriteOnce'], 'default', { hostPath: { path: '/data' } });
  await scene.run(5);
  scene.bind('p', 'a', 'shared');
  scene.bind('q', 'b', 'shared');
  scene.bind('r', 'b', 'own');
  await scene.run(20);
  t.deepEqual(
    ['p', 'q', 'r'].map((name) => scene.pod(name)?.status.phase),
    ['Running', 'Running', 'Running'],
  );
  t.deepEqual([recordOf(scene, 'pv-shared'), recordOf(scene, 'pv-own')], [undefined, undefined]);
  await scene.dispose();
});

for (const [what, options] of [
  ['of a driver', RECORDED],
  ['without one', EXPORT],
] as const) {
  test(`9.30 › a volume ${what} that a lost node may use is not given up by time, but once the node is out of service`, async (t) => {
    const scene = await withRunningPod(options);
    scene.bind('q', 'b');
    await scene.run(5);
    scene.lose('a');
    scene.deletePod('p', 0);
    await scene.run(60 * MINUTE);
    t.deepEqual([recordOf(scene)?.nodeName, recordOf(scene)?.release], ['a', undefined]);
    t.is(scene.pod('q')?.status.phase, 'Pending');
    scene.taintOutOfService('a');
    await scene.run(5);
    t.is(recordOf(scene)?.nodeName, 'b');
    await scene.run(130);
    t.is(scene.pod('q')?.status.phase, 'Running');
    await scene.dispose();
  });
}

test('9.30 › a node that is deleted gives its volumes up as it does without records', async (t) => {
  const scene = await withRunningPod(RECORDED);
  scene.bind('q', 'b');
  await scene.run(5);
  scene.lose('a');
  scene.deletePod('p', 0);
  scene.server.delete('Node', { name: 'a' });
  await scene.run(5 * MINUTE);
  t.is(recordOf(scene)?.nodeName, 'a');
  await scene.run(2 * MINUTE);
  t.is(recordOf(scene)?.nodeName, 'b');
  await scene.dispose();
});

test('9.30 › a node that its storage keeps out has nothing mounted, and mounts nothing until it is let in', async (t) => {
  const scene = await withRunningPod(RECORDED);
  const mounts = scene.kubelets.get('a')?.mounts;
  mounts?.cutOff();
  t.deepEqual(scene.mounted('a'), []);
  scene.bind('q', 'a');
  await scene.run(10);
  t.deepEqual(scene.events('q', 'FailedMount'), [
    'Warning FailedMount MountVolume.SetUp failed for volume "pv-data" : rpc error: code = Unavailable desc = the storage keeps this node out',
  ]);
  t.deepEqual(scene.mounted('a'), []);
  mounts?.letIn();
  await scene.run(20);
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

test('createCluster › attachRecords is true or false, and no setting of the controller manager', (t) => {
  t.throws(() => createCluster({ attachRecords: 'yes' as never }), {
    message: 'attachRecords must be true or false, got "yes"',
  });
  t.throws(() => createCluster({ controllerManager: { attachRecords: true } as never }), {
    message: /^option controllerManager\.attachRecords must be one of /,
  });
});
