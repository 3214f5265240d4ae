/** What the API server does to an object by its kind's description alone, without storing anything. */
import { invalidError } from '../../../src/api/errors/field-errors.js';
import type { Draft, KubeObject } from '../../../src/api/objects/objects.js';
import type { FieldError } from '../../../src/api/objects/resource-kind.js';

/** A description, over whatever type of object. */
export interface KindDescription<T> {
  readonly kind: string;
  readonly group: string;
  readonly isNamespaced: boolean;
  applyDefaults(draft: Draft): Draft;
  prepareForCreate(object: T): T;
  prepareForUpdate(next: T, previous: T): T;
  validateCreate(object: T): readonly FieldError[];
  validateUpdate(next: T, previous: T): readonly FieldError[];
}

/** A new object as it would be stored. @throws ApiError as the server does */
export function createdBy<T extends KubeObject>(kind: KindDescription<T>, draft: Draft): T {
  const { name = 'x', ...meta } = draft.metadata ?? {};
  const defaulted = kind.applyDefaults(draft);
  const metadata = {
    ...meta,
    ...defaulted.metadata,
    name,
    ...(kind.isNamespaced ? { namespace: 'defs' } : {}),
    uid: 'u1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const object = { apiVersion: 'v1', kind: kind.kind, ...defaulted, metadata } as unknown as T;
  const prepared = kind.prepareForCreate(object);
  refuse(kind, name, kind.validateCreate(prepared));
  return prepared;
}

/** An object after an update of the main resource. @throws ApiError as the server does */
export function updatedBy<T extends KubeObject>(kind: KindDescription<T>, previous: T, change: (object: T) => T): T {
  const next = kind.prepareForUpdate(change(previous), previous);
  refuse(kind, previous.metadata.name, kind.validateUpdate(next, previous));
  return next;
}

function refuse(
  { kind, group }: { readonly kind: string; readonly group: string },
  name: string,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw invalidError({ kind, group }, name, errors);
}
