/**
 * Tables and partial metadata: the forms in which clients ask for what they show to people or keep in small caches.
 * Mirrors apiserver/pkg/endpoints/handlers/response.go and pkg/printers (v1.34).
 */
import { TEMPLATE_GENERATION } from '../../api/kinds/workload/daemon-set.js';
import { goEncoded } from '../../api/types/go-encoding.js';
import { badRequest } from '../../apiserver/store/api-errors.js';
import { CLUSTER_TABLES } from './cluster-tables.js';
import { part, text, type CellTime, type Fields } from './cells.js';
import { columnDefinitions, type ColumnDefinition, type KindTable } from './columns.js';
import { NETWORK_TABLES } from './network-tables.js';
import { OWN_TABLES } from './own-tables.js';
import { podTable } from './pod-table.js';
import { WORKLOAD_TABLES } from './workload-tables.js';

const METADATA_TYPE = 'meta/v1.ObjectMeta';

const TABLES: Readonly<Record<string, KindTable>> = {
  Pod: podTable,
  ...WORKLOAD_TABLES,
  ...CLUSTER_TABLES,
  ...NETWORK_TABLES,
  ...OWN_TABLES,
};

/** Kinds that have no columns of their own. */
const PLAIN_TABLE: KindTable = {
  columns: 'Name|Created At:d',
  cells: (object) => [text(part(object, 'metadata')['name']), text(part(object, 'metadata')['creationTimestamp'])],
};

/** What a row carries of its object. */
export type IncludedObject = 'Metadata' | 'Object' | 'None';

/** @throws ApiError 400 for anything else */
export function includedObject(wish: string | null): IncludedObject {
  if (wish === null || wish === '' || wish === 'Metadata') return 'Metadata';
  if (wish === 'Object' || wish === 'None') return wish;
  const why = `includeObject: Invalid value: ${JSON.stringify(wish)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${why}`);
}

/** A kind's table, with what makes its rows. */
export class TableView {
  readonly definitions: readonly ColumnDefinition[];
  readonly #table: KindTable;
  readonly #included: IncludedObject;
  readonly #time: () => CellTime;
  readonly #version: string;

  /** @param kind - its name, or its table @param version - of meta.k8s.io */
  constructor(kind: string | KindTable, included: IncludedObject, time: () => CellTime, version = 'v1') {
    this.#version = version;
    this.#table = typeof kind === 'string' ? (TABLES[kind] ?? PLAIN_TABLE) : kind;
    this.definitions = columnDefinitions(this.#table.columns);
    this.#included = included;
    this.#time = time;
  }

  /** The row of an object as it is stored; `encoded` gives it as clients see it. */
  rowOf(stored: object, encoded: (stored: object) => object): object {
    if (this.#table.readsStored !== true || this.#included === 'Object') return this.row(encoded(stored));
    return this.row(stored, (metadata) => goEncoded(metadata, METADATA_TYPE));
  }

  /** The row of an object. @param kept - in the form that its cells are made of */
  row(object: object, encodedMetadata = (metadata: object): object => metadata, kept = object): object {
    const cells = this.#table.cells(kept as Fields, this.#time());
    const conditions = (object as Fields)['kind'] === 'Pod' ? podConditions(object as Fields) : undefined;
    return { cells, ...(conditions === undefined ? {} : { conditions }), object: this.#shown(object, encodedMetadata) };
  }

  /** The table of some objects. */
  head(metadata: object): object {
    return { kind: 'Table', apiVersion: `meta.k8s.io/${this.#version}`, metadata, columnDefinitions: this.definitions };
  }

  #shown(object: object, encodedMetadata: (metadata: object) => object): object | null {
    if (this.#included === 'None') return null;
    if (this.#included === 'Object') return object;
    const { metadata = {} } = withoutInternals(object as Fields) as { readonly metadata?: object };
    return partialMetadata({ metadata: encodedMetadata(metadata) }, this.#version);
  }
}

/** A count of templates that is an annotation in v1 alone: tables are made of what the server works with. */
function withoutInternals(object: Fields): Fields {
  if (object['kind'] !== 'DaemonSet') return object;
  const metadata = part(object, 'metadata');
  const { [TEMPLATE_GENERATION]: _count, ...annotations } = part(metadata, 'annotations');
  const { annotations: _all, ...rest } = metadata;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? rest : { ...metadata, annotations } };
}

/** The metadata of an object alone. */
export function partialMetadata(object: object, version = 'v1'): object {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: (object as Fields)['metadata'],
  };
}

const ENDS: Readonly<Record<string, readonly [reason: string, message: string]>> = {
  Succeeded: ['Succeeded', 'The pod has completed successfully.'],
  Failed: ['Failed', 'The pod failed.'],
};

/** Of a pod that has ended. */
function podConditions(pod: Fields): readonly object[] | undefined {
  const end = ENDS[text(part(pod, 'status')['phase'])];
  if (end === undefined) return undefined;
  const [reason, message] = end;
  return [{ type: 'Completed', status: 'True', reason, message }];
}
