/** How a node's pods share its way to registries: one pull after the other, or so many at a time, in order. */
import test from 'ava';
import type { KubeletConfiguration } from '../../../src/kubelet/configuration/kubelet-configuration.js';
import { createRunningScene, forget, podDraft, timeline, type Scene } from '../scene.js';

const P = { namespace: 'default', name: 'p0' };

/** A node on which a pod for each of the images arrives at the same time; sandboxes take 300 ms, pulls 2 s. */
async function pulling(kubelet: KubeletConfiguration, ...images: readonly string[]): Promise<Scene> {
  const scene = await createRunningScene({ setup: { kubelet, capacity: { cpu: '4', memory: '8Gi', pods: '50' } } });
  for (const [index, image] of images.entries()) {
    scene.bind(podDraft({ containers: [{ name: 'c', image }] }, {}, `p${index}`));
  }
  return scene;
}

/** Events of pulls, without sizes, with the times since the pods were created. */
function pulls(scene: Scene): readonly string[] {
  return timeline(scene)
    .filter((line) => / (Pulling|Pulled|Failed|BackOff)[ :]/.test(line))
    .map((line) => line.replace(/ event \w+ \w+( x\d+)?:/, '$1').replace(/ Image size: .*/, ''));
}

test('images are pulled one after the other, in the order of their pods; the event tells the time of waiting', async (t) => {
  const scene = await pulling({}, 'a:1', 'b:1', 'c:1');
  await scene.run(20_000);
  t.deepEqual(pulls(scene), [
    '304 Pulling image "a:1"',
    '304 Pulling image "b:1"',
    '304 Pulling image "c:1"',
    '2304 Successfully pulled image "a:1" in 2s (2s including waiting).',
    '4304 Successfully pulled image "b:1" in 2s (4s including waiting).',
    '6304 Successfully pulled image "c:1" in 2s (6s including waiting).',
  ]);
});

test('a pod that waited while another one pulled its image only has it looked up', async (t) => {
  const scene = await pulling({}, 'a:1', 'a:1');
  await scene.run(20_000);
  t.deepEqual(pulls(scene), [
    '304 Pulling image "a:1"',
    '304 Pulling image "a:1"',
    '2304 Successfully pulled image "a:1" in 2s (2s including waiting).',
    '2704 Successfully pulled image "a:1" in 400ms (2.4s including waiting).',
  ]);
});

test('without serializeImagePulls all go on at once, and one image is pulled once', async (t) => {
  const scene = await pulling({ serializeImagePulls: false }, 'a:1', 'b:1', 'a:1');
  await scene.run(20_000);
  t.deepEqual(pulls(scene).slice(3), [
    '2304 Successfully pulled image "a:1" in 2s (2s including waiting).',
    '2304 Successfully pulled image "b:1" in 2s (2s including waiting).',
    '2304 Successfully pulled image "a:1" in 2s (2s including waiting).',
  ]);
});

test('maxParallelImagePulls lets so many go on at a time', async (t) => {
  const scene = await pulling({ maxParallelImagePulls: 2 }, 'a:1', 'b:1', 'c:1');
  await scene.run(20_000);
  t.deepEqual(pulls(scene).slice(3), [
    '2304 Successfully pulled image "a:1" in 2s (2s including waiting).',
    '2304 Successfully pulled image "b:1" in 2s (2s including waiting).',
    '4304 Successfully pulled image "c:1" in 2s (4s including waiting).',
  ]);
});

test('a pod that ends leaves the queue: those behind it go sooner', async (t) => {
  const scene = await pulling({}, 'a:1', 'b:1');
  await scene.run(1304);
  scene.server.delete('Pod', P);
  await scene.run(20_000);
  t.deepEqual(
    pulls(scene).filter((line) => line.includes('Successfully')),
    ['3308 Successfully pulled image "b:1" in 2s (3.004s including waiting).'],
  );
});

test('the pull of an image that another pod pulls as well goes on when the first one ends', async (t) => {
  const scene = await pulling({ serializeImagePulls: false }, 'a:1', 'a:1');
  await scene.run(1304);
  scene.server.delete('Pod', P);
  await scene.run(20_000);
  t.deepEqual(
    pulls(scene).filter((line) => line.includes('Successfully')),
    ['2304 Successfully pulled image "a:1" in 2s (2s including waiting).'],
  );
});

test('a pull ends with its kubelet: the next one begins it anew', async (t) => {
  const scene = await pulling({}, 'a:1');
  await scene.run(1304);
  scene.kubelet.stop();
  await scene.run(10_000);
  forget(scene);
  scene.kubelet.start();
  await scene.run(10_000);
  t.regex(pulls(scene).at(-1) ?? '', /Successfully pulled image "a:1" in 2s \(2s including waiting\)\.$/);
});

test('more pulls a second than registryPullQPS and registryBurst allow fail, and are tried again', async (t) => {
  const limits = { registryPullQPS: 1, registryBurst: 2, serializeImagePulls: false };
  const scene = await pulling(limits, 'a:1', 'b:1', 'c:1');
  await scene.run(20_000);
  t.deepEqual(pulls(scene).slice(3, 5), [
    '304 Failed to pull image "c:1": pull QPS exceeded',
    '304 Error: ErrImagePull',
  ]);
  t.deepEqual(scene.pod('p2').status.phase, 'Running');
});

test('a registryPullQPS of 0 is no limit', async (t) => {
  const limits = { registryPullQPS: 0, registryBurst: 1, serializeImagePulls: false };
  const scene = await pulling(limits, ...Array.from({ length: 20 }, (_, index) => `i${index}:1`));
  await scene.run(4000);
  t.is(pulls(scene).filter((line) => line.includes('in 2s (2s including waiting)')).length, 20);
});
