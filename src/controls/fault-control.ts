/**
 * Faults as objects: one that is created begins, one whose spec changes ends and begins anew, one that is deleted is
 * healed. Its status says since when, until when, and how often it took effect.
 */
import type { FaultObject, FaultStatus } from '../api/objects/own-objects.js';
import type { FieldError } from '../api/objects/resource-kind.js';
import { invalid, required } from '../api/errors/field-errors.js';
import { listen } from '../bus/rx/listen.js';
import type { Fault } from '../faults/fault.js';
import { FaultError } from '../faults/fault-error.js';
import type { FaultHandle, FaultInjector } from '../faults/fault-injector.js';
import { soon, type ControlParts } from './control-parts.js';

/** How long effects are counted before they are told: each of them may be a message. */
const TELL_EFFECTS_MS = 1000;

interface Begun {
  readonly uid: string;
  readonly generation: number;
  handle: FaultHandle | undefined;
  isTelling: boolean;
  status: FaultStatus;
}

/** What is wrong with a fault: its fields, and the names in it of what there is not. */
export function validateFault({ spec = {} }: FaultObject, faults: FaultInjector): readonly FieldError[] {
  try {
    faults.check(spec as unknown as Fault);
    return [];
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const field = ['spec', ...error.keys].join('.');
    let value: unknown = spec;
    for (const key of error.keys) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
    return [value === undefined ? required(field, error.problem) : invalid(field, value, error.problem)];
  }
}

/** Acts on the faults among the objects of a cluster from now on. */
export function controlFaults(parts: ControlParts): void {
  new FaultControl(parts).start();
}

/** See the file header. */
class FaultControl {
  readonly #parts: ControlParts;
  readonly #begun = new Map<string, Begun>();

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  start(): void {
    const parts = this.#parts;
    listen(parts.lookout.watch('Fault'), ({ type, object }) => {
      const fault = object as FaultObject;
      const { name } = object.metadata;
      const begun = this.#begun.get(name);
      const isKnown = begun?.uid === object.metadata.uid && begun.generation === object.metadata.generation;
      if (type === 'DELETED') soon(parts, () => this.#end(name, object.metadata.uid));
      else if (!isKnown) soon(parts, () => this.#begin(fault));
    });
  }

  #begin({ metadata, spec = {} }: FaultObject): void {
    const { name, uid, generation = 0 } = metadata;
    const stored = this.#stored(name);
    const known = this.#begun.get(name);
    // What was written since is told by itself.
    if (stored?.metadata.uid !== uid || stored.metadata.generation !== metadata.generation) return;
    if (known?.uid === uid && known.generation === generation) return;
    known?.handle?.heal();
    const begun: Begun = {
      uid,
      generation,
      handle: undefined,
      isTelling: false,
      status: { observedGeneration: generation, phase: 'Active', startTime: this.#time(), effects: 0 },
    };
    this.#begun.set(name, begun);
    try {
      begun.handle = this.#parts.faults.inject(spec as unknown as Fault, {
        met: () => this.#met(name, begun),
        healed: () => this.#healed(name, begun),
      });
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      begun.status = { observedGeneration: generation, phase: 'Failed', message: error.message };
    }
    this.#tell(name, begun);
  }

  #end(name: string, uid: string): void {
    const begun = this.#begun.get(name);
    if (begun?.uid !== uid) return;
    this.#begun.delete(name);
    begun.handle?.heal();
  }

  #met(name: string, begun: Begun): void {
    begun.status = { ...begun.status, effects: (begun.status.effects ?? 0) + 1, lastEffectTime: this.#time() };
    if (begun.isTelling) return;
    begun.isTelling = true;
    this.#parts.kernel.clock.schedule(TELL_EFFECTS_MS, () => {
      begun.isTelling = false;
      if (this.#begun.get(name) === begun) soon(this.#parts, () => this.#tell(name, begun));
    });
  }

  /** By its own time, or because something else has healed it. */
  #healed(name: string, begun: Begun): void {
    if (this.#begun.get(name) !== begun) return;
    begun.status = { ...begun.status, phase: 'Healed', endTime: this.#time() };
    soon(this.#parts, () => this.#tell(name, begun));
  }

  #tell(name: string, { uid, status }: Begun): void {
    const stored = this.#stored(name);
    if (stored?.metadata.uid !== uid) return;
    this.#parts.server.update('Fault', { ...stored, status }, 'status');
  }

  #stored(name: string): FaultObject | undefined {
    return this.#parts.server.find('Fault', { name }) as FaultObject | undefined;
  }

  #time(): string {
    const { clock, timestamps } = this.#parts.kernel;
    return timestamps.toTime(clock.now());
  }
}
