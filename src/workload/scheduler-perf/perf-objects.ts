/**
 * The objects that the steps of a workload make. Names that upstream draws at random count up here, so
 * that a workload makes the same objects wherever it runs. Mirrors scheduler_perf's node and pod
 * strategies (test/utils/runners.go, Kubernetes v1.34).
 */
import type { core, Draft, Kind } from '../../api/objects/objects.js';
import type { TemplateValues } from './go-template.js';
import type { ObjectTemplate } from './object-template.js';
import type { CreateNamespaces, CreateNodes, CreatePods, NodeStrategy } from './operations.js';

/** An object and what it is. */
export interface PerfObject {
  readonly kind: Kind;
  readonly draft: Draft;
}

type Metadata = Readonly<Record<string, unknown>> & { readonly name?: string; readonly generateName?: string };

const HOSTNAME = 'kubernetes.io/hostname';
/** Upstream has a controller in the place of the binder, which only sets this. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';

/** The node of scheduler_perf. */
const BASE_NODE = {
  status: {
    capacity: { pods: '110', cpu: '4', memory: '32Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
} as const;

const BASE_RESOURCES = { cpu: '100m', memory: '500Mi' };

/** The pod of scheduler_perf. */
const BASE_POD_SPEC: core.PodSpec = {
  containers: [
    {
      name: 'pause',
      image: 'registry.k8s.io/pause:3.10',
      ports: [{ containerPort: 80 }],
      resources: { requests: BASE_RESOURCES, limits: BASE_RESOURCES },
    },
  ],
};

/** See the file header. One for a whole run: it counts the names. */
export class PerfObjects {
  readonly #named = new Map<string, number>();

  /**
   * A node, and the CSINode that its strategy asks for.
   *
   * @param step - position of the step, after which nodes without a template are named
   */
  node({ template, count, strategy }: CreateNodes, step: number, index: number): readonly PerfObject[] {
    const given = template?.instantiate({ Index: index, Count: count }) ?? {
      ...BASE_NODE,
      metadata: { generateName: `node-${step}-` },
    };
    const node = this.#withName('Node', given, undefined);
    const { metadata } = node as { metadata: Metadata & { name: string; labels?: object } };
    const labels = { ...metadata.labels, [HOSTNAME]: metadata.name, ...labelsOf(strategy, index, metadata.name) };
    const prepared: Draft = { ...node, metadata: { ...metadata, labels } };
    if (strategy?.kind !== 'allocatable') return [{ kind: 'Node', draft: prepared }];
    return [
      { kind: 'Node', draft: withAllocatable(prepared, strategy.nodeAllocatable) },
      { kind: 'CSINode', draft: csiNode(metadata.name, strategy) },
    ];
  }

  /** A pod, after the volume and the claim that it uses. */
  pod({ template, count, namespace, volumes }: CreatePods, index: number): readonly PerfObject[] {
    const values = { Index: index, Count: count };
    const given = template?.instantiate(values) ?? { metadata: { generateName: 'pod-' }, spec: BASE_POD_SPEC };
    const pod = this.#withName('Pod', given, namespace);
    if (volumes === undefined) return [{ kind: 'Pod', draft: pod }];
    const claimName = `pvc-${index}`;
    return [
      ...boundVolume(volumes.volume, volumes.claim, namespace, claimName, values),
      { kind: 'Pod', draft: withClaim(pod, claimName) },
    ];
  }

  /** Namespace `prefix-index`. */
  namespace({ template, prefix, count }: CreateNamespaces, index: number): PerfObject {
    const given = template?.instantiate({ Index: index, Count: count }) ?? {};
    const metadata = (given as { metadata?: Metadata }).metadata ?? {};
    return { kind: 'Namespace', draft: { ...given, metadata: { ...metadata, name: `${prefix}-${index}` } } };
  }

  /** An object of any kind; the namespace is for those kinds that have one. */
  any(template: ObjectTemplate, namespace: string | undefined, values: TemplateValues): PerfObject {
    const { kind, isNamespaced } = template;
    const draft = this.#withName(kind, template.instantiate(values), isNamespaced ? namespace : undefined);
    return { kind, draft };
  }

  /** Gives the object the name that it lacks, and its namespace. */
  #withName(kind: Kind, draft: Draft, namespace: string | undefined): Draft {
    const { generateName, name: given, ...metadata } = (draft as { metadata?: Metadata }).metadata ?? {};
    const name = given ?? this.#nextName(kind, generateName ?? `${kind.toLowerCase()}-`);
    return { ...draft, metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) } };
  }

  #nextName(kind: Kind, prefix: string): string {
    const key = `${kind} ${prefix}`;
    const number = this.#named.get(key) ?? 0;
    this.#named.set(key, number + 1);
    return `${prefix}${String(number).padStart(5, '0')}`;
  }
}

