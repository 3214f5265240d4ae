/** How a volume comes to its pod's node and into the pod, and leaves both, while nothing is lost. */
import test from 'ava';
import { createVolumeScene, DRIVER, withRunningPod, type VolumeScene } from './volume-scene.js';

/** Messages take that long where they cross each other. */
const FAR_MS = 500;
const texts = (scene: VolumeScene): readonly string[] => scene.log.map(({ text }) => text);
const UNIQUE_NAME = `kubernetes.io/csi/${DRIVER}^handle-data`;

test('9.26 › a pod starts once its volume is said to be in use, attached and mounted, in that order', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a');
  await scene.run(5);
  t.is(scene.pod('p')?.status.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  t.deepEqual(scene.mounted('a'), []);
  await scene.run(15);
  t.deepEqual(
    scene.log.map(({ text }) => text),
    [
      'pod p Pending',
      'attachment a ADDED',
      'attachment a MODIFIED held',
      'attachment a MODIFIED held attached',
      'event p SuccessfulAttachVolume',
      'node a inUse [] attached [data]',
      'node a inUse [data] attached [data]',
      'pod p Running',
    ],
  );
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  t.deepEqual(scene.node('a').status.volumesAttached, [{ name: UNIQUE_NAME, devicePath: '' }]);
  t.deepEqual(scene.node('a').status.volumesInUse, [UNIQUE_NAME]);
  await scene.dispose();
});

test('9.26 › a pod is gone once it is unmounted; then its node lets go of the volume, and that is detached', async (t) => {
  const scene = await withRunningPod();
  scene.deletePod('p');
  await scene.run(0.7);
  t.is(scene.pod('p')?.status.phase, 'Succeeded');
  t.deepEqual(scene.mounted('a'), []);
  await scene.run(20);
  t.deepEqual(
    scene.log.map(({ text }) => text),
    [
      'pod p Running terminating',
      'pod p Succeeded terminating',
      'pod p gone',
      'node a inUse [] attached [data]',
      'node a inUse [] attached []',
      'attachment a MODIFIED held attached going',
      'attachment a DELETED held attached going',
    ],
  );
  t.is(scene.node('a').status.volumesInUse, undefined);
  t.is(scene.node('a').status.volumesAttached, undefined);
  t.deepEqual(scene.events('p', 'FailedMount'), []);
  await scene.dispose();
});

test('9.26 › a volume that goes from one node to another is never mounted on both', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'b');
  await scene.run(15);
  t.deepEqual(scene.events('q', 'FailedAttachVolume'), [
    'Warning FailedAttachVolume Multi-Attach error for volume "pv-data" Volume is already used by pod(s) p',
  ]);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  scene.deletePod('p');
  for (let step = 0; step < 600; step += 1) {
    await scene.run(0.1);
    t.false(scene.mounted('a').length > 0 && scene.mounted('b').length > 0);
  }
  t.deepEqual(
    scene.log.map(({ text }) => text),
    [
      'pod q Pending',
      'event q FailedAttachVolume',
      'node b inUse [data] attached []',
      'pod p Running terminating',
      'pod p Succeeded terminating',
      'pod p gone',
      'node a inUse [] attached [data]',
      'node a inUse [] attached []',
      'attachment a MODIFIED held attached going',
      'attachment a DELETED held attached going',
      'attachment b ADDED',
      'attachment b MODIFIED held',
      'attachment b MODIFIED held attached',
      'event q SuccessfulAttachVolume',
      'node b inUse [data] attached [data]',
      'pod q Running',
    ],
  );
  await scene.dispose();
});

