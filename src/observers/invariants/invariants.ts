import { CACHE_INVARIANTS } from './cache-invariants.js';
import { ENDPOINT_INVARIANTS } from './endpoint-invariants.js';
import { ENDING_INVARIANTS } from './ending-invariants.js';
import { EVICTION_INVARIANTS } from './eviction-invariants.js';
import { GOING_INVARIANTS } from './going-invariants.js';
import type { Invariant } from './invariant.js';
import { JOB_INVARIANTS } from './job-invariants.js';
import { KEEPING_INVARIANTS } from './keeping-invariants.js';
import { MACHINE_INVARIANTS } from './machine-invariants.js';
import { MAKING_INVARIANTS } from './making-invariants.js';
import { NODE_INVARIANTS } from './node-invariants.js';
import { OBJECT_INVARIANTS } from './object-invariants.js';
import { REPLICA_INVARIANTS } from './replica-invariants.js';
import { REPORT_INVARIANTS } from './report-invariants.js';
import { POD_INVARIANTS } from './pod-invariants.js';
import { ROLLOUT_INVARIANTS } from './rollout-invariants.js';
import { ROOM_INVARIANTS } from './room-invariants.js';
import { SETTLED_INVARIANTS } from './settled-invariants.js';
import { STORAGE_INVARIANTS } from './storage-invariants.js';

/** Every invariant of the program. */
export const INVARIANTS: readonly Invariant[] = [
  ...POD_INVARIANTS,
  ...MACHINE_INVARIANTS,
  ...OBJECT_INVARIANTS,
  ...JOB_INVARIANTS,
  ...ENDING_INVARIANTS,
  ...REPLICA_INVARIANTS,
  ...KEEPING_INVARIANTS,
  ...ROLLOUT_INVARIANTS,
  ...MAKING_INVARIANTS,
  ...ENDPOINT_INVARIANTS,
  ...NODE_INVARIANTS,
  ...REPORT_INVARIANTS,
  ...EVICTION_INVARIANTS,
  ...ROOM_INVARIANTS,
  ...STORAGE_INVARIANTS,
  ...CACHE_INVARIANTS,
  ...GOING_INVARIANTS,
  ...SETTLED_INVARIANTS,
];
