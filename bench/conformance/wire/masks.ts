/**
 * Bodies and texts as they are compared: without what differs from one cluster to the next, which is times, uids,
 * versions, addresses and ports that were allocated, and letters that were drawn.
 */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';

/** Patterns within texts, and what stands for them. */
const TEXT_MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  // What was refused has left no name that could be dealt again.
  [/([\w.-]+-)[a-z0-9]{5}(?=\\?" is forbidden)/g, '$1<suffix>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\b10\.(?:\d{1,3}\.){2}\d{1,3}\b/g, '<address>'],
  [/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<letters>'],
  [/\.[0-9a-f]{16}\b/g, '.<number>'],
  [/\b[A-F0-9]{128}\b/g, '<hash>'],
  [/(?:-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\s*)+/g, '<certificates>'],
  // The name of the machine on which a component runs.
  [/\bdefault-scheduler-\w+/g, 'default-scheduler'],
  [/(resource version: +)\d+(?: \(\d+\)|, current: \d+)?/gi, '$1<version>'],
  [/(the ResourceVersion in record \()\d+/g, '$1<version>'],
  // Of an object that stands as JSON in a text, such as what kubectl prints of a raw answer, or in a text in that.
  [/(resourceVersion\\*": ?\\*")\d+/g, '$1<version>'],
  [/\beyJ[\w.-]{20,}/g, '<token>'],
  [/<token>(?:\.<token>)*/g, '<token>'],
  [/127\.0\.0\.1:(?!10247)\d{4,5}/g, '127.0.0.1:<port>'],
];

/** Fields whose values are allocated, or tell of one cluster alone. */
const MASKED_FIELDS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'continue',
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
  'podIP',
  'podIPs',
  'serverAddress',
  'renewTime',
  'token',
  'observedResourceVersion',
]);
/** What people read alone, in words of our own. */
const DROPPED_FIELDS: ReadonlySet<string> = new Set(['description']);

/** A text as it is compared. */
function maskedText(text: string): string {
  return TEXT_MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text);
}

/** A body as it is compared. */
export function maskedBody(value: Json): Json {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(maskedBody);
  if (!isObject(value)) return value;
  if (value['kind'] === 'Table') return maskedTable(value);
  return maskedFields(value);
}

function maskedFields(value: JsonObject): JsonObject {
  const masked: Record<string, Json> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (name === 'managedFields' && Array.isArray(field)) masked[name] = maskedManagers(field as readonly Json[]);
    else if (name === 'conditions' && Array.isArray(field)) masked[name] = inOrderOfType(field as readonly Json[]);
    else if (name === 'endpoints' && Array.isArray(field)) masked[name] = inAnyOrder(field as readonly Json[]);
    else if (MASKED_FIELDS.has(name) && field !== 'None' && field !== '') masked[name] = `<${name}>`;
    else masked[maskedText(name)] = maskedBody(field);
  }
  return masked;
}

/** Endpoints of a slice stand in the order of a map of Go. */
function inAnyOrder(items: readonly Json[]): Json {
  return items.map(maskedBody).toSorted((a, b) => (canonicalJson(a ?? null) < canonicalJson(b ?? null) ? -1 : 1));
}

function typeOf(condition: Json): string {
  return isObject(condition) ? JSON.stringify(condition['type']) : '';
}

/** Which condition came first is left to timing. */
function inOrderOfType(conditions: readonly Json[]): Json {
  return conditions.map(maskedBody).toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
}

/** Entries of equal times stand in the order of their managers. */
function maskedManagers(entries: readonly Json[]): Json {
  const masked = entries.map((entry) => {
    if (!isObject(entry)) return entry;
    const { time: _time, ...rest } = entry;
    return maskedFields(rest);
  });
  return masked.toSorted((a, b) => (managerKey(a) < managerKey(b) ? -1 : 1));
}

function managerKey(entry: Json): string {
  if (!isObject(entry)) return '';
  const { manager, operation, subresource, apiVersion } = entry;
  return JSON.stringify([manager, operation, subresource ?? '', apiVersion]);
}

const AGE = /^(?:\d+[smhdy])+$/;
const SECONDS_AGO = /(?:\d+[smhdy])+( ago)/g;

function maskedTable(table: JsonObject): JsonObject {
  const { columnDefinitions, rows, ...rest } = table;
  const columns = Array.isArray(columnDefinitions) ? (columnDefinitions as readonly Json[]) : [];
  return {
    ...maskedFields(rest),
    columnDefinitions: columns.map((column) => {
      if (!isObject(column)) return column;
      return Object.fromEntries(Object.entries(column).filter(([name]) => !DROPPED_FIELDS.has(name)));
    }),
    rows: Array.isArray(rows) ? (rows as readonly Json[]).map((row) => maskedRow(row, columns)) : (rows ?? null),
  };
}

function maskedRow(row: Json, columns: readonly Json[]): Json {
  if (!isObject(row)) return row;
  const { cells, object, ...rest } = row;
  const shown = Array.isArray(cells) ? (cells as readonly Json[]) : [];
  return {
    ...maskedFields(rest),
    cells: shown.map((cell, index) => maskedCell(cell, columns[index] ?? null)),
    object: maskedBody(object ?? null),
  };
}

function maskedCell(cell: Json, column: Json): Json {
  if (typeof cell !== 'string') return cell;
  const name = isObject(column) ? column['name'] : '';
  if (name === 'Port(s)') return maskedText(cell).replaceAll(/:\d{5}\//g, ':<port>/');
  return AGE.test(cell) ? '<age>' : maskedText(cell).replaceAll(SECONDS_AGO, '<age>$1');
}

/** What a user saw: words in a column take as much room as their values. */
export function maskedOutput(text: string): string {
  return (
    withoutOwnGroups(maskedText(text))
      .replaceAll(/(?<="serverAddress":")[^"]*/g, '<address>')
      .replaceAll(/(?<=--cache-dir=')[^']*/g, '<cache>')
      .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1-<number>')
      .replaceAll(/(?<=[\s(])(?:\d+[smhdy])+(?=[\s)]|$)/gm, '<age>')
      .replaceAll(/:\d{5}\/(TCP|UDP)/g, ':<port>/$1')
      .replaceAll(/(nodePort: |NodePort: .*? )\d{5}/g, '$1<port>')
      .replaceAll(/(resourceVersion"?: "?)\d+/g, '$1<version>')
      .replaceAll(/(?<=Labels:.*)[ \t]+$/gm, '')
      .replaceAll(/[ \t]+/g, ' ')
      // How often a controller has tried again by then hangs on real time.
      .replaceAll(/^( Warning FailedCreate .*\n)\1+/gm, '$1')
  );
}

const OWN_GROUPS = String.raw`(?:kubeloom\.dev|metrics\.k8s\.io)`;
/** Lines that name them, and their places in lists and maps of JSON that stand in one line. */
const OF_OWN_GROUPS: readonly RegExp[] = [
  new RegExp(String.raw`,\{"name":"${OWN_GROUPS}","versions":\[[^\]]*\],"preferredVersion":\{[^}]*\}\}`, 'g'),
  new RegExp(String.raw`"apis/${OWN_GROUPS}[^}]*\},`, 'g'),
  new RegExp(String.raw`^.*\b${OWN_GROUPS}\b.*\n`, 'gm'),
];

/** Without the groups that only the cluster of a recording does not have. */
function withoutOwnGroups(text: string): string {
  return OF_OWN_GROUPS.reduce((rest, pattern) => rest.replace(pattern, ''), text);
}
