/**
 * What keeps an autoscaler from following its metrics at once: the bounds of its spec, how fast it may scale, and what
 * was recommended shortly before. Mirrors the normalizing half of kube-controller-manager v1.34
 * pkg/controller/podautoscaler/horizontal.go.
 */
import type { AutoscalerCondition, AutoscalerSpec, ScalingRules } from './autoscaler.js';
import type { ScaleChange, ScaleHistory } from './scale-history.js';

const MILLIS_PER_SECOND = 1000;
const FASTEST_GROWTH = 2;
const LEAST_GROWTH = 4;

/** What is to be brought within limits. */
export interface Wish {
  readonly currentReplicas: number;
  /** By the metrics alone. */
  readonly desiredReplicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** Replicas within limits, with what the autoscaler says of it. */
export interface Limited {
  readonly replicas: number;
  readonly conditions: readonly Omit<AutoscalerCondition, 'lastTransitionTime'>[];
}

interface Verdict {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

const READY: Omit<AutoscalerCondition, 'lastTransitionTime'> = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
};
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const TOO_FEW = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FAST_UP = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const TOO_FAST_DOWN = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const STABLE_UP = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const STABLE_DOWN = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};

/** Brings a wish within limits, and remembers it. @param stabilizationMs - of scaling down, where nothing else is said */
export function limited(
  behavior: AutoscalerSpec['behavior'],
  wish: Wish,
  {
    history,
    nowMs,
    stabilizationMs,
  }: { readonly history: ScaleHistory; readonly nowMs: number; readonly stabilizationMs: number },
): Limited {
  const { up, down } = {
    up: behavior?.scaleUp ?? {},
    down: { stabilizationWindowSeconds: stabilizationMs / MILLIS_PER_SECOND, ...behavior?.scaleDown },
  };
  const stable =
    behavior === undefined
      ? highestRecent(wish, history, nowMs, stabilizationMs)
      : stabilized(wish, history, nowMs, { up, down });
  const settled = { ...wish, desiredReplicas: stable.replicas };
  const verdict = behavior === undefined ? within(settled) : withinRates(settled, history, nowMs, { up, down });
  const isStabilized = stable.replicas !== wish.desiredReplicas;
  const { reason, message } = stable;
  const { replicas } = verdict;
  return {
    replicas,
    conditions: [
      isStabilized ? { type: 'AbleToScale', status: 'True', reason, message } : READY,
      {
        type: 'ScalingLimited',
        status: replicas === stable.replicas ? 'False' : 'True',
        reason: verdict.reason,
        message: verdict.message,
      },
    ],
  };
}

/** The highest that was recommended of late. */
function highestRecent({ desiredReplicas }: Wish, history: ScaleHistory, nowMs: number, windowMs: number): Verdict {
  const cutoffMs = nowMs - windowMs;
  let replicas = desiredReplicas;
  for (const each of history.recommendations) if (each.atMs >= cutoffMs) replicas = Math.max(replicas, each.replicas);
  history.recommend(desiredReplicas, nowMs, ({ atMs }) => atMs < cutoffMs);
  return { replicas, ...STABLE_DOWN };
}

interface Rules {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
}

/** As few as possible of what was recommended of late when it goes up, as many as possible when it goes down. */
function stabilized(
  { currentReplicas, desiredReplicas }: Wish,
  history: ScaleHistory,
  nowMs: number,
  { up, down }: Rules,
): Verdict {
  const upCutoffMs = nowMs - (up.stabilizationWindowSeconds ?? 0) * MILLIS_PER_SECOND;
  const downCutoffMs = nowMs - (down.stabilizationWindowSeconds ?? 0) * MILLIS_PER_SECOND;
  let [lowest, highest] = [desiredReplicas, desiredReplicas];
  for (const { replicas, atMs } of history.recommendations) {
    if (atMs > upCutoffMs) lowest = Math.min(lowest, replicas);
    if (atMs > downCutoffMs) highest = Math.max(highest, replicas);
  }
  history.recommend(desiredReplicas, nowMs, ({ atMs }) => atMs < upCutoffMs && atMs < downCutoffMs);
  const replicas = Math.min(Math.max(currentReplicas, lowest), highest);
  return { replicas, ...(desiredReplicas >= currentReplicas ? STABLE_UP : STABLE_DOWN) };
}

/** Without a stated behaviour: at most twice as many at a time, or four. */
function within({ currentReplicas, desiredReplicas, minReplicas, maxReplicas }: Wish): Verdict {
  const fastest = Math.max(FASTEST_GROWTH * currentReplicas, LEAST_GROWTH);
  const most = Math.min(maxReplicas, fastest);
  if (desiredReplicas < minReplicas) return { replicas: minReplicas, ...TOO_FEW };
  if (desiredReplicas <= most) return { replicas: desiredReplicas, ...WITHIN };
  return { replicas: most, ...(maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) };
}

function withinRates(wish: Wish, history: ScaleHistory, nowMs: number, { up, down }: Rules): Verdict {
  const { currentReplicas, desiredReplicas, minReplicas, maxReplicas } = wish;
  const changes = { added: history.added, removed: history.removed, nowMs };
  if (desiredReplicas > currentReplicas) {
    const fastest = Math.max(scaleUpLimit(currentReplicas, up, changes), currentReplicas);
    const most = Math.min(maxReplicas, fastest);
    if (desiredReplicas > most) return { replicas: most, ...(maxReplicas > fastest ? TOO_FAST_UP : TOO_MANY) };
  }
  if (desiredReplicas < currentReplicas) {
    const fastest = Math.min(scaleDownLimit(currentReplicas, down, changes), currentReplicas);
    const least = Math.max(minReplicas, fastest);
    if (desiredReplicas < least) return { replicas: least, ...(minReplicas < fastest ? TOO_FAST_DOWN : TOO_FEW) };
  }
  return { replicas: desiredReplicas, ...WITHIN };
}

/** How an autoscaler has scaled so far. */
interface PastChanges {
  readonly added: readonly ScaleChange[];
  readonly removed: readonly ScaleChange[];
  readonly nowMs: number;
}

/** As many replicas as the policies allow now. */
function scaleUpLimit(currentReplicas: number, rules: ScalingRules, changes: PastChanges): number {
  const { selectPolicy, policies = [] } = rules;
  if (selectPolicy === 'Disabled') return currentReplicas;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const before = atStartOfPeriod(currentReplicas, periodSeconds, changes);
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
  });
  return selectPolicy === 'Min' ? Math.min(...proposals) : Math.max(...proposals);
}

/** As few replicas as the policies allow now. */
function scaleDownLimit(currentReplicas: number, rules: ScalingRules, changes: PastChanges): number {
  const { selectPolicy, policies = [] } = rules;
  if (selectPolicy === 'Disabled') return currentReplicas;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const before = atStartOfPeriod(currentReplicas, periodSeconds, changes);
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100));
  });
  return selectPolicy === 'Min' ? Math.max(...proposals) : Math.min(...proposals);
}

function atStartOfPeriod(
  currentReplicas: number,
  periodSeconds: number,
  { added, removed, nowMs }: PastChanges,
): number {
  const cutoffMs = nowMs - periodSeconds * MILLIS_PER_SECOND;
  return currentReplicas - changedSince(added, cutoffMs) + changedSince(removed, cutoffMs);
}

function changedSince(changes: readonly ScaleChange[], cutoffMs: number): number {
  return changes.reduce((sum, { by, atMs }) => (atMs > cutoffMs ? sum + by : sum), 0);
}
