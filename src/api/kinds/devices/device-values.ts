/** What the kinds of dynamic resource allocation have in common: names, lists, selectors, configurations (v1.34). */
import { duplicate, invalid, invalidEach, required, tooLong, tooMany } from '../../errors/field-errors.js';
import { readSelector } from '../../devices/device-selector.js';
import type { DeviceConfiguration, DeviceSelector } from '../../objects/device-objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { cIdentifier, dns1123Subdomain } from '../../values/names.js';

const LONGEST_DRIVER = 63;
const LONGEST_POOL = 253;
const LONGEST_ID = 32;
const LONGEST_EXPRESSION = 10 * 1024;
const LONGEST_PARAMETERS = 10 * 1024;
const MOST_SELECTORS = 32;

/** An object as a client may have written it: any field may be missing. */
export type Stated<T> = T extends readonly (infer Item)[]
  ? readonly Stated<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Stated<T[Field]> }
    : T;

/** What is wrong with the items of a list, and with their number. */
export function validateList<T>(
  list: readonly T[],
  most: number | undefined,
  validate: (item: T, field: string) => readonly FieldError[],
  field: string,
): FieldError[] {
  const errors = list.flatMap((item, index) => validate(item, `${field}[${index}]`));
  return most !== undefined && list.length > most ? [...errors, tooMany(field, list.length, most)] : errors;
}

/** Items that may be there once only, by a key. @param part - the field of an item that is its key; the item itself where it is empty */
export function validateOnce<T>(
  list: readonly T[],
  keyOf: (item: T) => string,
  field: string,
  part = '',
): FieldError[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const key = keyOf(item);
    if (seen.has(key)) return [duplicate(`${field}[${index}]${part === '' ? '' : `.${part}`}`, key)];
    seen.add(key);
    return [];
  });
}

/** A driver's name, which is a domain. */
export function validateDriver(driver: string, field: string): FieldError[] {
  return [
    ...(driver === '' ? [required(field)] : []),
    ...(driver.length > LONGEST_DRIVER ? [tooLong(field, LONGEST_DRIVER)] : []),
    ...invalidEach(field, driver, dns1123Subdomain(driver.toLowerCase())),
  ];
}

/** A pool's name: domains between slashes. */
export function validatePool(pool: string, field: string): FieldError[] {
  if (pool === '') return [required(field)];
  return [
    ...(pool.length > LONGEST_POOL ? [tooLong(field, LONGEST_POOL)] : []),
    ...pool.split('/').flatMap((part) => invalidEach(field, part, dns1123Subdomain(part))),
  ];
}

/** The name of an attribute or a capacity; parts after a second slash are not looked at, as upstream. */
export function validateQualifiedName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field, 'name required')];
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return validateId(first, field);
  if (parts.length > 2) return [];
  return [
    ...(first === '' ? [required(field, 'the domain must not be empty')] : validateDriver(first, field)),
    ...(second === '' ? [required(field, 'the name must not be empty')] : validateId(second, field)),
  ];
}

/** {@link validateQualifiedName} with a domain. */
export function validateFullName(name: string, field: string): FieldError[] {
  const errors = validateQualifiedName(name, field);
  return name === '' || name.includes('/') ? errors : [...errors, invalid(field, name, 'must include a domain')];
}

function validateId(id: string, field: string): FieldError[] {
  return [...(id.length > LONGEST_ID ? [tooLong(field, LONGEST_ID)] : []), ...invalidEach(field, id, cIdentifier(id))];
}

/** Selectors of a class or a request. */
export function validateSelectors(selectors: readonly Stated<DeviceSelector>[], field: string): FieldError[] {
  return validateList(selectors, MOST_SELECTORS, validateSelector, field);
}

function validateSelector({ cel }: Stated<DeviceSelector>, field: string): FieldError[] {
  if (cel === undefined) return [required(`${field}.cel`)];
  const { expression = '' } = cel;
  const own = `${field}.cel.expression`;
  if (Buffer.byteLength(expression) > LONGEST_EXPRESSION) return [tooLong(own, LONGEST_EXPRESSION)];
  const reading = readSelector(expression);
  return 'problem' in reading ? [invalid(own, expression, reading.problem)] : [];
}

/** What is handed to a driver. @param isStored - it has been there before, when its length is not looked at */
export function validateConfiguration(
  { opaque }: Stated<DeviceConfiguration>,
  field: string,
  isStored: boolean,
): FieldError[] {
  if (opaque === undefined) return [required(`${field}.opaque`)];
  const { driver = '', parameters } = opaque;
  const own = `${field}.opaque`;
  return [
    ...validateDriver(driver, `${own}.driver`),
    ...validateJson(parameters, `${own}.parameters`, isStored ? Infinity : LONGEST_PARAMETERS),
  ];
}

/** JSON of an object. */
export function validateJson(value: unknown, field: string, longest: number): FieldError[] {
  if (value === undefined || value === null) return [required(field)];
  if (Buffer.byteLength(JSON.stringify(value)) > longest) return [tooLong(field, longest)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [invalid(field, '<value omitted>', 'must be a valid JSON object')];
}
