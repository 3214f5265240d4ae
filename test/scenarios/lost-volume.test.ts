/** A pod with a volume for one node alone, and its node is lost: in the whole cluster, to the second. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Pod } from '../../src/index.js';

const MANIFEST = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: disk }
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: disk, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: db }
spec:
  replicas: 1
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      containers: [{ name: c, image: db, volumeMounts: [{ name: data, mountPath: /data }] }]
      volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`;

/** A database on one of four nodes, which is lost at second 0 of the story. */
class Story {
  readonly lines: string[] = [];
  readonly node: string;
  readonly first: string;
  readonly #lostMs: number;

  private constructor(readonly cluster: Cluster) {
    const [pod] = this.pods();
    this.node = pod?.spec.nodeName ?? '';
    this.first = pod?.metadata.name ?? '';
    this.#lostMs = cluster.nowMs;
    this.#watch();
    cluster.faults.cut({ node: this.node });
  }

  static async begin(t: ExecutionContext): Promise<Story> {
    const cluster = createCluster({ nodes: 4, seed: 11, latency: 1 });
    t.teardown(() => cluster.dispose());
    await cluster.ready();
    cluster.apply(MANIFEST);
    await cluster.run({ limit: '59s' });
    t.is(cluster.readyPods, 1);
    return new Story(cluster);
  }

  pods(): readonly Pod[] {
    return this.cluster.list('Pod').filter(({ metadata }) => metadata.labels?.['app'] === 'db');
  }

  /** Nodes on which the volume is mounted, whatever the API shows. */
  mountedOn(): readonly string[] {
    return this.cluster.truth.mounts().map(({ node }) => node);
  }

  run(limit: string): Promise<unknown> {
    return this.cluster.run({ limit });
  }

  #watch(): void {
    const { cluster } = this;
    const note = (atMs: number, text: string): void => {
      const line = `${Math.floor((atMs - this.#lostMs) / 1000)} ${text}`;
      if (atMs > this.#lostMs && !this.lines.includes(line)) this.lines.push(line);
    };
    const nameOf = (name: string): string => (name === this.first ? 'old' : 'new');
    const phases = new Map<string, string>();
    cluster.watch('Pod').subscribe((event) => {
      const { metadata, status } = event.object;
      const mark = metadata.deletionTimestamp === undefined ? '' : ' terminating';
      const text = event.type === 'DELETED' ? 'gone' : `${status.phase}${mark}`;
      if (phases.get(metadata.name) === text) return;
      phases.set(metadata.name, text);
      note(event.atMs, `pod ${nameOf(metadata.name)} ${text}`);
    });
    cluster.watch('VolumeAttachment').subscribe((event) => {
      const { spec, status, metadata } = event.object;
      const where = spec.nodeName === this.node ? 'the lost node' : 'another node';
      if (event.type === 'DELETED') note(event.atMs, `detached from ${where}`);
      else if (metadata.deletionTimestamp !== undefined) note(event.atMs, `detaching from ${where}`);
      else if (status?.attached === true) note(event.atMs, `attached to ${where}`);
    });
    cluster.events$.subscribe(({ atMs, event }) => {
      const { involvedObject, reason = '', message = '' } = event;
      if (involvedObject.kind !== 'Pod' || !/Attach/.test(reason)) return;
      note(
        atMs,
        `${reason} ${nameOf(involvedObject.name ?? '')}: ${message.replace(this.first, 'OLD').replace(/pvc-\S+"/, 'PV"')}`,
      );
    });
  }
}

/** What the first hour shows: the deletion is asked for, and that is all. */
const STUCK = [
  '346 pod old Running terminating',
  '346 pod new Pending',
  '346 FailedAttachVolume new: Multi-Attach error for volume "PV" Volume is already used by pod(s) OLD',
];

test('9.27 › without an operator a lost pod is asked to go after 346 seconds, and keeps its volume for good', async (t) => {
  const story = await Story.begin(t);
  await story.run('1h');
  t.deepEqual(story.lines, STUCK);
  t.deepEqual(story.mountedOn(), [story.node]);
});

