/**
 * What a new node of each group would be like: as one that is there and well, or was, or else as the cloud says. Mirrors
 * cluster-autoscaler v1.34 `processors/nodeinfosprovider` and `simulator/node_info_utils.go`.
 */
import type { DaemonSet, Node, Pod } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import type { AutoscalerMemory } from './autoscaler-memory.js';
import type { KnownNode } from './known-node.js';
import type { Cloud } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { hasTaint, lastingTaints, TO_BE_DELETED } from './autoscaler-taints.js';
import { withDaemonTolerations } from '../daemon-set/daemon-pod.js';
import { NodeFitness } from '../daemon-set/node-fitness.js';
import { controllerRefOf, isDaemonSetPod, isMirrorPod } from './pod-traits.js';

/** How long a node has to be well before others are thought to be like it. */
const STABLE_MS = 60_000;
const HOSTNAME = 'kubernetes.io/hostname';

/** A node that is not there, with the pods that would be on it. */
export interface TemplateNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** See the file header. */
export class TemplateNodes {
  readonly #memory: AutoscalerMemory;
  readonly #settings: AutoscalerSettings;
  readonly #cloud: Cloud;
  /** What each group was like when one of its nodes was well. */
  readonly #known = new Map<string, TemplateNode>();
  readonly #fitness = new WeakMap<DaemonSet, NodeFitness>();
  #copies = 0;

  constructor(memory: AutoscalerMemory, cloud: Cloud, settings: AutoscalerSettings) {
    this.#memory = memory;
    this.#cloud = cloud;
    this.#settings = settings;
  }

  /** By group. */
  build(nowMs: number): ReadonlyMap<string, TemplateNode> {
    const result = new Map<string, TemplateNode>();
    const { groups } = this.#cloud;
    const ids = new Set(groups.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    let missing = groups.length;
    for (const known of this.#memory.nodes.values()) {
      if (missing === 0) break;
      const id = known.machine.group?.id;
      if (id === undefined || result.has(id) || !isGood(known, nowMs)) continue;
      const template = this.#templateOf(id, known.node, this.#podsOn(known.name), this.#settings.forceDs);
      result.set(id, template);
      this.#known.set(id, template);
      missing -= 1;
    }
    for (const group of groups) {
      if (result.has(group.id)) continue;
      const template = this.#known.get(group.id) ?? this.#templateOf(group.id, group.template(), [], true);
      result.set(group.id, template);
    }
    return result;
  }

  /** One more node like that, under a name of its own. */
  copyOf({ node, pods }: TemplateNode): TemplateNode {
    this.#copies += 1;
    const name = `${node.metadata.name}-${this.#copies}`;
    return {
      node: renamed(node, name),
      pods: pods.map((pod, index) => this.#movedTo(pod, name, index)),
    };
  }

  #podsOn(name: string): readonly Pod[] {
    return this.#memory.placement.find(name)?.pods ?? [];
  }

  #templateOf(group: string, example: Node, examplePods: readonly Pod[], isForced: boolean): TemplateNode {
    this.#copies += 1;
    const name = `template-node-for-${group}-${this.#copies}`;
    const taints = lastingTaints(example.spec.taints ?? [], this.#settings);
    const { unschedulable: _transient, ...spec } = example.spec;
    const node = renamed({ ...example, spec: { ...spec, taints: [...taints] } }, name);
    const pods: Pod[] = [];
    const running = new Set<string>();
    for (const pod of examplePods) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      if (isMirrorPod(pod) || isDaemonSetPod(pod)) pods.push(this.#movedTo(pod, name, pods.length));
      const owner = controllerRefOf(pod);
      if (owner?.kind === 'DaemonSet') running.add(owner.uid);
    }
    for (const set of this.#memory.daemonSets.list()) {
      if (running.has(set.metadata.uid) || !this.#fitnessOf(set).of(node).shouldRun) continue;
      const pod = daemonPod(set);
      if (!isForced && !isNodeCritical(pod)) continue;
      pods.push(this.#movedTo(pod, name, pods.length));
    }
    return { node, pods };
  }

  #fitnessOf(set: DaemonSet): NodeFitness {
    let fitness = this.#fitness.get(set);
    if (fitness === undefined) this.#fitness.set(set, (fitness = new NodeFitness(set.spec.template.spec)));
    return fitness;
  }

  #movedTo(pod: Pod, nodeName: string, index: number): Pod {
    const name = `${pod.metadata.name}-${this.#copies}`;
    const uid = `${nodeName}/${index}`;
    return { ...pod, metadata: { ...pod.metadata, name, uid }, spec: { ...pod.spec, nodeName } };
  }
}

function isGood({ node, isReady, sinceMs }: KnownNode, nowMs: number): boolean {
  return isReady && sinceMs + STABLE_MS < nowMs && node.spec.unschedulable !== true && !hasTaint(node, TO_BE_DELETED);
}

function renamed(node: Node, name: string): Node {
  const { metadata } = node;
  return {
    ...node,
    metadata: { ...metadata, name, uid: name, labels: { ...metadata.labels, [HOSTNAME]: name } },
  };
}

function isNodeCritical({ spec: { priorityClassName, preemptionPolicy } }: Pod): boolean {
  return priorityClassName === 'system-node-critical' && preemptionPolicy !== 'Never';
}

/** The pod that a daemon set would put on a node. */
function daemonPod(set: DaemonSet): Pod {
  const { metadata, spec } = set.spec.template;
  const { name, namespace } = set.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `${name}-pod`,
      ...(namespace === undefined ? {} : { namespace }),
      uid: '',
      resourceVersion: '',
      creationTimestamp: set.metadata.creationTimestamp,
      ownerReferences: [controllerReference(set)],
    },
    spec: { ...spec, tolerations: withDaemonTolerations(spec) },
    status: { phase: 'Pending' },
  };
}
