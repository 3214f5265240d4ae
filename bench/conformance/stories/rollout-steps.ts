/**
 * The steps of a rolling update. A Deployment takes as many as it happens to see pods become ready, so in how
 * many steps a replica set gets from one size to another is left out: steps in one direction are one, told by
 * one Event, and the generation counts no step. Where each begins and ends, and every turn, stays.
 */
import type { PlainObject } from './plain-object.js';
import type { Change } from './telling.js';

const SCALED = /^(.*: Scaled (up|down) replica set \S+) from (\d+) to (\d+)$/;
const GENERATION = 'metadata.generation';
const OBSERVED = 'status.observedGeneration';

/** Whether an Event tells of such a step. */
export function isStepEvent({ key }: Pick<Change, 'key'>): boolean {
  return SCALED.test(key);
}

/** Whether it is a replica set that a Deployment scales. */
export function isStepped({ kind, object }: Pick<Change, 'kind' | 'object'>): boolean {
  return kind === 'ReplicaSet' && [...object].some(([path, value]) => OWNER_KIND.test(path) && value === 'Deployment');
}

/** Path of the kind of an owner. */
export const OWNER_KIND = /^metadata\.ownerReferences\[[^\]]*\]\.kind$/;

/** The changes without single steps. */
export function withoutSteps(changes: readonly Change[]): readonly Change[] {
  const sizes = new Map<string, Generations>();
  const runs = new Map<string, Run>();
  return changes.flatMap((change) => {
    if (change.kind === 'Event') return withoutRepeatedSteps(change, runs);
    const uid = change.object.get('metadata.uid') ?? '';
    const known = sizes.get(uid);
    if (known === undefined && !isStepped(change)) return [change];
    const generations = known ?? new Generations();
    sizes.set(uid, generations);
    return [{ ...change, object: generations.plain(change.object) }];
  });
}

/** How many of the generations of one replica set were steps. */
class Generations {
  readonly #plain = new Map<string, string>();
  #last: PlainObject | undefined;
  #steps = 0;

  plain(object: PlainObject): PlainObject {
    const generation = object.get(GENERATION) ?? '0';
    const previous = this.#last;
    if (previous !== undefined && previous.get(GENERATION) !== generation && isStep(previous, object)) this.#steps += 1;
    this.#last = object;
    if (!this.#plain.has(generation)) this.#plain.set(generation, String(Number(generation) - this.#steps));
    const result = new Map(object);
    for (const path of [GENERATION, OBSERVED]) {
      const value = object.get(path);
      if (value !== undefined) result.set(path, this.#plain.get(value) ?? value);
    }
    return result;
  }
}

/** Whether nothing of the specification but the size differs. */
function isStep(previous: PlainObject, object: PlainObject): boolean {
  const paths = [...new Set([...previous.keys(), ...object.keys()])].filter((path) => path.startsWith('spec.'));
  const changed = paths.filter((path) => previous.get(path) !== object.get(path));
  return changed.length === 1 && changed[0] === 'spec.replicas';
}

/** Steps in one direction, one after the other. */
interface Run {
  readonly change: { -readonly [field in keyof Change]: Change[field] };
  readonly from: string;
  readonly to: string;
}

function withoutRepeatedSteps(change: Change, runs: Map<string, Run>): readonly Change[] {
  const [, what = '', direction = '', from = '', to = ''] = SCALED.exec(change.key) ?? [];
  if (what === '') return [change];
  const set = what.replace(` ${direction} `, ' ');
  const run = runs.get(set);
  if (change.type === 'DELETED') return run === undefined ? [change] : [{ ...change, key: run.change.key }];
  const isNext = run !== undefined && run.to === from && run.change.key.startsWith(what);
  const start = isNext ? run.from : from;
  const key = `${what} from ${start} to ${to}`;
  if (isNext) {
    run.change.key = key;
    runs.set(set, { change: run.change, from: start, to });
    return [];
  }
  const first = { ...change, key, count: 1, type: 'ADDED' as const };
  runs.set(set, { change: first, from, to });
  return [first];
}
