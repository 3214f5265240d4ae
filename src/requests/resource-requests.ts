/**
 * Requests for objects: verb, resource and options turned into a request to the API server, and its answer into the
 * answer of the wire. Mirrors staging/src/k8s.io/apiserver/pkg/endpoints/handlers (v1.34).
 */
import { ApiError } from '../api/errors/api-error.js';
import type { ManagedFieldsEntry } from '../api/objects/kube-object.js';
import type { AnyObject, Draft, Kind, ObjectName } from '../api/objects/objects.js';
import { readFieldsV1 } from '../api/ownership/field-set.js';
import { withOwnersOnce } from './bodies/owner-references.js';
import { badRequest, internalError } from '../apiserver/store/api-errors.js';
import { isSameJson } from '../api/values/canonical-json.js';
import { parseVersion, versionSyntaxText } from '../apiserver/store/list-options.js';
import { checkPatchedMetadata } from '../apiserver/requests/preconditions.js';
import { isConvertedByWebhook } from '../api/custom/custom-kind.js';
import { AdmissionPending } from '../apiserver/store/request-context.js';
import type { ApiServer, ObjectList, Patch, Subresource } from '../apiserver/store/server-types.js';
import { ADMINISTRATOR, type ApiAnswer, type ApiRequest } from './api-request.js';
import type { CustomKind } from '../api/custom/custom-kind.js';
import { customDraft, customPatched } from './custom/custom-bodies.js';
import { checkCustomType, typedPatched } from './custom/custom-type.js';
import { deleteWish, type DeleteWish } from './delete-options.js';
import { applied, isApply } from './apply-request.js';
import { asManager, warnOf, type Asked } from './asked.js';
import { rolledBack, withVersion } from './dry-run.js';
import { validFields } from './bodies/field-validation.js';
import { mediaType } from './negotiation.js';
import { otherForm, type OtherForm } from './forms/other-form.js';
import type { ListMetadata } from './object-view.js';
import { checkPatched } from './bodies/patched-draft.js';
import {
  booleanOption,
  checkPatchOptions,
  collectionOptions,
  listOptions,
  writeOptions,
  type CollectionOptions,
  type WriteOptions,
} from './query-options.js';
import { patchBody, statedBody, textOfPatch } from './bodies/request-body.js';
import type { ResourceRequest } from './request-info.js';
import { typeKeyOf } from '../api/types/type-facts.js';
import { checkName } from './routes.js';
import type { ServedResource } from './served-resources.js';
import { objectAnswer } from './status-answer.js';
import { watchAnswer } from './watch-request.js';

/** Answers a request for objects, or for their status. @throws ApiError */
export function answerForObjects(asked: Asked): ApiAnswer {
  if (otherForm(asked.resource)?.keptGroup === undefined) return answered(asked);
  try {
    return answered(asked);
  } catch (error) {
    throw error instanceof ApiError ? inOtherGroup(asked.resource, error) : error;
  }
}

/** A refusal about an object that is kept in another group than the one that is asked. */
function inOtherGroup({ group, plural }: ServedResource, { code, reason, message, details }: ApiError): ApiError {
  if (details?.kind !== plural) return new ApiError(code, reason, message, details);
  const { name, ...rest } = details;
  const renamed = message.replace(`${plural} "`, `${plural}.${group} "`);
  return new ApiError(code, reason, renamed, { ...(name === undefined ? {} : { name }), group, ...rest });
}

function answered(asked: Asked): ApiAnswer {
  switch (asked.info.verb) {
    case 'get':
      return asked.view.single(current(asked));
    case 'list':
      return listed(asked);
    case 'watch':
      return watched(asked);
    case 'create':
      return shownOrUndone(asked, created);
    case 'update':
      return shownOrUndone(asked, updated);
    case 'patch':
      return shownOrUndone(asked, patched);
    case 'delete':
      return deleted(asked);
    default:
      return collectionDeleted(asked);
  }
}

