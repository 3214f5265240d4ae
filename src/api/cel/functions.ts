/** Functions that expressions may call: what they take, what they answer, and how they are found. */
import { LIST_FUNCTIONS } from './library/lists.js';
import { NETWORK_FUNCTIONS } from './library/networks.js';
import { OPERATORS } from './library/operators.js';
import { QUANTITY_FUNCTIONS } from './library/quantities.js';
import { SEMVER_FUNCTIONS } from './library/semver.js';
import { CONVERSIONS } from './library/conversions.js';
import { TEXT_FUNCTIONS } from './library/texts.js';
import { TIME_FUNCTIONS } from './library/times.js';
import { FORMAT_FUNCTIONS } from './library/formats.js';
import { ESCAPE_KEY, JSON_PATCH_FUNCTIONS } from './library/json-patches.js';
import { AUTHORIZER_FUNCTIONS } from './library/authorizer.js';
import type { FunctionTable } from './library/function-table.js';
import { DYN, readType, splitTypes, type CelType } from './types.js';
import { CelDuration, CelOptional, CelTime, CelTypeValue, CelUint, isOpaque, type CelValue } from './values.js';

/** One way to call a function. */
export interface Overload {
  readonly isMember: boolean;
  /** With the receiver first. */
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: CelValue[]) => CelValue;
}

/** Functions that only those expressions may call whose scope names them. */
export const SCOPED_FUNCTIONS: ReadonlySet<string> = new Set([ESCAPE_KEY]);

const SIGNATURE = /^(?:(.+)::)?([^\s(]+)\((.*)\) -> (.+)$/;
const overloads = new Map<string, Overload[]>();

/** The ways to call a function, in the order in which they are tried; none for a name that is no function's. */
export function overloadsOf(name: string): readonly Overload[] {
  if (overloads.size === 0) readTables();
  return overloads.get(name) ?? [];
}

function readTables(): void {
  const tables: readonly FunctionTable[] = [
    OPERATORS,
    CONVERSIONS,
    TEXT_FUNCTIONS,
    LIST_FUNCTIONS,
    TIME_FUNCTIONS,
    NETWORK_FUNCTIONS,
    QUANTITY_FUNCTIONS,
    SEMVER_FUNCTIONS,
    FORMAT_FUNCTIONS,
    AUTHORIZER_FUNCTIONS,
    JSON_PATCH_FUNCTIONS,
  ];
  for (const table of tables) for (const [signature, run] of Object.entries(table)) declare(signature, run);
}

function declare(signature: string, run: Overload['run']): void {
  const [, receiver, name = '', params = '', result = ''] = SIGNATURE.exec(signature) ?? [];
  const own = splitTypes(params).map(readType);
  const overload: Overload = {
    isMember: receiver !== undefined,
    params: receiver === undefined ? own : [readType(receiver), ...own],
    result: readType(result),
    run,
  };
  const known = overloads.get(name);
  if (known === undefined) overloads.set(name, [overload]);
  else known.push(overload);
}

/** Whether a value may be given where a type is asked for; of a list the first item is looked at. */
export function isOfType(value: CelValue, { form, name, params }: CelType): boolean {
  switch (form) {
    case 'dyn':
    case 'param':
      return true;
    case 'list':
      if (!Array.isArray(value)) return false;
      return value.length === 0 || isOfType(value[0] as CelValue, params[0] ?? DYN);
    case 'map':
    case 'object':
      return value instanceof Map;
    case 'optional':
      return value instanceof CelOptional;
    case 'type':
      return value instanceof CelTypeValue;
    case 'opaque':
      return isOpaque(value) && value.celType === name;
    default:
      return isPlain(value, name);
  }
}

function isPlain(value: CelValue, name: string): boolean {
  switch (name) {
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'uint':
      return value instanceof CelUint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof CelTime;
    case 'duration':
      return value instanceof CelDuration;
    default:
      return value === null;
  }
}
