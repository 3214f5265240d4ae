/**
 * OpenAPI documents of the groups, version 3, and of all in one, version 2: schemas (`schemas.ts`), the operations of
 * each resource (`operations.ts`) and those of discovery, as clients are generated from them. Mirrors
 * k8s.io/kube-openapi as served by v1.34.
 */
import type { AnswerHeaders, ApiAnswer, ApiRequest } from '../api-request.js';
import { hashOf } from '../discovery/discovery.js';
import { acceptClauses } from '../negotiation.js';
import { BUILT_IN, type Served } from '../served-resources.js';
import { NO_CACHE, objectAnswer } from '../status-answer.js';
import { discoveryPaths, groupPath, resourcesPath, serverPath } from './discovery-operations.js';
import { resourcePaths } from './operations.js';
import { sharedParameters } from './parameters.js';
import { Schemas, type Json } from './schemas.js';

/** Of an answer that is to be written as gnostic's `Document`. */
export const OPENAPI_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const INFO = { title: 'Kubernetes', version: 'v1.34.2' };
/** What takes JSON. */
const JSON_TYPES: readonly string[] = ['application/json', 'application/*', '*/*'];
const NOT_ACCEPTABLE: ApiAnswer = { type: 'empty', status: 406, headers: { 'cache-control': NO_CACHE } };
const BEARER = 'BearerToken';
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
  const { query, headers: asked } = request;
  if (!acceptClauses(asked['accept']).some(({ type }) => JSON_TYPES.includes(type))) return NOT_ACCEPTABLE;
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
  if (contentType === undefined) return NOT_ACCEPTABLE;
  const document = remembered(served, 'v2', () => {
    const schemas = new Schemas('v2');
    const paths: Record<string, unknown> = { ...discoveryPaths(served, schemas, 'v2') };
    for (const group of served.groups) {
      for (const { resources } of group.versions) {
        for (const resource of resources) Object.assign(paths, resourcePaths(resource, schemas, 'v2'));
      }
    }
    return {
      swagger: '2.0',
      info: INFO,
      paths,
      definitions: schemas.all(),
      parameters: sharedParameters(schemas),
      securityDefinitions: { [BEARER]: { type: 'apiKey', name: 'authorization', in: 'header' } },
      security: [{ [BEARER]: [] }],
    };
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
    if (JSON_TYPES.includes(type)) return 'application/json';
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
    const group = served.groups.find(({ name }) => name !== '' && place === `apis/${name}`);
    const schemas = new Schemas('v3');
    const paths = group === undefined ? serverPath(place, schemas, 'v3') : groupPath(group, schemas, 'v3');
    if (paths === undefined) return undefined;
    return remembered(BUILT_IN, place, () => documentFrom(paths, schemas));
  }
  // What all servers serve is made once.
  const isCustom = found.resources.some(({ custom }) => custom !== undefined);
  return remembered(isCustom ? served : BUILT_IN, place, () => {
    const schemas = new Schemas('v3');
    const paths: Record<string, unknown> = isCustom ? {} : { ...resourcesPath(found.place, schemas, 'v3') };
    for (const resource of found.resources) Object.assign(paths, resourcePaths(resource, schemas, 'v3'));
    return documentFrom(paths, schemas);
  });
}

function documentFrom(paths: Json, schemas: Schemas): Json {
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas: schemas.all(), securitySchemes: SECURITY } };
}
const SECURITY = { [BEARER]: { type: 'apiKey', name: 'authorization', in: 'header' } };
