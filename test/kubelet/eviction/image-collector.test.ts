import test from 'ava';
import { createRunningScene, IMAGE, NODE, podDraft, scripted, type Scene } from '../scene.js';

const GI = 1024 ** 3;

async function scene(): Promise<Scene> {
  return createRunningScene({
    setup: {
      images: [
        { names: ['old:1'], sizeBytes: 3 * GI },
        { names: ['old:2'], sizeBytes: 3 * GI },
        { names: [IMAGE], sizeBytes: 1000 },
      ],
      capacity: { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '100Gi' },
      kubelet: { evictionHard: { 'nodefs.available': '1%' } },
    },
  });
}

function images({ server }: Scene): readonly (string | undefined)[] {
  return (server.get('Node', { name: NODE }).status.images ?? []).map(({ names }) => names?.[0]);
}

test('a disk that is fuller than the high threshold is freed down to the low one, every five minutes', async (t) => {
  const own = await scene();
  own.bind(
    podDraft(
      {},
      scripted({
        storageBytes: {
          points: [
            [0, 76 * GI],
            [60_000, 80 * GI],
          ],
        },
      }),
    ),
  );
  await own.run(290_000);
  t.deepEqual(images(own), ['old:1', 'old:2', IMAGE]);
  await own.run(30_000);
  t.deepEqual(images(own), [IMAGE]);
});

test('a disk that cannot be freed that far is told of, and again as a failure of the collection', async (t) => {
  const own = await scene();
  own.bind(podDraft({}, scripted({ storageBytes: { points: [[0, 90 * GI]] } })));
  await own.run(620_000);
  t.deepEqual(
    own
      .nodeEvents()
      .slice(6)
      .map(({ reason, type, count }) => `${type} ${reason} x${count}`),
    ['Warning FreeDiskSpaceFailed x1', 'Warning FreeDiskSpaceFailed x1', 'Warning ImageGCFailed x1'],
  );
  t.is(
    own.nodeEvents()[6]?.message,
    'Failed to garbage collect required amount of images. Attempted to free 17179870184 bytes, but only found 6442450944 bytes eligible to free.',
  );
});

test('a disk with room owns no timer', async (t) => {
  const own = await scene();
  await own.run(60_000);
  t.is(own.clock.pending, 1, 'the API server forgets events in an hour');
});
