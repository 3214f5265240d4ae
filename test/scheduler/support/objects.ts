/** Short forms of nodes and pods for tests. */
import type { core, Node, Pod, PodSpec, ResourceList, StringMap } from '../../../src/api/objects/objects.js';

export interface NodeParts {
  readonly allocatable?: ResourceList;
  readonly labels?: StringMap;
  readonly taints?: core.Taint[];
  readonly unschedulable?: boolean;
  readonly images?: core.ContainerImage[];
  readonly zone?: string;
}

/** A node with room for 4 cores, 8 GiB and 110 pods unless told otherwise. */
export function testNode(name: string, parts: NodeParts = {}): Node {
  const { allocatable = { cpu: '4', memory: '8Gi', pods: '110' }, labels, taints, unschedulable, images, zone } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `node-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: {
        'kubernetes.io/hostname': name,
        ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
        ...labels,
      },
    },
    spec: {
      ...(taints === undefined ? {} : { taints }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
    },
    status: { allocatable: { ...allocatable }, ...(images === undefined ? {} : { images }) },
  };
}

export interface PodParts {
  readonly requests?: ResourceList;
  readonly spec?: Partial<PodSpec>;
  readonly labels?: StringMap;
  readonly namespace?: string;
  readonly status?: Partial<Pod['status']>;
  readonly image?: string;
  readonly ports?: core.ContainerPort[];
}

/** A pending pod with one container. */
export function testPod(name: string, parts: PodParts = {}): Pod {
  const { requests, spec, labels, namespace = 'default', status, image = 'app', ports } = parts;
  const container: core.Container = {
    name: 'main',
    image,
    ...(requests === undefined ? {} : { resources: { requests: { ...requests } } }),
    ...(ports === undefined ? {} : { ports }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `${namespace}/${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...(labels === undefined ? {} : { labels }),
    },
    spec: { containers: [container], ...spec },
    status: { phase: 'Pending', ...status },
  };
}
