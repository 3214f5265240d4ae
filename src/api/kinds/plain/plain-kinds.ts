/** Descriptions of the kinds on which nothing acts: their traits, what they default and what they refuse. */
import type { Draft } from '../../objects/objects.js';
import { PLAIN_KINDS, type PlainKind, type PlainObject, type PlainTraits } from '../../objects/plain-kinds.js';
import type { ResourceKind } from '../../objects/resource-kind.js';
import { pathSegmentName } from '../../values/names.js';
import { textOf } from '../../values/texts.js';
import { describeKind } from '../rules/describe-kind.js';
import { PLAIN_DEFAULTS } from './plain-defaults.js';
import { PLAIN_VALIDATION } from './plain-validation.js';

/** The descriptions by kind. */
export const plainKinds = Object.fromEntries(
  (Object.keys(PLAIN_KINDS) as PlainKind[]).map((kind) => [kind, describePlainKind(kind)]),
) as unknown as { readonly [K in PlainKind]: ResourceKind<K> };

function describePlainKind(kind: PlainKind): ResourceKind<PlainKind> {
  const { hasFreeName, selectable = [], ...traits }: PlainTraits = PLAIN_KINDS[kind];
  return describeKind<PlainKind>({
    ...traits,
    kind,
    ...(hasFreeName === true ? { nameCheck: pathSegmentName } : {}),
    selectableFields: Object.fromEntries(selectable.map((path) => [path, (object) => textAt(object, path)])),
    applyDefaults: (draft: Draft) => PLAIN_DEFAULTS[kind]?.(draft) ?? draft,
    prepareForCreate: (object) => withoutStatus(object, traits.hasStatus),
    ...PLAIN_VALIDATION[kind],
  });
}

/** What a client writes into a status at creation is dropped. */
function withoutStatus(object: PlainObject, hasStatus = false): PlainObject {
  if (!hasStatus || object.status === undefined) return object;
  const { status: _status, ...rest } = object;
  return rest;
}

function textAt(object: object, path: string): string {
  let value: unknown = object;
  for (const field of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[field];
  return textOf(value);
}
