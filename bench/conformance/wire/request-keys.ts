/** How requests of two clients are told to be the same. */
import type { RecordedExchange } from './wire-recording.js';

/** Requests by which clients learn what is served: their number and order are left to chance. */
export function isOfDiscovery({ path }: Pick<RecordedExchange, 'path'>): boolean {
  return path === '/api' || path === '/apis' || path.startsWith('/openapi/');
}

/** What one request has in common with its repetition. */
export function keyOf({ method, path, query }: Pick<RecordedExchange, 'method' | 'path' | 'query'>): string {
  const parameters = new URLSearchParams(query);
  for (const name of ['resourceVersion', 'timeoutSeconds', 'hash', 'timeout', 'continue']) {
    if (parameters.has(name)) parameters.set(name, '');
  }
  parameters.sort();
  return `${method} ${path} ${parameters.toString()}`;
}
