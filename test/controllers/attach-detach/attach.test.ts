/** Which volumes are attached to which nodes while nothing is lost, with the events about it. */
import test from 'ava';
import { createVolumeScene, dataAttachment, DRIVER, podDraft, withRunningPod } from './volume-scene.js';

const UNIQUE_NAME = `kubernetes.io/csi/${DRIVER}^handle-data`;

test('9.18 › a pod that has ended needs its volume no longer, though its object is there', async (t) => {
  const scene = await createVolumeScene();
  scene.server.create('Pod', {
    ...podDraft('p', 'data', { restartPolicy: 'Never' }),
    metadata: { name: 'p', namespace: 'default', annotations: { 'kubeloom.dev/run-for': '5s' } },
  });
  scene.server.bind({ metadata: { name: 'p', namespace: 'default' }, target: { kind: 'Node', name: 'a' } });
  await scene.run(12);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.run(30);
  t.is(scene.pod('p')?.status.phase, 'Succeeded');
  t.deepEqual(scene.attachments(), []);
  t.deepEqual(scene.mounted('a'), []);
  await scene.dispose();
});

test('9.18 › pods without a node need nothing; those of nodes that attach for themselves are left to them', async (t) => {
  const scene = await createVolumeScene();
  scene.server.create('Pod', podDraft('p', 'data'));
  scene.server.create('Node', { metadata: { name: 'own' } });
  scene.bind('q', 'own');
  await scene.run(10);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.19 › what is needed is attached at the next tenth of a second, and told in the pass after that', async (t) => {
  const scene = await createVolumeScene();
  scene.addVolume('one');
  scene.addVolume('two');
  await scene.run(5);
  const fromMs = scene.nowMs;
  scene.log.length = 0;
  scene.bind('p', 'a', 'one');
  await scene.run(0.05);
  scene.bind('q', 'a', 'two');
  await scene.run(2);
  const [first = 0, second = 0] = scene.secondsOf('attachment a ADDED', fromMs);
  t.true(first < 0.11);
  t.is(Math.round((second - first) * 1000) % 100, 0);
  const attached = scene.log.filter(({ text }) => text.startsWith('node a') || text.includes('Successful'));
  t.deepEqual(
    attached.map(({ text }) => text),
    [
      'event p SuccessfulAttachVolume',
      'node a inUse [] attached [one]',
      'event q SuccessfulAttachVolume',
      'node a inUse [] attached [one,two]',
    ],
  );
  for (const name of ['p', 'q'] as const) {
    const event = scene.log.find(({ text }) => text === `event ${name} SuccessfulAttachVolume`)?.atMs ?? 0;
    const told = attached.find(({ text, atMs }) => text.startsWith('node a') && atMs > event)?.atMs ?? 0;
    t.true(told - event <= 102);
  }
  await scene.dispose();
});

test('9.20 › a volume that its healthy node still uses stays attached', async (t) => {
  const scene = await withRunningPod();
  scene.link('a').cut();
  scene.deletePod('p', 0);
  await scene.run(60);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  scene.link('a').restore();
  await scene.run(30);
  t.deepEqual(scene.attachments(), []);
  t.deepEqual(scene.mounted('a'), []);
  await scene.dispose();
});

test('9.20 › a node is not asked to let go of what it cannot be told: the volume stays, and is shown', async (t) => {
  const scene = await withRunningPod();
  scene.deletePod('p');
  await scene.run(1);
  scene.bus.link('kube-controller-manager')?.cut();
  await scene.run(60);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.deepEqual(scene.node('a').status.volumesAttached, [{ name: UNIQUE_NAME, devicePath: '' }]);
  scene.bus.link('kube-controller-manager')?.restore();
  await scene.run(60);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.20 › a node that takes the volume into use at the last moment keeps it', async (t) => {
  const scene = await withRunningPod();
  scene.deletePod('p');
  const { server, kernel } = scene;
  const takeAgain = (): void => {
    server.change(
      'Node',
      { name: 'a' },
      (node) => ({ ...node, status: { ...node.status, volumesInUse: [UNIQUE_NAME] } }),
      { subresource: 'status' },
    );
  };
  let isTaken = false;
  server.watch('Node', {}, (event) => {
    const isConcealed = event.type === 'MODIFIED' && event.object.status.volumesAttached === undefined;
    if (!isConcealed || isTaken || event.object.metadata.name !== 'a') return;
    isTaken = true;
    kernel.clock.schedule(0, takeAgain);
  });
  await scene.run(30);
  t.true(isTaken);
  t.deepEqual(
    scene.log.slice(4).map(({ text }) => text),
    ['node a inUse [] attached []', 'node a inUse [data] attached []', 'node a inUse [data] attached [data]'],
  );
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  await scene.dispose();
});

test('9.23 › a pod of another namespace is counted, and not named', async (t) => {
  const scene = await createVolumeScene();
  scene.server.create('Namespace', { metadata: { name: 'other' } });
  scene.bind('p', 'a');
  await scene.run(20);
  // The same storage under another name: two volumes of one handle are one volume.
  scene.server.create('PersistentVolume', {
    metadata: { name: 'twin' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: DRIVER, volumeHandle: 'handle-data' },
      claimRef: { namespace: 'other', name: 'twin' },
      storageClassName: '',
    },
  });
  scene.server.create('PersistentVolumeClaim', {
    metadata: { name: 'twin', namespace: 'other' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: 'twin',
    },
  });
  await scene.run(5);
  const { metadata } = scene.server.create('Pod', {
    ...podDraft('q', 'twin'),
    metadata: { name: 'q', namespace: 'other' },
  });
  scene.server.bind({ metadata, target: { kind: 'Node', name: 'b' } });
  await scene.run(5);
  t.deepEqual(scene.events('q', 'FailedAttachVolume'), [
    'Warning FailedAttachVolume Multi-Attach error for volume "twin" Volume is already used by 1 pod(s) in different namespaces',
  ]);
  await scene.dispose();
});

