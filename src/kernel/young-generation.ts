import { setFlagsFromString } from 'node:v8';

/** How many times as large V8 makes the space of new objects when it grows it: from 1 MiB to its limit at once. */
const GROWTH = 16;
let isSaid = false;

/**
 * Has V8 give new objects their full space as soon as it grows it for the first time, instead of doubling it from
 * 1 MiB on. While a large cluster comes up nearly all that is made stays, and each of those collections copies it twice:
 * they were half of the processor time of a scheduler's first 6,000 decisions over 5,000 nodes (`npm run bench --
 * anchor/affinity --mode algorithm --rounds 1`). A small cluster does not fill the space, and would pay for its pages.
 * The limit itself stays the program's (`--max-semi-space-size`). Concerns the whole process, which nothing else of
 * kubeloom does; what is computed does not depend on it.
 */
export function growYoungGenerationAtOnce(): void {
  if (isSaid) return;
  isSaid = true;
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
}
