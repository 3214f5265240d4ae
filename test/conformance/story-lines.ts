/** A small story in the form of a recording: a pod is made, bound by hand and deleted, among fake kubelets. */

/** How far the pod has come. */
interface Stage {
  readonly node?: boolean;
  readonly running?: boolean;
  readonly grace?: number;
}

/** A line of a recording. */
export type Line = Readonly<Record<string, unknown>>;

const ROOT = '/api/v1/namespaces/told/pods';
const TIME = '2026-11-20T23:58:07Z';
const DRAFT = { metadata: { name: 'm' }, spec: { schedulerName: 'none', containers: [{ name: 'c', image: 'pause' }] } };
const BINDING = { metadata: { name: 'm' }, target: { kind: 'Node', name: 'node-000001' } };
const DELETION = { method: 'DELETE', path: `${ROOT}/m`, contentType: 'application/json', body: null };

/** The story as a control plane that does as Kubernetes does would tell it. */
export function storyLines(): Line[] {
  return [
    { ms: 10, mark: 'create' },
    { ms: 20, action: 'create', request: post('', DRAFT), status: 201, response: pod({}) },
    change(21, 'ADDED', {}),
    { ms: 500, mark: 'bind' },
    { ms: 510, action: 'bind', request: post('/m/binding', BINDING), status: 201, response: {} },
    change(511, 'MODIFIED', { node: true }),
    change(520, 'MODIFIED', { node: true, running: true }),
    { ms: 900, mark: 'delete' },
    {
      ms: 910,
      action: 'delete',
      request: DELETION,
      status: 200,
      response: pod({ node: true, running: true, grace: 30 }),
    },
    change(911, 'MODIFIED', { node: true, running: true, grace: 30 }),
    change(915, 'MODIFIED', { node: true, running: true, grace: 0 }),
    change(916, 'DELETED', { node: true, running: true, grace: 0 }),
  ];
}

/** The lines as the text of a file. */
export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** An Event of the scheduler's, which has nothing to do with the pod. */
export function scheduledEvent(ms: number): Line {
  const regarding = { kind: 'Pod', namespace: 'told', name: 'm', apiVersion: 'v1' };
  const object = {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'm.1', namespace: 'told' },
    reportingController: 'default-scheduler',
    action: 'Binding',
    reason: 'Scheduled',
    regarding,
    note: 'Successfully assigned told/m to node-000001',
    type: 'Normal',
  };
  return { ms, res: 'events', event: { type: 'ADDED', object } };
}

function post(place: string, body: object): object {
  return { method: 'POST', path: `${ROOT}${place}`, contentType: 'application/json', body };
}

function change(ms: number, type: string, stage: Stage): Line {
  return { ms, res: 'pods', event: { type, object: pod(stage) } };
}

function pod({ node, running, grace }: Stage): object {
  const isTrue = (type: string): object => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: TIME });
  const conditions = [
    ...(running === true ? ['Initialized', 'Ready', 'ContainersReady'].map(isTrue) : []),
    ...(node === true ? [isTrue('PodScheduled')] : []),
  ];
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'm',
      namespace: 'told',
      uid: 'd6d62e6e-5f7c-44e1-b4c0-c0eeb89152c2',
      resourceVersion: '625',
      generation: grace === undefined ? 1 : 2,
      creationTimestamp: TIME,
      ...(grace === undefined ? {} : { deletionTimestamp: TIME, deletionGracePeriodSeconds: grace }),
    },
    spec: { ...spec(), ...(node === true ? { nodeName: 'node-000001' } : {}) },
    status: {
      phase: running === true ? 'Running' : 'Pending',
      qosClass: 'BestEffort',
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(running === true ? runningStatus() : {}),
    },
  };
}

function spec(): object {
  const tolerations = ['not-ready', 'unreachable'].map((taint) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  const container = {
    name: 'c',
    image: 'pause',
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'Always',
  };
  return {
    containers: [container],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    securityContext: {},
    schedulerName: 'none',
    tolerations,
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

function runningStatus(): object {
  const container = { name: 'c', image: 'pause', imageID: '', ready: true, restartCount: 0, lastState: {} };
  return {
    hostIP: '10.0.0.1',
    hostIPs: [{ ip: '10.0.0.1' }],
    podIP: '10.1.2.3',
    podIPs: [{ ip: '10.1.2.3' }],
    startTime: TIME,
    containerStatuses: [{ ...container, state: { running: { startedAt: TIME } } }],
  };
}