test('9.27 › deleted by force, the pod is gone at once and its volume six minutes later', async (t) => {
  const story = await Story.begin(t);
  await story.run('1000s');
  t.deepEqual(story.lines, STUCK);
  story.lines.length = 0;
  story.cluster.delete('Pod', { namespace: 'default', name: story.first }, { gracePeriodSeconds: 0 });
  await story.run('10m');
  t.deepEqual(story.lines, [
    '1000 pod old gone',
    '1360 detaching from the lost node',
    '1361 detached from the lost node',
    '1362 attached to another node',
    '1362 SuccessfulAttachVolume new: AttachVolume.Attach succeeded for volume "PV" ',
    '1368 pod new Running',
  ]);
  // The lost machine was not stopped: two nodes write to the volume now.
  t.is(story.mountedOn().length, 2);
});

test('9.27 › with its Node deleted, the pod is gone after 40 to 80 seconds and its volume six minutes after that', async (t) => {
  const story = await Story.begin(t);
  await story.run('1000s');
  story.lines.length = 0;
  story.cluster.delete('Node', { name: story.node });
  await story.run('10m');
  t.deepEqual(story.lines, [
    '1040 pod old Failed terminating',
    '1040 pod old gone',
    '1401 detaching from the lost node',
    '1402 detached from the lost node',
    '1403 attached to another node',
    '1403 SuccessfulAttachVolume new: AttachVolume.Attach succeeded for volume "PV" ',
    '1409 pod new Running',
  ]);
});

test('9.27 › with its Node out of service, the pod is gone within 20 seconds and its volume at once', async (t) => {
  const story = await Story.begin(t);
  await story.run('1010s');
  story.lines.length = 0;
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  const taints = story.cluster.get('Node', { name: story.node })?.spec.taints ?? [];
  story.cluster.patch('Node', { name: story.node }, { spec: { taints: [...taints, taint] } });
  await story.run('10m');
  t.deepEqual(story.lines, [
    '1020 pod old Failed terminating',
    '1020 pod old gone',
    '1020 detaching from the lost node',
    '1021 detached from the lost node',
    '1023 attached to another node',
    '1023 SuccessfulAttachVolume new: AttachVolume.Attach succeeded for volume "PV" ',
    '1029 pod new Running',
  ]);
});

test('9.27 › a node that comes back ends the pod, and the volume moves without force', async (t) => {
  const story = await Story.begin(t);
  await story.run('1000s');
  story.lines.length = 0;
  for (const fault of story.cluster.faults.active) fault.heal();
  await story.run('10m');
  t.deepEqual(story.lines, [
    '1000 pod old Succeeded terminating',
    '1001 pod old gone',
    '1005 detaching from the lost node',
    '1006 detached from the lost node',
    '1007 attached to another node',
    '1007 SuccessfulAttachVolume new: AttachVolume.Attach succeeded for volume "PV" ',
    '1026 pod new Running',
  ]);
  t.is(story.mountedOn().length, 1);
});

test('9.23 › two controllers that run by mistake never have the volume attached to two nodes', async (t) => {
  const story = await Story.begin(t);
  const { cluster } = story;
  for (const controller of ['persistentvolume-attach-detach-controller', 'external-attacher']) {
    cluster.faults.runTwice(controller);
  }
  let most = 0;
  cluster.watch('VolumeAttachment').subscribe(() => {
    const attached = cluster.list('VolumeAttachment').filter(({ status }) => status?.attached === true);
    most = Math.max(most, attached.length);
  });
  await story.run('1000s');
  story.lines.length = 0;
  cluster.delete('Pod', { namespace: 'default', name: story.first }, { gracePeriodSeconds: 0 });
  await story.run('10m');
  t.is(most, 1);
  t.deepEqual(
    story.lines.filter((line) => line.includes('tach')).map((line) => line.replace(/^\d+ /, '')),
    [
      'detaching from the lost node',
      'detached from the lost node',
      'attached to another node',
      'SuccessfulAttachVolume new: AttachVolume.Attach succeeded for volume "PV" ',
    ],
  );
  t.is(cluster.readyPods, 1);
});