/** A write is taken back where its answer has to wait until it can be shown. */
function shownOrUndone(asked: Asked, write: (asked: Asked) => ApiAnswer): ApiAnswer {
  const { custom } = asked.resource;
  if (custom === undefined || !isConvertedByWebhook(custom.kind.custom)) return write(asked);
  return asked.server.transaction(() => write(asked));
}

function current({ server, request, kind, name }: Asked): AnyObject {
  checkGetOptions(server, kind, name, request.query);
  return server.get(kind, name);
}

/** What a request for one object may say. @throws ApiError 400, 500, 504 */
export function checkGetOptions(server: ApiServer, kind: Kind, name: ObjectName, query: URLSearchParams): void {
  if (booleanOption(query, 'export') === true) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  checkName(name.name);
  const version = query.get('resourceVersion') ?? '';
  if (version === '') return;
  if (parseVersion(version) === undefined) {
    const what = `resourceVersion: Invalid value: ${JSON.stringify(version)}: ${versionSyntaxText(version)}`;
    // Events are read past the cache, which has words of its own.
    throw kind === 'Event' ? badRequest(`invalid resource version: ${what}`) : internalError(what);
  }
  // A version of the future is refused as it is for lists.
  if (version !== '0') server.list(kind, { ...name, limit: 1, resourceVersion: version });
}

function listed({ server, request, info, resource, kind, view }: Asked): ApiAnswer {
  const options = listOptions(keptOptions(resource, collectionOptions(request.query, info.namespace)));
  const { items, ...list } = server.list(kind, options);
  if (resource.form !== undefined) converted(items, resource.form);
  return view.list(items, listMetadata(list));
}

/** Has all objects of a list converted; those that wait for an answer do so together. @throws AdmissionPending, ApiError */
function converted(items: readonly object[], form: OtherForm): void {
  const waiting: Promise<unknown>[] = [];
  for (const item of items) {
    try {
      form.shown(item);
    } catch (error) {
      if (!(error instanceof AdmissionPending)) throw error;
      waiting.push(error.settled);
    }
  }
  if (waiting.length > 0) throw new AdmissionPending(Promise.all(waiting));
}

/** Selectors name fields as the resource shows them. */
function keptOptions(resource: ServedResource, options: CollectionOptions): CollectionOptions {
  const { fieldSelector } = options.selection;
  const kept = fieldSelector === undefined ? undefined : otherForm(resource)?.keptSelector?.(fieldSelector);
  return kept === undefined ? options : { ...options, selection: { ...options.selection, fieldSelector: kept } };
}

