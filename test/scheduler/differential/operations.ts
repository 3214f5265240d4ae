/** What can happen to a cluster between two decisions, and the plain data that clusters are made of. */
import type {
  core,
  KubeObject,
  Node,
  Pod,
  PodSpec,
  ResourceList,
  StringMap,
} from '../../../src/api/objects/objects.js';

const BIRTH = '2030-01-01T00:00:00Z';

/** A node without its name. */
export interface NodePlan {
  readonly labels: StringMap;
  readonly allocatable: ResourceList;
  readonly taints?: readonly core.Taint[];
  readonly unschedulable?: boolean;
  readonly images?: readonly core.ContainerImage[];
}

/** A pod without its name. Pods of one template share its objects. */
export interface Template {
  readonly namespace: string;
  readonly labels: StringMap;
  readonly ownerReferences?: NonNullable<Pod['metadata']['ownerReferences']>;
  readonly spec: PodSpec;
}

/** What is done with a pod that was placed: bound, only assumed for now, or given back at once. */
export type Follow = 'bind' | 'assume' | 'forget';

/** What can happen to a pod without further ado. */
export type PodStep =
  | 'confirm'
  | 'abandon'
  | 'deletePod'
  | 'finishPod'
  | 'terminatePod'
  | 'touchPod'
  /** The kubelet says when the pod started. */
  | 'startPod'
  /** The node has done what the spec says about resources. */
  | 'settlePod'
  /** The pod says where it is nominated. */
  | 'tell';

/** One step; what names something that is not there does nothing. */
export type Operation =
  | {
      readonly do: 'attempt';
      readonly pod: string;
      readonly follow: Follow;
      /** What becomes of the victims of a preemption before the next decision. */
      readonly victims: 'gone' | 'leaving';
      /** Whether the pod itself says at once where it is nominated, or the scheduler alone knows. */
      readonly nomination: 'told' | 'untold';
      /** Whether the attempt is to tell all about single nodes; most are not to. */
      readonly isSpelledOut: boolean;
    }
  | { readonly do: 'createPod'; readonly pod: string; readonly template: number; readonly isCopy?: boolean }
  | { readonly do: 'runPod'; readonly pod: string; readonly template: number; readonly node: string }
  | { readonly do: PodStep; readonly pod: string }
  | { readonly do: 'relabelPod'; readonly pod: string; readonly labels: StringMap }
  | { readonly do: 'resizePod'; readonly pod: string; readonly requests: ResourceList }
  /** With `times` the nomination is taken back and made again so often. */
  | { readonly do: 'nominate'; readonly pod: string; readonly node: string; readonly times?: number }
  | { readonly do: 'addNode'; readonly node: string; readonly plan: NodePlan }
  | { readonly do: 'changeNode'; readonly node: string; readonly change: Partial<NodePlan> }
  | { readonly do: 'removeNode'; readonly node: string }
  /** A node gets another value of a label that no pod names, so often, and the scheduler looks each time. */
  | { readonly do: 'touchNode'; readonly node: string; readonly turn: number; readonly times: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'put'; readonly object: KubeObject }
  | { readonly do: 'drop'; readonly kind: string; readonly key: string }
  | { readonly do: 'judgeAhead'; readonly pods: readonly string[] };

/** Everything that a run needs; operations bring the first nodes and pods, too. */
export interface Plan {
  /** Of the tie-breaks and the starts of preemptions. */
  readonly seed: string;
  /** A KubeSchedulerConfiguration. */
  readonly configuration: object;
  readonly templates: readonly Template[];
  readonly operations: readonly Operation[];
}

/** The node of a plan. */
export function nodeOf(name: string, plan: NodePlan, version: number): Node {
  const { labels, allocatable, taints, unschedulable, images } = plan;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, resourceVersion: String(version), creationTimestamp: BIRTH, labels },
    spec: {
      ...(taints === undefined ? {} : { taints: taints as core.Taint[] }),
      ...(unschedulable === undefined ? {} : { unschedulable }),
    },
    status: { allocatable, ...(images === undefined ? {} : { images: images as core.ContainerImage[] }) },
  };
}

/** A pending pod of a template. */
export function podOf(name: string, template: Template, version: number): Pod {
  const { namespace, labels, ownerReferences, spec } = template;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: name,
      resourceVersion: String(version),
      creationTimestamp: BIRTH,
      labels,
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec,
    status: { phase: 'Pending' },
  };
}

/** An object of a kind that only plugins look at. */
export function objectOf(apiVersion: string, kind: string, name: string, rest: object, namespace?: string): KubeObject {
  const { labels, ...body } = rest as { readonly labels?: StringMap };
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `${kind}/${name}`,
      resourceVersion: '1',
      creationTimestamp: BIRTH,
      ...(labels === undefined ? {} : { labels }),
    },
    ...body,
  };
}
