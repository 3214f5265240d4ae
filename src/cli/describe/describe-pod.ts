/** A pod as `kubectl describe pod` (v1.34) shows it. */
import type { Cluster, Container, Pod } from '../../index.js';
import { probeText } from './probe-text.js';
import { TabbedText } from './tabbed-text.js';
import { ageText, annotationLines, dateText, eventLines, listLines, mapLines } from './values.js';

type ContainerStatus = NonNullable<Pod['status']['containerStatuses']>[number];
type ContainerState = NonNullable<ContainerStatus['state']>;
type Volume = NonNullable<Pod['spec']['volumes']>[number];
type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];

/** A source that names an object. */
interface NamedSource {
  readonly name?: string;
  readonly optional?: boolean;
}
type Toleration = NonNullable<Pod['spec']['tolerations']>[number];

/** The whole description, events last. */
export function podDescription(cluster: Cluster, pod: Pod): string {
  const out = new TabbedText();
  const { spec, status } = pod;
  headLines(out, cluster, pod);
  const { initContainers = [], containers } = spec;
  if (initContainers.length > 0) containerLines(out, 'Init Containers:', initContainers, status.initContainerStatuses);
  containerLines(out, 'Containers:', containers, status.containerStatuses);
  conditionLines(out, pod);
  volumeLines(out, spec.volumes ?? []);
  out.line(0, 'QoS Class:', status.qosClass ?? '');
  mapLines(out, 'Node-Selectors:', spec.nodeSelector);
  listLines(out, 'Tolerations:', (spec.tolerations ?? []).map(tolerationText).toSorted());
  spreadLines(out, pod);
  eventLines(out, cluster, pod);
  return out.toString();
}

function headLines(out: TabbedText, cluster: Cluster, { metadata, spec, status }: Pod): void {
  out.line(0, 'Name:', metadata.name);
  out.line(0, 'Namespace:', metadata.namespace ?? '');
  if (spec.priority !== undefined) out.line(0, 'Priority:', String(spec.priority));
  if (spec.priorityClassName !== undefined) out.line(0, 'Priority Class Name:', spec.priorityClassName);
  if (spec.runtimeClassName !== undefined) out.line(0, 'Runtime Class Name:', spec.runtimeClassName);
  if (spec.serviceAccountName !== undefined) out.line(0, 'Service Account:', spec.serviceAccountName);
  out.line(0, 'Node:', nodeText(spec.nodeName, status.hostIP));
  if (status.startTime !== undefined) out.line(0, 'Start Time:', dateText(status.startTime));
  mapLines(out, 'Labels:', metadata.labels);
  annotationLines(out, metadata.annotations);
  phaseLines(out, cluster, { metadata, status });
  const ips = status.podIPs ?? [];
  out.line(0, 'IP:', status.podIP ?? '');
  if (ips.length === 0) out.line(0, 'IPs:', '<none>');
  else out.line(0, 'IPs:');
  for (const { ip } of ips) out.line(1, 'IP:', ip ?? '');
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller !== undefined) out.line(0, 'Controlled By:', `${controller.kind}/${controller.name}`);
  if (status.nominatedNodeName !== undefined) out.line(0, 'NominatedNodeName:', status.nominatedNodeName);
}

function phaseLines(out: TabbedText, cluster: Cluster, { metadata, status }: Pick<Pod, 'metadata' | 'status'>): void {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp !== undefined && status.phase !== 'Failed' && status.phase !== 'Succeeded') {
    const sinceMs = cluster.epochMs + cluster.nowMs - new Date(deletionTimestamp).getTime();
    out.line(0, 'Status:', `Terminating (lasts ${ageText(sinceMs)})`);
    out.line(0, 'Termination Grace Period:', `${deletionGracePeriodSeconds ?? 0}s`);
  } else out.line(0, 'Status:', status.phase);
  if ((status.reason ?? '') !== '') out.line(0, 'Reason:', status.reason ?? '');
  if ((status.message ?? '') !== '') out.line(0, 'Message:', status.message ?? '');
}

function nodeText(nodeName: string | undefined, hostIP: string | undefined): string {
  return nodeName === undefined ? '<none>' : `${nodeName}/${hostIP ?? ''}`;
}

