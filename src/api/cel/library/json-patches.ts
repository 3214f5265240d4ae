/** Patches of JSON (apiserver/pkg/cel/library/jsonpatch.go, v1.34). */
import { functionTable } from './function-table.js';

/** Writes a key as a step of a path. */
export const ESCAPE_KEY = 'jsonpatch.escapeKey';

export const JSON_PATCH_FUNCTIONS = functionTable({
  [`${ESCAPE_KEY}(string) -> string`]: (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
});
