/**
 * Objects as they are compared: without what differs from run to run. Taken away are managed fields,
 * versions, what a distribution adds (tokens of service accounts, anything of OpenShift), what controllers
 * do that are not simulated (the TTL of nodes), and empty fields; masked are times, addresses and ports of
 * services, and versions in texts. Uids and addresses of pods are dealt from the recording, and compared.
 */
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';
import type { RecordedObject } from './story.js';

/** Metadata of the store. */
const STORE_FIELDS: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'selfLink',
  'creationTimestamp',
]);
/** Allocated to services by chance. */
const ALLOCATED_FIELDS: ReadonlySet<string> = new Set(['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort']);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** It looks at addresses every few minutes, and at those that are being given out as well. */
const ADDRESS_REPAIR = 'ipallocator-repair-controller';
const TOKEN_VOLUME = /^kube-api-access-/;
const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** An object flattened: path to value, as text; elements of lists by what names them. */
export type PlainObject = ReadonlyMap<string, string>;

/** Lists of texts that are sets: in which order they stand is left to chance. */
const SETS = /^status\.uncountedTerminatedPods\.(?:succeeded|failed)$/;

/** What names an element of a list, by its fields; else its place does. */
const NAMING_FIELDS: readonly (readonly string[])[] = [
  ['type'],
  ['conditionType'],
  ['uid'],
  ['key', 'effect'],
  ['name'],
  ['targetRef.name'],
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
];

/** Flattens an object. */
export function plainObject(object: RecordedObject): PlainObject {
  const { metadata, kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const fields = new Map<string, string>();
  const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !STORE_FIELDS.has(field)));
  flatten(fields, 'metadata', kept);
  for (const [field, value] of Object.entries(rest)) flatten(fields, field, value);
  return fields;
}

function flatten(fields: Map<string, string>, path: string, value: Json): void {
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (value === null || value === undefined || field === 'resourceVersion' || isForeign(path, value)) return;
  if (ALLOCATED_FIELDS.has(field) && !JSON.stringify(value).includes('None')) fields.set(path, '<allocated>');
  else if (Array.isArray(value)) flattenList(fields, path, value as readonly Json[]);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) flatten(fields, `${path}.${key}`, inner);
  } else fields.set(path, typeof value === 'string' ? maskedText(value) : JSON.stringify(value));
}

function flattenList(fields: Map<string, string>, path: string, list: readonly Json[]): void {
  const present = list.filter((element) => !isForeign(path, element));
  if (SETS.test(path)) {
    for (const element of present) fields.set(`${path}[${JSON.stringify(element)}]`, 'true');
    return;
  }
  const naming = NAMING_FIELDS.find((names) => present.every((element) => scalarOf(element, names[0]) !== ''));
  for (const [index, element] of present.entries()) {
    const name = naming?.map((each) => scalarOf(element, each)).join(' ') ?? String(index);
    flatten(fields, `${path}[${name}]`, element);
  }
}

/** A text or number of an element, or of what it refers to; else empty. */
function scalarOf(element: Json, field = ''): string {
  const [outer = '', inner] = field.split('.');
  const value = isObject(element) ? element[outer] : undefined;
  if (inner !== undefined) return scalarOf(value, inner);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether it is a token's volume or mount, or something of a distribution. */
function isForeign(path: string, value: Json): boolean {
  if (path.includes('openshift') || path.endsWith(TTL_ANNOTATION)) return true;
  if (!isObject(value) || !/\.(?:volumes|volumeMounts)(?:\[|$)/.test(path)) return false;
  return typeof value['name'] === 'string' && TOKEN_VOLUME.test(value['name']);
}

/** Objects of a distribution, those that publish its certificates, and the account that every namespace gets. */
export function isForeignObject(object: RecordedObject): boolean {
  const { kind, metadata } = object;
  const { name } = metadata;
  if (kind === 'Event' && textField(object, 'reportingComponent') === ADDRESS_REPAIR) return true;
  return name.includes('openshift') || name === 'kube-root-ca.crt' || (kind === 'ServiceAccount' && name === 'default');
}

/** A text without what differs from run to run. */
export function maskedText(text: string): string {
  if (TIME.test(text)) return '<time>';
  const [first = ''] = text.split('\nCore');
  return withoutTaints(first).replaceAll(/(in record \(|in object meta: |resource version: \d+ \()\d+/g, '$1<version>');
}

const TAINTED = 'node(s) had untolerated taint(s)';

/** Some builds of the scheduler name taints and count nodes by them, others count all such nodes together. */
function withoutTaints(text: string): string {
  const [, head = '', list = '', rest = ''] = /^(0\/\d+ nodes are available: )(.*?)(\. .*|\.)$/s.exec(text) ?? [];
  if (list === '') return withoutNames(text);
  const reasons = withoutNames(list).split(', ');
  const [tainted, others] = [true, false].map((isWanted) =>
    reasons.filter((each) => each.endsWith(TAINTED) === isWanted),
  );
  const nodes = (tainted ?? []).reduce((sum, reason) => sum + Number.parseInt(reason, 10), 0);
  const merged = nodes === 0 ? reasons : [...(others ?? []), `${nodes} ${TAINTED}`];
  return `${head}${merged.toSorted((left, right) => (left < right ? -1 : 1)).join(', ')}${withoutNames(rest)}`;
}

function withoutNames(text: string): string {
  return text.replaceAll(/had untolerated taint(?:\(s\)| \{[^}]*\})/g, 'had untolerated taint(s)');
}

/** A quoted value of a {@link JsonObject}, or nothing. */
export function textField(object: JsonObject, ...path: readonly string[]): string {
  let value: Json = object;
  for (const field of path) value = isObject(value) ? value[field] : undefined;
  return typeof value === 'string' ? value : '';
}
