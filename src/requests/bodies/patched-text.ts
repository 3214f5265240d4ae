/**
 * The JSON of an object after a patch, as a refusal of the patch shows it: the patch reads the levels that it goes
 * through into maps, which are written by name; others stay as the object's type had them. Mirrors
 * gopkg.in/evanphx/json-patch.v4 as apiserver/pkg/endpoints/handlers/patch.go uses it (v1.34).
 */
import { pointerParts } from '../../api/patches/json-patch.js';
import { applyPatch } from '../../api/patches/patch.js';
import { goEncoded } from '../../api/types/go-encoding.js';
import { canonicalJson } from '../../api/values/canonical-json.js';
import { escapedForHtml } from '../../api/values/go-json.js';
import { ownField } from '../../api/values/own-fields.js';
import type { Patch } from '../../apiserver/store/server-types.js';

type Fields = Readonly<Record<string, unknown>>;

/** What a patch has to do with a value: it goes through it, it replaces it, or it does neither. */
interface Touch {
  readonly isThrough: boolean;
  readonly isReplaced: boolean;
  below(name: string): Touch;
}

const UNTOUCHED: Touch = { isThrough: false, isReplaced: false, below: () => UNTOUCHED };

/** @param typeKey - of the live object. @throws ApiError for a patch that cannot be applied */
export function patchedText(live: object, patch: Patch, typeKey: string): string {
  const patched = applyPatch(goEncoded(live, typeKey), patch);
  const touch = patch.type === 'json' ? touchOfPaths(pathsOf(patch.body)) : touchOfMerge(patch.body);
  return escapedForHtml(textOf(patched, touch));
}

function textOf(value: unknown, touch: Touch): string {
  if (touch.isReplaced) return canonicalJson(value);
  if (!touch.isThrough || typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((each, index) => textOf(each, touch.below(String(index)))).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf((value as Fields)[name], touch.below(name))}`).join(',')}}`;
}

/** A merge patch goes through where it has an object; what it has else is written by name as well. */
function touchOfMerge(patch: unknown): Touch {
  if (patch === undefined) return UNTOUCHED;
  const isThrough = typeof patch === 'object' && patch !== null && !Array.isArray(patch);
  const below = (name: string): Touch => touchOfMerge(isThrough ? ownField(patch as Fields, name) : undefined);
  return { isThrough, isReplaced: !isThrough, below };
}

/** The values that it sets stay as they were sent. */
function touchOfPaths(paths: readonly (readonly string[])[]): Touch {
  const through = paths.filter((path) => path.length > 0);
  if (through.length === 0) return UNTOUCHED;
  return {
    isThrough: true,
    isReplaced: false,
    below: (name) => touchOfPaths(through.filter(([first]) => first === name).map(([, ...rest]) => rest)),
  };
}

function pathsOf(body: unknown): readonly (readonly string[])[] {
  return (body as readonly Fields[]).flatMap(({ path, from }) =>
    [path, from].flatMap((pointer) => (pointer === undefined ? [] : [pointerParts(pointer)])),
  );
}
