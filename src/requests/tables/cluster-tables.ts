/** Tables of nodes, namespaces, configuration, storage and events (pkg/printers/internalversion, v1.34). */
import {
  age,
  ageOf,
  count,
  list,
  nameOf,
  NONE,
  part,
  text,
  UNSET,
  type Cell,
  type CellTime,
  type Fields,
} from './cells.js';
import type { KindTable } from './columns.js';

/** A table whose cells stand between the name and the age. */
function named(columns: string, cells: (object: Fields, time: CellTime) => readonly Cell[] = () => []): KindTable {
  const between = columns === '' ? '' : `${columns}|`;
  return {
    columns: `Name|${between}Age`,
    cells: (object, time) => [nameOf(object), ...cells(object, time), age(object, time)],
  };
}

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: Fields, ...path: readonly string[]): string {
  const present = list(object, ...path) as readonly unknown[];
  return Object.entries(ACCESS_MODES)
    .filter(([mode]) => present.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function phaseOf(object: Fields): string {
  const isDeleted = part(object, 'metadata')['deletionTimestamp'] !== undefined;
  return isDeleted ? 'Terminating' : text(part(object, 'status')['phase']);
}

/** The tables by kind. */
export const CLUSTER_TABLES: Readonly<Record<string, KindTable>> = {
  ComponentStatus: {
    columns: 'Name|Status|Message|Error',
    cells: (component) => {
      const healthy = list(component, 'conditions').find(({ type }) => type === 'Healthy');
      const status = healthy?.['status'] === 'True' ? 'Healthy' : 'Unhealthy';
      return [nameOf(component), status, text(healthy?.['message']), text(healthy?.['error'])];
    },
  },
  Namespace: named('Status', (namespace) => [text(part(namespace, 'status')['phase'])]),
  Node: {
    columns: 'Name|Status|Roles|Age|Version|Internal-IP*|External-IP*|OS-Image*|Kernel-Version*|Container-Runtime*',
    cells: (node, time) => {
      const info = part(node, 'status', 'nodeInfo');
      return [
        nameOf(node),
        nodeStatus(node),
        rolesOf(node),
        age(node, time),
        text(info['kubeletVersion']),
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        ...['osImage', 'kernelVersion', 'containerRuntimeVersion'].map((field) => text(info[field]) || '<unknown>'),
      ];
    },
  },
  ConfigMap: named('Data', (map) => [
    Object.keys(part(map, 'data')).length + Object.keys(part(map, 'binaryData')).length,
  ]),
  Secret: named('Type|Data', (secret) => [text(secret['type']), Object.keys(part(secret, 'data')).length]),
  ServiceAccount: named('Secrets', (account) => [list(account, 'secrets').length]),
  Event: {
    columns: 'Last Seen|Type|Reason|Object|Subobject*|Source*|Message|First Seen*|Count*|Name*',
    cells: eventCells,
  },
  PriorityClass: {
    columns: 'Name|Value:i|Global-Default:b|Age|PreemptionPolicy',
    cells: (cls, time) => [
      nameOf(cls),
      count(cls['value']),
      cls['globalDefault'] === true,
      age(cls, time),
      text(cls['preemptionPolicy']),
    ],
  },
  Lease: named('Holder', (lease) => [text(part(lease, 'spec')['holderIdentity'])]),
  RuntimeClass: {
    columns: 'Name|Handler|Age',
    cells: (cls, time) => [nameOf(cls), text(cls['handler']), age(cls, time)],
  },
  PersistentVolumeClaim: {
    columns: 'Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*',
    cells: (claim, time) => {
      const { volumeName, volumeMode, volumeAttributesClassName } = part(claim, 'spec');
      const isBound = text(volumeName) !== '';
      return [
        nameOf(claim),
        phaseOf(claim),
        text(volumeName),
        isBound ? text(part(claim, 'status', 'capacity')['storage'], '0') : '',
        isBound ? accessModes(claim, 'status', 'accessModes') : '',
        classOf(claim),
        text(volumeAttributesClassName, UNSET),
        age(claim, time),
        text(volumeMode, UNSET),
      ];
    },
  },
  PersistentVolume: {
    columns:
      'Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode*',
    cells: (volume, time) => {
      const { claimRef, persistentVolumeReclaimPolicy, volumeMode, volumeAttributesClassName } = part(volume, 'spec');
      const { namespace, name } = (claimRef ?? {}) as Fields;
      return [
        nameOf(volume),
        text(part(volume, 'spec', 'capacity')['storage'], '0'),
        accessModes(volume, 'spec', 'accessModes'),
        text(persistentVolumeReclaimPolicy),
        phaseOf(volume),
        claimRef === undefined ? '' : `${text(namespace)}/${text(name)}`,
        classOf(volume),
        text(volumeAttributesClassName, UNSET),
        text(part(volume, 'status')['reason']),
        age(volume, time),
        text(volumeMode, UNSET),
      ];
    },
  },
  StorageClass: {
    columns: 'Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age',
    cells: (cls, time) => {
      const annotations = part(cls, 'metadata', 'annotations');
      const isDefault = annotations['storageclass.kubernetes.io/is-default-class'] === 'true';
      return [
        `${nameOf(cls)}${isDefault ? ' (default)' : ''}`,
        text(cls['provisioner']),
        text(cls['reclaimPolicy'], 'Delete'),
        text(cls['volumeBindingMode'], 'Immediate'),
        cls['allowVolumeExpansion'] === true,
        age(cls, time),
      ];
    },
  },
  VolumeAttributesClass: named('DriverName', (cls) => [text(cls['driverName'])]),
  VolumeAttachment: named('Attacher|PV|Node|Attached:b', (attachment) => {
    const { attacher, nodeName } = part(attachment, 'spec');
    const volume = part(attachment, 'spec', 'source')['persistentVolumeName'];
    return [text(attacher), text(volume), text(nodeName), part(attachment, 'status')['attached'] === true];
  }),
  CSINode: named('Drivers:i', (node) => [list(node, 'spec', 'drivers').length]),
  CSIDriver: named(
    'AttachRequired:b|PodInfoOnMount:b|StorageCapacity:b|TokenRequests|RequiresRepublish:b|Modes',
    (driver) => {
      const spec = part(driver, 'spec');
      const audiences = list(spec, 'tokenRequests').map(({ audience }) => text(audience));
      const modes = list(spec, 'volumeLifecycleModes') as readonly unknown[];
      return [
        spec['attachRequired'] !== false,
        spec['podInfoOnMount'] === true,
        spec['storageCapacity'] === true,
        audiences.length === 0 ? UNSET : audiences.join(','),
        spec['requiresRepublish'] === true,
        modes.length === 0 ? NONE : modes.map((mode) => text(mode)).join(','),
      ];
    },
  ),
  CSIStorageCapacity: {
    columns: 'Name|StorageClassName|Capacity',
    cells: (capacity) => [nameOf(capacity), text(capacity['storageClassName']), text(capacity['capacity'], UNSET)],
  },
};

function classOf(object: Fields): string {
  const old = part(object, 'metadata', 'annotations')['volume.beta.kubernetes.io/storage-class'];
  return text(old ?? part(object, 'spec')['storageClassName'], UNSET) || UNSET;
}

function nodeStatus(node: Fields): string {
  const ready = list(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return part(node, 'spec')['unschedulable'] === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf(node: Fields): string {
  const labels = part(node, 'metadata', 'labels');
  const roles = Object.entries(labels).flatMap(([label, value]) => {
    if (label.startsWith(ROLE_PREFIX))
      return label.length > ROLE_PREFIX.length ? [label.slice(ROLE_PREFIX.length)] : [];
    return label === 'kubernetes.io/role' && value !== '' ? [text(value)] : [];
  });
  return roles.length === 0 ? NONE : [...new Set(roles)].sort().join(',');
}

function addressOf(node: Fields, wanted: string): string {
  const found = list(node, 'status', 'addresses').find(({ type }) => type === wanted);
  return text(found?.['address'], NONE);
}

function eventCells(event: Fields, time: CellTime): readonly Cell[] {
  const { firstTimestamp, lastTimestamp, eventTime, type, reason, message, reportingComponent, reportingInstance } =
    event;
  const first = ageOf(firstTimestamp ?? eventTime, time);
  const series = event['series'] as Fields | undefined;
  const last = series === undefined ? lastTimestamp : series['lastObservedTime'];
  const { kind, name, fieldPath } = part(event, 'involvedObject');
  const source = part(event, 'source');
  const component = text(source['component']) || text(reportingComponent);
  const instance = text(source['host']) || text(reportingInstance);
  const times = count(series === undefined ? event['count'] : series['count']);
  const about = text(kind).toLowerCase();
  return [
    last === undefined || last === null ? first : ageOf(last, time),
    text(type),
    text(reason),
    text(name) === '' ? about : `${about}/${text(name)}`,
    text(fieldPath),
    instance === '' ? component : `${component}, ${instance}`,
    text(message).trim(),
    first,
    series === undefined && times === 0 ? 1 : times,
    nameOf(event),
  ];
}
