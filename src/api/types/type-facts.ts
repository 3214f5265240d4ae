/**
 * Facts about the Go types of the API (v1.34.2), by key such as `core/v1.PodSpec`: the names of fields in JSON, their
 * types, their numbers in protobuf, what is left out while it is zero, and how lists and maps merge. One table for
 * decoding, patches, the ownership of fields, protobuf and OpenAPI; bench/type-facts writes its rows,
 * but those in own/.
 *
 * A row is a type (`~` = owned as a whole) and its fields as `json:type:number:flags`, where `2.1` is
 * field 1 of the embedded struct that is field 2. Types: `*T` pointer, `[]T`
 * list, `{}T` map, `s` text, `@Name` text of a named type (of another package with it), `b` bool, `i` int32, `l` int64, `d` double, `y` bytes, `q`
 * quantity, `t` time, `u` time with microseconds, `x` number or text, `r` any JSON, else a struct. Flags: `o`
 * omitempty, `!` required, `m` patches merge the list as a set, `m=KEY` by a key, `k` patches name the keys to keep,
 * `l=A,B` a list owned by these keys, `s` a set, `a` owned as a whole, `g` owned by its fields, `d=JSON` a default of the schema.
 */
import { ADMISSIONREGISTRATION_V1_TYPES } from './admissionregistration-v1.js';
import { APIEXTENSIONS_V1_TYPES } from './apiextensions-v1.js';
import { APIREGISTRATION_V1_TYPES } from './apiregistration-v1.js';
import { APPS_V1_TYPES } from './apps-v1.js';
import { AUTHENTICATION_V1_TYPES } from './authentication-v1.js';
import { AUTHORIZATION_V1_TYPES } from './authorization-v1.js';
import { AUTOSCALING_V1_TYPES } from './autoscaling-v1.js';
import { AUTOSCALING_V2_TYPES } from './autoscaling-v2.js';
import { BATCH_V1_TYPES } from './batch-v1.js';
import { CERTIFICATES_V1_TYPES } from './certificates-v1.js';
import { COORDINATION_V1_TYPES } from './coordination-v1.js';
import { CORE_V1_TYPES } from './core-v1.js';
import { DISCOVERY_V1_TYPES } from './discovery-v1.js';
import { EVENTS_V1_TYPES } from './events-v1.js';
import { FLOWCONTROL_V1_TYPES } from './flowcontrol-v1.js';
import { KUBELOOM_V1ALPHA1_TYPES } from './own/kubeloom-v1alpha1.js';
import {
  ADMISSIONREGISTRATION_V1ALPHA1_TYPES,
  ADMISSIONREGISTRATION_V1BETA1_TYPES,
} from './own/admissionregistration-v1beta1.js';
import { METRICS_V1BETA1_TYPES } from './own/metrics-v1beta1.js';
import { META_V1_TYPES } from './meta-v1.js';
import { NETWORKING_V1_TYPES } from './networking-v1.js';
import { NODE_V1_TYPES } from './node-v1.js';
import { POLICY_V1_TYPES } from './policy-v1.js';
import { RBAC_V1_TYPES } from './rbac-v1.js';
import { RESOURCE_V1_TYPES } from './resource-v1.js';
import { SCHEDULING_V1_TYPES } from './scheduling-v1.js';
import { STORAGE_V1_TYPES } from './storage-v1.js';

/** The letter of a type that is no container and no struct. */
export type ScalarCode = 's' | 'b' | 'i' | 'l' | 'd' | 'y' | 'q' | 't' | 'u' | 'x' | 'r';

/** What a field, or an element of it, is of. */
export type TypeRef =
  /** `goName` is Go's name of it where that is a type of its own. */
  | { readonly form: 'scalar'; readonly code: ScalarCode; readonly goName?: string; readonly isDeduced?: boolean }
  | { readonly form: 'pointer' | 'list' | 'map'; readonly of: TypeRef }
  | { readonly form: 'struct'; readonly key: string };