function containerLines(
  out: TabbedText,
  title: string,
  containers: readonly Container[],
  statuses: readonly ContainerStatus[] = [],
): void {
  out.line(0, title);
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    out.line(1, `${container.name}:`);
    out.line(2, 'Container ID:', status?.containerID ?? '');
    out.line(2, 'Image:', container.image ?? '');
    out.line(2, 'Image ID:', status?.imageID ?? '');
    portLines(out, container);
    commandLines(out, 'Command:', container.command);
    commandLines(out, 'Args:', container.args);
    if (status !== undefined) statusLines(out, status);
    resourceLines(out, 'Limits:', container.resources?.limits);
    resourceLines(out, 'Requests:', container.resources?.requests);
    if (container.livenessProbe !== undefined) out.line(2, 'Liveness:', probeText(container.livenessProbe));
    if (container.readinessProbe !== undefined) out.line(2, 'Readiness:', probeText(container.readinessProbe));
    if (container.startupProbe !== undefined) out.line(2, 'Startup:', probeText(container.startupProbe));
    environmentLines(out, container);
    mountLines(out, container);
  }
}

function portLines(out: TabbedText, { ports = [] }: Container): void {
  const numbers = ports.map(({ containerPort, protocol = 'TCP' }) => `${containerPort}/${protocol}`);
  const hostNumbers = ports.map(({ hostPort = 0, protocol = 'TCP' }) => `${hostPort}/${protocol}`);
  const [title, hostTitle] = ports.length > 1 ? ['Ports:', 'Host Ports:'] : ['Port:', 'Host Port:'];
  out.line(2, title, numbers.length === 0 ? '<none>' : numbers.join(', '));
  out.line(2, hostTitle, hostNumbers.length === 0 ? '<none>' : hostNumbers.join(', '));
}

function commandLines(out: TabbedText, title: string, words: readonly string[] | undefined): void {
  if (words === undefined || words.length === 0) return;
  out.line(2, title);
  for (const word of words) for (const part of word.split('\n')) out.line(3, part);
}

function statusLines(out: TabbedText, { state, lastState, ready, restartCount }: ContainerStatus): void {
  stateLines(out, 'State:', state ?? {});
  if (lastState?.terminated !== undefined) stateLines(out, 'Last State:', lastState);
  out.line(2, 'Ready:', ready ? 'True' : 'False');
  out.line(2, 'Restart Count:', String(restartCount));
}

function stateLines(out: TabbedText, title: string, { running, terminated, waiting }: ContainerState): void {
  if (running !== undefined) {
    out.line(2, title, 'Running');
    out.line(3, 'Started:', dateText(running.startedAt));
  } else if (terminated !== undefined) {
    out.line(2, title, 'Terminated');
    if (terminated.reason !== undefined) out.line(3, 'Reason:', terminated.reason);
    if (terminated.message !== undefined) out.line(3, 'Message:', terminated.message);
    out.line(3, 'Exit Code:', String(terminated.exitCode));
    out.line(3, 'Started:', dateText(terminated.startedAt));
    out.line(3, 'Finished:', dateText(terminated.finishedAt));
  } else {
    out.line(2, title, 'Waiting');
    if (waiting?.reason !== undefined) out.line(3, 'Reason:', waiting.reason);
  }
}

