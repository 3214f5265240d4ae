/** Refusals as the API server words them. Field errors (422) are worded in api/. */
import { quoted } from '../../api/go/go-json.js';
import { ApiError, type StatusCause, type StatusDetails } from '../../api/errors/api-error.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';

/** What a refusal must know of a kind. */
export type ResourceNames = Pick<ResourceKind, 'group' | 'plural'> & { readonly kind: string };

/** `pods`, or `deployments.apps` outside the core group. */
export function qualifiedResource({ group, plural }: ResourceNames): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** 404 of one object. */
export function notFound(names: ResourceNames, name: string): ApiError {
  return new ApiError(
    404,
    'NotFound',
    `${qualifiedResource(names)} ${quoted(name)} not found`,
    resourceDetails(names, name),
  );
}

/**
 * 409 of a create.
 *
 * @param taken - what is there
 * @param isGenerated - whether the server chose the name and found no free one
 */
export function alreadyExists(
  names: ResourceNames,
  { name, deletionTimestamp }: { readonly name: string; readonly deletionTimestamp?: string | undefined },
  isGenerated: boolean,
): ApiError {
  const going = deletionTimestamp === undefined ? '' : 'object is being deleted: ';
  const text = `${going}${qualifiedResource(names)} ${quoted(name)} already exists`;
  const details = resourceDetails(names, name);
  if (!isGenerated) return new ApiError(409, 'AlreadyExists', text, details);
  const apology = ', the server was not able to generate a unique name for the object';
  return new ApiError(409, 'AlreadyExists', `${text}${apology}`, { ...details, retryAfterSeconds: 1 });
}

/** 409 `Operation cannot be fulfilled on pods "x": …`. */
export function conflict(names: ResourceNames, name: string, why: string): ApiError {
  const text = `Operation cannot be fulfilled on ${qualifiedResource(names)} ${quoted(name)}: ${why}`;
  return new ApiError(409, 'Conflict', text, resourceDetails(names, name));
}

/** 409 of optimistic concurrency. */
export function modifiedMeanwhile(names: ResourceNames, name: string): ApiError {
  return conflict(
    names,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** 415 of a strategic merge patch for a custom resource: of its lists no server knows how they merge. */
export function strategicRefused(): ApiError {
  const types = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const why = `the body of the request was in an unknown format - accepted media types include: ${types}`;
  return new ApiError(415, 'UnsupportedMediaType', why);
}

/** 409 of a precondition that storage itself checks; `path` is the storage key below `/registry/`. */
export function storagePreconditionFailed(
  names: ResourceNames,
  name: string,
  path: string,
  field: 'UID' | 'ResourceVersion',
  wanted: string,
  found: string,
): ApiError {
  const failed = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
  const key = `Key: /registry/${path}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  return conflict(names, name, `StorageError: invalid object, Code: 4, ${key}`);
}

/** 403 of admission. */
export function forbidden(names: ResourceNames, name: string, why: string, causes?: readonly StatusCause[]): ApiError {
  const text = `${qualifiedResource(names)} ${quoted(name)} is forbidden: ${why}`;
  const details = resourceDetails(names, name);
  return new ApiError(403, 'Forbidden', text, causes === undefined ? details : { ...details, causes });
}

/** 400 of a request that makes no sense. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

/** 500 as Kubernetes answers to some bad requests: no reason, no details. */
export function internalError(message: string): ApiError {
  return new ApiError(500, undefined, message);
}

/** 410 of a version that the history no longer holds. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

/** 504 of a version that lies in the future; a real server waits 3 s for it first. */
export function tooLargeVersion(wanted: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Details that name the resource, as 403, 404 and 409 carry them. */
/** What a refusal says of the object that it is about. */
export function resourceDetails({ group, plural }: ResourceNames, name: string): StatusDetails {
  return group === '' ? { name, kind: plural } : { name, group, kind: plural };
}
