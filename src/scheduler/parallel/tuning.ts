/**
 * The numbers by which the pool is tuned: none of them changes a decision, all of them change what one costs. Each has
 * its unit and its reason; `npm run bench -- DifferentPods --mode algorithm --percentage 100 --workers 0,2` measures them.
 */

/** Looks at nodes (walks times nodes) from which a batch goes to the workers where nothing can be measured: 40 walks over 5,000. */
export const MIN_WORK = 200_000;

/** Walks that are handed over back to front: as many as a tick of the scheduler decides. */
export const CHUNK = 64;

/**
 * Walks of a batch that are made ahead for a rehearsal, and handed over for a warm-up. Code of a rehearsal
 * is slow at first, so that it takes many to tell.
 */
export const REHEARSED = 16;
export const WARMED_UP = 16;

/** Real milliseconds that the engine waits for a worker where the choice is not measured: far more than a walk takes. */
export const PATIENCE_MS = 10;

/** Walks under way beyond which the oldest is given up, as its pod was never decided: two looks ahead. */
export const MAX_UNDER_WAY = 256;

/**
 * Messages that a thread may have before it. Ends are told to the engine thread between its turns only,
 * which may be many batches apart.
 */
export const MAX_MESSAGES = 4096;

/** Outlines that a worker keeps: more than pods that are decided at one time have. */
export const MAX_OUTLINES = 64;

/** New shapes below which a batch says nothing of what one costs. */
export const MIN_SHAPES = 8;
/** Nothing is tried before the engine has spent so many milliseconds on new shapes: short runs do without. */
export const START_AFTER_MS = 150;
/** Batches of a rehearsal: a few, since each of them costs what it shows. */
export const REHEARSALS = 4;
/** A walk that was made beforehand must cost the decision at most this part of one that was not: handing over costs, too. */
export const PROMISING = 0.7;
/** Walks that must have come back before the pool is tried: threads start, and their code is compiled. */
export const WARM_UP_SHAPES = 32;
/** Batches after which a warm-up is given up: some seconds, in which threads that will come up have done so. */
export const MAX_WARM_UP = 512;
/** Batches by which a way is measured; of their times the one in the middle counts. */
export const SAMPLE = 8;
/** Batches after a change that do not count: shapes of the other way are still under way. */
export const LEFTOVERS = 2;
/** The pool must cost at most this part of what the engine alone costs: less of a gain is not told from noise. */
export const WORTHWHILE = 0.95;
/** Batches between two looks at the other way, which take two parts in a hundred of them. */
export const PERIOD = 512;
/** The other way is looked at sooner when batches have come to cost so many times what they did, as in a cluster that fills. */
export const CHANGED = 1.5;
/** Each time the pool turns out not to pay, the next look is twice as many batches away, up to this. */
export const MAX_OWN_PERIOD = 16_384;
