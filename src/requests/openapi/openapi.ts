/**
 * OpenAPI documents of the groups, version 3, and of all in one, version 2: schemas out of the facts about types,
 * and of paths what clients look for in them (whether a PATCH takes fieldValidation, which kind a path has, how lists
 * merge). Descriptions are short ones of our own (`descriptions.ts`). Mirrors k8s.io/kube-openapi as served by v1.34.
 */
import { structFact, typeKeyOf, type FieldFact, type TypeRef } from '../../api/types/type-facts.js';
import { describedField, describedType } from './descriptions.js';
import { enumeration } from './enumerations.js';
import type { AnswerHeaders, ApiAnswer, ApiRequest } from '../api-request.js';
import { hashOf } from '../discovery.js';
import { acceptClauses } from '../negotiation.js';
import { customSchema, customSchemaName } from '../custom/custom-openapi.js';
import { BUILT_IN, type Served, type ServedResource, type ServedSubresource } from '../served-resources.js';
import { NO_CACHE, objectAnswer } from '../status-answer.js';

type Json = Readonly<Record<string, unknown>>;
/** Where schemas are, by the version of OpenAPI. */
type Form = 'v2' | 'v3';
const REFERENCES: Readonly<Record<Form, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' };
const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];
/** Of an answer that is to be written as gnostic's `Document`. */
export const OPENAPI_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const INFO = { title: 'Kubernetes', version: 'v1.34.2' };
const YEAR = 'Fri, 31 Dec 2100 00:00:00 GMT';

/** A document with its tag. */
interface Document {
  readonly value: Json;
  readonly hash: string;
}
/** Of what is served, for as long as it is served. */
const documents = new WeakMap<Served, Map<string, Document>>();

/** Answers `/openapi/…`; undefined for a path that there is not. */
export function openApiAnswer(request: ApiRequest, parts: readonly string[], served: Served): ApiAnswer | undefined {
  const [, version, ...place] = parts;
  const isDirectory = request.path.endsWith('/');
  if (version === 'v2' && place.length === 0 && !isDirectory) return wholeAnswer(request, served);
  if (version !== 'v3') return undefined;
  if (place.length === 0 && !isDirectory) {
    const headers = { 'cache-control': NO_CACHE, 'content-type': 'text/plain; charset=utf-8' };
    return tagged(request, rootDocument(served), headers);
  }
  const document = documentOf(place.join('/'), served);
  if (document === undefined) return { type: 'empty', status: 404, headers: { 'cache-control': NO_CACHE } };
  const { query } = request;
  const hash = query.get('hash');
  if (hash === null) return tagged(request, document, { 'cache-control': NO_CACHE, vary: 'Accept' });
  if (hash !== document.hash) {
    query.set('hash', document.hash);
    return { type: 'empty', status: 301, headers: { location: `${request.path}?${query.toString()}` } };
  }
  const headers = { 'cache-control': 'public, immutable', expires: YEAR, vary: 'Accept' };
  return tagged(request, document, headers);
}

function tagged(request: ApiRequest, { value, hash }: Document, headers: AnswerHeaders): ApiAnswer {
  const etag = `"${hash}"`;
  const all = { 'content-type': 'application/json', etag, ...headers };
  if (request.headers['if-none-match'] === etag) return { type: 'empty', status: 304, headers: all };
  return { ...objectAnswer(value, 200, all), isMadeBefore: true };
}

/** One document for clients that know no other; Go's ask for it as protobuf, which its transport writes. */
function wholeAnswer(request: ApiRequest, served: Served): ApiAnswer {
  const contentType = wholeType(request.headers['accept']);
  if (contentType === undefined) return { type: 'empty', status: 406, headers: { 'cache-control': NO_CACHE } };
  const document = remembered(served, 'v2', () => {
    const paths: Record<string, unknown> = {};
    const schemas = new Schemas('v2');
    for (const group of served.groups) {
      for (const { resources } of group.versions) {
        for (const resource of resources) Object.assign(paths, pathsOf(resource, schemas, 'v2'));
      }
    }
    return { swagger: '2.0', info: INFO, paths, definitions: schemas.all() };
  });
  return tagged(request, document, {
    'content-type': contentType,
    'cache-control': NO_CACHE,
    vary: 'Accept-Encoding, Accept',
  });
}

