/** Which of several stages an object comes into, and when (kwok, pkg/utils/lifecycle/lifecycle.go). */
import type { RandomStream } from '../kernel/random.js';
import type { Stage, StageView } from './stage.js';

/**
 * One of the stages that select the object: by lot among those with a weight, else among all whose weight can be told,
 * else among all of them. @throws StageFailure
 */
export function chooseStage(stages: readonly Stage[], view: StageView, random: RandomStream): Stage | undefined {
  const matching = stages.filter(({ tests }) => tests.every((test) => test(view)));
  if (matching.length < 2) return matching[0];
  const weighed = matching.map((stage) => ({ stage, weight: stage.weight(view) }));
  const known = weighed.filter(({ weight }) => weight !== undefined);
  const heavy = known.filter(({ weight = 0 }) => weight > 0);
  const total = heavy.reduce((sum, { weight = 0 }) => sum + weight, 0);
  if (total === 0) return drawn(known.length === 0 ? weighed : known, random)?.stage;
  let left = random.int(0, total - 1);
  for (const { stage, weight = 0 } of heavy) {
    left -= weight;
    if (left < 0) return stage;
  }
  return undefined;
}

function drawn<T>(items: readonly T[], random: RandomStream): T | undefined {
  return items[random.int(0, items.length - 1)];
}

/** Milliseconds until the stage is played, 0 or more. @throws StageFailure */
export function stageDelayMs(stage: Stage, view: StageView, random: RandomStream): number {
  const delay = stage.delay(view);
  if (delay === undefined) return 0;
  const jitter = stage.jitter(view);
  if (jitter === undefined) return Math.max(0, delay);
  const ms = jitter <= delay ? jitter : delay + random.unit() * (jitter - delay);
  return Math.max(0, ms);
}
