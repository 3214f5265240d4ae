import type { Invariant } from './invariant.js';
import { MACHINE_INVARIANTS } from './machine-invariants.js';
import { OBJECT_INVARIANTS } from './object-invariants.js';
import { POD_INVARIANTS } from './pod-invariants.js';

/** Every invariant of the program. */
export const INVARIANTS: readonly Invariant[] = [...POD_INVARIANTS, ...MACHINE_INVARIANTS, ...OBJECT_INVARIANTS];
