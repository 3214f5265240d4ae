/** Conditions of objects: status, reason and text belong together, and are one value. */
import type { PlainObject } from './plain-object.js';
import type { Change } from './telling.js';

const CONDITION = /^status\.conditions\[[^\]]*\]/;
const FIELDS = ['status', 'reason', 'message', 'observedGeneration'];

/** What a path belongs to that is compared as one value. */
export function trackOf(path: string): string {
  return CONDITION.exec(path)?.[0] ?? path;
}

/** The value of a track. */
export function valueOf(object: PlainObject, track: string): string | undefined {
  if (!CONDITION.test(track)) return object.get(track);
  const fields = FIELDS.map((field) => object.get(`${track}.${field}`));
  return fields.every((field) => field === undefined) ? undefined : fields.map((field) => field ?? '').join(' | ');
}

/** What conditions say in tellings, without names and numbers: words in no telling are a difference, not a race. */
export class ConditionWords {
  readonly #known = new Set<string>();

  /** Takes in what they say in one more telling. */
  hear(changes: readonly Change[]): void {
    for (const { kind, object } of changes) {
      const tracks = new Set([...object.keys()].map(trackOf).filter((track) => CONDITION.test(track)));
      for (const track of tracks) this.#known.add(words(kind, track, valueOf(object, track)));
    }
  }

  /** Whether a value of that kind's condition is said anywhere, or is none. */
  knows(kind: string, track: string, value: string | undefined): boolean {
    return value === undefined || !CONDITION.test(track) || this.#known.has(words(kind, track, value));
  }
}

function words(kind: string, track: string, value = ''): string {
  return `${kind} ${track} ${value.replaceAll(/"[^"]*"/g, '""').replaceAll(/\d+/g, '0')}`;
}
