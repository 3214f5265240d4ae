/** Server-side apply: PATCH with what its manager wants of an object (apiserver/pkg/endpoints/handlers/patch.go, v1.34). */
import { ApiError } from '../api/errors/api-error.js';
import type { AnyObject, Draft } from '../api/objects/objects.js';
import { applyFields, ownersOf, type Applied } from '../api/ownership/managed-fields.js';
import { UnreadableVersion } from '../api/ownership/owned-versions.js';
import { liveProblems, typedProblems } from '../api/ownership/typed-problems.js';
import { ownedVersions, problemText } from '../api/custom/owner-versions.js';
import { jsonTypeName } from '../api/patches/json-patch.js';
import { typeKeyOf } from '../api/types/type-facts.js';
import { canonicalJson } from '../api/values/canonical-json.js';
import { textOf } from '../api/values/texts.js';
import { badRequest, internalError, notFound } from '../apiserver/store/api-errors.js';
import { versionsOf } from '../apiserver/requests/field-owners.js';
import { checkPatchedMetadata } from '../apiserver/requests/preconditions.js';
import type { ApiAnswer, ApiRequest } from './api-request.js';
import { asManager, managerOf, warnOf, type Asked } from './asked.js';
import { rolledBack, withVersion } from './dry-run.js';
import { otherForm } from './forms/other-form.js';
import { mediaType } from './negotiation.js';
import { checkPatchOptions, writeOptions } from './query-options.js';
import { conversionOf } from './bodies/patched-draft.js';
import { patchBody, twiceInPatch } from './bodies/request-body.js';

const APPLY = 'application/apply-patch+yaml';

/** Whether a patch is an apply. */
export function isApply({ headers }: ApiRequest): boolean {
  return mediaType(headers['content-type']) === APPLY;
}

/** Applies the body. @throws ApiError 400, 404, 409, 422 or 500 */
export function applied(asked: Asked): ApiAnswer {
  const { server, request, kind, name, info, resource, view } = asked;
  const options = writeOptions(request.query, 'PatchOptions');
  checkPatchOptions(options, true);
  const form = otherForm(resource);
  // What is shown in several versions has a type for each of them.
  const type = resource.custom === undefined && form === undefined ? server.describe(kind) : resource;
  const body = appliedBody(request, resource);
  const stored = server.find(kind, name);
  // Owners are found out in the version that is applied.
  const live = stored && ((form?.shown(stored) ?? stored) as AnyObject);
  const isPart = info.subresource !== undefined;
  if (live === undefined && isPart) throw notFound(server.describe(kind), name.name);
  if (resource.custom !== undefined && live !== undefined && ownersOf(stored).length === 0)
    checkUnowned(live, resource);
  checkTyped(body, type, resource, 'patch');
  if (live === undefined && body.metadata?.uid !== undefined) throw uidMismatch(asked, body.metadata.uid);
  if (resource.custom !== undefined && live !== undefined) checkTyped(live, resource, resource, 'live');
  const { kernelTime } = asked;
  const manager = managerOf(request, options);
  const { apiVersion = '' } = body;
  const { custom } = resource;
  const owned = {
    key: typeKeyOf(resource),
    hasStatus: server.describe(kind).hasStatus,
    isCustom: custom !== undefined,
    inVersion: custom === undefined ? versionsOf(resource, apiVersion) : ownedVersions(custom.kind, apiVersion),
  };
  const {
    object: merged,
    entries,
    isChanged,
  } = readably(() =>
    applyFields(owned, live, body, ownersOf(stored), {
      manager,
      operation: 'Apply',
      apiVersion,
      subresource: info.subresource ?? '',
      time: kernelTime(),
      force: options.force ?? false,
      lastApplied: manager === KUBECTL ? lastAppliedOf(live, apiVersion) : undefined,
    }),
  );
  const warnings = options.fieldValidation === 'Ignore' ? [] : twiceInPatch(request);
  if (options.fieldValidation === 'Strict' && warnings.length > 0) throw strictRefusal(warnings);
  warnOf(asked, warnings);
  const object = manager === KUBECTL ? withLastApplied(merged as Draft, body) : (merged as Draft);
  const draft = named(object, live, asked);
  const part = info.subresource === 'status' ? 'status' : undefined;
  const typed = resource.custom === undefined ? converted(resource, draft, body) : draft;
  const kept = resource.custom === undefined && form !== undefined ? form.kept(typed) : typed;
  const write = (): AnyObject =>
    live === undefined ? server.create(kind, kept) : server.update(kind, kept, part, true);
  const work = asManager(asked, options, write, { applied: entries, isNothingApplied: !isChanged });
  const result = options.isDryRun ? withVersion(rolledBack(server, work), live?.metadata.resourceVersion) : work();
  return view.single(result, live === undefined ? 201 : 200);
}

/** @throws ApiError 500 for owners that cannot be told */
function readably(apply: () => Applied): Applied {
  try {
    return apply();
  } catch (error) {
    throw error instanceof UnreadableVersion ? internalError(error.message) : error;
  }
}

/** What was merged, in the kind's own type. @throws ApiError 500 */
function converted(type: AppliedType, draft: Draft, { apiVersion = '', metadata }: Draft): Draft {
  const { problem, draft: typed = draft } = conversionOf(type, draft, () => undefined);
  if (problem === undefined) return typed;
  const of = `${type.group === '' ? '/' : ''}${apiVersion}, Kind=${type.kind}`;
  const what = `failed to convert new object (${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${of}) to proper version`;
  throw internalError(`${what}: unable to convert unstructured object to ${of}: ${problem}`);
}

