/** Functions of sweeps and histories for callers without types. Within the house they are called as they are. */
import { readHistory as readHistoryFile } from '../experiments/play-history.js';
import { guarded, integerIn, MAPPING, TEXT, withFields } from '../options/option-checks.js';
import { readSweepPlan as readPlan } from '../sweep/plan/read-plan.js';
import { sweepJob as jobOf, sweepMatrix as matrixOf } from '../sweep/printed-shards.js';

const PARTS = { plan: TEXT, version: TEXT, shards: integerIn(1, 65_535) };

/** Reads the plan of a sweep and all that it names. @throws OptionError; SweepError; the errors of variants */
export const readSweepPlan = guarded(readPlan, { path: TEXT });

/** A sweep as an Indexed Job of Kubernetes. @throws OptionError; RangeError for files that are too large for it */
export const sweepJob = guarded(jobOf, {
  sweep: withFields('a sweep: plan, version, shards, files, image', { ...PARTS, files: MAPPING, image: TEXT }),
});

/** A sweep as a workflow of GitHub. @throws OptionError */
export const sweepMatrix = guarded(matrixOf, { sweep: withFields('a sweep: plan, version, shards', PARTS) });

/** What was recorded of another cluster; `undefined` for a file of another form. @throws OptionError; ImportError */
export const readHistory = guarded(readHistoryFile, { path: TEXT });
