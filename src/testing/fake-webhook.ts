import type { Cluster } from '../cluster/cluster.js';
import type { HookFunction, HookOptions } from '../cluster/admission-hooks.js';
import { checkValue, FUNCTION, MAPPING, wordOf } from '../options/option-checks.js';

/** A review as a webhook is asked for it. */
export type WebhookReview = Parameters<HookFunction>[0];

/** A webhook that a test plays, with what it was asked. */
export interface FakeWebhook {
  /** What it was asked so far, in order. */
  readonly reviews: readonly WebhookReview[];
  /** How it answers from now on. */
  answer: HookFunction;
  /** Takes it away. */
  remove(): void;
}

/**
 * A webhook in front of a cluster that notes what it is asked, and answers as the test says: by default it lets
 * everything through.
 *
 * @param phase - `mutating` or `validating`
 * @throws OptionError
 * @example
 * ```ts
 * const webhook = fakeWebhook(cluster, 'validating', 'quota', { rules: [{ resources: ['pods'] }] });
 * webhook.answer = () => ({ allowed: false, status: { message: 'no more pods' } });
 * ```
 */
export function fakeWebhook(
  cluster: Cluster,
  phase: 'mutating' | 'validating',
  name: string,
  options: HookOptions = {},
  answer: HookFunction = () => undefined,
): FakeWebhook {
  checkValue('cluster', cluster, MAPPING);
  checkValue('phase', phase, wordOf('mutating', 'validating'));
  checkValue('answer', answer, FUNCTION);
  const reviews: WebhookReview[] = [];
  const remove = cluster.admission[phase](name, options, (review) => {
    reviews.push(review);
    return webhook.answer(review);
  });
  const webhook: FakeWebhook = { reviews, answer, remove };
  return webhook;
}
