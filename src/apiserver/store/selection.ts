/** Which objects a list or a watch covers, compiled once from Kubernetes' text form. */
import { isCustomKind } from '../../api/custom/custom-kind.js';
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { parseFieldSelector, type FieldRequirement } from '../../api/selectors/field-selector.js';
import { parseLabelSelector } from '../../api/selectors/labels.js';
import { badRequest } from './api-errors.js';
import type { Selection } from './server-types.js';

/** How the hub finds a watch: by the one key that all its objects share, or by asking. */
export type WatchRoute =
  | { readonly by: 'everywhere' }
  | { readonly by: 'namespace' | 'name' | 'nodeName'; readonly key: string }
  /** `key` is that of the object (`namespace/name`). */
  | { readonly by: 'object'; readonly key: string; readonly name: string };

/** A compiled selection. */
export interface WatchSelection<K extends Kind> {
  readonly route: WatchRoute;
  /** Whether labels or fields are selected (a namespace alone is no selector). */
  readonly hasSelector: boolean;
  /** Whether an object is covered. */
  covers(object: KindMap[K]): boolean;
  /** {@link covers} for objects found by the route; absent when the route says it all. */
  readonly matches: ((object: KindMap[K]) => boolean) | undefined;
}

type Test<K extends Kind> = (object: KindMap[K]) => boolean;

/** @throws ApiError 400 for a selector that cannot be read or names an unknown field */
export function compileSelection<K extends Kind>(resource: ResourceKind<K>, selection: Selection): WatchSelection<K> {
  const { namespace, labelSelector = '', fieldSelector = '' } = selection;
  const fields = fieldSelector === '' ? [] : parseFieldSelector(fieldSelector);
  const route = chooseRoute(fields, namespace, !isCustomKind(resource));
  const tests: Test<K>[] = [];
  if (labelSelector !== '') tests.push(labelTest(labelSelector));
  for (const field of fields) tests.push(fieldTest(resource, field));
  if (namespace !== undefined) tests.push(({ metadata }) => metadata.namespace === namespace);
  const hasSelector = labelSelector !== '' || fields.length > 0;
  const covers = all(tests);
  const isRouteAll = tests.length === TESTS_OF_ROUTE[route.by] && route.by !== 'nodeName';
  return { route, hasSelector, covers, matches: isRouteAll ? undefined : covers };
}

/** How many tests an object has passed that was found by a route. */
const TESTS_OF_ROUTE: Readonly<Record<WatchRoute['by'], number>> = {
  everywhere: 0,
  namespace: 1,
  name: 1,
  nodeName: 1,
  object: 2,
};

/** The narrowest key first. */
function chooseRoute(
  fields: readonly FieldRequirement[],
  namespace: string | undefined,
  isFoundByNode: boolean,
): WatchRoute {
  const [only] = fields;
  if (fields.length === 1 && only !== undefined && only.operator === '=') {
    if (only.field === 'spec.nodeName' && isFoundByNode) return { by: 'nodeName', key: only.value };
    if (only.field === 'metadata.name') {
      const { value: name } = only;
      return namespace === undefined
        ? { by: 'name', key: name }
        : { by: 'object', key: keyOf({ metadata: { namespace, name } }), name };
    }
  }
  return namespace === undefined ? { by: 'everywhere' } : { by: 'namespace', key: namespace };
}

function all<K extends Kind>(tests: readonly Test<K>[]): Test<K> {
  const [only] = tests;
  if (only === undefined) return () => true;
  return tests.length === 1 ? only : (object) => tests.every((test) => test(object));
}

function labelTest<K extends Kind>(text: string): Test<K> {
  const selector = parseLabelSelector(text);
  return ({ metadata }) => selector.matches(metadata.labels);
}

function fieldTest<K extends Kind>(resource: ResourceKind<K>, { field, operator, value }: FieldRequirement): Test<K> {
  const valueOf = fieldOf(resource, field);
  return operator === '=' ? (object) => valueOf(object) === value : (object) => valueOf(object) !== value;
}

/** Kinds without a namespace that know no field of it; all others of upstream's do, and it is empty. */
const WITHOUT_NAMESPACE_FIELD: ReadonlySet<string> = new Set([
  'CertificateSigningRequest',
  'Namespace',
  'Node',
  'ResourceSlice',
]);

function fieldOf<K extends Kind>(resource: ResourceKind<K>, field: string): (object: KindMap[K]) => string {
  const { selectableFields, kind, isNamespaced } = resource;
  if (field === 'metadata.name') return ({ metadata }) => metadata.name;
  const hasNamespaceField = isCustomKind(resource) ? isNamespaced : !WITHOUT_NAMESPACE_FIELD.has(kind);
  if (field === 'metadata.namespace' && hasNamespaceField) return ({ metadata }) => metadata.namespace ?? '';
  // What clients of the first release call it.
  const valueOf = selectableFields[kind === 'Pod' && field === 'spec.host' ? 'spec.nodeName' : field];
  if (valueOf !== undefined) return valueOf;
  throw badRequest(unknownField(resource, field));
}

function unknownField<K extends Kind>(resource: ResourceKind<K>, field: string): string {
  const { kind, selectableFields } = resource;
  if (kind === 'Job') return `field label ${JSON.stringify(field)} not supported for Job`;
  if (kind === 'ResourceSlice') {
    const { group, version } = resource;
    return `field label not supported for ${group}/${version}, Kind=ResourceSlice: ${field}`;
  }
  const isOfItsOwn = Object.keys(selectableFields).length > 0 || isCustomKind(resource);
  if (isOfItsOwn) return `field label not supported: ${field}`;
  return unknownFieldText(field);
}

/** What is said of a field that a kind without fields of its own does not have. */
export function unknownFieldText(field: string): string {
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
