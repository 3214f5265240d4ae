import type { Deployment, ObjectMeta, Pod, ReplicaSet } from '../../src/api/objects/objects.js';

const CREATED = '2030-01-01T00:00:00Z';

/** Metadata of a stored object in `default`. */
export function meta(name: string, more: Partial<ObjectMeta> = {}): ObjectMeta {
  return { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: CREATED, ...more };
}

const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'pause' }] } };

/** A replica set as the API server stores it. */
export function replicaSet(
  name: string,
  spec: Partial<ReplicaSet['spec']>,
  status: Partial<ReplicaSet['status']> = {},
  more: Partial<ObjectMeta> = {},
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta(name, more),
    spec: { selector: { matchLabels: { app: 'web' } }, template: TEMPLATE, ...spec },
    status: { replicas: 0, ...status },
  };
}

/** A Deployment as the API server stores it, with its defaults. */
export function deployment(
  spec: Partial<Deployment['spec']> = {},
  status: Deployment['status'] = {},
  more: Partial<ObjectMeta> = {},
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('d', { generation: 1, ...more }),
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: TEMPLATE,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
    status,
  };
}

/** What a pod of the ranking tests differs in. */
export interface PodTraits {
  readonly node?: string;
  readonly phase?: Pod['status']['phase'];
  readonly readySince?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
  readonly uid?: string;
}

/** A pod; with `readySince` it is Running and Ready. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const {
    node,
    readySince,
    cost,
    restarts = 0,
    created = CREATED,
    uid = `uid-${name}`,
    phase = readySince === undefined ? 'Pending' : 'Running',
  } = traits;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, {
      uid,
      creationTimestamp: created,
      labels: { app: 'web' },
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    }),
    spec: { containers: [{ name: 'c', image: 'pause' }], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      ...(readySince === undefined
        ? {}
        : { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: readySince }] }),
      containerStatuses: [
        { name: 'c', image: 'pause', imageID: '', ready: readySince !== undefined, restartCount: restarts },
      ],
    },
  };
}