/** A field of a struct. */
export interface FieldFact {
  /** In JSON. */
  readonly name: string;
  /** In protobuf; 0 = it has none. */
  readonly number: number;
  /** Numbers of the messages in which protobuf has it, from the outermost: structs that Go embeds. */
  readonly within: readonly number[];
  readonly type: TypeRef;
  readonly isOmitempty: boolean;
  /** An object must have it: its comment says so, or it is always written and nothing says otherwise. */
  readonly isRequired: boolean;
  /** How a strategic merge patch treats it, besides replacing. */
  readonly patch: { readonly merges: boolean; readonly key: string | undefined; readonly retainsKeys: boolean };
  /** Fields by which elements are told apart; absent for all but such lists. */
  readonly listKeys: readonly string[] | undefined;
  readonly isSet: boolean;
  /** Owned as a whole; so is every list that is neither a set nor has keys. */
  readonly isAtomic: boolean;
  /** Owned field by field, although its type is owned as a whole elsewhere. */
  readonly isGranular: boolean;
  readonly default: unknown;
}

/** A struct. */
export interface StructFact {
  readonly key: string;
  /** Without its package. */
  readonly name: string;
  /** Owned as a whole. */
  readonly isAtomic: boolean;
  /** Written as it is stored: no Go struct says what is left out. */
  readonly isUnstructured?: boolean;
  /** May have fields that are not declared. */
  readonly isOpen?: boolean;
  /** By JSON name, in Go's order. */
  readonly fields: ReadonlyMap<string, FieldFact>;
}

const TABLES: Readonly<Record<string, string>> = {
  'admissionregistration/v1': ADMISSIONREGISTRATION_V1_TYPES,
  'admissionregistration/v1alpha1': ADMISSIONREGISTRATION_V1ALPHA1_TYPES,
  'admissionregistration/v1beta1': ADMISSIONREGISTRATION_V1BETA1_TYPES,
  'apiextensions/v1': APIEXTENSIONS_V1_TYPES,
  'apiregistration/v1': APIREGISTRATION_V1_TYPES,
  'apps/v1': APPS_V1_TYPES,
  'authentication/v1': AUTHENTICATION_V1_TYPES,
  'authorization/v1': AUTHORIZATION_V1_TYPES,
  'autoscaling/v1': AUTOSCALING_V1_TYPES,
  'autoscaling/v2': AUTOSCALING_V2_TYPES,
  'batch/v1': BATCH_V1_TYPES,
  'certificates/v1': CERTIFICATES_V1_TYPES,
  'coordination/v1': COORDINATION_V1_TYPES,
  'core/v1': CORE_V1_TYPES,
  'discovery/v1': DISCOVERY_V1_TYPES,
  'events/v1': EVENTS_V1_TYPES,
  'flowcontrol/v1': FLOWCONTROL_V1_TYPES,
  'kubeloom/v1alpha1': KUBELOOM_V1ALPHA1_TYPES,
  'meta/v1': META_V1_TYPES,
  'metrics/v1beta1': METRICS_V1BETA1_TYPES,
  'networking/v1': NETWORKING_V1_TYPES,
  'node/v1': NODE_V1_TYPES,
  'policy/v1': POLICY_V1_TYPES,
  'rbac/v1': RBAC_V1_TYPES,
  'resource/v1': RESOURCE_V1_TYPES,
  'scheduling/v1': SCHEDULING_V1_TYPES,
  'storage/v1': STORAGE_V1_TYPES,
};

const rows: ReadonlyMap<string, string> = new Map(
  Object.entries(TABLES).flatMap(([place, table]) =>
    table
      .trim()
      .split('\n')
      .map((row): [string, string] => [`${place}.${row.slice(0, nameEnd(row)).replace('~', '')}`, row]),
  ),
);
const read = new Map<string, StructFact>();

function nameEnd(row: string): number {
  const end = row.indexOf(' ');
  return end === -1 ? row.length : end;
}

