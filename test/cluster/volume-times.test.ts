/** How long drivers and machines take over volumes is the user's to say. */
import test from 'ava';
import { createCluster, type ClusterOptions } from '../../src/index.js';

const MANIFEST = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: disk }
provisioner: disk.example.com
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: disk, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: db }
spec:
  containers: [{ name: c, image: db, volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`;

/** Seconds until the pod is ready. */
async function secondsToReady(options: ClusterOptions): Promise<number> {
  const cluster = createCluster({ nodes: 1, seed: 3, ...options });
  await cluster.ready();
  const fromMs = cluster.nowMs;
  cluster.apply(MANIFEST);
  const { end } = await cluster.run({ until: () => cluster.readyPods === 1, limit: '30m' });
  const seconds = (cluster.nowMs - fromMs) / 1000;
  await cluster.dispose();
  return end === 'done' ? seconds : Number.NaN;
}

test('createCluster › times of drivers and machines add up before a pod with a volume is ready', async (t) => {
  const usual = await secondsToReady({});
  t.true(usual < 30);
  const provisioned = await secondsToReady({ controllerManager: { volumeProvisionMs: 60_000 } });
  t.true(provisioned > 60 && provisioned < 60 + 30);
  const attached = await secondsToReady({ controllerManager: { volumeAttachMs: 90_000 } });
  t.true(attached > 90 && attached < 90 + 90);
  const mounted = await secondsToReady({ runtime: { volumeMount: 40_000 } });
  t.true(mounted > 40 && mounted < 40 + 30);
});

for (const [field, value, text] of [
  ['volumeAttachMs', -1, 'controllerManager.volumeAttachMs must be an integer in 0..86400000, got -1'],
  ['volumeDetachMs', 1.5, 'controllerManager.volumeDetachMs must be an integer in 0..86400000, got 1.5'],
  [
    'disableForceDetachOnTimeout',
    'no',
    'controllerManager.disableForceDetachOnTimeout must be true or false, got "no"',
  ],
] as const) {
  test(`createCluster › refuses ${field} ${value}`, (t) => {
    t.throws(() => createCluster({ controllerManager: { [field]: value } }), { message: text });
  });
}
