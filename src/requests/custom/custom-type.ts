/** Whether what is written as a custom resource is of the type of its path (registry/customresource/validator.go, v1.34). */
import { judgedBesideType } from '../../api/custom/custom-kind.js';
import { badApiVersion } from '../../api/decoding/decode.js';
import { ApiError } from '../../api/errors/api-error.js';
import { invalid, invalidError } from '../../api/errors/field-errors.js';
import type { AnyObject, Draft } from '../../api/objects/objects.js';
import { groupVersionText, readGroupVersion } from '../../api/values/group-version.js';
import { validateKept } from '../../apiserver/requests/metadata.js';
import type { ServedResource } from '../served-resources.js';

/** Of an object whose version is empty. */
export const NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

/** Of a whole body. @throws ApiError 400 for another version, 422 for another kind */
export function checkCustomType({ custom, group, version, kind: wanted }: ServedResource, draft: Draft): void {
  if (custom === undefined) return;
  const { kind = wanted, metadata } = draft;
  const stated = statedType(draft);
  const expected = `${group}/${version}`;
  if (groupVersionText(stated) !== expected) throw badApiVersion(groupVersionText(stated), expected);
  if (kind === wanted) return;
  const errors = [invalid('kind', kind, `must be ${wanted}`)];
  const beside = judgedBesideType(custom.kind, version, { object: draft, previous: undefined }, { metadata: errors });
  throw invalidError({ kind, group: stated.group }, metadata?.name ?? '', [...errors, ...beside]);
}

/**
 * What a patch has come to, of its type; of a status nothing else is looked at.
 *
 * @param previous - in the version of the path
 * @throws ApiError 422 for another kind or version, 500 for an empty version
 */
export function typedPatched(
  { custom, group, version, kind: wanted }: ServedResource,
  draft: Draft,
  previous: AnyObject,
  { isStatus, warn }: { readonly isStatus: boolean; readonly warn: (text: string) => void },
): Draft {
  if (custom === undefined) return draft;
  const { kind = wanted, metadata } = draft;
  const stated = statedType(draft);
  if (stated.version === '') {
    throw new ApiError(500, 'InternalError', `Internal error occurred: ${NO_VERSION}`, {
      causes: [{ message: NO_VERSION }],
    });
  }
  const [apiVersion, expected] = [groupVersionText(stated), `${group}/${version}`];
  const errors = [
    ...(kind === wanted ? [] : [invalid('kind', kind, `must be ${wanted}`)]),
    ...(apiVersion === expected ? [] : [invalid('apiVersion', apiVersion, `must be ${expected}`)]),
  ];
  if (isStatus || errors.length === 0) return { ...draft, kind: wanted, apiVersion: expected };
  // Its schema is not asked any more, but the rest is.
  const beside = judgedBesideType(custom.kind, version, { object: draft, previous }, { metadata: errors, warn });
  const kept = validateKept(metadata, previous.metadata);
  throw invalidError({ kind, group: stated.group }, metadata?.name ?? '', [...kept, ...errors, ...beside]);
}

function statedType({ apiVersion = '' }: Draft): { readonly group: string; readonly version: string } {
  return readGroupVersion(apiVersion) ?? { group: '', version: apiVersion };
}
