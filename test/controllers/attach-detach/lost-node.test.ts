/** What becomes of volumes on a lost node. */
import test from 'ava';
import { createVolumeScene, type VolumeScene, type VolumeSceneOptions } from './volume-scene.js';

const MINUTE = 60;
const METRIC = 'attach_detach_controller_attachdetach_controller_forced_detaches';

/** A scene with a pod on node `a` and another that waits for its volume on node `b`. */
async function withTwoPods(options: VolumeSceneOptions = {}): Promise<VolumeScene> {
  const scene = await createVolumeScene(options);
  scene.bind('p', 'a');
  await scene.run(20);
  scene.bind('q', 'b');
  await scene.run(20);
  scene.log.length = 0;
  return scene;
}

async function forcedDetaches(scene: VolumeScene): Promise<readonly string[]> {
  const samples = await scene.metrics.samples();
  return samples.filter(({ name }) => name === METRIC).map(({ labels, value }) => `${labels['reason']} ${value}`);
}

test('9.27 › a terminating pod whose status shows a running container keeps its volume, however long', async (t) => {
  const scene = await withTwoPods();
  scene.lose('a');
  scene.deletePod('p');
  await scene.run(60 * MINUTE);
  t.is(scene.pod('p')?.status.containerStatuses?.[0]?.state?.running === undefined, false);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.is(scene.pod('q')?.status.phase, 'Pending');
  t.deepEqual(await forcedDetaches(scene), []);
  await scene.dispose();
});

test('9.27 › a pod that is deleted by force on a lost node frees its volume six minutes later', async (t) => {
  const scene = await withTwoPods();
  scene.lose('a');
  await scene.run(10);
  const fromMs = scene.nowMs;
  scene.deletePod('p', 0);
  await scene.run(6 * MINUTE);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  await scene.run(MINUTE);
  t.deepEqual(
    scene.secondsOf('node a inUse [data] attached []', fromMs).map((each) => Math.floor(each)),
    [360],
  );
  t.deepEqual(
    scene.secondsOf('attachment a DELETED held attached going', fromMs).map((each) => Math.floor(each)),
    [361],
  );
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.deepEqual(await forcedDetaches(scene), ['timeout 1']);
  // The lost node still has it mounted, as its truth shows.
  await scene.run(2 * MINUTE);
  t.is(scene.pod('q')?.status.phase, 'Running');
  t.deepEqual([scene.mounted('a'), scene.mounted('b')], [['pv-data'], ['pv-data']]);
  await scene.dispose();
});

test('9.27 › a node that is deleted keeps what it said last: six minutes after the pod is gone its volume is free', async (t) => {
  const scene = await withTwoPods();
  scene.lose('a');
  scene.server.delete('Node', { name: 'a' });
  await scene.run(30);
  const fromMs = scene.nowMs;
  scene.deletePod('p', 0);
  await scene.run(7 * MINUTE);
  t.deepEqual(
    scene.secondsOf('attachment a DELETED held attached going', fromMs).map((each) => Math.floor(each)),
    [361],
  );
  t.deepEqual(await forcedDetaches(scene), ['timeout 1']);
  await scene.dispose();
});

test('9.27 › a deleted node that did not use the volume loses it at once', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a', 'data', { containers: [{ name: 'c', image: 'pause' }] });
  await scene.run(20);
  scene.lose('a');
  scene.server.delete('Node', { name: 'a' });
  await scene.run(30);
  scene.deletePod('p', 0);
  await scene.run(3);
  t.deepEqual(scene.attachments(), []);
  t.deepEqual(await forcedDetaches(scene), []);
  await scene.dispose();
});

test('9.27 › a node that is out of service loses its volumes as soon as the pod is gone', async (t) => {
  const scene = await withTwoPods({ controllers: ['pod-garbage-collector-controller'] });
  scene.lose('a');
  scene.deletePod('p');
  await scene.run(30);
  const fromMs = scene.nowMs;
  scene.taintOutOfService('a');
  await scene.run(20);
  t.is(scene.pod('p'), undefined);
  const [goneMs = 0] = scene.secondsOf('pod p gone', fromMs);
  const [detachMs = 0] = scene.secondsOf('attachment a MODIFIED held attached going', fromMs);
  t.true(goneMs <= 20 && detachMs - goneMs < 0.11);
  await scene.run(5);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.deepEqual(await forcedDetaches(scene), ['out-of-service 1']);
  await scene.dispose();
});

test('9.20 › the taint counts whether or not the node is ready', async (t) => {
  const scene = await withTwoPods();
  scene.link('a').cut();
  scene.deletePod('p', 0);
  await scene.run(30);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  scene.taintOutOfService('a');
  await scene.run(4);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.deepEqual(await forcedDetaches(scene), ['out-of-service 1']);
  await scene.dispose();
});

test('9.21 › a healthy node keeps a volume that it uses beyond six minutes, and loses it when it turns unready', async (t) => {
  const scene = await withTwoPods();
  scene.link('a').cut();
  scene.deletePod('p', 0);
  await scene.run(20 * MINUTE);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  scene.setReady('a', 'Unknown');
  await scene.run(4);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  await scene.dispose();
});

test('9.21 › a volume that is needed on its node again is waited for from the start', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a');
  await scene.run(20);
  scene.lose('a');
  scene.deletePod('p', 0);
  await scene.run(5 * MINUTE);
  scene.bind('r', 'a');
  await scene.run(10);
  const fromMs = scene.nowMs;
  scene.deletePod('r', 0);
  await scene.run(7 * MINUTE);
  t.deepEqual(
    scene.secondsOf('attachment a DELETED held attached going', fromMs).map((each) => Math.floor(each)),
    [361],
  );
  await scene.dispose();
});

test('9.22 › without force by time a lost node keeps its volumes until it is out of service', async (t) => {
  const scene = await withTwoPods({ settings: { disableForceDetachOnTimeout: true } });
  scene.lose('a');
  scene.deletePod('p', 0);
  await scene.run(60 * MINUTE);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  scene.taintOutOfService('a');
  await scene.run(4);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.deepEqual(await forcedDetaches(scene), ['out-of-service 1']);
  await scene.dispose();
});

test('9.23 › where no other pod is known, the pod is told only that another node has the volume', async (t) => {
  const scene = await createVolumeScene();
  scene.bind('p', 'a');
  await scene.run(20);
  scene.lose('a');
  scene.deletePod('p', 0);
  await scene.run(1);
  scene.bind('q', 'b');
  await scene.run(1);
  t.deepEqual(scene.events('q', 'FailedAttachVolume'), [
    'Warning FailedAttachVolume Multi-Attach error for volume "pv-data" Volume is already exclusively attached to one node and can\'t be attached to another',
  ]);
  await scene.dispose();
});
