/** Which objects were looked at for which slots: a change of an object then voids the results of these slots. */
export class ObjectUses {
  /** By kind, then by key; most objects are looked at for one slot alone. */
  readonly #slots = new Map<string, Map<string, number | Set<number>>>();
  /** By slot: kinds and keys, one after the other. */
  readonly #objects: string[][] = [];

  /** Notes that an object, there or not, was looked at for a slot. */
  note(kind: string, key: string, slot: number): void {
    const ofKind = this.#ofKind(kind);
    const slots = ofKind.get(key);
    if (slots === slot) return;
    if (slots === undefined) ofKind.set(key, slot);
    else if (typeof slots === 'number') ofKind.set(key, new Set([slots, slot]));
    else if (slots.has(slot)) return;
    else slots.add(slot);
    (this.#objects[slot] ??= []).push(kind, key);
  }

  /** Forgets what was looked at for a slot. */
  clear(slot: number): void {
    const objects = this.#objects[slot];
    if (objects === undefined) return;
    for (let index = 0; index < objects.length; index += 2) {
      const ofKind = this.#ofKind(objects[index] as string);
      const key = objects[index + 1] as string;
      const slots = ofKind.get(key);
      if (typeof slots === 'object') slots.delete(slot);
      if (slots === slot || (typeof slots === 'object' && slots.size === 0)) ofKind.delete(key);
    }
    objects.length = 0;
  }

  /** The slots for which an object was looked at. */
  slotsOf(kind: string, key: string): Iterable<number> {
    const slots = this.#slots.get(kind)?.get(key);
    if (slots === undefined) return [];
    return typeof slots === 'number' ? [slots] : slots;
  }

  #ofKind(kind: string): Map<string, number | Set<number>> {
    let ofKind = this.#slots.get(kind);
    if (ofKind === undefined) {
      ofKind = new Map();
      this.#slots.set(kind, ofKind);
    }
    return ofKind;
  }
}
