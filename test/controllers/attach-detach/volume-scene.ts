import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { attachRecordOf } from '../../../src/api/volumes/attach-record.js';
import { attachmentName } from '../../../src/api/volumes/attachable-volume.js';
import type { Draft, Node, Pod } from '../../../src/api/objects/objects.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus, Link } from '../../../src/bus/bus-types.js';
import { createControllerManager, type ControllerManager } from '../../../src/controllers/controller-manager.js';
import type { ControllerSettings } from '../../../src/controllers/runtime/controller-settings.js';
import { createKernel, type Kernel } from '../../../src/kernel/engine/kernel.js';
import { createKubelet, type Kubelet } from '../../../src/kubelet/kubelet.js';
import { resolveRuntimeProfile } from '../../../src/kubelet/scripts/runtime-profile.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { FIXED, IMAGE, SETUP } from '../../kubelet/scene.js';

export const DRIVER = 'disk.example.com';

/** The controllers that every scene has. */
const STORAGE = [
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'external-provisioner',
  'persistentvolume-attach-detach-controller',
  'external-attacher',
];

/** How a scene differs from the usual one. */
export interface VolumeSceneOptions {
  readonly nodes?: readonly string[];
  /** Further controllers. */
  readonly controllers?: readonly string[];
  readonly settings?: Partial<ControllerSettings>;
  /** Of controllers and kubelets alike. */
  readonly attachRecords?: boolean;
  /** One way, of every link. @defaultValue 1 */
  readonly latencyMs?: number;
  /** Where the volume `data` is. @defaultValue with a CSI driver */
  readonly source?: Draft;
}

/** Real controllers and kubelets around a real API server; pods are placed by the test. */
export class VolumeScene {
  readonly kernel: Kernel = createKernel({ seed: 'volumes' });
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly manager: ControllerManager;
  readonly metrics = new Metrics();
  readonly kubelets = new Map<string, Kubelet>();
  readonly #settings: Partial<ControllerSettings>;
  readonly #others: ControllerManager[] = [];
  /** What happened to attachments, nodes' volumes, pods and events, with its time. */
  readonly log: { readonly atMs: number; readonly text: string }[] = [];

  constructor(options: VolumeSceneOptions = {}) {
    const { nodes = ['a', 'b'], controllers = [], latencyMs = 1 } = options;
    this.#settings = { ...options.settings, attachRecords: options.attachRecords ?? false };
    const { kernel, metrics } = this;
    this.server = createApiServer(kernel);
    this.bus = createBus(kernel, this.server, { latency: latencyMs });
    const connection = this.bus.connect('kube-controller-manager');
    this.manager = createControllerManager({
      kernel,
      connection,
      controllers: [...STORAGE, ...controllers],
      settings: this.#settings,
      metrics,
    });
    this.#watch();
    this.manager.start();
    for (const name of nodes) this.addNode(name);
  }

  get nowMs(): number {
    return this.kernel.clock.now();
  }

  /** Runs that many seconds of simulated time. */
  async run(seconds: number): Promise<void> {
    await this.kernel.clock.run({ untilMs: this.nowMs + seconds * 1000 });
  }

  addNode(name: string): Kubelet {
    const kubelet = createKubelet({
      kernel: this.kernel,
      connection: this.bus.connect(`kubelet/${name}`),
      node: { ...SETUP, name },
      runtime: resolveRuntimeProfile(FIXED),
      attachRecords: this.#settings.attachRecords,
      renewLease: (renewals) => this.server.renewLease(name, renewals),
    });
    this.kubelets.set(name, kubelet);
    kubelet.start();
    return kubelet;
  }

