/**
 * A pod's shape: everything that decides where it may go, without its name. Pods of one template
 * share one shape, with its requests, ports and images computed once; shapes are told apart by the
 * identity of the template's objects first and by their content second.
 */
import { RecentMap } from '../../kernel/recent-map.js';
import type { core, Pod, PodSpec, StringMap } from '../../api/objects/objects.js';
import { hostPortsOf, type HostPort } from '../../api/pods/host-ports.js';
import { hasPodLevelRequests, NON_ZERO_DEFAULTS, podRequests } from './pod-requests.js';
import { resourceOf, type AmountList, type Resource } from './resource.js';

/** What a pod takes from the node that it is on. */
export interface PodUsage {
  readonly requests: Resource;
  /** Cpu with a default for containers that request none, millicores. */
  readonly nonZeroCpuMillis: number;
  /** Memory with a default for containers that request none, bytes. */
  readonly nonZeroMemoryBytes: number;
}

/** See the file header. Immutable. */
export interface PodShape {
  /** Distinguishes shapes within the process; of no other meaning. */
  readonly id: number;
  /** The same for all shapes that differ in nothing but what they request, and which volumes of a kind they have. */
  readonly outlineId: number;
  readonly namespace: string;
  readonly labels: StringMap;
  readonly spec: PodSpec;
  /** Usage by the spec alone; what Filter asks for is its `requests`. */
  readonly usage: PodUsage;
  /** What the score of an incoming pod counts: defaults per container, no pod-level requests. */
  readonly scoreRequests: Resource;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly core.Toleration[];
  /** Normalised image names of init and regular containers, in this order. */
  readonly images: readonly string[];
  /** Whether the pod has affinity or anti-affinity to other pods. */
  readonly hasPodTerms: boolean;
}

const NO_LABELS: StringMap = {};
const NO_CONTAINERS: readonly core.Container[] = [];
const NO_TOLERATIONS: readonly core.Toleration[] = [];

/** Shapes kept by content before the table starts anew; an evicted shape only costs its recomputation. */
const MAX_SHAPES = 16_384;
const TEXTS_REMEMBERED = 512;
const LISTS_REMEMBERED = 1024;
/** Variants remembered for one containers array, which differ in other fields. */
const MAX_VARIANTS = 8;

/** The objects of a template, by which its pods recognise each other. */
interface Variant {
  readonly spec: PodSpec;
  readonly labels: StringMap;
  readonly namespace: string;
  readonly shape: PodShape;
}

const byContainers = new RecentMap<readonly core.Container[], Variant[]>(LISTS_REMEMBERED);
const texts = new RecentMap<object, string>(TEXTS_REMEMBERED);
const byContent = new Map<string, PodShape>();
const outlineIds = new Map<string, number>();
let nextId = 1;
let nextOutlineId = 1;

/** The pod's shape; equal content gives the same shape (unless it was evicted in between). */
export function shapeOf(pod: Pod): PodShape {
  const { spec } = pod;
  const labels = pod.metadata.labels ?? NO_LABELS;
  const namespace = pod.metadata.namespace ?? '';
  let variants = byContainers.get(spec.containers);
  if (variants === undefined) {
    variants = [];
    byContainers.set(spec.containers, variants);
  }
  for (const variant of variants) {
    if (variant.labels === labels && variant.namespace === namespace && isSameSpec(variant.spec, spec))
      return variant.shape;
  }
  const shape = shapeByContent(spec, labels, namespace);
  if (variants.length >= MAX_VARIANTS) variants.shift();
  variants.push({ spec, labels, namespace, shape });
  return shape;
}

function isSameSpec(a: PodSpec, b: PodSpec): boolean {
  return (
    a === b ||
    (a.initContainers === b.initContainers &&
      a.tolerations === b.tolerations &&
      a.affinity === b.affinity &&
      a.nodeSelector === b.nodeSelector &&
      a.overhead === b.overhead &&
      a.resources === b.resources &&
      a.topologySpreadConstraints === b.topologySpreadConstraints &&
      a.volumes === b.volumes &&
      a.resourceClaims === b.resourceClaims)
  );
}

function shapeByContent(spec: PodSpec, labels: StringMap, namespace: string): PodShape {
  const outlineId = outlineIdOf(outlineKey(spec, labels, namespace));
  const key = `${outlineId} ${requestsKey(spec)}`;
  let shape = byContent.get(key);
  if (shape === undefined) {
    shape = createShape(spec, labels, namespace, outlineId);
    if (byContent.size >= MAX_SHAPES) byContent.clear();
    byContent.set(key, shape);
  }
  return shape;
}