test('9.26 › a sync that has waited in vain, for 2 minutes and 3 seconds, has no event: the kubelet waits on', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'b');
  await scene.run(300);
  t.deepEqual(scene.events('q', 'FailedMount'), []);
  const status = scene.pod('q')?.status;
  t.is(status?.phase, 'Pending');
  t.is(status?.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  scene.deletePod('p');
  await scene.run(200);
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

/** A pod has left a node, and its status says so at `toldMs`; another one comes so that it needs the volume then. */
async function withReturn(toldMs?: number): Promise<{ scene: VolumeScene; toldMs: number }> {
  const scene = await withRunningPod({ latencyMs: FAR_MS });
  scene.deletePod('p');
  if (toldMs !== undefined) {
    // The pod is seen, and its claim, volume and driver are asked for.
    await scene.run((toldMs - 7 * FAR_MS - scene.nowMs) / 1000);
    scene.bind('q', 'a');
  }
  await scene.run(60);
  const told = scene.log.find(({ text }) => text.startsWith('node a inUse [] '));
  return { scene, toldMs: told?.atMs ?? 0 };
}

test('9.26 › what the node’s status may say no longer is said again before it is mounted again', async (t) => {
  const { scene: alone, toldMs } = await withReturn();
  await alone.dispose();
  const { scene } = await withReturn(toldMs);
  t.is(scene.log.find(({ text }) => text.startsWith('node a inUse [] '))?.atMs, toldMs);
  const last = texts(scene).findLast((text) => text.startsWith('node a'));
  t.is(last, 'node a inUse [data] attached [data]');
  const told = texts(scene).indexOf('node a inUse [data] attached [data]');
  t.true(told >= 0 && told < texts(scene).indexOf('pod q Running'));
  await scene.dispose();
});

test('9.26 › a claim that is not bound fails the sync at once, until it is', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a', 'late');
  await scene.run(2);
  scene.addVolume('late');
  await scene.run(5);
  t.deepEqual(scene.events('p', 'FailedMount'), [
    'Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: error processing PVC default/late: failed to fetch PVC from API server: persistentvolumeclaims "late" not found',
  ]);
  await scene.run(20);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.26 › volumes that no container mounts are attached, and not waited for', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a', 'data', { containers: [{ name: 'c', image: 'pause' }] });
  await scene.run(5);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.is(scene.node('a').status.volumesInUse, undefined);
  await scene.dispose();
});

test('9.26 › a kubelet that comes back finds what is mounted, and goes on', async (t) => {
  const scene = await withRunningPod();
  const kubelet = scene.kubelets.get('a');
  kubelet?.stop();
  await scene.run(5);
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  kubelet?.start();
  await scene.run(30);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.deepEqual(scene.node('a').status.volumesInUse, [UNIQUE_NAME]);
  scene.deletePod('p');
  await scene.run(30);
  t.deepEqual(scene.mounted('a'), []);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.26 › a pod that is deleted while it waits for its volume goes at once, and its node wants the volume no longer', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'b');
  await scene.run(30);
  t.deepEqual(scene.node('b').status.volumesInUse, [UNIQUE_NAME]);
  scene.deletePod('q');
  await scene.run(1);
  t.is(scene.pod('q'), undefined);
  await scene.run(10);
  t.is(scene.node('b').status.volumesInUse, undefined);
  scene.deletePod('p');
  await scene.run(30);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});

test('9.26 › a kubelet that comes back while a pod waits begins to wait anew', async (t) => {
  const scene = await withRunningPod();
  scene.bind('q', 'b');
  await scene.run(100);
  scene.kubelets.get('b')?.stop();
  scene.deletePod('p');
  await scene.run(30);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  scene.kubelets.get('b')?.start();
  await scene.run(15);
  t.is(scene.pod('q')?.status.phase, 'Running');
  t.deepEqual(scene.events('q', 'FailedMount'), []);
  await scene.dispose();
});

test('9.26 › a machine that was switched off has nothing mounted, and mounts it anew when it is back', async (t) => {
  const scene = await withRunningPod();
  const kubelet = scene.kubelets.get('a');
  kubelet?.powerOff();
  t.deepEqual(scene.mounted('a'), []);
  await scene.run(30);
  t.deepEqual(scene.node('a').status.volumesInUse, [UNIQUE_NAME]);
  kubelet?.powerOn();
  kubelet?.start();
  t.deepEqual(scene.mounted('a'), []);
  await scene.run(30);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.deepEqual(scene.mounted('a'), ['pv-data']);
  await scene.dispose();
});
