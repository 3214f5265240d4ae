import { createApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import type { ContainerStatus, Draft, EventRecord, Pod } from '../../src/api/objects/objects.js';
import { createBus } from '../../src/bus/bus.js';
import type { Bus, Link } from '../../src/bus/bus-types.js';
import type { EngineClock } from '../../src/kernel/engine/clock.js';
import { createKernel, type Kernel } from '../../src/kernel/engine/kernel.js';
import { createKubelet, type Kubelet, type NodeSetup } from '../../src/kubelet/kubelet.js';
import type { ScriptInput } from '../../src/kubelet/scripts/script-input.js';
import { resolveRuntimeProfile, type RuntimeProfile } from '../../src/kubelet/scripts/runtime-profile.js';

export const NODE = 'n1';
export const IMAGE = 'registry.k8s.io/pause:3.10';
/** Links of scenes take that long, one way. */
const LATENCY_MS = 2;

/** After how long the kubelet of a scene with the seed `test` tries again what failed, time after time, ms. */
export const RETRIES_MS = [13_527, 11_316, 10_811, 13_267, 13_465] as const;

/** Fixed durations, so that every write has a time to the millisecond. */
export const FIXED: RuntimeProfile = {
  imagePull: 2000,
  imageCheck: 400,
  sandbox: 300,
  containerStart: 100,
  initRunFor: 1000,
  jobRunFor: 10_000,
  shutdown: 500,
  volumeMount: 200,
  volumeUnmount: 100,
  volumeExpand: 100,
};

export const SETUP: NodeSetup = {
  name: NODE,
  labels: { 'topology.kubernetes.io/zone': 'zone-a' },
  annotations: {},
  capacity: { cpu: '4', memory: '8Gi', pods: '10' },
  images: [{ names: [IMAGE], sizeBytes: 1000 }],
};

/** One watch event of a pod. */
export interface Write {
  readonly atMs: number;
  readonly type: string;
  readonly pod: Pod;
}

/** A kernel, an API server, a bus and one kubelet, all real; every write to pods is kept. */
export interface Scene {
  readonly kernel: Kernel;
  readonly clock: EngineClock;
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly kubelet: Kubelet;
  readonly link: Link;
  readonly writes: Write[];
  /** Writes to pods and to events about them in one order, in one line each. */
  readonly history: { readonly atMs: number; readonly text: string }[];
  /** Runs that many milliseconds of simulated time. */
  readonly run: (durationMs: number) => Promise<void>;
  /** Creates a pod that is bound to the node, as scheduler and API server leave it. */
  readonly bind: (draft: Draft) => Pod;
  readonly pod: (name?: string) => Pod;
  /** About pods. */
  readonly events: () => readonly EventRecord[];
  readonly nodeEvents: () => readonly EventRecord[];
  /** `Reason: message` of the events about pods so far, in order. */
  readonly told: () => readonly string[];
}

export interface SceneOptions {
  readonly seed?: string;
  readonly setup?: Partial<NodeSetup>;
  readonly runtime?: Partial<RuntimeProfile>;
  /** A scene of which the new kubelet enters the world: its node is another machine by the same name. */
  readonly joins?: Scene;
}

export function createScene({ seed = 'test', setup = {}, runtime = FIXED, joins }: SceneOptions = {}): Scene {
  const kernel = joins?.kernel ?? createKernel({ seed });
  const { clock } = kernel;
  const server = joins?.server ?? createApiServer(kernel);
  const bus = joins?.bus ?? createBus(kernel, server, { latency: LATENCY_MS });
  const connection = bus.connect(`kubelet/${NODE}`);
  const kubelet = createKubelet({
    kernel,
    connection,
    node: { ...SETUP, ...setup },
    runtime: resolveRuntimeProfile(runtime),
    renewLease: (renewals) => server.renewLease(NODE, renewals),
  });
  const writes: Write[] = [];
  const history: Scene['history'] = [];
  server.watch('Pod', {}, (event) => {
    if (event.type === 'BOOKMARK') return;
    const write = { atMs: event.atMs, type: event.type, pod: event.object };
    writes.push(write);
    history.push({ atMs: event.atMs, text: summary(write) });
  });
  server.watch('Event', {}, (event) => {
    if (event.type === 'BOOKMARK' || event.object.involvedObject.kind !== 'Pod') return;
    const { type = '', reason = '', message = '', count = 1 } = event.object;
    const times = count === 1 ? '' : ` x${count}`;
    history.push({ atMs: event.atMs, text: `event ${type} ${reason}${times}: ${message}` });
  });
  const eventsOf = (kind: string): readonly EventRecord[] =>
    server.list('Event').items.filter(({ involvedObject }) => involvedObject.kind === kind);
  const events = (): readonly EventRecord[] => eventsOf('Pod');
  return {
    kernel,
    clock,
    server,
    bus,
    kubelet,
    link: connection.link,
    writes,
    history,
    run: async (durationMs) => {
      await clock.run({ untilMs: clock.now() + durationMs });
    },
    bind: (draft) => {
      const { metadata } = server.create('Pod', draft);
      return server.bind({ metadata, target: { kind: 'Node', name: NODE } });
    },
    pod: (name = 'p') => server.get('Pod', { namespace: 'default', name }),
    events,
    nodeEvents: () => eventsOf('Node'),
    told: () =>
      events()
        .filter(({ involvedObject }) => involvedObject.kind === 'Pod')
        .map(({ reason = '', message = '' }) => `${reason}: ${message}`),
  };
}

/** A scene with a kubelet that has registered its node; time stands at 1 s. */
export async function createRunningScene(options: SceneOptions = {}): Promise<Scene> {
  const scene = createScene(options);
  scene.kubelet.start();
  await scene.run(1000);
  return scene;
}

/** A running scene with one pod, after that time. */
export async function ran(durationMs: number, ...draft: Parameters<typeof podDraft>): Promise<Scene> {
  const scene = await createRunningScene();
  scene.bind(podDraft(...draft));
  await scene.run(durationMs);
  return scene;
}

/** The status of one container, wherever it stands. */
export function statusOf(pod: Pod | undefined, name = 'c'): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name);
}

