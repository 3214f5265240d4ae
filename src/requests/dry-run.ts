/** Requests that are carried out to the last check and then taken back. */
import type { AnyObject } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';

class Undone extends Error {}

/** Runs a request and takes every write of it back; its answer, or its refusal, stays. */
export function rolledBack<T>(server: ApiServer, work: () => T): T {
  let value: { readonly is: T } | undefined;
  const { request } = server;
  if (request !== undefined) server.request = { ...request, isDryRun: true };
  try {
    server.transaction(() => {
      value = { is: work() };
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  } finally {
    server.request = request;
  }
  if (value === undefined) throw new Undone('a request that is taken back has an answer');
  return value.is;
}

/** The object as a dry run shows it: with the version that it had before. */
export function withVersion<T extends AnyObject>(object: T, resourceVersion: string | undefined): T {
  const { resourceVersion: _taken, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}
