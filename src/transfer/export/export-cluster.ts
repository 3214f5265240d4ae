/**
 * A cluster as a list of its objects, with what its kubelets know at the end: what `--from` and the option `from` take.
 * What is told anew or computed (events, leases, the cluster's own controls but for loads) and contents of secrets are left out.
 */
import type { CustomKind } from '../../api/custom/custom-kind.js';
import { kindsIn, USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { AnyObject, Kind } from '../../api/objects/objects.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { MachineMemory } from '../../kubelet/resumed/resumed-machine.js';
import { SAVED_STATE, SAVED_STATE_VERSION, type ClusterExport, type SavedState } from '../saved-state.js';

const OWN_GROUP = 'kubeloom.dev';
const LEFT_OUT: readonly Kind[] = ['Event', 'Lease', 'APIService'];
/** Of the own group: what comes from outside goes on. */
const KEPT_OWN: Kind = 'Load';
/** What others refer to comes first. */
const FIRST: readonly Kind[] = ['Namespace', 'Node', 'PriorityClass', 'StorageClass'];

/** What is written down. */
export interface ExportedParts {
  readonly server: Pick<ApiServer, 'list' | 'customKinds' | 'optionalVersions'>;
  /** By node. */
  readonly machines: Iterable<readonly [string, MachineMemory]>;
  readonly seed: string;
  /** RFC 3339 with microseconds. */
  readonly time: string;
  readonly traceHash: string;
  readonly hasMetrics?: false;
  readonly absentProvisioners?: readonly string[];
  readonly namesTaints?: false;
  readonly discoveryFailure?: string;
}

/** See the file header. @param keepsSecrets - their contents as well */
export function exportCluster({ server, machines, ...facts }: ExportedParts, keepsSecrets: boolean): ClusterExport {
  const items: object[] = [];
  for (const kind of [...EXPORTED_KINDS, ...kindsIn(server.optionalVersions), ...server.customKinds.map(nameOf)]) {
    for (const object of server.list(kind).items) items.push(written(object, keepsSecrets));
  }
  const state: SavedState = {
    apiVersion: SAVED_STATE_VERSION,
    kind: SAVED_STATE,
    metadata: { name: 'cluster' },
    ...facts,
    nodes: Object.fromEntries(machines),
  };
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: [...items, state] };
}

/** Of a kind that a definition has brought. */
const nameOf = ({ kind, group }: CustomKind): Kind => `${kind}.${group}` as Kind;

const EXPORTED_KINDS: readonly Kind[] = [
  ...FIRST,
  ...USUAL_KINDS.filter(
    (kind) => (kindRegistry[kind].group !== OWN_GROUP || kind === KEPT_OWN) && ![...LEFT_OUT, ...FIRST].includes(kind),
  ),
];

function written(object: AnyObject, keepsSecrets: boolean): object {
  const {
    resourceVersion: _version,
    managedFields: _owners,
    ...metadata
  } = object.metadata as AnyObject['metadata'] & {
    readonly managedFields?: unknown;
  };
  const { data } = object as { readonly data?: Readonly<Record<string, string>> };
  if (object.kind !== 'Secret' || keepsSecrets || data === undefined) return { ...object, metadata };
  return { ...object, metadata, data: Object.fromEntries(Object.keys(data).map((key) => [key, ''])) };
}
