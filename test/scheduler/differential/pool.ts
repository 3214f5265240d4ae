/** The scheduler's worker pool in front of the fast side, one run after the other. */
import { createAhead } from '../../../bench/conformance/ahead.js';
import type { FastSide } from './fast-side.js';
import type { JudgeAhead } from './stage.js';

/** A pool, and its end. */
export interface Pool {
  readonly judge: JudgeAhead;
  /** Shapes whose judgements were of use so far. */
  judged(): number;
  close(): Promise<void>;
}

/** Threads that judge for pods of the default profile; those of others are left to the engine. */
export function createPool(workers: number): Pool {
  const ahead = createAhead(workers);
  let known: FastSide | undefined;
  return {
    async judge(side, pods) {
      const lane = side.lanes.get('default-scheduler');
      if (ahead === undefined || lane === undefined) return;
      if (known !== side) await ahead.forget();
      known = side;
      const { profile, scheduler } = lane;
      const { plugins, framework, percentageOfNodesToScore } = profile;
      const { snapshot, start } = side;
      await ahead.judge({ plugins, framework, percentageOfNodesToScore, scheduler, snapshot, start }, pods);
    },
    judged: () => ahead?.judged ?? 0,
    async close() {
      await ahead?.forget();
      await ahead?.close();
    },
  };
}
