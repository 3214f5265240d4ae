/** A node as `kubectl describe node` (v1.34) shows it. */
import { cpuMillis, wholeValue, type Cluster, type Container, type Node, type Pod } from '../../index.js';
import { TabbedText } from './tabbed-text.js';
import { ageText, annotationLines, dateText, eventLines, listLines, mapLines } from './values.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const SUMMED = ['cpu', 'memory', 'ephemeral-storage'];

/** The whole description, events last. */
export function nodeDescription(cluster: Cluster, node: Node): string {
  const out = new TabbedText();
  const { metadata, spec, status } = node;
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE_PREFIX));
  out.line(0, 'Name:', metadata.name);
  out.line(
    0,
    'Roles:',
    roles.length === 0 ? '<none>' : roles.map((label) => label.slice(ROLE_PREFIX.length)).join(','),
  );
  mapLines(out, 'Labels:', metadata.labels);
  annotationLines(out, metadata.annotations);
  out.line(0, 'CreationTimestamp:', dateText(metadata.creationTimestamp));
  listLines(
    out,
    'Taints:',
    (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}`),
  );
  out.line(0, 'Unschedulable:', String(spec.unschedulable ?? false));
  leaseLines(out, cluster, metadata.name);
  conditionLines(out, node);
  out.line(0, 'Addresses:');
  for (const { type, address } of status.addresses ?? []) out.line(1, `${type}:`, address);
  amountLines(out, 'Capacity:', status.capacity);
  amountLines(out, 'Allocatable:', status.allocatable);
  systemLines(out, node);
  const pods = cluster
    .list('Pod', { fieldSelector: `spec.nodeName=${metadata.name}` })
    .filter((pod) => pod.status.phase !== 'Succeeded' && pod.status.phase !== 'Failed');
  podLines(out, cluster, pods, status.allocatable ?? status.capacity ?? {});
  eventLines(out, cluster, node);
  return out.toString();
}

function leaseLines(out: TabbedText, cluster: Cluster, name: string): void {
  const lease = cluster.list('Lease', { namespace: 'kube-node-lease' }).find(({ metadata }) => metadata.name === name);
  out.line(0, 'Lease:');
  out.line(1, 'HolderIdentity:', lease?.spec?.holderIdentity ?? '<unset>');
  out.line(1, 'AcquireTime:', dateText(lease?.spec?.acquireTime));
  out.line(1, 'RenewTime:', dateText(lease?.spec?.renewTime));
}

function conditionLines(out: TabbedText, { status: { conditions = [] } }: Node): void {
  if (conditions.length === 0) return;
  out.line(0, 'Conditions:');
  out.line(1, 'Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message');
  out.line(1, '----', '------', '-----------------', '------------------', '------', '-------');
  for (const { type, status, lastHeartbeatTime, lastTransitionTime, reason = '', message = '' } of conditions) {
    out.line(1, type, status, dateText(lastHeartbeatTime), dateText(lastTransitionTime), reason, message);
  }
}

function amountLines(out: TabbedText, title: string, list: Readonly<Record<string, string>> = {}): void {
  out.line(0, title);
  for (const [name, quantity] of Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    out.line(1, `${name}:`, quantity);
  }
}

function systemLines(out: TabbedText, { status: { nodeInfo } }: Node): void {
  if (nodeInfo === undefined) return;
  out.line(0, 'System Info:');
  const rows: readonly [string, string][] = [
    ['Machine ID:', nodeInfo.machineID],
    ['System UUID:', nodeInfo.systemUUID],
    ['Boot ID:', nodeInfo.bootID],
    ['Kernel Version:', nodeInfo.kernelVersion],
    ['OS Image:', nodeInfo.osImage],
    ['Operating System:', nodeInfo.operatingSystem],
    ['Architecture:', nodeInfo.architecture],
    ['Container Runtime Version:', nodeInfo.containerRuntimeVersion],
    ['Kubelet Version:', nodeInfo.kubeletVersion],
  ];
  for (const [title, value] of rows) out.line(1, title, value);
}

function podLines(
  out: TabbedText,
  cluster: Cluster,
  pods: readonly Pod[],
  allocatable: Readonly<Record<string, string>>,
): void {
  out.line(0, 'Non-terminated Pods:', `(${pods.length} in total)`);
  out.line(1, 'Namespace', 'Name', '', 'CPU Requests', 'CPU Limits', 'Memory Requests', 'Memory Limits', 'Age');
  out.line(1, '---------', '----', '', '------------', '----------', '---------------', '-------------', '---');
  const nowMs = cluster.epochMs + cluster.nowMs;
  for (const pod of pods) {
    const { namespace = '', name, creationTimestamp } = pod.metadata;
    const cells = ['cpu', 'memory'].flatMap((resource) =>
      (['requests', 'limits'] as const).map((side) => shareText(resource, sumOf(pod, side, resource), allocatable)),
    );
    out.line(1, namespace, name, '', ...cells, ageText(nowMs - new Date(creationTimestamp).getTime()));
  }
  out.line(0, 'Allocated resources:');
  out.line(1, '(Total limits may be over 100 percent, i.e., overcommitted.)');
  out.line(1, 'Resource', 'Requests', 'Limits');
  out.line(1, '--------', '--------', '------');
  const extended = Object.keys(allocatable).filter((name) => name.includes('/'));
  for (const resource of [...SUMMED, ...extended]) {
    const [requests, limits] = (['requests', 'limits'] as const).map((side) =>
      pods.reduce((sum, pod) => sum + sumOf(pod, side, resource), 0),
    );
    out.line(
      1,
      resource,
      shareText(resource, requests ?? 0, allocatable),
      shareText(resource, limits ?? 0, allocatable),
    );
  }
}

/** Of all containers that run side by side, or of the largest init container; CPU in millis, all else in units. */
function sumOf({ spec }: Pod, side: 'requests' | 'limits', resource: string): number {
  const amountOf = ({ resources }: Container): number => amount(resource, resources?.[side]?.[resource]);
  const { initContainers = [], containers } = spec;
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = [...containers, ...sidecars].reduce((sum, container) => sum + amountOf(container), 0);
  const largest = Math.max(0, ...initContainers.filter((each) => !sidecars.includes(each)).map(amountOf));
  return Math.max(running, largest);
}

function amount(resource: string, quantity: string | undefined): number {
  if (quantity === undefined) return 0;
  return resource === 'cpu' ? cpuMillis(quantity) : wholeValue(quantity);
}

/** `100m (2%)`, `128Mi (0%)`. */
function shareText(resource: string, used: number, allocatable: Readonly<Record<string, string>>): string {
  if (resource.includes('/')) return String(used);
  const total = amount(resource, allocatable[resource]);
  const percent = total === 0 ? 0 : Math.trunc((used / total) * 100);
  return `${resource === 'cpu' ? cpuText(used) : bytesText(used)} (${percent}%)`;
}

function cpuText(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

function bytesText(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  let value = bytes;
  let unit = 0;
  while (value !== 0 && value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value}${units[unit]}`;
}