test('9.23 › each pod that waits is told once, however long it waits', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'b');
  await scene.run(200);
  t.deepEqual(scene.secondsOf('event q FailedAttachVolume').length, 1);
  await scene.dispose();
});

test('9.23 › a volume that many nodes may have is attached to each', async (t) => {
  const scene = await createVolumeScene();
  scene.addVolume('shared', ['ReadWriteMany']);
  await scene.run(5);
  scene.bind('p', 'a', 'shared');
  scene.bind('q', 'b', 'shared');
  await scene.run(20);
  t.deepEqual([...scene.attachments()].sort(), ['a pv-shared attached', 'b pv-shared attached']);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.24 › two pods of one node share a volume that one node may have', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'a');
  await scene.run(5);
  t.is(scene.pod('q')?.status.phase, 'Running');
  t.deepEqual(scene.mounted('a'), ['pv-data', 'pv-data']);
  scene.deletePod('p');
  await scene.run(20);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.deepEqual(scene.node('a').status.volumesInUse, [UNIQUE_NAME]);
  await scene.dispose();
});

test('9.24 › a volume for one pod is not mounted for a second one, tried again after ever longer times', async (t) => {
  const scene = await createVolumeScene();
  scene.addVolume('single', ['ReadWriteOncePod']);
  await scene.run(5);
  scene.bind('p', 'a', 'single');
  await scene.run(20);
  scene.log.length = 0;
  scene.bind('q', 'a', 'single');
  await scene.run(10);
  t.deepEqual(scene.events('q', 'FailedMount'), [
    'Warning FailedMount MountVolume.SetUp failed for volume "pv-single" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
  ]);
  const times = scene.secondsOf('event q FailedMount');
  t.deepEqual(
    times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) * 1000)),
    [500, 1000, 2000, 4000],
  );
  t.is(scene.pod('q')?.status.phase, 'Pending');
  scene.deletePod('p');
  await scene.run(20);
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.25 › an attachment is named by volume, driver and node, and is held by its attacher', async (t) => {
  const scene = await withRunningPod();
  const attachment = scene.server.get('VolumeAttachment', { name: dataAttachment('a') });
  t.regex(attachment.metadata.name, /^csi-[0-9a-f]{64}$/);
  t.deepEqual(attachment.spec, {
    attacher: DRIVER,
    nodeName: 'a',
    source: { persistentVolumeName: 'pv-data' },
  });
  t.deepEqual(attachment.status, { attached: true });
  t.deepEqual(attachment.metadata.finalizers, ['external-attacher/disk-example-com']);
  t.deepEqual(scene.events('p', 'SuccessfulAttachVolume'), [
    'Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "pv-data" ',
  ]);
  await scene.dispose();
});

test('9.25 › an attachment of that name that is there is used', async (t) => {
  const scene = await createVolumeScene();
  scene.server.create('VolumeAttachment', {
    metadata: { name: dataAttachment('a') },
    spec: { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'pv-data' } },
  });
  const { uid } = scene.server.get('VolumeAttachment', { name: dataAttachment('a') }).metadata;
  scene.bind('p', 'a');
  await scene.run(20);
  t.is(scene.server.get('VolumeAttachment', { name: dataAttachment('a') }).metadata.uid, uid);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.25 › a driver that does not answer is given two minutes, and then half a second more', async (t) => {
  const scene = await createVolumeScene();
  scene.manager.controller('external-attacher').stop();
  const fromMs = scene.nowMs;
  scene.bind('p', 'a');
  await scene.run(180);
  t.deepEqual(scene.events('p', 'FailedAttachVolume'), [
    `Warning FailedAttachVolume AttachVolume.Attach failed for volume "pv-data" : timed out waiting for external-attacher of ${DRIVER} CSI driver to attach volume handle-data`,
  ]);
  t.deepEqual(
    scene.secondsOf('event p FailedAttachVolume', fromMs).map((each) => Math.floor(each)),
    [120],
  );
  scene.manager.controller('external-attacher').start();
  await scene.run(140);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.25 › a driver that attaches nothing needs no attachment', async (t) => {
  const scene = await createVolumeScene();
  scene.server.create('CSIDriver', { metadata: { name: DRIVER }, spec: { attachRequired: false } });
  await scene.run(1);
  scene.bind('p', 'a');
  await scene.run(2);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.deepEqual(scene.attachments(), []);
  t.is(scene.node('a').status.volumesInUse, undefined);
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  await scene.dispose();
});

test('attach/detach › an attachment that is deleted is noticed within a minute, and made again', async (t) => {
  const scene = await withRunningPod();
  scene.server.delete('VolumeAttachment', { name: dataAttachment('a') });
  await scene.run(5);
  t.deepEqual(scene.attachments(), []);
  await scene.run(60);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  await scene.dispose();
});

test('attach/detach › a controller that comes back knows from the API what is attached and what is needed', async (t) => {
  const scene = await withRunningPod();
  const controller = scene.manager.controller('persistentvolume-attach-detach-controller');
  controller.stop();
  scene.deletePod('p');
  scene.bind('q', 'b');
  await scene.run(30);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  controller.start();
  await scene.run(60);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

test('attach/detach › nothing is to be done while nothing happens', async (t) => {
  const scene = await withRunningPod();
  const before = scene.kernel.clock.ticks;
  await scene.run(3600);
  t.is(scene.kernel.clock.ticks, before);
  await scene.dispose();
});