/** A pod `p` of one container `c`. */
export function podDraft(spec: Draft = {}, annotations: Readonly<Record<string, string>> = {}, name = 'p'): Draft {
  const script = Object.entries(annotations).map(([key, value]) => [`kubeloom.dev/${key}`, value]);
  return {
    metadata: { name, annotations: Object.fromEntries(script) as Record<string, string> },
    spec: { containers: [{ name: 'c', image: IMAGE }], ...spec },
  };
}

/** What matters of a pod's status, in one line. */
export function summary({ type, pod }: Write): string {
  const { status, metadata } = pod;
  const containerText = ({
    name,
    state,
    ready,
    restartCount,
  }: NonNullable<typeof status.containerStatuses>[number]): string => {
    const shown =
      state?.waiting?.reason ?? state?.terminated?.reason ?? (state?.running === undefined ? '?' : 'Running');
    return `${name}=${shown}${ready ? '+' : ''}${restartCount > 0 ? `#${restartCount}` : ''}`;
  };
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(containerText);
  const conditions = (status.conditions ?? []).map(
    ({ type: name, status: value, reason }) =>
      `${SHORT[name] ?? name}:${value.charAt(0)}${reason === undefined ? '' : `(${reason})`}`,
  );
  const deleted = metadata.deletionTimestamp === undefined ? [] : [`grace=${metadata.deletionGracePeriodSeconds}`];
  return [type, status.phase, ...containers, ...conditions, ...deleted].join(' ');
}

const SHORT: Readonly<Record<string, string>> = {
  PodReadyToStartContainers: 'Start',
  Initialized: 'Init',
  Ready: 'Ready',
  ContainersReady: 'CReady',
  PodScheduled: 'Sched',
};

/** A script for all containers of a pod, or for one, in place of single annotations. */
export function scripted(script: ScriptInput, container?: string): Readonly<Record<string, string>> {
  return { [container === undefined ? 'script' : `script.${container}`]: JSON.stringify(script) };
}

/** What happened to pods and events, with the times since the first of it. */
export function timeline({ history }: Scene): readonly string[] {
  const firstMs = history[0]?.atMs ?? 0;
  return history.map(({ atMs, text }) => `${atMs - firstMs} ${text}`);
}

/** From here on, a new story. */
export function forget({ writes, history }: Scene): void {
  writes.length = 0;
  history.length = 0;
}

/** Writes with their times since the first one. */
export function story(writes: readonly Write[]): readonly string[] {
  const firstMs = writes[0]?.atMs ?? 0;
  return writes.map((write) => `${write.atMs - firstMs} ${summary(write)}`);
}
