/** Scenes of nodes, of volumes, and of what gets lost. */
import {
  APPS,
  BATCH,
  CORE,
  DEPLOYMENT_KINDS,
  FAILED,
  FOREGROUND,
  JOB_KINDS,
  JSON_PATCH,
  ORPHAN,
  OUT_OF_SERVICE,
  POLICY,
  SET_KINDS,
  STAYING,
  WITH_CLAIMS,
  budget,
  daemonSet,
  deployment,
  evict,
  first,
  image,
  job,
  merge,
  podTemplate,
  post,
  remove,
  replicationController,
  runningPod,
  scale,
  silentNode,
  statefulSet,
  strategic,
} from './scene-parts.js';
import type { Scene } from './story-teller.js';

/** By name. */
export const NODE_SCENES: Readonly<Record<string, Scene>> = {
  'claims and volumes': {
    watched: ['PersistentVolume', 'PersistentVolumeClaim', 'Pod', 'Event'],
    steps: [
      ...['Retain', 'Delete'].map((policy) =>
        post(
          policy,
          '/api/v1/persistentvolumes',
          {
            metadata: { name: policy.toLowerCase() },
            spec: {
              capacity: { storage: '1Gi' },
              accessModes: ['ReadWriteOnce'],
              persistentVolumeReclaimPolicy: policy,
              storageClassName: policy.toLowerCase(),
              hostPath: { path: '/tmp/x' },
            },
          },
          500,
        ),
      ),
      ...['retain', 'delete'].map((name) =>
        post(
          `claim ${name}`,
          `${CORE}/persistentvolumeclaims`,
          {
            metadata: { name },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: name,
              resources: { requests: { storage: '1Gi' } },
            },
          },
          2000,
        ),
      ),
      post(
        'user',
        `${CORE}/pods`,
        {
          metadata: { name: 'u' },
          spec: {
            containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
            volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'retain' } }],
          },
        },
        1500,
      ),
      remove('claim in use', `${CORE}/persistentvolumeclaims/retain`, 1500),
      remove('user goes', `${CORE}/pods/u`, 2000),
      remove('other claim', `${CORE}/persistentvolumeclaims/delete`, 2000),
    ],
  },
  garbage: {
    watched: ['ConfigMap', ...DEPLOYMENT_KINDS],
    steps: [
      post(
        'set',
        `${APPS}/replicasets`,
        {
          metadata: { name: 'r' },
          spec: { replicas: 3, selector: { matchLabels: { app: 'r' } }, template: podTemplate('r') },
        },
        1500,
      ),
      remove('orphan', `${APPS}/replicasets/r`, 1500, ORPHAN),
      post(
        'adopt',
        `${APPS}/replicasets`,
        {
          metadata: { name: 'q' },
          spec: { replicas: 2, selector: { matchLabels: { app: 'r' } }, template: podTemplate('r') },
        },
        1500,
      ),
      {
        mark: 'release',
        method: 'PATCH',
        path: first('Pod', `${CORE}/pods`),
        contentType: JSON_PATCH,
        body: [{ op: 'replace', path: '/metadata/labels/app', value: 'free' }],
        thenMs: 1500,
      },
      merge('finalizer', first('Pod', `${CORE}/pods`), { metadata: { finalizers: ['x.y/z'] } }, 500),
      remove('foreground', `${APPS}/replicasets/q`, 2000, FOREGROUND),
      remove('the one held', first('Pod', `${CORE}/pods`), 1000),
      merge('let go', first('Pod', `${CORE}/pods`), { metadata: { finalizers: null } }, 1500),
    ],
  },
  'what was there before': {
    before: [
      post('deploy', `${APPS}/deployments`, deployment('a', 3), 2000),
      strategic('v2', `${APPS}/deployments/a`, image('v2'), 3000),
      post('set', `${APPS}/statefulsets`, statefulSet('s', 2), 2000),
      post('daemons', `${APPS}/daemonsets`, daemonSet('d'), 2000),
      post('budget', `${POLICY}/poddisruptionbudgets`, budget('a', { minAvailable: 2 }), 2000),
    ],
    watched: ['Node', 'DaemonSet', 'StatefulSet', 'PodDisruptionBudget', 'ControllerRevision', ...DEPLOYMENT_KINDS],
    steps: [
      merge('cordon', '/api/v1/nodes/node-000002', { spec: { unschedulable: true } }, 1000),
      evict('evict', 2000),
      scale('statefulsets/s', 4, 2000),
      strategic('v3', `${APPS}/deployments/a`, image('v3'), 3000),
      strategic('back to v2', `${APPS}/deployments/a`, image('v2'), 3000),
      remove('daemons', `${APPS}/daemonsets/d`, 2000),
      merge('uncordon', '/api/v1/nodes/node-000002', { spec: { unschedulable: null } }, 1000),
      remove('foreground', `${APPS}/deployments/a`, 2000, FOREGROUND),
    ],
  },
  'failing job': {
    watched: JOB_KINDS,
    steps: [
      post('held', `${BATCH}/jobs`, job('f', { backoffLimit: 1, completions: 2 }, STAYING), 1500),
      ...[1, 2].map((attempt) => strategic(`failure ${attempt}`, runningPod, FAILED, 25_000)),
      remove('job', `${BATCH}/jobs/f`, 2000, { propagationPolicy: 'Background' }),
    ],
  },
  'lost node': {
    watched: ['Node', ...SET_KINDS],
    steps: [
      post('node', '/api/v1/nodes', silentNode('lost'), 1500),
      post(
        'set',
        `${APPS}/statefulsets`,
        statefulSet('s', 1, { template: podTemplate('s', 'v1', { nodeName: 'lost' }) }),
        90_000,
      ),
      strategic('taint', '/api/v1/nodes/lost', OUT_OF_SERVICE, 40_000),
      remove('node', '/api/v1/nodes/lost', 70_000),
    ],
  },
  'set with claims': {
    watched: ['PersistentVolumeClaim', ...SET_KINDS],
    steps: [
      post(
        'set',
        `${APPS}/statefulsets`,
        statefulSet('s', 2, { podManagementPolicy: 'Parallel', ...WITH_CLAIMS }),
        2000,
      ),
      scale('statefulsets/s', 1, 2000),
      remove('set', `${APPS}/statefulsets/s`, 3000),
    ],
  },
  'replication controller': {
    watched: ['ReplicationController', 'Pod', 'Event'],
    steps: [
      post('create', `${CORE}/replicationcontrollers`, replicationController('r', 3), 1500),
      merge('to 1', `${CORE}/replicationcontrollers/r/scale`, { spec: { replicas: 1 } }, 1500),
      remove('a pod', first('Pod', `${CORE}/pods`), 1500),
      remove('delete', `${CORE}/replicationcontrollers/r`, 1500),
    ],
  },
  'node taints': {
    watched: ['Node', ...DEPLOYMENT_KINDS],
    steps: [
      post(
        'node',
        '/api/v1/nodes',
        {
          metadata: { name: 'extra', labels: { only: 'extra' }, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
          status: {
            allocatable: { cpu: '4', memory: '4Gi', pods: '20' },
            capacity: { cpu: '4', memory: '4Gi', pods: '20' },
          },
        },
        2000,
      ),
      post(
        'deploy',
        `${APPS}/deployments`,
        deployment('a', 3, {
          template: podTemplate('a', 'v1', {
            nodeSelector: { only: 'extra' },
            tolerations: [{ key: 'slow', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 }],
          }),
        }),
        2000,
      ),
      merge('slow taint', '/api/v1/nodes/extra', { spec: { taints: [{ key: 'slow', effect: 'NoExecute' }] } }, 5000),
      merge('untaint', '/api/v1/nodes/extra', { spec: { taints: null } }, 3000),
      merge('hard taint', '/api/v1/nodes/extra', { spec: { taints: [{ key: 'hard', effect: 'NoExecute' }] } }, 3000),
      merge('untaint again', '/api/v1/nodes/extra', { spec: { taints: null } }, 3000),
      remove('node gone', '/api/v1/nodes/extra', 65_000),
    ],
  },
};
