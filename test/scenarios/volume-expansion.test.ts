/** Claims that request more than they have: which may, what storage and machines do, and what users are told. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { PersistentVolumeClaim } from '../../src/api/objects/storage-objects.js';
import { createCluster, parseScenario, runScenario, type Cluster, type ClusterOptions } from '../../src/index.js';

const NAME = { namespace: 'default', name: 'data' };
const SECOND = 1000;

interface Storage {
  readonly allows?: boolean;
  readonly mode?: 'Filesystem' | 'Block';
  readonly accessMode?: string;
}

const storage = ({ allows = true, mode = 'Filesystem', accessMode = 'ReadWriteOnce' }: Storage): string => `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: disk }
provisioner: disk.example.com
allowVolumeExpansion: ${allows}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec:
  storageClassName: disk
  volumeMode: ${mode}
  accessModes: [${accessMode}]
  resources: { requests: { storage: 1Gi } }
`;

const podOn = (node: string, mode = 'Filesystem'): string => `
apiVersion: v1
kind: Pod
metadata: { name: on-${node} }
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: db
      ${mode === 'Block' ? 'volumeDevices: [{ name: data, devicePath: /dev/x }]' : 'volumeMounts: [{ name: data, mountPath: /data }]'}
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`;

interface Scene {
  readonly cluster: Cluster;
  /** What was told, and what claim and volume said, each with the milliseconds since the scene began. */
  readonly log: { readonly atMs: number; readonly text: string }[];
}

async function createScene(t: ExecutionContext, options: Storage = {}, settings: ClusterOptions = {}): Promise<Scene> {
  const cluster = createCluster({ nodes: 3, seed: 3, latency: 1, ...settings });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply(storage(options));
  await cluster.run({ limit: '10s' });
  const log: { readonly atMs: number; readonly text: string }[] = [];
  const fromMs = cluster.nowMs;
  let last = '';
  const note = (text: string): void => void log.push({ atMs: cluster.nowMs - fromMs, text });
  const noteState = (text: string): void => {
    if (text !== last) note(text);
    last = text;
  };
  cluster.watch('PersistentVolumeClaim').subscribe((event) => {
    if (event.type === 'MODIFIED') noteState(`claim ${stateText(event.object)}`);
  });
  cluster.watch('PersistentVolume').subscribe((event) => {
    if (event.type === 'MODIFIED') noteState(`volume ${event.object.spec.capacity?.['storage']}`);
  });
  cluster.events$.subscribe(({ event: { reason = '', message = '', involvedObject, source, metadata } }) => {
    const isNew = metadata.creationTimestamp !== undefined && cluster.nowMs > fromMs;
    if (isNew && /esiz|xpan/.test(reason)) {
      note(`${source?.component} to ${involvedObject.kind}: ${reason} ${message.replaceAll(/pvc-[\w-]+/g, 'VOLUME')}`);
    }
  });
  return { cluster, log };
}

function stateText({ spec, status }: PersistentVolumeClaim): string {
  const words = [
    `${spec.resources?.requests?.['storage']} asked`,
    `${status.capacity?.['storage']} granted`,
    ...(status.allocatedResources === undefined ? [] : [`${status.allocatedResources['storage']} allocated`]),
    ...(status.allocatedResourceStatuses === undefined ? [] : [status.allocatedResourceStatuses['storage'] ?? '']),
    ...(status.conditions ?? []).map(({ type }) => `[${type}]`),
  ];
  return words.join(' ');
}

