import test from 'ava';
import { isPodReady } from '../../../src/api/objects/conditions.js';
import type { Pod, StatefulSet } from '../../../src/api/objects/objects.js';
import type { RandomStream } from '../../../src/kernel/random.js';
import { setReady, type Harness } from '../harness.js';
import { createScene, patchSet, setDraft, setImage, setNamed, endPod } from './scene.js';

const SEEDS = 8;
const STEPS = 60;
const CONTROLLER = 'statefulset-controller';
const CONTROLLERS = [
  CONTROLLER,
  'garbage-collector-controller',
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
];
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** Something that a user, a node or an operator does. */
type Deed = (harness: Harness, random: RandomStream) => void;

const DEEDS: readonly Deed[] = [
  (harness, random) => patchSet(harness, 's', { replicas: random.int(0, 5) }),
  (harness, random) => setImage(harness, 's', `v${random.int(0, 2)}`),
  (harness, random) => patchSet(harness, 's', { ordinals: { start: random.int(0, 1) } }),
  (harness, random) => {
    patchSet(harness, 's', { minReadySeconds: random.int(0, 1) * 5 });
  },
  (harness, random) => {
    patchSet(harness, 's', { updateStrategy: { rollingUpdate: { partition: random.int(0, 3) } } });
  },
  (harness, random) => withPod(harness, random, (pod) => harness.server.delete('Pod', pod.metadata)),
  (harness, random) => {
    withPod(harness, random, (pod) => harness.server.delete('Pod', pod.metadata, { gracePeriodSeconds: 0 }));
  },
  (harness, random) => withPod(harness, random, (pod) => endPod(harness, pod.metadata, 'Failed')),
  (harness, random) => {
    withPod(harness, random, (pod) => setReady(harness.kernel, harness.server, pod.metadata, false));
  },
  (harness) => harness.manager.controller(CONTROLLER).stop(),
  (harness) => harness.manager.controller(CONTROLLER).start(),
];

function withPod(harness: Harness, random: RandomStream, deed: (pod: Pod) => void): void {
  const pods = harness.list('Pod');
  const pod = pods[random.int(0, Math.max(0, pods.length - 1))];
  if (pod !== undefined) deed(pod);
}

/** Brings the world to rest: what is not ready gets ready or goes, and the controller runs. */
async function calm(harness: Harness): Promise<void> {
  harness.manager.controller(CONTROLLER).start();
  patchSet(harness, 's', { updateStrategy: { rollingUpdate: { partition: 0 } } });
  for (let round = 0; round < 10; round += 1) {
    for (const pod of harness.list('Pod')) {
      if (pod.status.phase === 'Running' && !isPodReady(pod)) {
        setReady(harness.kernel, harness.server, pod.metadata, true);
      }
    }
    await harness.run(60_000);
  }
}

function expectedNames({ spec }: StatefulSet): string[] {
  const { start = 0 } = spec.ordinals ?? {};
  return Array.from({ length: spec.replicas ?? 1 }, (_, index) => `s-${start + index}`);
}

for (const podManagementPolicy of ['OrderedReady', 'Parallel']) {
  test(`9.31 › whatever happens, a set comes to rest with the pods that it asks for (${podManagementPolicy})`, async (t) => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const harness = createScene({ stopMs: 700, startMs: 300, controllers: CONTROLLERS });
      const random = harness.kernel.random(`stateful set ${podManagementPolicy} ${seed}`);
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
      const more = { podManagementPolicy, volumeClaimTemplates: [CLAIM], persistentVolumeClaimRetentionPolicy };
      harness.server.create('StatefulSet', setDraft('s', { replicas: 3, ...more }));
      for (let step = 0; step < STEPS; step += 1) {
        DEEDS[random.int(0, DEEDS.length - 1)]?.(harness, random);
        await harness.run(random.int(0, 3000));
      }
      await calm(harness);
      const set = setNamed(harness, 's');
      const replicas = set.spec.replicas ?? 1;
      const pods = harness.list('Pod');
      const about = `seed ${seed}: ${JSON.stringify(set.status)}`;
      t.deepEqual(new Set(pods.map(({ metadata }) => metadata.name)), new Set(expectedNames(set)), about);
      t.is(pods.length, replicas, about);
      t.true(
        pods.every(({ metadata }) => metadata.labels?.['controller-revision-hash'] === set.status.updateRevision),
        about,
      );
      t.like(set.status, { replicas, availableReplicas: replicas, observedGeneration: set.metadata.generation }, about);
      t.is(set.status.currentRevision, set.status.updateRevision, about);
      harness.dispose();
    }
  });
}