/** As sigs.k8s.io/yaml tells it; owners of fields are found out first. */
function strictRefusal(faults: readonly string[]): ApiError {
  const lines = faults.map((each) => `\n  ${each}`).join('');
  return badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
}

/** The manager whose applies by the client and by the server follow each other. */
const KUBECTL = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Letters of all annotations together. */
const MOST_ANNOTATIONS = 262_144;

/** What kubectl applied last, where it is of this version. */
function lastAppliedOf(live: AnyObject | undefined, apiVersion: string | undefined): object | undefined {
  const text = live?.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    const object: unknown = JSON.parse(text);
    const isSame = (object as { readonly apiVersion?: unknown } | null)?.apiVersion === apiVersion;
    return isSame ? (object as object) : undefined;
  } catch {
    return undefined;
  }
}

/** Brings the annotation up to date by which kubectl applies, so that it may do so again. */
function withLastApplied(merged: Draft, body: Draft): Draft {
  const { annotations = {} } = merged.metadata ?? {};
  if ((annotations[LAST_APPLIED] ?? '') === '') return merged;
  const { [LAST_APPLIED]: _old, ...others } = annotations;
  const {
    managedFields: _owners,
    annotations: { [LAST_APPLIED]: _own, ...stated } = {},
    ...metadata
  } = body.metadata ?? {};
  const shown = {
    ...body,
    metadata: { ...metadata, ...(Object.keys(stated).length === 0 ? {} : { annotations: stated }) },
  };
  const text = `${canonicalJson(shown)}\n`;
  const length = Object.entries(others).reduce((sum, [key, value]) => sum + key.length + (value ?? '').length, 0);
  const isTooLong = length + LAST_APPLIED.length + text.length > MOST_ANNOTATIONS;
  const after = isTooLong ? others : { ...others, [LAST_APPLIED]: text };
  return { ...merged, metadata: { ...merged.metadata, annotations: after } };
}

/** What is to be written: of the object that the path names, and of no other. @throws ApiError 400, 409 or 422 */
function named(draft: Draft, live: AnyObject | undefined, { server, kind, name: { name, namespace } }: Asked): Draft {
  const { managedFields: _owners, ...metadata } = draft.metadata ?? {};
  // A null says nothing, and an empty namespace is that of the request.
  const wanted = textOf(metadata.name);
  if (namespace !== undefined && (metadata.namespace || namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (wanted === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (wanted !== name) {
    throw badRequest(`the name of the object (${wanted}) does not match the name on the URL (${name})`);
  }
  if (live !== undefined) checkPatchedMetadata(server.describe(kind), live.metadata, metadata);
  // A version of what is not there yet says nothing.
  else delete metadata.resourceVersion;
  return { ...draft, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } };
}

interface AppliedType extends Readonly<Record<'kind' | 'group' | 'version', string>> {
  readonly typeKey?: string | undefined;
}

/** What an apply must say, and may not. @throws ApiError 400 or 500 */
export function checkedBody(request: ApiRequest, type: AppliedType): Draft {
  const draft = appliedBody(request, type);
  checkTyped(draft, type, type, 'patch');
  return draft;
}

/** A body before its fields are looked at. @throws ApiError 400 */
function appliedBody(request: ApiRequest, shown: AppliedType): Draft {
  const body = patchBody(request, 'apply');
  if (body !== null && (typeof body !== 'object' || Array.isArray(body))) {
    const why = `json: cannot unmarshal ${jsonTypeName(body)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const draft = (body ?? {}) as Draft;
  const { apiVersion = '', kind: wanted = '', metadata = {} } = draft;
  const { group, version } = shown;
  if (wanted !== shown.kind || apiVersion !== (group === '' ? version : `${group}/${version}`)) {
    const got = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`invalid object type: ${got}, Kind=${wanted}`);
  }
  if (metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  return draft;
}

/** What nothing owns is given to a manager first. @throws ApiError 500 for a live object that is not of its type */
function checkUnowned({ metadata: { namespace = '', name }, ...live }: AnyObject, type: AppliedType): void {
  const problem = problemText(liveProblems({ metadata: {}, ...live }, typeKeyOf(type)));
  if (problem === undefined) return;
  const where = `${namespace}/${name}; ${type.group}/${type.version}, Kind=${type.kind}`;
  const what = `failed to convert new object (${where}) to smd typed`;
  throw internalError(`failed to create manager for existing fields: ${what}: ${problem}`);
}

/** @throws ApiError 500 for an object that is not of its type */
function checkTyped(
  object: Pick<Draft, 'metadata'>,
  type: AppliedType,
  { group, version, kind }: AppliedType,
  what: 'live' | 'patch',
): void {
  const problems = what === 'live' ? liveProblems : typedProblems;
  const problem = problemText(problems(object, typeKeyOf(type)));
  if (problem === undefined) return;
  const { namespace, name } = object.metadata ?? {};
  const where = `${textOf(namespace)}/${textOf(name)}; ${group}/${version}, Kind=${kind}`;
  throw internalError(`failed to create typed ${what} object (${where}): ${problem}`);
}

function uidMismatch({ resource, name }: Asked, uid: string): ApiError {
  const { group, plural } = resource;
  const of = group === '' ? plural : `${plural}.${group}`;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  const details = { name: name.name, ...(group === '' ? {} : { group }), kind: plural };
  return new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${of} "${name.name}": ${why}`, details);
}
