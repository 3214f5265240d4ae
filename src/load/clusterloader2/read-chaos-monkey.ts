import type { LoadFields } from '../input/load-fields.js';
import type { ChaosMonkeySettings } from './load-config.js';

/** A chaos monkey of a test; none where no node is to fail. @throws LoadError */
export function chaosMonkeyOf(fields: LoadFields | undefined): ChaosMonkeySettings | undefined {
  const failure = fields?.fields('nodeFailure');
  return failure === undefined ? undefined : nodeFailureOf(failure, fields?.texts('excludedNodes') ?? []);
}

/** How nodes are to fail. @throws LoadError */
export function nodeFailureOf(fields: LoadFields, excludedNodes: readonly string[]): ChaosMonkeySettings {
  const failureRate = fields.positive('failureRate');
  if (failureRate > 1) throw fields.refusal('failureRate', `must be a share in (0, 1], got ${failureRate}`);
  return {
    failureRate,
    intervalMs: positiveMs(fields, 'interval'),
    jitterFactor: fields.has('jitterFactor') ? fields.positive('jitterFactor') : 0,
    simulatedDowntimeMs: fields.durationMs('simulatedDowntime', 0),
    excludedNodes,
  };
}

/** A duration that must be there. @throws LoadError */
export function positiveMs(fields: LoadFields, field: string): number {
  const ms = fields.durationMs(field, 0);
  if (ms > 0) return ms;
  throw fields.refusal(field, 'must be a duration > 0');
}
