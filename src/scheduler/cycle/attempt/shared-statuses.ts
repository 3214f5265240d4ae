import type { Status } from '../../framework/status.js';
import { STATUSES_SHARED } from './tuning.js';

/** Gives equal statuses one object, so that they are counted by comparing objects. */
export class SharedStatuses {
  readonly #byContent = new Map<string, Status>();

  /** The status of this content that was seen first. */
  of(status: Status): Status {
    const content = `${status.code}\u0000${status.plugin}\u0000${status.reasons.join('\u0000')}`;
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    if (this.#byContent.size >= STATUSES_SHARED) this.#byContent.clear();
    this.#byContent.set(content, status);
    return status;
  }
}
