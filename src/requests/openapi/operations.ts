/**
 * The paths of a resource in OpenAPI documents, with an operation for each of its verbs: how it is called, what it takes
 * and what it answers. Mirrors apiserver/pkg/endpoints/installer.go and, of custom resources,
 * apiextensions-apiserver/pkg/controller/openapi/builder (v1.34). Of what may be answered protobuf is left out, in which
 * nothing is answered here.
 */
import { kindRegistry } from '../../api/kinds/registry.js';
import type { ServedResource, ServedSubresource } from '../served-resources.js';
import {
  DELETE_BODY,
  PATCH_BODY,
  pathParameter,
  queryParameter,
  type Parameter,
  type QueryName,
} from './parameters.js';
import type { Form, Json, Schemas } from './schemas.js';
import { groupTitle, tagOf, title } from './titles.js';

export const JSON_TYPE = 'application/json';
/** What objects are written as. */
export const WRITTEN_TYPES: readonly string[] = [JSON_TYPE, 'application/yaml'];
const STREAMED_TYPES = [...WRITTEN_TYPES, `${JSON_TYPE};stream=watch`];
const LOG_TYPES = ['text/plain', ...WRITTEN_TYPES];
const ANY_TYPE: readonly string[] = ['*/*'];
const JSON_PATCHES = ['application/json-patch+json', 'application/merge-patch+json'];
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';
const TEXT = { type: 'string' };
const OK = 200;
const CREATED = 201;
const ACCEPTED = 202;

const WRITE: readonly QueryName[] = ['dryRun', 'fieldManager', 'fieldValidation'];
const DELETE: readonly QueryName[] = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const SELECT: readonly QueryName[] = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
];
const LIST: readonly QueryName[] = ['allowWatchBookmarks', ...SELECT, 'watch'];
const LOG: readonly QueryName[] = [
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
];
const STREAMS: readonly QueryName[] = ['container', 'stderr', 'stdin', 'stdout', 'tty'];
/** Of endpoints that pass a connection on. */
const CONNECT: Readonly<Partial<Record<string, readonly QueryName[]>>> = {
  attach: STREAMS,
  exec: ['command', ...STREAMS],
  portforward: ['ports'],
  proxy: ['path'],
};
const CONNECT_METHODS = ['get', 'post'];
const PROXY_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** An operation on its way into a document. */
interface Draft {
  readonly method: string;
  readonly action: string;
  /** What is done, in words, and the first word of its name. */
  readonly description: string;
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly codes: readonly number[];
  readonly answer: Json;
  /** Of what it is; that of the resource where it is absent. */
  readonly of?: NamedKind;
}

/** A kind of a group version. */
type NamedKind = Readonly<Record<'group' | 'kind' | 'version', string>>;

interface Body {
  readonly schema: Json;
  readonly isRequired: boolean;
  /** Under which version 2 has it once in the document. */
  readonly shared?: string;
}

/** All paths of a resource. */
export function resourcePaths(resource: ServedResource, schemas: Schemas, form: Form): Json {
  return new ResourcePaths(resource, schemas, form).all();
}