/** Key order counts, so that equal content may give two shapes: that costs time, never correctness. */
function outlineKey(spec: PodSpec, labels: StringMap, namespace: string): string {
  let key = `${textOf(labels)}\n`;
  for (const container of spec.containers) key += containerKey(container);
  key += '\n';
  for (const container of spec.initContainers ?? NO_CONTAINERS) key += containerKey(container);
  key += `\n${textOf(spec.tolerations)}\n${textOf(spec.affinity)}\n${textOf(spec.nodeSelector)}`;
  key += `\n${textOf(spec.topologySpreadConstraints)}\n${volumeKinds(spec)}\n${textOf(spec.resourceClaims)}`;
  // JSON has neither line breaks nor tabs: whatever the name is, keys are told apart.
  return `${key}\n${namespace}`;
}

function containerKey({ image, ports, restartPolicy }: core.Container): string {
  return `${JSON.stringify(image)};${jsonOf(ports)};${jsonOf(restartPolicy)}\t`;
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** The JSON of a part that pods share although they differ elsewhere. */
function textOf(part: object | undefined): string {
  if (part === undefined) return '';
  let text = texts.get(part);
  if (text === undefined) {
    text = JSON.stringify(part);
    texts.set(part, text);
  }
  return text;
}

/** Of volumes only what kind they are of: which ones they are, the outline leaves out. */
function volumeKinds({ volumes }: PodSpec): string {
  return volumes === undefined ? '' : JSON.stringify(volumes.map((volume) => Object.keys(volume)));
}

/** What the outline leaves out. */
function requestsKey({ containers, initContainers, overhead, resources, volumes }: PodSpec): string {
  let key = '';
  for (const container of containers) key += `${jsonOf(container.resources)}\t`;
  key += '\n';
  for (const container of initContainers ?? NO_CONTAINERS) key += `${jsonOf(container.resources)}\t`;
  return `${key}\n${jsonOf(overhead)}\n${jsonOf(resources)}\n${jsonOf(volumes)}`;
}

/** Ids are not used again: of an outline that was evicted nothing is mistaken for another's. */
function outlineIdOf(outline: string): number {
  let id = outlineIds.get(outline);
  if (id === undefined) {
    id = nextOutlineId;
    nextOutlineId += 1;
    if (outlineIds.size >= MAX_SHAPES) outlineIds.clear();
    outlineIds.set(outline, id);
  }
  return id;
}

function createShape(spec: PodSpec, labels: StringMap, namespace: string, outlineId: number): PodShape {
  const id = nextId;
  nextId += 1;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const requests = podRequests(spec);
  const nonZero = nonZeroOf(spec, requests);
  return {
    id,
    outlineId,
    namespace,
    labels,
    spec,
    usage: usageFrom(requests, nonZero),
    scoreRequests: hasPodLevelRequests(spec)
      ? resourceOf(podRequests(spec, { defaults: NON_ZERO_DEFAULTS, ignorePodLevel: true }))
      : nonZero,
    hostPorts: hostPortsOf(spec),
    tolerations: spec.tolerations ?? NO_TOLERATIONS,
    images: [...(spec.initContainers ?? []), ...spec.containers].map((container) =>
      normalizedImage(container.image ?? ''),
    ),
    hasPodTerms: podAffinity !== undefined || podAntiAffinity !== undefined,
  };
}

/**
 * What a pod takes from its node.
 *
 * @param status - given when actual and allocated resources of containers count too
 */
export function usageOf(spec: PodSpec, status?: Pod['status']): PodUsage {
  const requests = podRequests(spec, { status });
  return usageFrom(requests, nonZeroOf(spec, requests, status));
}

/** The requests once more, with defaults for containers that request none. */
function nonZeroOf(spec: PodSpec, requests: AmountList, status?: Pod['status']): Resource {
  return resourceOf(podRequests(spec, { status, defaults: missingDefaults(spec, requests) }));
}

function usageFrom(requests: AmountList, nonZero: Resource): PodUsage {
  return {
    requests: resourceOf(requests),
    nonZeroCpuMillis: nonZero.cpuMillis,
    nonZeroMemoryBytes: nonZero.memoryBytes,
  };
}

/** With pod-level requests a default applies only to a resource that is named nowhere in the pod. */
function missingDefaults(spec: PodSpec, requests: AmountList): AmountList {
  if (!hasPodLevelRequests(spec)) return NON_ZERO_DEFAULTS;
  return new Map([...NON_ZERO_DEFAULTS].filter(([name]) => !requests.has(name)));
}

/** The image name with `:latest` where it has no tag. */
function normalizedImage(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
