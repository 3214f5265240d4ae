/**
 * The time of a cluster as an object, `clocks/cluster`: how it passes, whether it stands, and how far it is to go ahead.
 * What drives the cluster asks here (`wish`); the object's status says how far it has come, and is worked out when it
 * is read, since time passes without a write.
 */
import type { ClockObject, ClockSpec } from '../api/objects/own-objects.js';
import type { FieldError } from '../api/objects/resource-kind.js';
import { invalid, notSupported } from '../api/errors/field-errors.js';
import { listen } from '../bus/rx/listen.js';
import { parseDurationMs } from '../kernel/distribution.js';
import { soon, type ControlParts } from './control-parts.js';

const NAME = { name: 'cluster' };
const MODES = ['RealTime', 'Virtual'];
const HIGHEST_SPEED = 1_000_000;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** What is wrong with a clock. */
export function validateClock({ metadata, spec = {} }: ClockObject): readonly FieldError[] {
  const { mode, speed, advanceBy, advanceTo } = spec;
  const errors: FieldError[] = [];
  if (metadata.name !== NAME.name) errors.push(notSupported('metadata.name', metadata.name, [NAME.name]));
  if (mode !== undefined && !MODES.includes(mode)) errors.push(notSupported('spec.mode', mode, MODES));
  if (speed !== undefined && !(speed > 0 && speed <= HIGHEST_SPEED)) {
    errors.push(invalid('spec.speed', speed, `must be greater than 0 and at most ${HIGHEST_SPEED}`));
  }
  if (advanceBy !== undefined && advanceBy !== '' && !(Number(parseDurationMs(advanceBy)) >= 0)) {
    errors.push(invalid('spec.advanceBy', advanceBy, 'must be a duration such as 10m'));
  }
  if (advanceTo !== undefined && !(RFC3339.test(advanceTo) && advanceTo < '9999')) {
    errors.push(invalid('spec.advanceTo', advanceTo, 'must be a time such as 2030-01-01T00:10:00Z'));
  }
  return errors;
}

/** How time is to pass. */
export interface ClockWish {
  readonly mode: 'RealTime' | 'Virtual';
  readonly speed: number;
  readonly isPaused: boolean;
  /** Simulated milliseconds to which it goes ahead. */
  readonly targetMs: number | undefined;
}

/** See the file header. */
export class ClockControl {
  readonly #parts: ControlParts;
  #byDefault: Required<Pick<ClockSpec, 'mode' | 'speed'>>;
  #changes = 0;
  #isFollowed = false;
  #waiting: (() => void)[] = [];

  /** @param byDefault - what counts where the object is silent: how the cluster was made */
  constructor(parts: ControlParts, byDefault: Required<Pick<ClockSpec, 'mode' | 'speed'>>) {
    this.#parts = parts;
    this.#byDefault = byDefault;
    listen(parts.lookout.watch('Clock'), ({ type }) => {
      this.#changes += 1;
      for (const go of this.#waiting.splice(0)) go();
      if (type !== 'DELETED') soon(parts, () => this.#takeUp());
    });
  }

  /** Rises with every change of the object. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether something drives the cluster as the object says. */
  set isFollowed(isFollowed: boolean) {
    this.#isFollowed = isFollowed;
  }

  /** Makes the object, unless it is there. Time passes so as well where the object is silent, or is deleted. */
  open(spec: ClockSpec): void {
    const { server } = this.#parts;
    const { mode, speed } = this.#byDefault;
    this.#byDefault = { mode: spec.mode ?? mode, speed: spec.speed ?? speed };
    if (server.find('Clock', NAME) === undefined) server.create('Clock', { metadata: NAME, spec });
  }

  /** What the object says. */
  get wish(): ClockWish {
    const { mode, speed, paused = false, advanceTo } = { ...this.#byDefault, ...this.#stored()?.spec };
    const targetMs = advanceTo === undefined ? undefined : this.#parts.kernel.timestamps.toMs(advanceTo);
    return { mode, speed, isPaused: paused, targetMs };
  }

  /** Waits for a change of the object after so many. */
  changed(changes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#changes !== changes) return resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#waiting.push(resolve);
    });
  }

  /** The object as it is read: with the present in its status. */
  shown<T extends object>(object: T, lagMs: number): T {
    const { status, spec } = object as Pick<ClockObject, 'spec'> & { readonly status?: object };
    return { ...object, spec: { ...this.#byDefault, ...spec }, status: { ...status, ...this.#present(lagMs) } };
  }

  #present(lagMs: number): object {
    const { clock, timestamps } = this.#parts.kernel;
    const nowMs = clock.now();
    const { mode, isPaused } = this.wish;
    return {
      now: timestamps.toTime(nowMs),
      elapsed: secondsText(nowMs),
      lag: secondsText(isPaused || mode === 'Virtual' ? 0 : lagMs),
      followed: this.#isFollowed,
    };
  }

  /** A wish to go ahead by a while becomes one to go to a time; when that has come, the object says so. */
  #takeUp(): void {
    const stored = this.#stored();
    if (stored === undefined) return;
    const { server, kernel } = this.#parts;
    const { clock, timestamps } = kernel;
    const { advanceBy = '', ...spec } = stored.spec ?? {};
    if (advanceBy !== '') {
      const advanceTo = timestamps.toTime(Math.ceil((clock.now() + Number(parseDurationMs(advanceBy))) / 1000) * 1000);
      server.update('Clock', { ...stored, spec: { ...spec, advanceTo } });
      return;
    }
    this.#tell(stored);
  }

  #tell(stored: ClockObject): void {
    const { server, kernel } = this.#parts;
    const { clock, timestamps } = kernel;
    const { advanceTo } = stored.spec ?? {};
    const { generation = 0 } = stored.metadata;
    const targetMs = advanceTo === undefined ? undefined : timestamps.toMs(advanceTo);
    const isThere = targetMs === undefined || clock.now() >= targetMs;
    const { status = {} } = stored as { readonly status?: Told };
    const [before] = status.conditions ?? [];
    if (status.observedGeneration === generation && before?.status === String(isThere)) return;
    const condition = {
      type: 'Advanced',
      status: isThere ? 'True' : 'False',
      observedGeneration: generation,
      lastTransitionTime: timestamps.toTime(clock.now()),
      reason: isThere ? 'Arrived' : 'Advancing',
      message: advanceTo === undefined ? 'Time passes' : `Time goes ahead to ${advanceTo}`,
    };
    server.update(
      'Clock',
      {
        ...stored,
        status: { observedGeneration: generation, now: timestamps.toTime(clock.now()), conditions: [condition] },
      },
      'status',
    );
    if (targetMs !== undefined && !isThere) {
      clock.schedule(targetMs - clock.now(), () => {
        const now = this.#stored();
        if (now !== undefined && now.metadata.generation === generation) soon(this.#parts, () => this.#takeUp());
      });
    }
  }

  #stored(): ClockObject | undefined {
    return this.#parts.server.find('Clock', NAME);
  }
}

interface Told {
  readonly observedGeneration?: number;
  readonly conditions?: readonly { readonly status: string }[];
}

/** As Go writes a duration in seconds: `1.5s`. */
function secondsText(ms: number): string {
  return `${Math.round(ms) / 1000}s`;
}