  /** A second controller manager that runs those controllers by mistake, behind a link of its own. */
  runTwice(party: string, ...controllers: readonly string[]): ControllerManager {
    const { kernel, metrics, bus } = this;
    const connection = bus.connect(party);
    const manager = createControllerManager({ kernel, connection, controllers, settings: this.#settings, metrics });
    this.#others.push(manager);
    manager.start();
    return manager;
  }

  link(node: string): Link {
    return this.bus.link(`kubelet/${node}`) as Link;
  }

  /** A volume of a CSI driver with its claim, bound by name. */
  addVolume(
    name: string,
    accessModes: readonly string[] = ['ReadWriteOnce'],
    namespace = 'default',
    source: Draft = { csi: { driver: DRIVER, volumeHandle: `handle-${name}` } },
  ): void {
    const size = { storage: '1Gi' };
    this.server.create('PersistentVolume', {
      metadata: { name: `pv-${name}` },
      spec: {
        capacity: size,
        accessModes,
        ...source,
        storageClassName: '',
        claimRef: { namespace, name },
      },
    });
    this.server.create('PersistentVolumeClaim', {
      metadata: { name, namespace },
      spec: { accessModes, resources: { requests: size }, storageClassName: '', volumeName: `pv-${name}` },
    });
  }

  /** A pod with a claim on a node, as scheduler and API server leave it. */
  bind(name: string, node: string, claimName = 'data', spec: Draft = {}): Pod {
    const { metadata } = this.server.create('Pod', podDraft(name, claimName, spec));
    return this.server.bind({ metadata, target: { kind: 'Node', name: node } });
  }

  /** Cuts a node off; what the monitor of nodes writes after 50 seconds is written at once. */
  lose(name: string): void {
    this.link(name).cut();
    this.setReady(name, 'Unknown');
  }

  setReady(name: string, status: 'True' | 'Unknown'): void {
    this.server.change(
      'Node',
      { name },
      (node) => ({
        ...node,
        status: {
          ...node.status,
          conditions: (node.status.conditions ?? []).map((each) =>
            each.type === 'Ready' ? { ...each, status } : each,
          ),
        },
      }),
      { subresource: 'status' },
    );
  }

  /** Declares a node to be out of service, as an operator does. */
  taintOutOfService(name: string): void {
    const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
    this.server.patch('Node', { name }, { type: 'merge', body: { spec: { taints: [taint] } } });
  }

  deletePod(name: string, gracePeriodSeconds?: number): void {
    const options = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds };
    this.server.delete('Pod', { namespace: 'default', name }, options);
  }

  /** Volumes that are mounted on a machine, whatever the API shows, as `pod volume`. */
  mounted(node: string): readonly string[] {
    return [...(this.kubelets.get(node)?.mounts.all() ?? [])].map(({ volume }) => volume.name);
  }

  pod(name: string): Pod | undefined {
    return this.server.find('Pod', { namespace: 'default', name });
  }

  node(name: string): Node {
    return this.server.get('Node', { name });
  }

  /** Nodes for which there is a VolumeAttachment, with what its driver says of it. */
  attachments(): readonly string[] {
    return this.server
      .list('VolumeAttachment')
      .items.map(({ spec, status, metadata }) =>
        [
          spec.nodeName,
          spec.source.persistentVolumeName,
          status?.attached === true ? 'attached' : 'asked for',
          ...(metadata.deletionTimestamp === undefined ? [] : ['going']),
        ].join(' '),
      );
  }

  /** Events about an object, as `Type Reason message`, in order of writing. */
  events(name: string, reason?: string): readonly string[] {
    return this.server
      .list('Event')
      .items.filter((event) => event.involvedObject.name === name && (reason === undefined || event.reason === reason))
      .map(({ type, reason: why, message }) => `${type} ${why} ${message}`);
  }

  /** The times of what the log says, seconds from a moment on. */
  secondsOf(text: string, fromMs = 0): readonly number[] {
    return this.log.filter((line) => line.text === text).map(({ atMs }) => (atMs - fromMs) / 1000);
  }

  async dispose(): Promise<void> {
    for (const kubelet of this.kubelets.values()) kubelet.dispose();
    for (const other of this.#others) other.dispose();
    this.manager.dispose();
    this.bus.dispose();
    this.kernel.clock.dispose();
    return Promise.resolve();
  }

  #watch(): void {
    const { server } = this;
    server.watch('VolumeAttachment', {}, (event) => {
      if (event.type === 'BOOKMARK') return;
      const { spec, status, metadata } = event.object;
      const marks = [
        ...(metadata.finalizers?.length === 1 ? ['held'] : []),
        ...(status?.attached === true ? ['attached'] : []),
        ...(metadata.deletionTimestamp === undefined ? [] : ['going']),
      ];
      this.#note(event.atMs, `attachment ${spec.nodeName} ${event.type} ${marks.join(' ')}`.trim());
    });
    const recorded = new Map<string, string>();
    server.watch('PersistentVolume', {}, (event) => {
      if (event.type === 'BOOKMARK') return;
      const { name } = event.object.metadata;
      const record = attachRecordOf(event.object);
      const text =
        record === undefined
          ? 'none'
          : `${record.nodeName} for ${record.pod.name}${record.release === undefined ? '' : ', to be given up'}`;
      if ((recorded.get(name) ?? 'none') !== text) this.#note(event.atMs, `record of ${name}: ${text}`);
      recorded.set(name, text);
    });
    const shown = new Map<string, string>();
    server.watch('Node', {}, (event) => {
      if (event.type === 'BOOKMARK') return;
      const { metadata, status } = event.object;
      const inUse = (status.volumesInUse ?? []).map(shortName).join(',');
      const attached = (status.volumesAttached ?? []).map(({ name }) => shortName(name)).join(',');
      const text = `node ${metadata.name} inUse [${inUse}] attached [${attached}]`;
      if (shown.get(metadata.name) !== text && (shown.has(metadata.name) || inUse + attached !== '')) {
        this.#note(event.atMs, text);
      }
      shown.set(metadata.name, text);
    });
    server.watch('Pod', {}, (event) => {
      if (event.type === 'BOOKMARK') return;
      const { metadata, status } = event.object;
      const text =
        event.type === 'DELETED'
          ? `pod ${metadata.name} gone`
          : `pod ${metadata.name} ${status.phase}${metadata.deletionTimestamp === undefined ? '' : ' terminating'}`;
      if (this.log.findLast((line) => line.text.startsWith(`pod ${metadata.name} `))?.text !== text) {
        this.#note(event.atMs, text);
      }
    });
    server.watch('Event', {}, (event) => {
      if (event.type === 'BOOKMARK' || event.object.involvedObject.kind !== 'Pod') return;
      const { involvedObject, reason = '' } = event.object;
      if (reason.includes('Attach') || reason.includes('Mount')) {
        this.#note(event.atMs, `event ${involvedObject.name} ${reason}`);
      }
    });
  }

  #note(atMs: number, text: string): void {
    this.log.push({ atMs, text });
  }
}

