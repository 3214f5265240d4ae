/** Where a custom kind keeps its replicas, and what is refused there (registry/customresource/validator.go, v1.34). */
import { shownNumber } from '../cel/library/number-texts.js';
import { invalid } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { setOwnField } from '../values/own-fields.js';
import type { ScalePaths } from './definition.js';
import { isFields, type Fields } from './json-schema.js';

const MOST_REPLICAS = 2 ** 31 - 1;

function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

/** What an object has at a path such as `.spec.replicas`; undefined for nothing. */
export function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const step of stepsOf(path)) value = isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

/** The object with a value at a path. */
export function withValueAt<T extends object>(object: T, path: string, value: unknown): T {
  const [first = '', ...rest] = stepsOf(path);
  const result: Record<string, unknown> = { ...(object as Fields) };
  const { [first]: below } = object as Fields;
  setOwnField(
    result,
    first,
    rest.length === 0 ? value : withValueAt(isFields(below) ? below : {}, rest.join('.'), value),
  );
  return result as T;
}

/** What is wrong with the replicas that an object has. */
export function scaleErrors(object: Fields, scale: ScalePaths): readonly FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
  const stray = labelSelectorPath === undefined ? undefined : strayOn(object, labelSelectorPath);
  if (labelSelectorPath !== undefined && stray !== undefined) {
    const text = accessorText(stray.field, stray.value, 'map[string]interface{}');
    const own = invalid(labelSelectorPath, '', text);
    return [...replicaErrors(object, specReplicasPath), ...replicaErrors(object, statusReplicasPath), own];
  }
  const isText = selector === undefined || typeof selector === 'string';
  return [
    ...replicaErrors(object, specReplicasPath),
    ...replicaErrors(object, statusReplicasPath),
    ...(isText || labelSelectorPath === undefined
      ? []
      : [invalid(labelSelectorPath, '', accessorText(labelSelectorPath, selector, 'string'))]),
  ];
}

/** What stands on a path and has no fields, where it should, and the field that it was asked for. */
function strayOn(object: Fields, path: string): { readonly value: unknown; readonly field: string } | undefined {
  let value: unknown = object;
  let field = '';
  for (const step of stepsOf(path)) {
    if (value === undefined || value === null) return undefined;
    field += `.${step}`;
    if (!isFields(value)) return { value, field };
    value = value[step];
  }
  return undefined;
}

/** What is larger is no integer to Go. */
const BEYOND_INT64 = 0x8000_0000_0000_0000;

function replicaErrors(object: Fields, path: string): readonly FieldError[] {
  const stray = strayOn(object, path);
  if (stray !== undefined) return [invalid(path, 0, accessorText(stray.field, stray.value, 'map[string]interface{}'))];
  const replicas = valueAt(object, path);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || Math.abs(replicas) >= BEYOND_INT64) {
    return [invalid(path, 0, accessorText(path, replicas, 'int64'))];
  }
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
  if (replicas <= MOST_REPLICAS) return [];
  return [invalid(path, replicas, `should be less than or equal to ${MOST_REPLICAS}`)];
}

const GO_TYPES: Readonly<Record<string, string>> = {
  number: 'float64',
  boolean: 'bool',
  object: 'map[string]interface {}',
};

function accessorText(path: string, value: unknown, expected: string): string {
  if (value === null) return `${path} accessor error: <nil> is of the type <nil>, expected ${expected}`;
  const isWhole = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  const list = Array.isArray(value) ? '[]interface {}' : (GO_TYPES[typeof value] ?? typeof value);
  const type = isWhole ? 'int64' : list;
  const shown = goShown(value);
  return `${path} accessor error: ${shown} is of the type ${type}, expected ${expected}`;
}

/** A value as Go's `%v` shows it. */
function goShown(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goShown).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return shownNumber(value);
  if (!isFields(value)) return JSON.stringify(value);
  const entries = Object.keys(value).toSorted();
  return `map[${entries.map((name) => `${name}:${goShown(value[name])}`).join(' ')}]`;
}