/** The keys of all types that are known. */
export function typeKeys(): readonly string[] {
  return [...rows.keys()];
}

/** The names of a kind; `typeKey` where its type is known by another key. */
export interface TypeNames extends Readonly<Record<'group' | 'version' | 'kind', string>> {
  readonly typeKey?: string | undefined;
}

/** Adds a type that is not in the tables, under a key that says what it holds. */
export function addStruct(fact: StructFact): void {
  read.set(fact.key, fact);
}

/** The key of a kind's type: `core/v1.Pod`, `rbac/v1.Role`. */
export function typeKeyOf({ group, version, kind, typeKey }: TypeNames): string {
  if (typeKey !== undefined) return typeKey;
  const [folder = ''] = group === '' ? ['core'] : group.split('.');
  return `${folder}/${version}.${kind}`;
}

const ZEROS: Readonly<Partial<Record<ScalarCode, unknown>>> = { s: '', b: false, i: 0, l: 0, d: 0 };

/** What schemas say of a type whose value is always written: its zero. */
export function zeroOf(type: TypeRef): unknown {
  if (type.form === 'struct') return {};
  return type.form === 'scalar' ? ZEROS[type.code] : undefined;
}

/** The default of a field in its schema: the declared one, or the zero of what is always written (kube-openapi's openapi.go). */
export function schemaDefault({ default: declared, isOmitempty, type }: FieldFact): unknown {
  return declared ?? (isOmitempty && type.form !== 'struct' ? undefined : zeroOf(type));
}

/** The facts of a struct; undefined for a key that is not in the table. */
export function structFact(key: string): StructFact | undefined {
  const known = read.get(key);
  if (known !== undefined) return known;
  const row = rows.get(key);
  if (row === undefined) return undefined;
  const fact = readRow(key, row);
  read.set(key, fact);
  return fact;
}

function readRow(key: string, row: string): StructFact {
  const place = key.slice(0, key.lastIndexOf('.'));
  const [name = '', ...fields] = row.split(' ');
  const facts = fields.map((text) => readField(text, place)).map((field): [string, FieldFact] => [field.name, field]);
  return { key, name: name.replace('~', ''), isAtomic: name.endsWith('~'), fields: new Map(facts) };
}

function readField(text: string, place: string): FieldFact {
  const [name = '', type = '', number = '0', ...rest] = text.split(':');
  const numbers = number.split('.').map(Number);
  const flags = rest.join(':').split(';');
  const valueOf = (letter: string): string | undefined => flags.find((flag) => flag.startsWith(`${letter}=`))?.slice(2);
  const fallback = valueOf('d');
  return {
    name,
    number: numbers.at(-1) ?? 0,
    within: numbers.slice(0, -1),
    type: readType(type, place),
    isOmitempty: flags.includes('o'),
    isRequired: flags.includes('!') || !(flags.includes('o') || flags.includes('?')),
    patch: {
      merges: flags.includes('m') || valueOf('m') !== undefined,
      key: valueOf('m'),
      retainsKeys: flags.includes('k'),
    },
    listKeys: valueOf('l')?.split(','),
    isSet: flags.includes('s'),
    isAtomic: flags.includes('a'),
    isGranular: flags.includes('g'),
    default: fallback === undefined || fallback.startsWith('ref(') ? undefined : (JSON.parse(fallback) as unknown),
  };
}

function readType(text: string, place: string): TypeRef {
  if (text.startsWith('*')) return { form: 'pointer', of: readType(text.slice(1), place) };
  if (text.startsWith('[]')) return { form: 'list', of: readType(text.slice(2), place) };
  if (text.startsWith('{}')) return { form: 'map', of: readType(text.slice(2), place) };
  if (text.startsWith('@')) return { form: 'scalar', code: 's', goName: text.slice(1) };
  if (text.length === 1) return { form: 'scalar', code: text as ScalarCode };
  return { form: 'struct', key: text.includes('.') ? text : `${place}.${text}` };
}
