/** Fields of a pod and amounts of its containers as its programs read them. Mirrors pkg/fieldpath and the resource helpers of the kubelet (v1.34). */
import type { Container, core, Pod, ResourceList } from '../../api/objects/objects.js';
import { parseQuantity } from '../../api/values/quantity.js';

/** What is known beside the pod's object. */
export interface FieldFacts {
  readonly podIp: string;
  readonly hostIp: string;
  readonly allocatable: ResourceList;
}

/** As Go prints a text in quotes. */
function goQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f]/g, (each) => `\\x${each.charCodeAt(0).toString(16)}`);
}

/** Labels or annotations, one a line. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuoted(map[key] ?? '')}`)
    .join('\n');
}

/** The value of a field; `undefined` = there is no such field. */
export function fieldValue(pod: Pod, path: string, { podIp, hostIp }: FieldFacts): string | undefined {
  const { metadata, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript !== null) return metadata[subscript[1] as 'labels' | 'annotations']?.[subscript[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid;
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.podIP':
    case 'status.podIPs':
      return podIp;
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp;
    default:
      return undefined;
  }
}

/** What a container asks for or may use, in units of a divisor, rounded up. */
export function resourceValue(
  { spec }: Pod,
  own: Container,
  { containerName, resource, divisor = '0' }: core.ResourceFieldSelector,
  { allocatable }: FieldFacts,
): string {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  const container = containerName === undefined ? own : (all.find(({ name }) => name === containerName) ?? own);
  const [kind = 'limits', name = ''] = resource.split(/\.(.*)/, 2);
  const { limits, requests } = container.resources ?? {};
  const asked = kind === 'limits' ? limits?.[name] : (requests?.[name] ?? limits?.[name]);
  const amount = asked ?? (kind === 'limits' ? allocatable[name] : undefined) ?? '0';
  const { nanos } = parseQuantity(amount);
  const unit = parseQuantity(divisor).nanos;
  const by = unit === 0n ? 1_000_000_000n : unit;
  return String((nanos + by - 1n) / by);
}