/** The part of a unique name that tells volumes of a scene apart. */
function shortName(uniqueName: string): string {
  return uniqueName.replace(/^.*(\^handle-|\/recorded\/)/, '');
}

/** A pod of one container that mounts one claim. */
export function podDraft(name: string, claimName: string, spec: Draft = {}): Draft {
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', image: IMAGE, volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
      terminationGracePeriodSeconds: 30,
      ...spec,
    },
  };
}

/** A scene whose nodes are ready and which has the volume `data`. */
export async function createVolumeScene(options: VolumeSceneOptions = {}): Promise<VolumeScene> {
  const scene = new VolumeScene(options);
  await scene.run(1);
  scene.addVolume('data', ['ReadWriteOnce'], 'default', options.source);
  await scene.run(19);
  return scene;
}

/** The attachment of the volume `data` to a node. */
export function dataAttachment(node: string): string {
  return attachmentName({ driver: DRIVER, handle: 'handle-data' }, node);
}

/** A scene with a pod that runs on node `a`, and a log that begins there. */
export async function withRunningPod(options: VolumeSceneOptions = {}): Promise<VolumeScene> {
  const scene = await createVolumeScene(options);
  scene.bind('p', 'a');
  await scene.run(20);
  scene.log.length = 0;
  return scene;
}
