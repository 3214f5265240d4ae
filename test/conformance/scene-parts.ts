/** What scenes are made of: requests, and objects of the usual kinds. */
import type { Kind } from '../../src/api/objects/objects.js';
import type { NamesOf, Step } from './story-teller.js';

export const APPS = '/apis/apps/v1/namespaces/told';
export const CORE = '/api/v1/namespaces/told';
export const BATCH = '/apis/batch/v1/namespaces/told';
export const POLICY = '/apis/policy/v1/namespaces/told';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';

type Path = Step['path'];

export function post(mark: string, path: Path, body: unknown, thenMs: number): Step {
  return { mark, method: 'POST', path, body, thenMs };
}

export function merge(mark: string, path: Path, body: unknown, thenMs: number): Step {
  return { mark, method: 'PATCH', path, body, contentType: MERGE, thenMs };
}

export function strategic(mark: string, path: Path, body: unknown, thenMs: number): Step {
  return { mark, method: 'PATCH', path, body, contentType: STRATEGIC, thenMs };
}

export function remove(mark: string, path: Path, thenMs: number, body: unknown = null): Step {
  return { mark, method: 'DELETE', path, body, thenMs };
}

export function scale(name: string, replicas: number, thenMs: number): Step {
  return merge(`${name} to ${replicas}`, `${APPS}/${name}/scale`, { spec: { replicas } }, thenMs);
}

export function first(kind: Kind, root: string): (names: NamesOf) => string {
  return (names) => `${root}/${names(kind)[0] ?? 'nobody'}`;
}

export function podTemplate(app: string, tag = 'v1', spec: object = {}): object {
  const containers = [{ name: 'c', image: tag, resources: { requests: { cpu: '1m' } } }];
  return { metadata: { labels: { app } }, spec: { containers, ...spec } };
}

export function image(value: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'c', image: value }] } } } };
}

export function deployment(name: string, replicas: number, spec: object = {}): object {
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  };
}

export function statefulSet(name: string, replicas: number, spec: object = {}): object {
  return deployment(name, replicas, { serviceName: name, ...spec });
}

export function daemonSet(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  };
}

export function job(name: string, spec: object = {}, podSpec: object = {}): object {
  return {
    metadata: { name },
    spec: { template: podTemplate(name, 'v1', { restartPolicy: 'Never', ...podSpec }), ...spec },
  };
}

export function surge(maxSurge: number | string, maxUnavailable: number | string): object {
  return { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } };
}

export const FOREGROUND = { propagationPolicy: 'Foreground' };
export const ORPHAN = { propagationPolicy: 'Orphan' };
export const DEPLOYMENT_KINDS: readonly Kind[] = ['Deployment', 'ReplicaSet', 'Pod', 'Event'];
export const SET_KINDS: readonly Kind[] = ['StatefulSet', 'ControllerRevision', 'Pod', 'Event'];
export const DAEMON_KINDS: readonly Kind[] = ['DaemonSet', 'ControllerRevision', 'Pod', 'Event', 'Node'];
export const JOB_KINDS: readonly Kind[] = ['Job', 'CronJob', 'Pod', 'Event'];

/** Of the pods of that app. */
export function budget(name: string, spec: object): object {
  return { metadata: { name }, spec: { ...spec, selector: { matchLabels: { app: name } } } };
}

/** Of the first pod by name. */
export function evict(mark: string, thenMs: number): Step {
  return { mark, method: 'POST', path: evictionPath, body: eviction, thenMs };
}

function evictionPath(names: NamesOf): string {
  return `${CORE}/pods/${nameOf(names)}/eviction`;
}

function eviction(names: NamesOf): object {
  return { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: nameOf(names) } };
}

function nameOf(names: NamesOf): string {
  return names('Pod')[0] ?? 'nobody';
}

export function replicationController(name: string, replicas: number): object {
  return { metadata: { name }, spec: { replicas, selector: { app: name }, template: podTemplate(name) } };
}

/** A gate that is never opened keeps the pods of a job from a node, where they would succeed at once. */
export const STAYING = { schedulingGates: [{ name: 'x.y/z' }] };

/** What a kubelet says of a container that ended badly. */
export const FAILED = { status: { phase: 'Failed', containerStatuses: [] } };

/** The status of the last pod by name. */
export function runningPod(names: NamesOf): string {
  return `${CORE}/pods/${names('Pod').at(-1) ?? 'none'}/status`;
}

/** One that no kubelet speaks for. */
export function silentNode(name: string): object {
  const room = { cpu: '4', memory: '4Gi', pods: '20' };
  return { metadata: { name }, status: { allocatable: room, capacity: room } };
}

export const OUT_OF_SERVICE = {
  spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] },
};

/** Of a class without a provisioner. */
export const WITH_CLAIMS = {
  persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'nobody',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ],
};