function listMetadata({
  resourceVersion,
  continue: token,
  remainingItemCount,
}: Omit<ObjectList<Kind>, 'items'>): ListMetadata {
  return {
    resourceVersion,
    ...(token === undefined ? {} : { continue: token }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

function watched({ server, request, info, resource, kind, name, view }: Asked): ApiAnswer {
  const options = keptOptions(resource, collectionOptions(request.query, info.namespace));
  const { fieldSelector } = options.selection;
  const ofName = name.name === '' ? fieldSelector : `metadata.name=${name.name}`;
  if (name.name !== '' && fieldSelector !== undefined && fieldSelector !== ofName) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const selection = { ...options.selection, fieldSelector: ofName };
  return watchAnswer(
    server,
    kind,
    { ...options, selection },
    {
      change: (type, object) => view.change(type, object),
      bookmark: (resourceVersion, annotations) => view.bookmark(resourceVersion, annotations),
      isOfLists: view.isOfLists,
    },
  );
}

function created(asked: Asked): ApiAnswer {
  const { server, request, resource, kind, name } = asked;
  const options = writeOptions(request.query, 'CreateOptions');
  const { draft } = validDraft(asked, options);
  const wanted = signed(inNamespace(draft, resource, name.namespace), asked);
  checkCustomType(resource, wanted);
  const work = asManager(asked, options, () => server.create(kind, wanted));
  // A dry run does not reach the storage, and leaves the version as it is stated.
  const object = options.isDryRun ? withVersion(rolledBack(server, work), wanted.metadata?.resourceVersion) : work();
  return asked.view.single(object, 201);
}

/** A request for a certificate says whose it is, whatever its sender has it say. */
function signed(draft: Draft, { resource, request }: Asked): Draft {
  if (resource.kind !== 'CertificateSigningRequest') return draft;
  const { name: username, uid, groups, extra } = request.user ?? ADMINISTRATOR;
  const {
    username: _name,
    uid: _uid,
    groups: _groups,
    extra: _extra,
    ...spec
  } = (draft['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const sender = { username, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) };
  return { ...draft, spec: { ...spec, ...sender } };
}

/** What is written in place of an object says which one. @throws ApiError 400 */
export function checkStatedName(metadata: { readonly name?: string } | undefined, name: string): void {
  const { name: stated = '' } = metadata ?? {};
  if (stated === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (stated !== name) {
    throw badRequest(`the name of the object (${stated}) does not match the name on the URL (${name})`);
  }
}

function updated(asked: Asked): ApiAnswer {
  const { server, request, resource, kind, name, info } = asked;
  const options = writeOptions(request.query, 'UpdateOptions');
  const { draft, stated } = validDraft(asked, options);
  const wanted = inNamespace(draft, resource, name.namespace);
  checkStatedName(wanted.metadata, name.name);
  checkCustomType(resource, wanted);
  const before = server.find(kind, name);
  const subresource = partOf(info);
  const given = subresource === undefined ? givenOwners(stated, undefined) : undefined;
  const work = asManager(asked, options, () => server.update(kind, wanted, subresource), { given });
  const object = options.isDryRun ? withVersion(rolledBack(server, work), before?.metadata.resourceVersion) : work();
  return asked.view.single(object, before === undefined ? 201 : 200);
}

const PATCH_TYPES: Readonly<Record<string, Patch['type']>> = {
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/json-patch+json': 'json',
};

/** The patch of a request. @throws ApiError 400, 415 or 422 */
export function patchOf(request: ApiRequest): { readonly patch: Patch; readonly options: WriteOptions } {
  const type = PATCH_TYPES[mediaType(request.headers['content-type'])];
  if (type === undefined) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const options = writeOptions(request.query, 'PatchOptions');
  checkPatchOptions(options, false);
  return { patch: { type, body: patchBody(request, type) }, options };
}

function patched(asked: Asked): ApiAnswer {
  const { server, request, resource, kind, name, info, view } = asked;
  if (isApply(request)) return applied(asked);
  const { patch: wanted, options } = patchOf(request);
  checkName(name.name);
  const before = server.get(kind, name);
  if (resource.custom !== undefined) return patchedCustom(asked, resource.custom.kind, before);
  const patch = wanted.type === 'strategic' ? withoutType(wanted) : wanted;
  const form = otherForm(resource);
  if (form !== undefined) return patchedInOtherForm(asked, form, before, { patch, options });
  const { draft, warnings, isConverted } = checkPatched(
    server.describe(kind),
    before,
    patch,
    options.fieldValidation,
    textOfPatch(request),
  );
  warnOf(asked, warnings);
  const subresource = partOf(info);
  const given = subresource === undefined ? givenOwners(draft, before) : undefined;
  const { draft: own, warnings: repeated } = withOwnersOnce(draft, ' after mutating admission happens');
  warnOf(asked, repeated);
  // What the patch alone does not come to is written as a whole.
  if (isConverted) checkPatchedMetadata(server.describe(kind), before.metadata, draft.metadata);
  const isWhole = isConverted || repeated.length > 0;
  const change = (): AnyObject =>
    isWhole ? server.update(kind, own, subresource, true) : server.patch(kind, name, patch, subresource);
  const work = asManager(asked, options, change, { given });
  const object = options.isDryRun ? withVersion(rolledBack(server, work), before.metadata.resourceVersion) : work();
  return view.single(object, 200);
}

/** A strategic merge goes into an object whose type is known: what it says of kind and version is not looked at. */
function withoutType(patch: Patch): Patch {
  const { body } = patch;
  if (typeof body !== 'object' || body === null) return patch;
  const { kind, apiVersion, ...rest } = body as Readonly<Record<string, unknown>>;
  if ((kind === undefined && apiVersion === undefined) || !isTextOrNone(kind) || !isTextOrNone(apiVersion))
    return patch;
  return { ...patch, body: rest };
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function deleted(asked: Asked): ApiAnswer {
  const { server, request, resource, kind, name, view } = asked;
  const wish = deleteWish(request);
  const { options, isDryRun, isExplicitlyCascading } = wish;
  warnOfOrphans(asked, wish);
  checkName(name.name);
  const stored = resource.custom === undefined ? undefined : server.find(kind, name);
  // What cannot be shown in the version of the request is not deleted by it.
  if (stored !== undefined) otherForm(resource)?.shown(stored);
  const work = (): { readonly object: AnyObject; readonly isGone: boolean } => {
    const object = server.delete(kind, name, options);
    return { object, isGone: server.find(kind, name)?.metadata.uid !== object.metadata.uid };
  };
  const { object, isGone } = isDryRun ? rolledBack(server, work) : work();
  if (isGone && !server.describe(kind).deleteReturnsObject) return objectAnswer(deletedStatus(resource, object));
  return view.single(object, isGone || !isExplicitlyCascading ? 200 : 202);
}

/** Jobs leave their pods behind, where nothing else is said (pkg/registry/batch/job/storage). */
function warnOfOrphans(asked: Asked, { options }: DeleteWish): void {
  if (asked.kind === 'Job' && options.propagationPolicy === undefined) warnOf(asked, [ORPHANED_PODS]);
}
const ORPHANED_PODS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

function deletedStatus({ group, plural }: ServedResource, { metadata }: AnyObject): object {
  const { name, uid } = metadata;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** Shows the objects as they were before. */
function collectionDeleted(asked: Asked): ApiAnswer {
  const { server, request, info, resource, kind, view } = asked;
  const wanted = listOptions(keptOptions(resource, collectionOptions(request.query, info.namespace)));
  // A field that there is not is refused before the body is read.
  server.list(kind, { namespace: info.namespace, fieldSelector: wanted.fieldSelector, limit: 1 });
  const wish = deleteWish(request);
  const { options, isDryRun } = wish;
  warnOfOrphans(asked, wish);
  // It is listed in pages, of which a version is met to the letter.
  const isPaged = wanted.resourceVersionMatch === undefined && Number(wanted.resourceVersion ?? 0) > 0;
  const { items, ...list } = server.list(kind, isPaged ? { ...wanted, resourceVersionMatch: 'Exact' } : wanted);
  const work = (): void => {
    for (const { metadata } of items) server.delete(kind, metadata, { ...options, isOneOfMany: true });
  };
  if (isDryRun) rolledBack(server, work);
  else work();
  return view.list(items, listMetadata(list));
}

/** Of a resource that is kept in another form: the patch is for the form that the client sees. */
function patchedInOtherForm(
  asked: Asked,
  form: OtherForm,
  before: AnyObject,
  { patch, options }: ReturnType<typeof patchOf>,
): ApiAnswer {
  const { server, request, kind, info, view, resource } = asked;
  const shown = form.shown(before);
  const { draft, warnings } = checkPatched(resource, shown, patch, options.fieldValidation, textOfPatch(request));
  warnOf(asked, warnings);
  checkPatchedMetadata(server.describe(kind), before.metadata, draft.metadata);
  const work = asManager(asked, options, () => server.update(kind, form.kept(draft), partOf(info), true));
  const object = options.isDryRun ? withVersion(rolledBack(server, work), before.metadata.resourceVersion) : work();
  return view.single(object, 200);
}

/** Of a custom resource: the patch is for the version that the client sees. */
function patchedCustom(asked: Asked, custom: CustomKind, before: AnyObject): ApiAnswer {
  const { server, request, resource, kind, info, view } = asked;
  const { patch, options } = patchOf(request);
  const shown = otherForm(resource)?.shown(before) ?? before;
  const type = { kind: custom, version: resource.version, typeKey: typeKeyOf(resource) };
  const { draft: stated, warnings } = customPatched(type, shown, patch, {
    fieldValidation: options.fieldValidation,
    text: textOfPatch(request),
  });
  warnOf(asked, warnings);
  checkPatchedMetadata(server.describe(kind), before.metadata, stated.metadata);
  const subresource = partOf(info);
  const draft = typedPatched(resource, stated, shown as AnyObject, {
    isStatus: subresource === 'status',
    warn: (text) => warnOf(asked, [text]),
  });
  const given = subresource === undefined ? givenOwners(draft, before) : undefined;
  const work = asManager(asked, options, () => server.update(kind, draft, subresource, true), { given });
  const object = options.isDryRun ? withVersion(rolledBack(server, work), before.metadata.resourceVersion) : work();
  return view.single(object, 200);
}

/** The part of an object that an endpoint below it writes. */
function partOf({ subresource }: ResourceRequest): Subresource | undefined {
  return SUBRESOURCES.find((each) => each === subresource);
}
const SUBRESOURCES: readonly Subresource[] = ['status', 'approval', 'ephemeralcontainers', 'resize'];

/** The owners of fields that a body states, other than those of the live object; undefined = it states none. */
function givenOwners(draft: Draft, live: AnyObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const given: unknown = draft.metadata?.managedFields;
  const own = live?.metadata.managedFields;
  if (!Array.isArray(given) || given === own || isSameJson(given, own)) return undefined;
  const entries = given as readonly Partial<ManagedFieldsEntry>[];
  const [first] = entries;
  if (first === undefined || (entries.length === 1 && Object.keys(first).length === 0)) return [];
  const isReadable = entries.every(
    ({ manager, operation, fieldsType, fieldsV1 }) =>
      typeof manager === 'string' &&
      (operation === 'Apply' || operation === 'Update') &&
      fieldsType === 'FieldsV1' &&
      typeof fieldsV1 === 'object',
  );
  if (!isReadable) return undefined;
  return (entries as readonly ManagedFieldsEntry[]).map((entry) => ({
    ...entry,
    fieldsV1: readFieldsV1(entry.fieldsV1),
  }));
}

/**
 * The body as a draft without fields that its kind does not know, of which is told whatever comes of the request, and as
 * it was stated.
 */
function validDraft(
  asked: Asked,
  { fieldValidation }: WriteOptions,
): { readonly draft: Draft; readonly stated: Draft } {
  const { server, request, kind, resource } = asked;
  const stated = statedBody(request, resource.kind);
  const form = otherForm(resource);
  const { draft, warnings } =
    resource.custom === undefined
      ? validFields(form === undefined ? server.describe(kind) : resource, stated, fieldValidation)
      : customDraft(resource.custom.kind, resource.version, stated, fieldValidation);
  warnOf(asked, warnings);
  const isKeptOtherwise = resource.custom === undefined && form !== undefined;
  const { draft: own, warnings: repeated } = withOwnersOnce(draft);
  warnOf(asked, repeated);
  return { draft: isKeptOtherwise ? form.kept(own) : own, stated: stated.draft };
}

/** The namespace of the path, which bodies may leave out; one that a kind has no use for is dropped. @throws ApiError 400 for another one */
function inNamespace(draft: Draft, { isNamespaced }: ServedResource, namespace: string | undefined): Draft {
  const { namespace: wanted = '' } = draft.metadata ?? {};
  if (!isNamespaced) return wanted === '' ? draft : { ...draft, metadata: { ...draft.metadata, namespace: '' } };
  if (wanted !== '' && wanted !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return namespace === undefined ? draft : { ...draft, metadata: { ...draft.metadata, namespace } };
}