function grow({ cluster }: Scene, size: string): string | undefined {
  try {
    const body = { spec: { resources: { requests: { storage: size } } } };
    cluster.patch('PersistentVolumeClaim', NAME, body);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const claimOf = ({ cluster }: Scene): PersistentVolumeClaim =>
  cluster.list('PersistentVolumeClaim')[0] as PersistentVolumeClaim;

const grantedTo = (scene: Scene): string | undefined => claimOf(scene).status.capacity?.['storage'];

const texts = ({ log }: Scene): readonly string[] => log.map(({ text }) => text);

const told = (scene: Scene, reason: string): number =>
  texts(scene).filter((text) => text.includes(`: ${reason} `)).length;

/** A pod uses the volume. */
async function withPod(t: ExecutionContext, options: Storage = {}, settings: ClusterOptions = {}): Promise<Scene> {
  const scene = await createScene(t, options, settings);
  scene.cluster.apply(podOn('node-1', options.mode));
  await scene.cluster.run({ limit: '30s' });
  scene.log.length = 0;
  return scene;
}

test('expansion › the storage grows, then the volume, then the file system while a pod uses it, then the claim', async (t) => {
  const scene = await withPod(t);
  t.is(grow(scene, '3Gi'), undefined);
  await scene.cluster.run({ limit: '2m' });
  const resizing = '3Gi asked 1Gi granted 3Gi allocated ControllerResizeInProgress [Resizing]';
  const pending = '3Gi asked 1Gi granted 3Gi allocated NodeResizePending [Resizing] [FileSystemResizePending]';
  t.deepEqual(texts(scene), [
    'claim 3Gi asked 1Gi granted',
    'volume_expand to PersistentVolumeClaim: ExternalExpanding waiting for an external controller to expand this PVC',
    `claim ${resizing}`,
    'external-resizer to PersistentVolumeClaim: Resizing External resizer is resizing volume VOLUME',
    'volume 3Gi',
    `claim ${pending}`,
    'external-resizer to PersistentVolumeClaim: FileSystemResizeRequired Require file system resize of volume on node',
    `claim ${pending.replace('Pending ', 'InProgress ')}`,
    'kubelet to Pod: FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume "VOLUME" node-1',
    'kubelet to PersistentVolumeClaim: FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume "VOLUME" node-1',
    'claim 3Gi asked 3Gi granted 3Gi allocated',
    'volume 3Gi',
  ]);
  const [pendingMs = 0, begunMs = 0] = ['NodeResizePending', 'NodeResizeInProgress'].map(
    (status) => scene.log.find(({ text }) => text.includes(status))?.atMs ?? 0,
  );
  // A kubelet syncs a pod each minute, or up to half a minute later.
  t.true(begunMs > pendingMs && begunMs - pendingMs <= 90 * SECOND);
  const [condition] = scene.cluster.list('PersistentVolume').map(({ metadata }) => metadata.annotations ?? {});
  t.deepEqual(Object.keys(condition ?? {}), ['pv.kubernetes.io/provisioned-by']);
});

test('expansion › conditions tell users what is waited for', async (t) => {
  const scene = await createScene(t);
  scene.cluster.apply(podOn('node-1'));
  await scene.cluster.run({ limit: '30s' });
  grow(scene, '2Gi');
  await scene.cluster.run({ limit: '2s' });
  const [resizing, pending] = claimOf(scene).status.conditions ?? [];
  t.like(resizing, { type: 'Resizing', status: 'True', lastProbeTime: null });
  t.like(pending, {
    type: 'FileSystemResizePending',
    status: 'True',
    message: 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.',
  });
  const { annotations = {} } = scene.cluster.list('PersistentVolume')[0]?.metadata ?? {};
  t.is(annotations['volume.alpha.kubernetes.io/pre-resize-capacity'], '1Gi');
});

test('expansion › a volume that no pod uses waits for the first that does, which has it grown from the start', async (t) => {
  const scene = await withPod(t);
  scene.cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' });
  await scene.cluster.run({ limit: '1m' });
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '10m' });
  t.is(claimOf(scene).status.allocatedResourceStatuses?.['storage'], 'NodeResizePending');
  t.is(grantedTo(scene), '1Gi');
  scene.cluster.apply(podOn('node-2'));
  await scene.cluster.run({ until: { readyPods: 1 }, limit: '2m' });
  await scene.cluster.run({ limit: '3s' });
  t.is(grantedTo(scene), '3Gi');
});

test('expansion › a volume without a file system is done when its storage is', async (t) => {
  const scene = await withPod(t, { mode: 'Block' });
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '5s' });
  t.is(stateText(claimOf(scene)), '3Gi asked 3Gi granted 3Gi allocated');
  t.is(told(scene, 'VolumeResizeSuccessful'), 1);
  t.is(told(scene, 'FileSystemResizeRequired'), 0);
});

test('expansion › what is asked for meanwhile comes after what is under way', async (t) => {
  const scene = await withPod(t);
  grow(scene, '2Gi');
  await scene.cluster.run({ limit: '500ms' });
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '1s' });
  t.is(claimOf(scene).status.allocatedResources?.['storage'], '2Gi');
  grow(scene, '4Gi');
  await scene.cluster.run({ limit: '5m' });
  t.is(stateText(claimOf(scene)), '4Gi asked 4Gi granted 4Gi allocated');
  t.deepEqual([...new Set(texts(scene).filter((text) => text.startsWith('volume ')))], ['volume 2Gi', 'volume 4Gi']);
  t.is(told(scene, 'FileSystemResizeSuccessful'), 4);
});

test('expansion › what is asked for may be taken back as long as it is more than what is granted', async (t) => {
  const scene = await withPod(t);
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '100ms' });
  t.is(grow(scene, '2Gi'), undefined);
  const shrunk =
    'PersistentVolumeClaim "data" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity';
  t.is(grow(scene, '1Gi'), shrunk);
  t.is(grow(scene, '512Mi'), shrunk);
  await scene.cluster.run({ limit: '5m' });
  // Storage that has begun brings it to its end.
  t.is(stateText(claimOf(scene)), '2Gi asked 3Gi granted 3Gi allocated');
});

