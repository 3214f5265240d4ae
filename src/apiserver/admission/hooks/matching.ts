/** Which requests a webhook or a policy is asked about (apiserver/pkg/admission/plugin/policy/matching, v1.34). */
import type { OperationRule, RequestMatch } from '../../../api/admission/admission-types.js';
import type { Kind, KindMap, StringMap } from '../../../api/objects/objects.js';
import type { ResourceKind } from '../../../api/objects/resource-kind.js';
import { compileLabelSelector } from '../../../api/selectors/labels.js';
import type { VersionedStore } from '../../store/store.js';
import type { AdmissionSubject } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import { askedForm, isSameForm, servedForms, type ServedForm } from '../chain/served-forms.js';

/** Kinds that no webhook is asked about: those that say which are. */
export function isExempt({ group }: Pick<ResourceKind, 'group'>): boolean {
  return group === 'admissionregistration.k8s.io';
}

/** Whether a rule means a request that is made in a form. */
function means(rule: OperationRule, subject: AdmissionSubject, { group, version }: ServedForm): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*' } = rule;
  const { operation, resource, subresource } = subject;
  if (!hasOrAll(operations, operation) || !hasOrAll(apiGroups, group) || !hasOrAll(apiVersions, version)) return false;
  if (scope !== '*' && (scope === 'Namespaced') !== resource.isNamespaced) return false;
  return resources.some((each) => isResource(each, resource.plural, subresource));
}

function hasOrAll(stated: readonly string[], value: string): boolean {
  return stated.includes('*') || stated.includes(value);
}

function isResource(stated: string, plural: string, subresource: string): boolean {
  const [resource = '', below] = stated.split('/');
  if (resource !== '*' && resource !== plural) return false;
  // Without a slash all resources are meant, and none of their parts.
  return below === undefined ? subresource === '' : below === '*' || below === subresource;
}

/** Whether rules mean such requests, in whichever form they are made. */
export function mayMean(rules: readonly OperationRule[] | undefined, subject: AdmissionSubject): boolean {
  const forms = servedForms(subject.resource);
  return rules?.some((rule) => forms.some((form) => means(rule, subject, form))) === true;
}

/**
 * By which form of the resource the rules mean a request: that in which it is made or, unless they are taken exactly,
 * another one; undefined if none of them does.
 */
export function matchedForm(
  rules: readonly OperationRule[] | undefined,
  subject: AdmissionSubject & Pick<Attributes<Kind>, 'context'>,
  matchPolicy: string | undefined,
  name?: string,
): ServedForm | undefined {
  const asked = askedForm(subject.resource, subject.context);
  const named = (rules ?? []).filter(
    ({ resourceNames = [] }) => name === undefined || resourceNames.length === 0 || resourceNames.includes(name),
  );
  if (named.some((rule) => means(rule, subject, asked))) return asked;
  if (matchPolicy === 'Exact') return undefined;
  const others = servedForms(subject.resource).filter((form) => !isSameForm(form, asked));
  for (const rule of named) {
    const found = others.find((form) => means(rule, subject, form));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A request, as far as selectors look at it. */
export interface Selected {
  readonly resource: ResourceKind;
  readonly object: Labelled | undefined;
  readonly previous: Labelled | undefined;
  readonly namespace: string | undefined;
}

interface Labelled {
  readonly metadata: { readonly labels?: StringMap };
}

/** Whether the selectors of a webhook or a policy let a request through. */
export function isSelected(match: RequestMatch, selected: Selected, store: VersionedStore): boolean {
  const { namespaceSelector = {}, objectSelector = {} } = match;
  const ofNamespace = compileLabelSelector(namespaceSelector);
  if (!ofNamespace.isEmpty) {
    const labels = namespaceLabels(selected, store);
    if (labels !== undefined && !ofNamespace.matches(labels)) return false;
  }
  const ofObject = compileLabelSelector(objectSelector);
  if (ofObject.isEmpty) return true;
  return [selected.object, selected.previous].some(
    // What is below an object may have no metadata, and then no labels.
    (each) => each !== undefined && ofObject.matches((each as Partial<Labelled>).metadata?.labels),
  );
}

/** Undefined for what is in no namespace, which every selector lets through. */
function namespaceLabels(
  { resource, object, previous, namespace }: Selected,
  store: VersionedStore,
): StringMap | undefined {
  if (resource.kind === 'Namespace' && resource.group === '') return (object ?? previous)?.metadata.labels ?? {};
  if (namespace === undefined) return undefined;
  return namespaceOf(namespace, store)?.metadata.labels ?? {};
}

/** A namespace by its name. */
export function namespaceOf(name: string, store: VersionedStore): KindMap['Namespace'] | undefined {
  return store.shelf('Namespace').table.get(undefined, name);
}
