/** How objects are shown to clients. */
import type { ListAnswer } from './api-request.js';
import { JSON_HEADERS } from './status-answer.js';

type Fields = Readonly<Record<string, unknown>>;

/** An object with kind and apiVersion at its head, as upstream writes them. */
export function shownObject(object: object): object {
  const { kind, apiVersion, metadata, ...rest } = object as Fields;
  return { kind, apiVersion, metadata, ...rest };
}

/** An item of a list of a built-in kind, which leaves out what the list says. */
function shownItem(object: object): object {
  const { kind: _kind, apiVersion: _version, ...rest } = object as Fields;
  return rest;
}

/** Metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list of objects of a kind. */
export function listAnswer(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  items: readonly object[],
  metadata: ListMetadata,
): ListAnswer {
  return {
    type: 'list',
    status: 200,
    headers: JSON_HEADERS,
    head: { kind: `${kind}List`, apiVersion, metadata },
    field: 'items',
    length: items.length,
    element: (index) => shownItem(items[index] ?? {}),
  };
}