/** What is answered, and that nothing is to somebody unknown. */
export function responses(codes: readonly number[], schema: Json, types: readonly string[], form: Form): Json {
  const content = form === 'v2' ? { schema } : { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
  return {
    ...Object.fromEntries(codes.map((code) => [code, { description: ANSWERS[code] ?? '', ...content }])),
    401: { description: 'Unauthorized' },
  };
}
const ANSWERS: Readonly<Partial<Record<number, string>>> = { [OK]: 'OK', [CREATED]: 'Created', [ACCEPTED]: 'Accepted' };

class ResourcePaths {
  readonly #resource: ServedResource;
  readonly #schemas: Schemas;
  readonly #form: Form;
  readonly #paths: Record<string, unknown> = {};
  readonly #isCustom: boolean;
  readonly #object: Json;

  constructor(resource: ServedResource, schemas: Schemas, form: Form) {
    this.#resource = resource;
    this.#schemas = schemas;
    this.#form = form;
    this.#isCustom = resource.custom !== undefined;
    this.#object = this.#isCustom ? schemas.customReference(resource) : schemas.referenceOf(resource);
  }

  all(): Json {
    const { group, version, plural, isNamespaced, verbs, subresources, kind } = this.#resource;
    const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}`;
    const place = isNamespaced ? `namespaces/{namespace}/${plural}` : plural;
    const has = (verb: string): boolean => verbs.includes(verb);
    const [collection, item] = [`${root}/${place}`, `${root}/${place}/{name}`];
    this.#add(collection, [
      ...(has('list') ? [this.#list()] : []),
      ...(has('create') ? [this.#write('post', 'create', this.#object)] : []),
      ...(has('deletecollection') ? [this.#deleteAll()] : []),
    ]);
    this.#add(item, [
      ...(has('get') ? [this.#read()] : []),
      ...(has('update') ? [this.#write('put', 'replace', this.#object)] : []),
      ...(has('delete') ? [this.#delete()] : []),
      ...(has('patch') ? [this.#patch(this.#object)] : []),
    ]);
    if (isNamespaced && has('list')) {
      this.#add(`${root}/${plural}`, [this.#list(`${kind}ForAllNamespaces`)]);
    }
    if (has('watch') && !this.#isCustom) {
      this.#add(`${root}/watch/${place}`, [this.#watch('watchlist', `${this.#namespaced}${kind}List`)]);
      this.#add(`${root}/watch/${place}/{name}`, [this.#watch('watch', `${this.#namespaced}${kind}`)]);
      if (isNamespaced) {
        this.#add(`${root}/watch/${plural}`, [this.#watch('watchlist', `${kind}ListForAllNamespaces`)]);
      }
    }
    for (const part of subresources) this.#addSubresource(`${item}/${part.name}`, part);
    return this.#paths;
  }

  #addSubresource(path: string, part: ServedSubresource): void {
    const taken = CONNECT[part.name];
    if (taken !== undefined) {
      const isProxy = part.name === 'proxy';
      const methods = isProxy ? PROXY_METHODS : CONNECT_METHODS;
      this.#add(path, this.#connect(methods, part, taken, ''));
      if (isProxy) this.#add(`${path}/{path}`, this.#connect(methods, part, taken, 'WithPath'));
      return;
    }
    const { group = this.#resource.group, version = this.#resource.version, kind = this.#resource.kind } = part;
    const named = { group, kind, version };
    const object = part.kind === undefined ? this.#object : this.#schemas.referenceOf(named);
    const of = this.#isCustom ? undefined : named;
    const has = (verb: string): boolean => part.verbs.includes(verb);
    this.#add(path, [
      ...(has('get') ? [part.name === 'log' ? this.#readLog(part) : this.#read(part, object, of)] : []),
      ...(has('update') ? [this.#write('put', 'replace', object, part, of)] : []),
      ...(has('create') ? [this.#write('post', 'create', object, part, of)] : []),
      ...(has('patch') ? [this.#patch(object, part, of)] : []),
    ]);
  }

  get #namespaced(): string {
    return this.#resource.isNamespaced ? 'Namespaced' : '';
  }

  /** `readAppsV1NamespacedDeploymentScale`. */
  #id(verb: string, part?: ServedSubresource, between = ''): string {
    const { group, version, kind } = this.#resource;
    return `${verb}${groupTitle(group, version)}${between}${this.#namespaced}${kind}${title(part?.name ?? '')}`;
  }

  #query(names: readonly QueryName[]): readonly Parameter[] {
    return names.map((name) => queryParameter(name, this.#form));
  }

  /** What is read and written as an object. */
  get #asObject(): Pick<Draft, 'reads' | 'writes'> {
    return { reads: this.#isCustom ? WRITTEN_TYPES : ANY_TYPE, writes: WRITTEN_TYPES };
  }

  #list(name?: string): Draft {
    const { group, version, kind } = this.#resource;
    return {
      ...this.#asObject,
      method: 'get',
      action: 'list',
      description: `Lists objects of kind ${kind}, or watches them.`,
      operationId: name === undefined ? this.#id('list') : `list${groupTitle(group, version)}${name}`,
      // Where there are no watches, their options are there all the same.
      parameters: this.#query(LIST),
      writes: this.#isCustom ? WRITTEN_TYPES : STREAMED_TYPES,
      codes: [OK],
      answer: this.#schemas.listReference(this.#resource, this.#object),
    };
  }

  #watch(action: 'watch' | 'watchlist', name: string): Draft {
    const { group, version, kind } = this.#resource;
    const what = action === 'watch' ? `an object of kind ${kind}` : `objects of kind ${kind}`;
    return {
      ...this.#asObject,
      method: 'get',
      action,
      description: `Watches ${what}. Deprecated: a list with watch=true does the same.`,
      operationId: `watch${groupTitle(group, version)}${name}`,
      parameters: this.#query(LIST),
      writes: STREAMED_TYPES,
      codes: [OK],
      answer: this.#schemas.ofMachinery('WatchEvent'),
    };
  }

  #read(part?: ServedSubresource, answer = this.#object, of?: NamedKind): Draft {
    return {
      ...this.#asObject,
      method: 'get',
      action: 'get',
      description: `Reads ${this.#named(part)}.`,
      operationId: this.#id('read', part),
      parameters: this.#query(this.#isCustom ? ['resourceVersion'] : []),
      codes: [OK],
      answer,
      ...(of === undefined ? {} : { of }),
    };
  }

  #readLog(part: ServedSubresource): Draft {
    return { ...this.#read(part, TEXT), parameters: this.#query(LOG), writes: LOG_TYPES };
  }

  #write(method: 'post' | 'put', verb: string, object: Json, part?: ServedSubresource, of?: NamedKind): Draft {
    return {
      ...this.#asObject,
      method,
      action: method,
      description: `${method === 'post' ? 'Creates' : 'Replaces'} ${this.#named(part)}.`,
      operationId: this.#id(verb, part),
      parameters: this.#query(WRITE),
      body: { schema: object, isRequired: true },
      codes: method === 'post' ? [OK, CREATED, ACCEPTED] : [OK, CREATED],
      answer: object,
      ...(of === undefined ? {} : { of }),
    };
  }

  #patch(object: Json, part?: ServedSubresource, of?: NamedKind): Draft {
    return {
      ...this.#asObject,
      method: 'patch',
      action: 'patch',
      description: `Changes ${this.#named(part)}.`,
      operationId: this.#id('patch', part),
      parameters: this.#query([...WRITE, 'force']),
      body: { schema: this.#schemas.ofMachinery('Patch'), isRequired: true, shared: PATCH_BODY },
      reads: [...JSON_PATCHES, ...(this.#isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH],
      codes: this.#isCustom ? [OK] : [OK, CREATED],
      answer: object,
      ...(of === undefined ? {} : { of }),
    };
  }

  #delete(): Draft {
    const { stored, kind } = this.#resource;
    // A namespace is returned, since it is never gone at once; that is not told.
    const isTold = stored !== undefined && !this.#isCustom && kind !== 'Namespace';
    const returnsObject = isTold && kindRegistry[stored].deleteReturnsObject;
    return {
      ...this.#asObject,
      method: 'delete',
      action: 'delete',
      description: `Deletes ${this.#named()}.`,
      operationId: this.#id('delete'),
      parameters: this.#query(DELETE),
      body: this.#deleteOptions,
      codes: [OK, ACCEPTED],
      answer: returnsObject ? this.#object : this.#schemas.reference('meta/v1.Status'),
    };
  }

  #deleteAll(): Draft {
    const { kind } = this.#resource;
    return {
      ...this.#asObject,
      method: 'delete',
      action: 'deletecollection',
      description: `Deletes objects of kind ${kind}.`,
      operationId: this.#id('delete', undefined, 'Collection'),
      parameters: this.#query(this.#isCustom ? LIST : [...DELETE, ...SELECT]),
      ...(this.#isCustom ? {} : { body: this.#deleteOptions }),
      codes: [OK],
      answer: this.#schemas.reference('meta/v1.Status'),
    };
  }

  get #deleteOptions(): Body {
    return { schema: this.#schemas.reference('meta/v1.DeleteOptions'), isRequired: false, shared: DELETE_BODY };
  }

  #connect(
    methods: readonly string[],
    part: ServedSubresource,
    taken: readonly QueryName[],
    end: string,
  ): readonly Draft[] {
    const { group, version, kind } = this.#resource;
    return methods.map((method) => ({
      method,
      action: 'connect',
      description: `Passes a ${method.toUpperCase()} on to ${this.#named(part)}.`,
      operationId: `connect${groupTitle(group, version)}${title(method)}${this.#namespaced}${kind}${title(part.name)}${end}`,
      parameters: this.#query(taken),
      reads: ANY_TYPE,
      writes: ANY_TYPE,
      codes: [OK],
      answer: TEXT,
      of: { group, kind: part.kind ?? kind, version },
    }));
  }

  #named(part?: ServedSubresource): string {
    const { kind } = this.#resource;
    return part === undefined ? `an object of kind ${kind}` : `the ${part.name} of an object of kind ${kind}`;
  }

  /** What all operations of a path take is told once. */
  #add(path: string, drafts: readonly Draft[]): void {
    if (drafts.length === 0) return;
    const common = this.#commonParameters(path, drafts);
    const keys = new Set(common.map(({ key }) => key));
    this.#paths[path] = {
      ...Object.fromEntries(drafts.map((draft) => [draft.method, this.#operation(draft, keys)])),
      ...(common.length === 0 ? {} : { parameters: common.map(({ json }) => json) }),
    };
  }

  #commonParameters(path: string, drafts: readonly Draft[]): readonly Parameter[] {
    const [first, ...others] = drafts;
    const shared = first?.parameters.filter(({ key }) =>
      others.every(({ parameters }) => parameters.some((each) => each.key === key)),
    );
    const { kind } = first?.of ?? this.#resource;
    const parts = [
      ['name', `The name of the ${kind}.`],
      ['namespace', 'The namespace, in which names are unique.'],
      ['path', 'The path of the request that is passed on.'],
    ] as const;
    const isConnect = first?.action === 'connect';
    return [
      ...(shared ?? []),
      ...parts.flatMap(([name, words]) => (path.includes(`{${name}}`) ? [pathParameter(name, words, this.#form)] : [])),
      ...(isConnect ? [] : this.#query(['pretty'])),
    ].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  #operation(draft: Draft, common: ReadonlySet<string>): Json {
    const { action, description, operationId, body, reads, writes, codes, answer, of } = draft;
    const { group, version, kind } = this.#resource;
    const isV2 = this.#form === 'v2';
    const own = draft.parameters.filter(({ key }) => !common.has(key)).map(({ json }) => json);
    const parameters = isV2 && body !== undefined ? [bodyParameter(body), ...own] : own;
    return {
      description,
      ...(isV2 ? { consumes: reads, produces: writes, schemes: ['https'] } : {}),
      tags: [tagOf(group, version)],
      operationId,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(!isV2 && body !== undefined ? { requestBody: requestBody(body, reads) } : {}),
      responses: responses(codes, answer, writes, this.#form),
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': of ?? { group, kind, version },
    };
  }
}

function bodyParameter({ schema, isRequired, shared }: Body): Json {
  if (shared !== undefined) return { $ref: `#/parameters/${shared}` };
  return { name: 'body', in: 'body', ...(isRequired ? { required: true } : {}), schema };
}

function requestBody({ schema, isRequired }: Body, types: readonly string[]): Json {
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { content, ...(isRequired ? { required: true } : {}) };
}
