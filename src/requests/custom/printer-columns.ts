/** Tables of custom resources, by the columns of their definition (registry/customresource/tableconvertor, v1.34). */
import type { PrinterColumn } from '../../api/custom/definition.js';
import type { CustomVersion } from '../../api/custom/custom-kind.js';
import { goJson } from '../../api/values/go-json.js';
import { ageOf, nameOf, type Cell, type CellTime } from '../tables/cells.js';
import type { KindTable } from '../tables/columns.js';
import { pathReader } from './json-path.js';

/** What ObjectMeta says of a name. */
const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a ' +
  'client to request the generation of an appropriate name automatically. Name is primarily intended for creation ' +
  'idempotence and configuration definition. Cannot be updated. More info: ' +
  'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
/** What ObjectMeta says of the time. */
const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed ' +
  'to be set in happens-before order across separate operations. Clients may not set this value. It is represented in ' +
  'RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ' +
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';
const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: CREATED,
  jsonPath: '.metadata.creationTimestamp',
};

/** The table of a version. */
export function customTable({ defined }: CustomVersion): KindTable {
  const { additionalPrinterColumns = [] } = defined;
  const columns = additionalPrinterColumns.length === 0 ? [AGE] : additionalPrinterColumns;
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: NAME, priority: 0 },
      ...columns.map(({ name, type, format = '', description = '', priority = 0, jsonPath }) => ({
        name,
        type,
        format,
        description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority,
      })),
    ],
    cells: (object, time) => [nameOf(object), ...columns.map((column) => cellOf(object, column, time))],
  };
}

function cellOf(object: object, { type, jsonPath }: PrinterColumn, time: CellTime): Cell {
  const values = pathReader(jsonPath)(object);
  const [value] = values;
  if (value === undefined || value === null) return null;
  if (type === 'string') return values.map(textOf).join(' ');
  if (values.length !== 1) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return dateCell(value, time);
  }
}

function dateCell(value: unknown, time: CellTime): Cell {
  if (typeof value !== 'string') return null;
  return Number.isNaN(time.timestamps.toMs(value)) ? '<invalid>' : ageOf(value, time);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : goJson(value);
}
