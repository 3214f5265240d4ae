/** Recorded objects with what an API server would have filled in. */
import type { KubeObject, Node, Pod } from '../../src/api/objects/objects.js';
import type { RecordedObject, Scenario } from './recording.js';

const BIRTH = '2030-01-01T00:00:00Z';

/** Kinds by the list of a scenario that holds them. */
const LISTS = {
  PodDisruptionBudget: ['pdbs', 'policy/v1', true],
  Service: ['services', 'v1', true],
  ReplicaSet: ['replicaSets', 'apps/v1', true],
  StatefulSet: ['statefulSets', 'apps/v1', true],
  ReplicationController: ['replicationControllers', 'v1', true],
  Namespace: ['namespaces', 'v1', false],
  PersistentVolume: ['pvs', 'v1', false],
  PersistentVolumeClaim: ['pvcs', 'v1', true],
  StorageClass: ['storageClasses', 'storage.k8s.io/v1', false],
  CSINode: ['csiNodes', 'storage.k8s.io/v1', false],
  CSIDriver: ['csiDrivers', 'storage.k8s.io/v1', false],
  CSIStorageCapacity: ['csiStorageCapacities', 'storage.k8s.io/v1', true],
} as const;

/** Every object of a scenario but nodes and pods, by kind. */
export function objectsByKind(scenario: Scenario): ReadonlyMap<string, readonly KubeObject[]> {
  return new Map(
    Object.entries(LISTS).map(([kind, [list, apiVersion, isNamespaced]]) => [
      kind,
      (scenario[list] ?? []).map((object) => complete(object, kind, apiVersion, isNamespaced)),
    ]),
  );
}

function complete(object: RecordedObject, kind: string, apiVersion: string, isNamespaced: boolean): KubeObject {
  const { name, namespace = 'default' } = object.metadata;
  const metadata = {
    uid: isNamespaced ? `${namespace}/${name}` : name,
    resourceVersion: '1',
    creationTimestamp: BIRTH,
    ...object.metadata,
    ...(isNamespaced ? { namespace } : {}),
  };
  return { ...object, apiVersion, kind, metadata };
}

/** The node with what an API server would have filled in. */
export function completeNode(node: NonNullable<Scenario['nodes']>[number]): Node {
  const { name } = node.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { uid: name, resourceVersion: '1', creationTimestamp: BIRTH, ...node.metadata },
    spec: node.spec ?? {},
    status: node.status ?? {},
  };
}

/** The pod with what an API server would have filled in. */
export function completePod(pod: NonNullable<Scenario['pods']>[number], scenario: Scenario): Pod {
  const { name, namespace = 'default' } = pod.metadata;
  const className = pod.spec.priorityClassName;
  const priorityClass = (scenario.priorityClasses ?? []).find((each) => each.metadata.name === className);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      uid: `${namespace}/${name}`,
      resourceVersion: '1',
      creationTimestamp: BIRTH,
      ...pod.metadata,
      namespace,
    },
    spec: {
      ...(priorityClass === undefined ? {} : { priority: priorityClass.value }),
      ...(priorityClass?.preemptionPolicy === undefined ? {} : { preemptionPolicy: priorityClass.preemptionPolicy }),
      ...pod.spec,
    },
    status: { ...pod.status, phase: pod.status?.phase ?? 'Pending' },
  };
}
