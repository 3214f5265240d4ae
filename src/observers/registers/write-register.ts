import { getCondition } from '../../api/objects/conditions.js';
import type { AnyObject, Job } from '../../api/objects/objects.js';

/** What is remembered of the writes of an object. Times are simulated, ms. */
export interface Written {
  /** When what is asked of it was last changed, as its generation tells. */
  readonly askedMs: number;
  /** When it had been changed before that; absent = never. */
  readonly askedBeforeMs: number | undefined;
  /** When it was last written, and by which writer, as `Write.by` tells it; absent = before the cluster ran. */
  readonly atMs: number;
  readonly by: string | undefined;
  /** When a job came to its end; absent = it has not, or is none. */
  readonly endedMs?: number | undefined;
}

/** See {@link Written}: of all objects that there are, by uid. */
export class WriteRegister {
  readonly #entries = new Map<string, Written & { readonly generation: number | undefined }>();

  get(uid: string): Written | undefined {
    return this.#entries.get(uid);
  }

  stored(object: AnyObject, by: string | undefined, atMs: number): void {
    const { uid, generation } = object.metadata;
    const before = this.#entries.get(uid);
    const isAsked = before === undefined || before.generation !== generation;
    const endedMs = before?.endedMs ?? (hasEnded(object) ? atMs : undefined);
    const askedMs = isAsked ? atMs : before.askedMs;
    const askedBeforeMs = isAsked ? before?.askedMs : before.askedBeforeMs;
    this.#entries.set(uid, { generation, askedMs, askedBeforeMs, atMs, by, endedMs });
  }

  removed({ metadata: { uid } }: AnyObject): void {
    this.#entries.delete(uid);
  }
}

function hasEnded(object: AnyObject): boolean {
  if (object.kind !== 'Job') return false;
  const { conditions } = (object as Job).status;
  return ['Complete', 'Failed'].some((type) => getCondition(conditions, type)?.status === 'True');
}