function labelsOf(strategy: NodeStrategy | undefined, index: number, name: string): Readonly<Record<string, string>> {
  if (strategy?.kind === 'uniqueLabel') return { [strategy.labelKey]: name };
  if (strategy?.kind !== 'label') return {};
  const { labelKey, labelValues } = strategy;
  return { [labelKey]: labelValues[index % labelValues.length] ?? '' };
}

function withAllocatable(node: Draft, more: Readonly<Record<string, string>>): Draft {
  const { status } = node as { status?: core.NodeStatus };
  return { ...node, status: { ...status, allocatable: { ...(status?.allocatable ?? status?.capacity), ...more } } };
}

function csiNode(name: string, strategy: Extract<NodeStrategy, { kind: 'allocatable' }>): Draft {
  const { csiNodeAllocatable, migratedPlugins } = strategy;
  const drivers = Object.entries(csiNodeAllocatable).map(([driver, allocatable]) => ({
    name: driver,
    nodeID: name,
    allocatable,
    topologyKeys: null,
  }));
  return {
    metadata: { name, annotations: { [MIGRATED_PLUGINS]: migratedPlugins.join(',') } },
    spec: { drivers },
  };
}

/** A claim and a volume that belong to each other already. */
function boundVolume(
  volume: ObjectTemplate,
  claim: ObjectTemplate,
  namespace: string,
  claimName: string,
  values: TemplateValues,
): readonly PerfObject[] {
  const volumeName = `${namespace}-vol-${values.Index}`;
  const ofClaim = claim.instantiate(values) as { metadata?: Metadata; spec?: object };
  const ofVolume = volume.instantiate(values) as { metadata?: Metadata; spec?: VolumeSpec };
  const { annotations } = (ofClaim.metadata ?? {}) as { annotations?: object };
  const { csi, awsElasticBlockStore } = ofVolume.spec ?? {};
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name: claimName };
  return [
    {
      kind: 'PersistentVolumeClaim',
      draft: {
        ...ofClaim,
        metadata: {
          ...ofClaim.metadata,
          name: claimName,
          namespace,
          annotations: { ...annotations, [BIND_COMPLETED]: 'yes' },
        },
        spec: { ...ofClaim.spec, volumeName },
        status: { phase: 'Bound' },
      },
    },
    {
      kind: 'PersistentVolume',
      draft: {
        ...ofVolume,
        metadata: { ...ofVolume.metadata, name: volumeName },
        spec: {
          ...ofVolume.spec,
          ...(csi === undefined ? {} : { csi: { ...csi, volumeHandle: volumeName } }),
          ...(awsElasticBlockStore === undefined
            ? {}
            : { awsElasticBlockStore: { ...awsElasticBlockStore, volumeID: `vol-${values.Index}` } }),
          claimRef,
        },
        status: { phase: 'Bound' },
      },
    },
  ];
}

interface VolumeSpec {
  readonly csi?: object;
  readonly awsElasticBlockStore?: object;
}

function withClaim(pod: Draft, claimName: string): Draft {
  const volumes = [{ name: 'vol', persistentVolumeClaim: { claimName } }];
  return { ...pod, spec: { ...(pod as { spec?: object }).spec, volumes } };
}