function resourceLines(out: TabbedText, title: string, list: Readonly<Record<string, string>> | undefined): void {
  const entries = Object.entries(list ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return;
  out.line(2, title);
  for (const [name, quantity] of entries) out.line(3, `${name}:`, quantity);
}

function environmentLines(out: TabbedText, { env = [] }: Container): void {
  if (env.length === 0) return out.line(2, 'Environment:', '<none>');
  out.line(2, 'Environment:');
  for (const { name, value, valueFrom } of env) {
    const source =
      valueFrom?.fieldRef === undefined
        ? ''
        : ` (${valueFrom.fieldRef.apiVersion ?? 'v1'}:${valueFrom.fieldRef.fieldPath})`;
    out.line(3, `${name}:`, value ?? source);
  }
}

function mountLines(out: TabbedText, { volumeMounts = [] }: Container): void {
  if (volumeMounts.length === 0) return out.line(2, 'Mounts:', '<none>');
  out.line(2, 'Mounts:');
  for (const { mountPath, name, readOnly, subPath } of volumeMounts) {
    const flags = [readOnly === true ? 'ro' : 'rw', ...(subPath === undefined ? [] : [`path="${subPath}"`])];
    out.line(3, `${mountPath} from ${name} (${flags.join(',')})`);
  }
}

function conditionLines(out: TabbedText, { status: { conditions = [] } }: Pod): void {
  if (conditions.length === 0) return;
  out.line(0, 'Conditions:');
  out.line(1, 'Type', 'Status');
  for (const { type, status } of conditions) out.line(1, type, status);
}

function volumeLines(out: TabbedText, volumes: readonly Volume[]): void {
  if (volumes.length === 0) return out.line(0, 'Volumes:', '<none>');
  out.line(0, 'Volumes:');
  for (const volume of volumes) {
    out.line(1, `${volume.name}:`);
    for (const [title, value] of volumeFields(volume)) out.line(2, title, value);
  }
}

/** Kinds of volumes that the engine knows in detail; of others the kind alone is told. */
function volumeFields(volume: Volume): [string, string][] {
  const { emptyDir, persistentVolumeClaim: claim, configMap, secret, hostPath, projected } = volume;
  if (emptyDir !== undefined) {
    return [
      ['Type:', "EmptyDir (a temporary directory that shares a pod's lifetime)"],
      ['Medium:', emptyDir.medium ?? ''],
      ['SizeLimit:', emptyDir.sizeLimit ?? '<unset>'],
    ];
  }
  if (claim !== undefined) {
    return [
      ['Type:', 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)'],
      ['ClaimName:', claim.claimName],
      ['ReadOnly:', String(claim.readOnly ?? false)],
    ];
  }
  if (configMap !== undefined) {
    return [
      ['Type:', 'ConfigMap (a volume populated by a ConfigMap)'],
      ['Name:', configMap.name ?? ''],
      ['Optional:', String(configMap.optional ?? false)],
    ];
  }
  if (secret !== undefined) {
    return [
      ['Type:', 'Secret (a volume populated by a Secret)'],
      ['SecretName:', secret.secretName ?? ''],
      ['Optional:', String(secret.optional ?? false)],
    ];
  }
  if (hostPath !== undefined) {
    return [
      ['Type:', 'HostPath (bare host directory volume)'],
      ['Path:', hostPath.path],
      ['HostPathType:', hostPath.type ?? ''],
    ];
  }
  if (projected !== undefined) {
    const type = 'Projected (a volume that contains injected data from multiple sources)';
    return [['Type:', type], ...(projected.sources ?? []).flatMap(projectionFields)];
  }
  return [['Type:', Object.keys(volume).find((field) => field !== 'name') ?? '<unknown>']];
}

function projectionFields({ secret, configMap, downwardAPI, serviceAccountToken }: Projection): [string, string][] {
  if (secret !== undefined) return sourceFields('SecretName:', secret);
  if (downwardAPI !== undefined) return [['DownwardAPI:', 'true']];
  if (configMap !== undefined) return sourceFields('ConfigMapName:', configMap);
  if (serviceAccountToken === undefined) return [];
  return [['TokenExpirationSeconds:', String(serviceAccountToken.expirationSeconds ?? 0)]];
}

function sourceFields(title: string, { name = '', optional = false }: NamedSource): [string, string][] {
  return [
    [title, name],
    ['Optional:', String(optional)],
  ];
}

function tolerationText({ key = '', value = '', operator, effect = '', tolerationSeconds }: Toleration): string {
  let text = key;
  if (value !== '') text += `=${value}`;
  if (effect !== '') text += `:${effect}`;
  if (operator === 'Exists' && value === '') text += key !== '' || effect !== '' ? ' op=Exists' : 'op=Exists';
  return tolerationSeconds === undefined ? text : `${text} for ${tolerationSeconds}s`;
}

function spreadLines(out: TabbedText, { spec: { topologySpreadConstraints = [] } }: Pod): void {
  if (topologySpreadConstraints.length === 0) return;
  const texts = topologySpreadConstraints.map(({ topologyKey, whenUnsatisfiable, maxSkew, labelSelector }) => {
    const labels = Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
    const selector = labels.length === 0 ? '' : ` for selector ${labels.toSorted().join(',')}`;
    return `${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded${selector}`;
  });
  listLines(out, 'Topology Spread Constraints:', texts.toSorted());
}
