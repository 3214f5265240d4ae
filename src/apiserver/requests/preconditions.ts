/** Under which conditions a request is applied: optimistic concurrency, identity, options of DELETE. */
import { ApiError } from '../../api/errors/api-error.js';
import type { DraftMeta, ObjectMeta } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import {
  badRequest,
  conflict,
  internalError,
  modifiedMeanwhile,
  qualifiedResource,
  storagePreconditionFailed,
} from '../store/api-errors.js';
import { parseVersion, versionSyntaxText } from '../store/list-options.js';
import type { Preconditions } from '../store/server-types.js';

type Resource = Pick<ResourceKind, 'kind' | 'group' | 'plural' | 'requiresVersionOnUpdate'>;

/** Where upstream keeps what it does not keep under the name of the resource (test/integration/etcd/data.go). */
const STORED_IN: Readonly<Record<string, string>> = {
  apiservices: 'apiregistration.k8s.io/apiservices',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Identity and version that a change insists on. @throws ApiError 409 */
export function checkChangePreconditions(resource: Resource, stored: ObjectMeta, wanted: Preconditions): void {
  const { uid = '', resourceVersion = '' } = wanted;
  const { namespace, name } = stored;
  if (uid !== '' && uid !== stored.uid) {
    const folder = STORED_IN[resource.plural] ?? resource.plural;
    const path = namespace === undefined ? `${folder}/${name}` : `${folder}/${namespace}/${name}`;
    throw storagePreconditionFailed(resource, name, path, 'UID', uid, stored.uid);
  }
  if (resourceVersion !== '' && resourceVersion !== stored.resourceVersion) throw modifiedMeanwhile(resource, name);
}

/** The version in the body of a PUT. @throws ApiError 409, 422, 500 */
export function checkUpdateVersion(resource: Resource, stored: ObjectMeta, wanted = ''): void {
  if (wanted !== '' && parseVersion(wanted) === undefined) throw internalError(versionSyntaxText(wanted));
  if (wanted === '' || Number(wanted) === 0) {
    if (resource.requiresVersionOnUpdate) throw missingVersion(resource, stored.name);
    return;
  }
  if (wanted !== stored.resourceVersion) throw modifiedMeanwhile(resource, stored.name);
}

/** What a patch may not do to metadata. @throws ApiError 400, 409, 422, 500 */
export function checkPatchedMetadata(resource: Resource, stored: ObjectMeta, patched: DraftMeta | null = {}): void {
  const { name, namespace, resourceVersion = '' } = patched ?? {};
  // One that a kind has no use for is dropped; one that is left out is that of the request.
  if ((namespace || stored.namespace) !== stored.namespace && stored.namespace !== undefined) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if ((name ?? '') === '') {
    throw badRequest(`the name of the object (${stored.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== stored.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${stored.name})`);
  }
  if (resourceVersion !== stored.resourceVersion) checkUpdateVersion(resource, stored, resourceVersion);
}

/** Identity and version that a DELETE insists on. @throws ApiError 409 */
export function checkDeletePreconditions(
  resource: Resource,
  stored: ObjectMeta,
  wanted: Preconditions | undefined,
): void {
  if (wanted === undefined) return;
  const { kind, group } = resource;
  const { uid, resourceVersion } = wanted;
  if (kind === 'Namespace') return checkNamespacePreconditions(resource, stored, wanted);
  const names = { kind, group, plural: kind };
  if (uid !== undefined && uid !== stored.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${stored.uid})`;
    throw conflict(names, stored.name, `${text}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== stored.resourceVersion) {
    const record = `the ResourceVersion in record (${stored.resourceVersion})`;
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match ${record}`;
    throw conflict(names, stored.name, `${text}. The object might have been modified`);
  }
}

/** Namespaces look at them before the storage does (pkg/registry/core/namespace/storage). */
function checkNamespacePreconditions(resource: Resource, stored: ObjectMeta, wanted: Preconditions): void {
  for (const [field, key] of [
    ['UID', 'uid'],
    ['ResourceVersion', 'resourceVersion'],
  ] as const) {
    const [asked, found] = [wanted[key], stored[key]];
    if (asked === undefined || asked === found) continue;
    const text = `Precondition failed: ${field} in precondition: ${asked}, ${field} in object meta: ${found}`;
    throw conflict(resource, stored.name, text);
  }
}

/** @throws ApiError 422 for a policy that does not exist */
export function checkPropagationPolicy(policy: string | undefined): void {
  if (policy === undefined || policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return;
  const supported = 'supported values: "Foreground", "Background", "Orphan", "nil"';
  throw badDeleteOption('propagationPolicy', `Unsupported value: ${JSON.stringify(policy)}: ${supported}`);
}

/** @throws ApiError 422 for another wish than `All` */
export function checkDryRun(wish: readonly string[]): void {
  if (wish.every((each) => each === 'All')) return;
  throw badDeleteOption('dryRun', `Unsupported value: ${JSON.stringify(wish)}: supported values: "All"`);
}

function badDeleteOption(field: string, message: string): ApiError {
  return new ApiError(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind: 'DeleteOptions',
    causes: [{ reason: 'FieldValueNotSupported', message, field }],
  });
}

/** Names the resource where other 422s name the kind, as upstream does here. */
function missingVersion(resource: Resource, name: string): ApiError {
  const field = 'metadata.resourceVersion';
  const message = 'Invalid value: 0: must be specified for an update';
  const { group, plural } = resource;
  return new ApiError(422, 'Invalid', `${qualifiedResource(resource)} "${name}" is invalid: ${field}: ${message}`, {
    name,
    ...(group === '' ? {} : { group }),
    kind: plural,
    causes: [{ reason: 'FieldValueInvalid', message, field }],
  });
}