/** What the whole document is written as; undefined if nothing that is accepted can be. */
function wholeType(accept: string | undefined): string | undefined {
  for (const { type } of acceptClauses(accept)) {
    if (['application/json', 'application/*', '*/*'].includes(type)) return 'application/json';
    if (type === OPENAPI_PROTOBUF || type === OPENAPI_PROTOBUF.replace('.v2.v1.0', '.v2@v1.0')) return OPENAPI_PROTOBUF;
  }
  return undefined;
}

function remembered(served: Served, key: string, make: () => Json): Document {
  let own = documents.get(served);
  if (own === undefined) documents.set(served, (own = new Map<string, Document>()));
  let document = own.get(key);
  if (document === undefined) {
    const value = make();
    document = { value, hash: hashOf(value) };
    own.set(key, document);
  }
  return document;
}

function rootDocument(served: Served): Document {
  return remembered(served, '', () => {
    const places = [
      '.well-known/openid-configuration',
      'api',
      'apis',
      'openid/v1/jwks',
      'version',
      ...served.groups.flatMap(({ name, versions }) => {
        const root = name === '' ? 'api' : `apis/${name}`;
        return [...(name === '' ? [] : [root]), ...versions.map(({ version }) => `${root}/${version}`)];
      }),
    ].sort();
    const paths = places.map((place): [string, Json] => {
      return [place, { serverRelativeURL: `/openapi/v3/${place}?hash=${documentOf(place, served)?.hash ?? ''}` }];
    });
    return { paths: Object.fromEntries(paths) };
  });
}

function documentOf(place: string, served: Served): Document | undefined {
  const found = served.groups
    .flatMap(({ name, versions }) =>
      versions.map(({ version, resources }) => ({
        place: name === '' ? `api/${version}` : `apis/${name}/${version}`,
        resources,
      })),
    )
    .find((each) => each.place === place);
  if (found === undefined) {
    const isKnown =
      ['api', 'apis', 'version', 'openid/v1/jwks', '.well-known/openid-configuration'].includes(place) ||
      served.groups.some(({ name }) => place === `apis/${name}`);
    return isKnown ? remembered(BUILT_IN, place, () => ({ openapi: '3.0.0', info: INFO, paths: {} })) : undefined;
  }
  // What all servers serve is made once.
  const isCustom = found.resources.some(({ custom }) => custom !== undefined);
  return remembered(isCustom ? served : BUILT_IN, place, () => {
    const schemas = new Schemas('v3');
    const paths: Record<string, unknown> = {};
    for (const resource of found.resources) Object.assign(paths, pathsOf(resource, schemas, 'v3'));
    return { openapi: '3.0.0', info: INFO, paths, components: { schemas: schemas.all() } };
  });
}

