/** Parameters of requests as OpenAPI documents have them: names, types and places of v1.34, in words of our own. */
import type { Form, Json, Schemas } from './schemas.js';

interface QueryParameter {
  readonly type: 'boolean' | 'integer' | 'string';
  readonly description: string;
}

const QUERY = {
  allowWatchBookmarks: { type: 'boolean', description: 'A watch may tell BOOKMARK events, which say a version alone.' },
  command: { type: 'string', description: 'The program to run, with its arguments. It is not run by a shell.' },
  container: {
    type: 'string',
    description: 'The container that is meant. The only one by default, where there is one.',
  },
  continue: { type: 'string', description: 'Where a list goes on: what the metadata of its part before said.' },
  dryRun: { type: 'string', description: 'All = the request is answered, and nothing is kept.' },
  fieldManager: { type: 'string', description: 'In whose name fields are set; at most 128 letters.' },
  fieldSelector: { type: 'string', description: 'Only objects whose fields are so. All by default.' },
  fieldValidation: {
    type: 'string',
    description: 'What is done about unknown and duplicate fields: Ignore, Warn (the default) or Strict.',
  },
  follow: { type: 'boolean', description: 'Go on with what is written later. false by default.' },
  force: { type: 'boolean', description: 'An apply takes fields over that others own.' },
  gracePeriodSeconds: {
    type: 'integer',
    description: 'How long the object may take to go; 0 = at once. That of its kind by default.',
  },
  ignoreStoreReadErrorWithClusterBreakingPotential: {
    type: 'boolean',
    description: 'Delete an object that cannot be read, without its finalizers. false by default.',
  },
  insecureSkipTLSVerifyBackend: { type: 'boolean', description: 'Do not check who the kubelet is.' },
  labelSelector: { type: 'string', description: 'Only objects whose labels are so. All by default.' },
  limit: { type: 'integer', description: 'At most so many objects; the metadata of the list says how it goes on.' },
  limitBytes: { type: 'integer', description: 'At most so many bytes.' },
  orphanDependents: { type: 'boolean', description: 'Deprecated: propagationPolicy says it.' },
  path: { type: 'string', description: 'The path of the request that is passed on.' },
  ports: { type: 'integer', description: 'Ports to pass on.' },
  pretty: { type: 'string', description: 'If true, the answer is written in lines.' },
  previous: { type: 'boolean', description: 'Of the container before its last restart. false by default.' },
  propagationPolicy: {
    type: 'string',
    description: 'What becomes of dependents: Orphan, Background or Foreground. That of the kind by default.',
  },
  resourceVersion: { type: 'string', description: 'How new what is read has to be.' },
  resourceVersionMatch: {
    type: 'string',
    description: 'How resourceVersion is meant: Exact or NotOlderThan.',
  },
  sendInitialEvents: {
    type: 'boolean',
    description: 'A watch tells first what there is, and marks the end of that with a BOOKMARK.',
  },
  sinceSeconds: { type: 'integer', description: 'Only lines of so many seconds.' },
  stderr: { type: 'boolean', description: 'Pass on what is written to standard error.' },
  stdin: { type: 'boolean', description: 'Pass on standard input. false by default.' },
  stdout: { type: 'boolean', description: 'Pass on what is written to standard output.' },
  stream: { type: 'string', description: 'What of the log: All, Stdout or Stderr.' },
  tailLines: { type: 'integer', description: 'At most so many of the last lines.' },
  timeoutSeconds: { type: 'integer', description: 'For how long the request may last, a watch as well.' },
  timestamps: { type: 'boolean', description: 'Each line begins with its time. false by default.' },
  tty: { type: 'boolean', description: 'Give the program a terminal. false by default.' },
  watch: { type: 'boolean', description: 'Tell changes as they come about, in place of a list.' },
} as const satisfies Readonly<Record<string, QueryParameter>>;

/** The name of a query parameter. */
export type QueryName = keyof typeof QUERY;

/** A parameter of an operation; equal ones of all operations of a path are told once for it. */
export interface Parameter {
  /** Equal for parameters that are one. */
  readonly key: string;
  readonly json: Json;
}

/** Go's clients look for these in an operation itself, and follow no references (kubectl's query parameter verifier). */
const LOOKED_FOR: ReadonlySet<QueryName> = new Set(['dryRun', 'fieldValidation']);

/** A parameter of the query. In version 2 most stand once in the document. */
export function queryParameter(name: QueryName, form: Form): Parameter {
  const isShared = form === 'v2' && !LOOKED_FOR.has(name);
  const json = isShared ? { $ref: `#/parameters/${name}` } : told(name, 'query', QUERY[name], form);
  return { key: name, json };
}

/** A part of the path. @param description - what it names */
export function pathParameter(name: string, description: string, form: Form): Parameter {
  return { key: `${name} of the path`, json: told(name, 'path', { type: 'string', description }, form) };
}

/** What parameters of a document of version 2 refer to. */
export function sharedParameters(schemas: Schemas): Json {
  const names = (Object.keys(QUERY) as QueryName[]).filter((name) => !LOOKED_FOR.has(name));
  return {
    ...Object.fromEntries(names.map((name) => [name, told(name, 'query', QUERY[name], 'v2')])),
    [PATCH_BODY]: { name: 'body', in: 'body', required: true, schema: schemas.ofMachinery('Patch') },
    [DELETE_BODY]: { name: 'body', in: 'body', schema: schemas.reference('meta/v1.DeleteOptions') },
  };
}
/** Bodies that many operations of version 2 share. */
export const PATCH_BODY = 'bodyOfPatch';
export const DELETE_BODY = 'bodyOfDelete';

function told(name: string, place: 'path' | 'query', { type, description }: QueryParameter, form: Form): Json {
  const required = place === 'path' ? { required: true } : {};
  if (form === 'v2') return { uniqueItems: true, type, description, name, in: place, ...required };
  return { name, in: place, description, ...required, schema: { type, uniqueItems: true } };
}
