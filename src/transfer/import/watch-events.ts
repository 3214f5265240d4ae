/**
 * What a watch tells, one event after the other, as `kubectl get --watch --output-watch-events` prints it: of each
 * object its last state counts, and one that is deleted is gone.
 */
import { ImportError } from './import-error.js';
import { isFields, type Fields, type SourceObject } from './source-object.js';

const STATES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

/** Whether a value is such an event, and no object. */
export function isWatchEvent({ type, object, kind }: Fields): boolean {
  const isTold = STATES.has(type) || type === 'BOOKMARK' || type === 'ERROR';
  return isTold && isFields(object) && (kind === undefined || kind === 'WatchEvent');
}

/** The objects that are there in the end; other objects stand for themselves. @throws ImportError for a watch that failed */
export function lastStates(objects: readonly SourceObject[]): readonly SourceObject[] {
  if (!objects.some(({ value }) => isWatchEvent(value))) return objects;
  const states = new Map<string, SourceObject>();
  for (const { value, place } of objects) {
    const isEvent = isWatchEvent(value);
    const object = isEvent ? (value['object'] as Fields) : value;
    const type = isEvent ? value['type'] : 'ADDED';
    if (type === 'ERROR') {
      const { message } = object;
      const why = typeof message === 'string' ? message : 'no reason given';
      throw new ImportError(place, '', `is a watch that failed: ${why}`);
    }
    if (type === 'BOOKMARK') continue;
    const identity = identityOf(object, place);
    if (type === 'DELETED') states.delete(identity);
    else states.set(identity, { value: object, place });
  }
  return [...states.values()];
}

function identityOf({ apiVersion, kind, metadata }: Fields, place: string): string {
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value !== 'string' || value === '') {
      throw new ImportError(place, `object.${field}`, 'must be a text, as every object of a watch has it');
    }
  }
  const { namespace = '', name = '' } = isFields(metadata) ? metadata : {};
  const group = String(apiVersion).split('/').slice(0, -1).join('/');
  return JSON.stringify([group, kind, namespace, name]);
}