const ACTIONS: Readonly<Record<string, string>> = {
  create: 'post',
  delete: 'delete',
  deletecollection: 'deletecollection',
  get: 'get',
  list: 'list',
  patch: 'patch',
  update: 'put',
};
const OF_COLLECTION: ReadonlySet<string> = new Set(['create', 'deletecollection', 'list']);
const METHODS: Readonly<Record<string, string>> = {
  create: 'post',
  delete: 'delete',
  deletecollection: 'delete',
  get: 'get',
  list: 'get',
  patch: 'patch',
  update: 'put',
};
const QUERY: Readonly<Record<string, readonly string[]>> = {
  create: ['dryRun', 'fieldManager', 'fieldValidation'],
  update: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'],
  deletecollection: ['continue', 'dryRun', 'fieldSelector', 'labelSelector', 'limit'],
  list: ['allowWatchBookmarks', 'continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'watch'],
};

function pathsOf(resource: ServedResource, schemas: Schemas, form: Form): Json {
  const { group, version, plural, isNamespaced, verbs, subresources } = resource;
  const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}`;
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const item = `${collection}/{name}`;
  const paths: Record<string, unknown> = {};
  const add = (path: string, own: readonly string[], part?: ServedSubresource): void => {
    const operations = own.flatMap((verb) => {
      const operation = operationOf(verb, resource, part, schemas, form);
      return operation === undefined ? [] : [[METHODS[verb] ?? '', operation] as const];
    });
    if (operations.length > 0) paths[path] = { ...Object.fromEntries(operations), ...parametersOf(path, form) };
  };
  add(
    collection,
    verbs.filter((verb) => OF_COLLECTION.has(verb)),
  );
  add(
    item,
    verbs.filter((verb) => !OF_COLLECTION.has(verb)),
  );
  if (isNamespaced)
    add(
      `${root}/${plural}`,
      verbs.filter((verb) => verb === 'list'),
    );
  for (const part of subresources) add(`${item}/${part.name}`, part.verbs, part);
  return paths;
}

function parametersOf(path: string, form: Form): Json {
  const names = ['name', 'namespace'].filter((name) => path.includes(`{${name}}`));
  return { parameters: names.map((name) => ({ name, in: 'path', required: true, ...typed('string', form) })) };
}

function typed(type: string, form: Form): Json {
  return form === 'v2' ? { type } : { schema: { type } };
}

function operationOf(
  verb: string,
  resource: ServedResource,
  part: ServedSubresource | undefined,
  schemas: Schemas,
  form: Form,
): Json | undefined {
  const action = ACTIONS[verb];
  if (action === undefined) return undefined;
  const { group = resource.group, version = resource.version, kind = resource.kind } = part ?? {};
  const reference =
    resource.custom !== undefined && part?.kind === undefined
      ? schemas.customReference(resource)
      : schemas.referenceOf({ group, version, kind });
  const parameters: Json[] = (QUERY[verb] ?? []).map((name) => ({ name, in: 'query', ...typed('string', form) }));
  const hasBody = verb === 'create' || verb === 'update' || verb === 'patch';
  const patchTypes =
    resource.custom === undefined ? PATCH_TYPES : PATCH_TYPES.filter((type) => !type.includes('strategic'));
  const bodyTypes = verb === 'patch' ? patchTypes : ['*/*'];
  const body = verb === 'patch' ? schemas.reference('meta/v1.Patch') : reference;
  if (hasBody && form === 'v2') parameters.push({ name: 'body', in: 'body', required: true, schema: body });
  const content = Object.fromEntries(bodyTypes.map((type) => [type, { schema: body }]));
  return {
    ...(form === 'v2' && verb === 'patch' ? { consumes: patchTypes } : {}),
    parameters,
    ...(hasBody && form === 'v3' ? { requestBody: { content } } : {}),
    responses: {
      200: {
        description: 'OK',
        ...(form === 'v2' ? { schema: reference } : { content: { 'application/json': { schema: reference } } }),
      },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

/** The schemas that a document refers to. */
class Schemas {
  readonly #form: Form;
  readonly #made = new Map<string, Json>();

  constructor(form: Form) {
    this.#form = form;
  }

  referenceOf(kind: { readonly group: string; readonly version: string; readonly kind: string }): Json {
    const key = typeKeyOf(kind);
    if (structFact(key) === undefined) return { type: 'object' };
    const reference = this.reference(key);
    const name = schemaName(key);
    const schema = this.#made.get(name);
    const marks = 'x-kubernetes-group-version-kind';
    if (schema !== undefined && schema[marks] === undefined) this.#made.set(name, { ...schema, [marks]: [kind] });
    return reference;
  }

  /** Of a kind whose schema a definition has. */
  customReference(resource: ServedResource): Json {
    const name = customSchemaName(resource);
    if (!this.#made.has(name)) {
      this.#made.set(name, customSchema(resource, this.#form, this.#commonProperties()));
    }
    return { $ref: REFERENCES[this.#form] + name };
  }

  #commonProperties(): Json {
    const metadata = this.reference('meta/v1.ObjectMeta');
    const word = (name: string): Json => ({ ...described(describedField('', name)), type: 'string' });
    return {
      apiVersion: word('apiVersion'),
      kind: word('kind'),
      metadata: {
        ...described(describedField('', 'metadata')),
        ...(this.#form === 'v2' ? metadata : { allOf: [metadata] }),
      },
    };
  }

  reference(key: string): Json {
    const name = schemaName(key);
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#made.set(name, this.#schemaOf(key));
    }
    return { $ref: REFERENCES[this.#form] + name };
  }

  all(): Json {
    return Object.fromEntries([...this.#made].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #schemaOf(key: string): Json {
    const fact = structFact(key);
    if (fact === undefined) return { type: 'object' };
    const fields = [...fact.fields.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter((field) => isRequired(field)).map(({ name }) => name);
    return {
      ...described(describedType(key)),
      ...(required.length === 0 ? {} : { required }),
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#fieldSchema(field, key)])),
      ...(fact.isAtomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  #fieldSchema(field: FieldFact, owner: string): Json {
    const type = withWords(this.#typeSchema(field.type), enumeration(owner, field.name));
    const { patch, listKeys, isSet, isAtomic } = field;
    const isList = type['type'] === 'array';
    const strategies = [...(patch.retainsKeys ? ['retainKeys'] : []), ...(patch.merges ? ['merge'] : [])];
    const marks = {
      ...described(describedField(owner, field.name)),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(listKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': listKeys, 'x-kubernetes-list-type': 'map' }),
      ...(isSet ? { 'x-kubernetes-list-type': 'set' } : {}),
      ...(isAtomic ? { [isList ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type']: 'atomic' } : {}),
      ...(patch.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': patch.key }),
      ...(strategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': strategies.join(',') }),
    };
    if (type['$ref'] === undefined || this.#form === 'v2') return { ...type, ...marks };
    return { allOf: [type], ...marks };
  }

  #typeSchema(type: TypeRef): Json {
    if (type.form === 'struct') return this.reference(type.key);
    if (type.form === 'scalar') return this.#scalarSchema(type.code);
    if (type.form === 'pointer') return this.#typeSchema(type.of);
    const items = this.#typeSchema(type.of);
    return type.form === 'list' ? { type: 'array', items } : { type: 'object', additionalProperties: items };
  }

  /** Types of apimachinery are schemas of their own. */
  #scalarSchema(code: string): Json {
    const named = NAMED_SCALARS[code];
    if (named === undefined) return SCALARS[code] ?? { type: 'object' };
    const [name, schema] = named;
    this.#made.set(name, schema[this.#form]);
    return { $ref: REFERENCES[this.#form] + name };
  }
}

function described(description: string | undefined): Json {
  return description === undefined ? {} : { description };
}

/** A text, or a list of texts, that may only be one of some words. */
function withWords(type: Json, words: readonly string[] | undefined): Json {
  if (words === undefined) return type;
  const { items } = type;
  return items === undefined ? { ...type, enum: words } : { ...type, items: { ...(items as Json), enum: words } };
}

function isRequired({ isRequired: isMarked, isOmitempty, type, name }: FieldFact): boolean {
  return isMarked || (!isOmitempty && type.form !== 'pointer' && name !== 'kind' && name !== 'apiVersion');
}

const SCALARS: Readonly<Partial<Record<string, Json>>> = {
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  y: { type: 'string', format: 'byte' },
  r: { type: 'object' },
};
const MACHINERY = 'io.k8s.apimachinery.pkg';
const NUMBER_OR_TEXT = { oneOf: [{ type: 'integer' }, { type: 'string' }] };
const TIME = { type: 'string', format: 'date-time' };
const NAMED_SCALARS: Readonly<Partial<Record<string, readonly [name: string, schema: Readonly<Record<Form, Json>>]>>> =
  {
    q: [
      `${MACHINERY}.api.resource.Quantity`,
      { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    t: [`${MACHINERY}.apis.meta.v1.Time`, { v2: TIME, v3: TIME }],
    u: [`${MACHINERY}.apis.meta.v1.MicroTime`, { v2: TIME, v3: TIME }],
    x: [
      `${MACHINERY}.util.intstr.IntOrString`,
      { v2: { type: 'string', format: 'int-or-string' }, v3: { format: 'int-or-string', ...NUMBER_OR_TEXT } },
    ],
  };

/** `io.k8s.api.core.v1.Pod`. */
function schemaName(key: string): string {
  const [place, name] = [key.slice(0, key.lastIndexOf('.')), key.slice(key.lastIndexOf('.') + 1)];
  const [group = '', version = ''] = place.split('/');
  const root = ROOTS[group] ?? `io.k8s.api.${group}`;
  return `${root}.${version}.${name}`;
}
const ROOTS: Readonly<Partial<Record<string, string>>> = {
  meta: `${MACHINERY}.apis.meta`,
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};
