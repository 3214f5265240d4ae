/** Entry of the worker threads of a search: plays one plan to its end. */
import type { PlanDocument } from '../src/laboratory/fuzz/plan-document.js';
import type { PlanOutcome } from '../src/laboratory/fuzz/plan-outcome.js';
import { playPlan } from '../src/laboratory/fuzz/play-plan.js';

export default function play(plan: PlanDocument): Promise<PlanOutcome> {
  return playPlan(plan);
}
