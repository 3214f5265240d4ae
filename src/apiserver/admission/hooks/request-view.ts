/** What webhooks and expressions are shown of a request (apiserver/pkg/admission/plugin/webhook/request, v1.34). */
import { jsonValue } from '../../../api/admission/expression-scopes.js';
import { CelAuthorizer, RESOURCE_CHECK, type Authorize } from '../../../api/cel/library/authorizer.js';
import type { CelVariables } from '../../../api/cel/evaluator.js';
import type { CelValue } from '../../../api/cel/values.js';
import { isCustomKind, shownIn } from '../../../api/custom/custom-kind.js';
import { versionForm } from '../../../api/kinds/version-forms.js';
import type { Draft, Kind } from '../../../api/objects/objects.js';
import { goEncoded } from '../../../api/types/go-encoding.js';
import { typeKeyOf } from '../../../api/types/type-facts.js';
import type { VersionedStore } from '../../store/store.js';
import type { Attributes } from '../chain/attributes.js';
import { askedForm, type ServedForm } from '../chain/served-forms.js';
import { namespaceOf } from './matching.js';

/** Answers what a user may do. */
export type AuthorizeUser = (user: Attributes<Kind>['user']) => Authorize;

/** The part of a review that says what is asked. @param form - in which the objects are shown */
export function reviewedRequest(attributes: Attributes<Kind>, form: ServedForm): Readonly<Record<string, unknown>> {
  const { operation, resource, subresource, object, previous, user, namespace, isDryRun, context, below } = attributes;
  const asked = askedForm(resource, context);
  const name = attributes.hasDrawnName && !attributes.isFinal ? '' : attributes.name;
  const part = subresource === '' ? {} : { subResource: subresource };
  return {
    kind: below?.kind ?? { ...form, kind: resource.kind },
    resource: { ...form, resource: resource.plural },
    ...part,
    requestKind: below?.kind ?? { ...asked, kind: resource.kind },
    requestResource: { ...asked, resource: resource.plural },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    },
    object: operation === 'DELETE' ? null : encodedObject(attributes, asKnown(attributes, object), form),
    oldObject: encodedObject(attributes, previous, form),
    dryRun: isDryRun,
    options: operation === 'CONNECT' ? null : shownOptions(operation, attributes.options),
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

/** An object in the form in which it is shown. */
export function shownObject(
  { resource, below }: Attributes<Kind>,
  object: object | undefined,
  { group, version }: ServedForm,
): object | null {
  if (object === undefined) return null;
  if (below !== undefined) return object;
  if (!isCustomKind(resource)) return versionForm(resource.kind, group, version)?.shown(object) ?? object;
  const shown = resource.custom.versions.find(({ name }) => name === version);
  const isShown = (object as { readonly apiVersion?: string }).apiVersion === `${group}/${version}`;
  return shown === undefined || isShown ? object : shownIn(object, resource, shown);
}

/** As {@link shownObject}, as Go writes it. */
export function encodedObject(
  attributes: Attributes<Kind>,
  object: object | undefined,
  form: ServedForm,
): object | null {
  const shown = shownObject(attributes, object, form);
  const { resource, below } = attributes;
  if (shown === null || (below === undefined && isCustomKind(resource))) return shown;
  return goEncoded(shown, typeKeyOf(below?.kind ?? { ...form, kind: resource.kind }));
}

/** What hooks have made of an object that they were shown, in the form in which it is kept. */
export function keptForm({ resource }: Attributes<Kind>, shown: Draft, { group, version }: ServedForm): Draft {
  return versionForm(resource.kind, group, version)?.kept(shown) ?? shown;
}

/** The values of what expressions may ask for, worked out when they do. @param params - of a policy */
export function requestVariables(
  attributes: Attributes<Kind>,
  form: ServedForm,
  { store, authorize }: { readonly store: VersionedStore; readonly authorize: AuthorizeUser },
  params?: object | null,
): CelVariables {
  const request = reviewedRequest(attributes, form);
  const values = new Map<string, CelValue>();
  const read = (name: string): CelValue | undefined => {
    switch (name) {
      case 'object':
      case 'oldObject':
        return jsonValue(request[name]);
      case 'request':
        return jsonValue({ name: '', ...request, object: undefined, oldObject: undefined });
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
  const { resource, subresource, namespace = '', name, context } = attributes;
  const parts = { group: askedForm(resource, context).group, resource: resource.plural, subresource, namespace, name };
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
