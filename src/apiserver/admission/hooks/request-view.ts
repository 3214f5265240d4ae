/** What webhooks and expressions are shown of a request (apiserver/pkg/admission/plugin/webhook/request, v1.34). */
import { jsonValue } from '../../../api/admission/expression-scopes.js';
import { CelAuthorizer, RESOURCE_CHECK, type Authorize } from '../../../api/cel/library/authorizer.js';
import type { CelVariables } from '../../../api/cel/evaluator.js';
import type { CelValue } from '../../../api/cel/values.js';
import { isCustomKind, shownIn } from '../../../api/custom/custom-kind.js';
import type { Kind } from '../../../api/objects/objects.js';
import type { VersionedStore } from '../../store/store.js';
import type { Attributes } from '../chain/attributes.js';
import { namespaceOf } from './matching.js';

/** Answers what a user may do. */
export type AuthorizeUser = (user: Attributes<Kind>['user']) => Authorize;

/** The part of a review that says what is asked. @param version - in which the objects are shown */
export function reviewedRequest(attributes: Attributes<Kind>, version: string): Readonly<Record<string, unknown>> {
  const { operation, resource, subresource, object, previous, user, namespace, isDryRun, context, below } = attributes;
  const { group } = resource;
  const kind = below?.kind ?? { group, version, kind: resource.kind };
  const named = { group, version, resource: resource.plural };
  const part = subresource === '' ? {} : { subResource: subresource };
  return {
    kind,
    resource: named,
    ...part,
    requestKind: kind,
    requestResource: named,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    name: attributes.hasDrawnName && !attributes.isFinal ? '' : attributes.name,
    ...(namespace === undefined ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    },
    object: operation === 'DELETE' ? null : shownObject(attributes, asKnown(attributes, object), version),
    oldObject: shownObject(attributes, previous, version),
    dryRun: isDryRun,
    options: operation === 'CONNECT' ? null : shownOptions(operation, context.options?.()),
  };
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' };

/** Those of a patch are shown as what it comes to. */
function shownOptions(operation: keyof typeof OPTIONS, stated: object | undefined): object {
  const type = { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1' };
  if (stated === undefined) return type;
  if ((stated as { readonly kind?: string }).kind !== 'PatchOptions') return stated;
  const { force: _force, ...others } = stated as { readonly force?: unknown };
  return { ...others, ...type };
}

/** A new object as it is known in this phase: what the server gives it comes after the first, its version after both. */
export function asKnown(
  { operation, isFinal, hasDrawnName }: Attributes<Kind>,
  object: object | undefined,
): object | undefined {
  const { metadata } = (object ?? {}) as { readonly metadata?: Readonly<Record<string, unknown>> };
  if (operation !== 'CREATE' || object === undefined || metadata === undefined) return object;
  const { resourceVersion: version, ...final } = metadata;
  const own = version === undefined || version === '' ? final : metadata;
  if (isFinal) return { ...object, metadata: own };
  const { uid: _uid, creationTimestamp: _time, generation: _generation, name, ...stated } = own;
  return { ...object, metadata: hasDrawnName ? stated : { ...stated, name } };
}

/** An object in the version in which it is shown. */
export function shownObject(
  { resource }: Attributes<Kind>,
  object: object | undefined,
  version: string,
): object | null {
  if (object === undefined) return null;
  if (!isCustomKind(resource)) return object;
  const shown = resource.custom.versions.find(({ name }) => name === version);
  const isShown = (object as { readonly apiVersion?: string }).apiVersion === `${resource.group}/${version}`;
  return shown === undefined || isShown ? object : shownIn(object, resource, shown);
}

/** The values of what expressions may ask for, worked out when they do. @param params - of a policy */
export function requestVariables(
  attributes: Attributes<Kind>,
  version: string,
  { store, authorize }: { readonly store: VersionedStore; readonly authorize: AuthorizeUser },
  params?: object | null,
): CelVariables {
  const request = reviewedRequest(attributes, version);
  const values = new Map<string, CelValue>();
  const read = (name: string): CelValue | undefined => {
    switch (name) {
      case 'object':
      case 'oldObject':
        return jsonValue(request[name]);
      case 'request':
        return jsonValue({ ...request, object: undefined, oldObject: undefined });
      case 'params':
        return params === undefined ? undefined : jsonValue(params);
      case 'namespaceObject':
        return namespaceValue(attributes, store);
      case 'authorizer':
        return new CelAuthorizer(authorize(attributes.user));
      case 'authorizer.requestResource':
        return requestCheck(attributes, authorize);
      default:
        return undefined;
    }
  };
  return (name) => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = read(name);
    if (value !== undefined) values.set(name, value);
    return value;
  };
}

function requestCheck(attributes: Attributes<Kind>, authorize: AuthorizeUser): CelAuthorizer {
  const { resource, subresource, namespace = '', name } = attributes;
  const parts = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return new CelAuthorizer(authorize(attributes.user), parts, RESOURCE_CHECK);
}

/** Of a namespace expressions see what it says of itself, and nothing of what the server keeps for itself. */
function namespaceValue({ namespace, resource }: Attributes<Kind>, store: VersionedStore): CelValue {
  const found = namespace === undefined || resource.kind === 'Namespace' ? undefined : namespaceOf(namespace, store);
  if (found === undefined) return null;
  const { metadata, spec, status } = found;
  const { managedFields: _fields, ownerReferences: _owners, uid: UID, ...own } = metadata;
  return jsonValue({ metadata: { ...own, UID }, spec, status: { phase: status?.phase } });
}
