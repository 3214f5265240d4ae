/** What is told where the values of a call fit none of its overloads (cel-go v0.26 interpreter, common/decls). */
import { CelError, typeName, type CelValue } from './values.js';

const UNNAMED = 'no such overload';

/** What the first value of these must be able to do; where it cannot, the function is named. */
const UNABLE: Readonly<Record<string, readonly string[]>> = {
  size: ['null_type', 'int', 'uint', 'double', 'bool', 'type'],
  ...Object.fromEntries(
    ['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, ['null_type', 'list', 'map', 'type', 'optional_type']]),
  ),
  '_+_': ['null_type', 'bool', 'map'],
};
/** What else has no such trait: values of Kubernetes' libraries. */
const UNABLE_LIBRARY: ReadonlySet<string> = new Set(['size', '_<_', '_<=_', '_>_', '_>=_']);

/** Functions of which the values themselves find out that they do not fit. */
const OF_VALUES: ReadonlySet<string> = new Set([
  ...['!_', '-_', '_-_', '_*_', '_/_', '_%_', '_+_', '_[_]', '_[?_]', '_==_', '_!=_', '@in'],
  ...['_<_', '_<=_', '_>_', '_>=_'],
  ...['size', 'contains', 'startsWith', 'endsWith', 'matches', 'find', 'findAll'],
]);

/** See the file header. */
export function overloadFailure(name: string, args: readonly CelValue[]): CelError {
  const types = args.map(typeName);
  const [first = ''] = types;
  if (name === '_[_]') return indexFailure(args);
  if (UNABLE[name]?.includes(first) === true || (UNABLE_LIBRARY.has(name) && isOfLibrary(first))) {
    return new CelError(`${UNNAMED}: ${name}`);
  }
  return new CelError(OF_VALUES.has(name) ? UNNAMED : `${UNNAMED}: ${name}(${types.join(', ')})`);
}

function isOfLibrary(type: string): boolean {
  return type.startsWith('kubernetes.') || type.startsWith('net.');
}

/** What has no fields is looked into as what does not have this one. */
function indexFailure([target, key = null]: readonly CelValue[]): CelError {
  if (Array.isArray(target)) return listIndexFailure(key);
  if (target instanceof Map) return new CelError(UNNAMED);
  return new CelError(`no such key: ${textOf(key)}`);
}

/** For a key by which no list is looked into. */
export function listIndexFailure(key: CelValue): CelError {
  return new CelError(`unsupported index type '${typeName(key)}' in list`);
}

function textOf(key: CelValue): string {
  return key === null || typeof key !== 'object' ? String(key) : typeName(key);
}

/** Go's names of the types that are not gone through; of all else the failure has no name. */
const GO_TYPES: Readonly<Record<string, string>> = {
  null_type: 'Null',
  int: 'Int',
  uint: 'Uint',
  double: 'Double',
  string: 'String',
  bool: 'Bool',
  bytes: 'Bytes',
  'google.protobuf.Timestamp': 'Timestamp',
  'google.protobuf.Duration': 'Duration',
};

/** For what a loop cannot go through. */
export function rangeFailure(value: CelValue): CelError {
  const name = GO_TYPES[typeName(value)];
  return new CelError(name === undefined ? UNNAMED : `got 'types.${name}', expected iterable type`);
}
