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

function fieldOf<K extends Kind>(resource: ResourceKind<K>, field: string): (object: KindMap[K]) => string {
  const { selectableFields } = resource;
  if (field === 'metadata.name') return ({ metadata }) => metadata.name;
  if (field === 'metadata.namespace') return ({ metadata }) => metadata.namespace ?? '';
  const valueOf = selectableFields[field];
  if (valueOf !== undefined) return valueOf;
  if (Object.keys(resource.selectableFields).length > 0 || isCustomKind(resource))
    throw badRequest(`field label not supported: ${field}`);
  const known = 'only "metadata.name", "metadata.namespace"';
  throw badRequest(`${JSON.stringify(field)} is not a known field selector: ${known}`);
}
