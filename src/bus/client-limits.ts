import type { RateLimit } from '../kernel/token-bucket.js';

/** How fast clients may send that are not told: as upstream's components do, or as fast as they can. */
export type ClientLimits = 'upstream' | 'unlimited';

/** The limit of a client as configurations say it: a QPS below 0 is no limit, and 0 stands for client-go's own. */
export interface ConfiguredLimit {
  readonly qps: number;
  readonly burst: number;
}

/** What client-go takes where a configuration says 0 (v1.34 rest/config.go). */
const DEFAULT_LIMIT: RateLimit = { qps: 5, burst: 10 };

/**
 * The limit of a client that is configured so, as client-go understands it: a negative `qps` is no limit, and 0
 * stands for its own default.
 */
export function clientLimit(qps: number, burst: number): RateLimit | undefined {
  if (qps < 0) return undefined;
  return { qps: qps === 0 ? DEFAULT_LIMIT.qps : qps, burst: burst === 0 ? DEFAULT_LIMIT.burst : burst };
}
