/** What the expressions that change objects may make and call (apiserver/pkg/cel/mutation, v1.34). */
import type { CelScope } from '../cel/checker.js';
import { ESCAPE_KEY } from '../cel/library/json-patches.js';
import { DYN, objectType, STRING, type CelType } from '../cel/types.js';

/** What an expression for an apply configuration answers. */
export const OBJECT = 'Object';
const OPERATION = 'JSONPatch';
/** What an expression for a JSON patch answers. */
export const PATCH = `list(${OPERATION})`;

/** Fields of any name, each of any type. */
class AnyFields extends Map<string, CelType> {
  override get(_name: string): CelType {
    return DYN;
  }
}

/** A field that there is not is of a type that nothing has. */
class OperationFields extends Map<string, CelType> {
  override get(name: string): CelType {
    return super.get(name) ?? NOTHING;
  }
}
const NOTHING: CelType = { form: 'plain', name: '', params: [], fields: undefined };

/** Objects of any shape, which are made by the names of their places: `Object.spec.template`. */
class MutationStructs extends Map<string, CelType> {
  override get(name: string): CelType | undefined {
    if (name === OPERATION) return OPERATION_TYPE;
    if (name !== OBJECT && !name.startsWith(`${OBJECT}.`)) return undefined;
    return objectType(name, new AnyFields());
  }
}

const OPERATION_TYPE = objectType(
  OPERATION,
  new OperationFields([
    ['op', STRING],
    ['path', STRING],
    ['from', STRING],
    ['value', DYN],
  ]),
);

/** See the file header. */
export const MUTATION_SCOPE: Pick<CelScope, 'structs' | 'functions'> = {
  structs: new MutationStructs(),
  functions: new Set([ESCAPE_KEY]),
};
