/**
 * Objects as they are written to the API server, with what stands in for the parts of a cluster that the
 * benches run without: node lifecycle, kubelets, and the names of priorities.
 */
import type { Cluster, Draft, Kind, KindMap, Pod } from '../../src/index.js';
import type { PerfObject } from '../../src/workload/scheduler-perf/perf-objects.js';

type Metadata = Readonly<Record<string, unknown>> & { readonly name: string; readonly namespace?: string };

interface PodSpec {
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
}

const NOT_READY = 'node.kubernetes.io/not-ready';

/** See the file header. One for a whole run. */
export class ServedObjects {
  readonly #cluster: Cluster;
  readonly #namespaces: Set<string>;
  readonly #classes = new Set<number>();
  /** Specs by the spec that they were made of: pods of one template go on sharing theirs. */
  readonly #specs = new WeakMap<PodSpec, PodSpec>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#namespaces = new Set(cluster.list('Namespace').map(({ metadata }) => metadata.name));
  }

  /** Writes an object; its namespace is made if it is not there, and its status is written afterwards. */
  create({ kind, draft }: PerfObject): KindMap[Kind] {
    const metadata = clientMetadata(draft['metadata'] as Metadata);
    if (metadata.namespace !== undefined && !this.#namespaces.has(metadata.namespace))
      this.needNamespace(metadata.namespace);
    const wanted: Draft = metadata === draft['metadata'] ? draft : { ...draft, metadata };
    if (kind === 'Node') return this.#createNode(wanted);
    if (kind === 'Namespace') return this.needNamespace(metadata.name, wanted);
    const complete = kind === 'Pod' ? { ...wanted, spec: this.#podSpec(wanted['spec'] ?? {}) } : wanted;
    const stored = this.#cluster.create(kind, complete);
    return wanted['status'] === undefined ? stored : this.#writeStatus(kind, stored, wanted['status']);
  }

  /** Replaces an object, and its status where the draft has one. */
  update({ kind, draft }: PerfObject): void {
    const metadata = clientMetadata(draft['metadata'] as Metadata);
    const stored = this.#cluster.update(kind, this.#filled(kind, { ...draft, metadata }));
    if (draft['status'] !== undefined) this.#writeStatus(kind, stored, draft['status']);
  }

  needNamespace(name: string, draft: Draft = { metadata: { name } }): KindMap['Namespace'] {
    if (this.#namespaces.has(name)) return this.#cluster.get('Namespace', name);
    this.#namespaces.add(name);
    return this.#cluster.create('Namespace', draft);
  }

  /** An update of a pod leaves out what admission and the scheduler have filled in. */
  #filled(kind: Kind, draft: Draft): Draft {
    if (kind !== 'Pod') return draft;
    const { name, namespace = 'default' } = draft['metadata'] as Metadata;
    const { nodeName, serviceAccountName, serviceAccount } = this.#cluster.get('Pod', { name, namespace }).spec;
    const filledIn = { serviceAccountName, serviceAccount, ...(nodeName === undefined ? {} : { nodeName }) };
    return { ...draft, spec: { ...filledIn, ...this.#podSpec(draft['spec'] ?? {}) } };
  }

  /** The node lifecycle controller does not run: what it would have found is written at once. */
  #createNode(draft: Draft): KindMap['Node'] {
    const node = this.#cluster.create('Node', draft);
    const taints = (node.spec.taints ?? []).filter(({ key }) => key !== NOT_READY);
    return this.#cluster.update('Node', { ...node, spec: { ...node.spec, taints } });
  }

  /**
   * Pods without kubelets end when they are told to, unless they say otherwise. A priority needs a class:
   * upstream's benches run without the admission that asks for one.
   */
  #podSpec(given: PodSpec): PodSpec {
    let spec = this.#specs.get(given);
    if (spec === undefined) {
      const { priority, priorityClassName, terminationGracePeriodSeconds = 0 } = given;
      const isBare = priority !== undefined && priority !== 0 && priorityClassName === undefined;
      const named = isBare ? { priorityClassName: this.#classOf(priority) } : {};
      spec = { ...given, ...named, terminationGracePeriodSeconds };
      this.#specs.set(given, spec);
    }
    return spec;
  }

  #classOf(value: number): string {
    const name = `priority-${value}`.replace('--', '-minus-');
    if (!this.#classes.has(value)) {
      this.#classes.add(value);
      this.#cluster.create('PriorityClass', { metadata: { name }, value });
    }
    return name;
  }

  #writeStatus(kind: Kind, stored: KindMap[Kind], given: unknown): KindMap[Kind] {
    const { status } = stored as Partial<Pick<Pod, 'status'>>;
    return this.#cluster.updateStatus(kind, {
      ...stored,
      status: { ...status, ...(given as object) },
    });
  }
}

/** What the server sets is left out. */
function clientMetadata(given: Metadata): Metadata {
  if (given['uid'] === undefined && given['resourceVersion'] === undefined) return given;
  const { uid: _uid, resourceVersion: _version, ...metadata } = given;
  return metadata;
}
