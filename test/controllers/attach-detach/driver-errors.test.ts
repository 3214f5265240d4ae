/** Drivers that answer with errors, and controllers that begin in the middle. */
import test from 'ava';
import { createVolumeScene, dataAttachment, withRunningPod, type VolumeScene } from './volume-scene.js';

const CONTROLLER = 'persistentvolume-attach-detach-controller';

/** What the driver says of the volume on node `a`, in place of the attacher. */
function answer(scene: VolumeScene, status: object): void {
  scene.server.change(
    'VolumeAttachment',
    { name: dataAttachment('a') },
    (attachment) => ({ ...attachment, status: { attached: false, ...status } }),
    { subresource: 'status' },
  );
}

test('9.25 › what a driver says against attaching is told to the pod, and asked again after ever longer times', async (t) => {
  const scene = await createVolumeScene();
  scene.manager.controller('external-attacher').stop();
  scene.bind('p', 'a');
  await scene.run(1);
  const fromMs = scene.nowMs;
  answer(scene, { attachError: { message: 'rpc error: code = Internal desc = no more slots' } });
  await scene.run(12);
  t.deepEqual(scene.events('p', 'FailedAttachVolume'), [
    'Warning FailedAttachVolume AttachVolume.Attach failed for volume "pv-data" : rpc error: code = Internal desc = no more slots',
  ]);
  const times = scene.secondsOf('event p FailedAttachVolume', fromMs);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  // Each attempt looks after half a second for the first time.
  t.deepEqual(
    gaps.map((gap) => Math.floor(gap - 0.5)),
    [0, 1, 2, 4],
  );
  answer(scene, { attached: true });
  await scene.run(20);
  t.is(scene.pod('p')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.20 › a volume that its driver does not detach is shown as attached again, and asked for again', async (t) => {
  const scene = await withRunningPod();
  scene.manager.controller('external-attacher').stop();
  scene.deletePod('p');
  await scene.run(12);
  t.deepEqual(scene.attachments(), ['a pv-data attached going']);
  t.is(scene.node('a').status.volumesAttached, undefined);
  const shown = 'node a inUse [] attached [data]';
  const before = scene.log.filter(({ text }) => text === shown).length;
  answer(scene, { attached: true, detachError: { message: 'busy' } });
  await scene.run(3);
  t.true(scene.log.filter(({ text }) => text === shown).length > before);
  t.deepEqual(scene.events('p', 'FailedAttachVolume'), []);
  scene.manager.controller('external-attacher').start();
  await scene.run(30);
  t.deepEqual(scene.attachments(), []);
  t.is(scene.node('a').status.volumesAttached, undefined);
  await scene.dispose();
});

test('attach/detach › an attachment that was asked for before a crash is neither doubled nor forgotten', async (t) => {
  const scene = await createVolumeScene();
  const controller = scene.manager.controller(CONTROLLER);
  scene.bind('p', 'a');
  await scene.run(0.2);
  t.deepEqual(scene.attachments(), ['a pv-data asked for']);
  controller.stop();
  await scene.run(10);
  t.is(scene.node('a').status.volumesAttached, undefined);
  controller.start();
  await scene.run(20);
  t.is(scene.pod('p')?.status.phase, 'Running');
  t.is(scene.log.filter(({ text }) => text === 'attachment a ADDED').length, 1);
  await scene.dispose();
});

test('attach/detach › an attachment that no pod needs after a crash is taken away', async (t) => {
  const scene = await createVolumeScene();
  const controller = scene.manager.controller(CONTROLLER);
  scene.bind('p', 'a');
  await scene.run(0.2);
  controller.stop();
  await scene.run(5);
  scene.deletePod('p');
  await scene.run(20);
  t.is(scene.pod('p'), undefined);
  controller.start();
  await scene.run(20);
  t.deepEqual(scene.attachments(), []);
  await scene.dispose();
});