const UNSUPPORTED =
  'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

test('expansion › is refused where the class does not allow it, or is gone, and as long as the claim is not bound', async (t) => {
  const refused = await createScene(t, { allows: false });
  t.is(grow(refused, '2Gi'), UNSUPPORTED);
  t.is(grow(refused, '1024Mi'), undefined);
  const gone = await createScene(t);
  gone.cluster.delete('StorageClass', 'disk');
  t.is(grow(gone, '2Gi'), UNSUPPORTED);
  gone.cluster.create('PersistentVolumeClaim', {
    metadata: { name: 'none', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
  });
  const body = { spec: { resources: { requests: { storage: '2Gi' } } } };
  const error = t.throws(() =>
    gone.cluster.patch('PersistentVolumeClaim', { namespace: 'default', name: 'none' }, body),
  );
  t.true(error.message.startsWith('PersistentVolumeClaim "none" is invalid: spec: Forbidden: spec is immutable'));
});

test('expansion › a class may be changed to allow it', async (t) => {
  const scene = await createScene(t, { allows: false });
  scene.cluster.patch('StorageClass', 'disk', { allowVolumeExpansion: true });
  t.is(grow(scene, '2Gi'), undefined);
});

test('expansion › a kubelet that is stopped, or cut off, lets the file system grow when it is back', async (t) => {
  for (const fault of [{ stopKubelet: { node: 'node-1' } }, { cut: { node: 'node-1' } }]) {
    const scene = await withPod(t);
    const handle = scene.cluster.faults.inject(fault);
    grow(scene, '3Gi');
    await scene.cluster.run({ limit: '4m' });
    t.is(grantedTo(scene), '1Gi');
    handle.heal();
    await scene.cluster.run({ limit: '5m' });
    t.is(stateText(claimOf(scene)), '3Gi asked 3Gi granted 3Gi allocated');
  }
});

test('expansion › a resizer that crashes after any of its writes goes on where it was', async (t) => {
  for (const writes of [1, 2, 3]) {
    const scene = await withPod(t);
    scene.cluster.faults.inject({ crashAfterWrites: { controller: 'external-resizer', writes }, for: '30s' });
    grow(scene, '3Gi');
    await scene.cluster.run({ limit: '5m' });
    t.is(stateText(claimOf(scene)), '3Gi asked 3Gi granted 3Gi allocated', `${writes} writes`);
  }
});

test('expansion › a volume for many nodes grows on each of them, and its claim once', async (t) => {
  const scene = await withPod(t, { accessMode: 'ReadWriteMany' });
  scene.cluster.apply(podOn('node-2'));
  await scene.cluster.run({ limit: '30s' });
  scene.log.length = 0;
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '4m' });
  const nodes = texts(scene).flatMap((text) => /^kubelet to Pod: .* (node-\d)$/.exec(text)?.[1] ?? []);
  t.deepEqual([...nodes].sort(), ['node-1', 'node-2']);
  t.is(stateText(claimOf(scene)), '3Gi asked 3Gi granted 3Gi allocated');
});

test('expansion › how long drivers and machines take is the user’s to say', async (t) => {
  const scene = await withPod(
    t,
    {},
    { controllerManager: { volumeExpandMs: 60 * SECOND }, runtime: { volumeExpand: 200 * SECOND } },
  );
  grow(scene, '3Gi');
  await scene.cluster.run({ limit: '59s' });
  t.is(claimOf(scene).status.allocatedResourceStatuses?.['storage'], 'ControllerResizeInProgress');
  await scene.cluster.run({ limit: '95s' });
  t.is(claimOf(scene).status.allocatedResourceStatuses?.['storage'], 'NodeResizeInProgress');
  await scene.cluster.run({ limit: '200s' });
  t.is(grantedTo(scene), '3Gi');
});

test('expansion › the same seed gives the same trace', async (t) => {
  const hashes: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const scene = await withPod(t);
    grow(scene, '3Gi');
    await scene.cluster.run({ limit: '2m' });
    hashes.push(scene.cluster.traceHash);
  }
  t.is(hashes[0], hashes[1]);
});

for (const seed of ['1', '2', '3', '4']) {
  test(`seed ${seed} › examples/scenarios/volume-expansion.yaml › a volume grows while a pod uses it`, async (t) => {
    const file = 'examples/scenarios/volume-expansion.yaml';
    const scenario = parseScenario(readFileSync(file, 'utf8'), file, (path) => readFileSync(path, 'utf8'));
    const { expectations, refusals } = await runScenario(scenario, { seed });
    t.deepEqual({ refusals, unmet: expectations.filter(({ isMet }) => !isMet) }, { refusals: [], unmet: [] });
  });
}
