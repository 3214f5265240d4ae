/**
 * How fast a kubelet asks the API server and registries, out of its configuration: defaults as in v1.34
 * pkg/kubelet/apis/config/v1beta1/defaults.go, meaning as in cmd/kubelet/app/server.go and pkg/kubelet/images.
 */
import { clientLimit, type ClientLimits } from '../../bus/client-limits.js';
import type { RateLimit } from '../../kernel/token-bucket.js';
import type { PullSettings } from '../containers/image-puller.js';
import { MAX_INT32 } from '../../api/values/int32.js';

/** The part of a KubeletConfiguration that limits requests. */
export interface RequestLimitFields {
  /** Requests to the API server in a second, without events and heartbeats. 0..2147483647, 0 = 5. @defaultValue 50 */
  readonly kubeAPIQPS?: number;
  /** How many of them may go out at once. 0..2147483647, 0 = 100. @defaultValue 100 */
  readonly kubeAPIBurst?: number;
  /** Events that are written in a second. 0..2147483647, 0 = 5. @defaultValue 50 */
  readonly eventRecordQPS?: number;
  /** How many of them may go out at once. 0..2147483647, 0 = 100. @defaultValue 100 */
  readonly eventBurst?: number;
  /** Pulls that begin in a second; those beyond fail. 0..2147483647, 0 = no limit. @defaultValue 5 */
  readonly registryPullQPS?: number;
  /** How many of them may begin at once. 0..2147483647, 0 = 10. @defaultValue 10 */
  readonly registryBurst?: number;
  /** Whether images are pulled one after the other. @defaultValue true, unless maxParallelImagePulls is 2 or more */
  readonly serializeImagePulls?: boolean;
  /** Pulls that go on at a time, 1..2147483647; more than 1 only without serializeImagePulls. @defaultValue no limit */
  readonly maxParallelImagePulls?: number;
}

/** Names of these fields. */
export const REQUEST_LIMIT_FIELDS: readonly (keyof RequestLimitFields)[] = [
  'kubeAPIQPS',
  'kubeAPIBurst',
  'eventRecordQPS',
  'eventBurst',
  'registryPullQPS',
  'registryBurst',
  'serializeImagePulls',
  'maxParallelImagePulls',
];

/** What a kubelet goes by; `undefined` = no limit. */
export interface RequestLimits {
  readonly api: RateLimit | undefined;
  readonly events: RateLimit | undefined;
  readonly imagePulls: PullSettings;
}

/** Refuses the value of a field. */
export type Refuse = (field: keyof RequestLimitFields, allowed: string, got: unknown) => never;

/** @param clientLimits - what holds where a configuration is silent */
export function requestLimitsOf(given: RequestLimitFields, clientLimits: ClientLimits, refuse: Refuse): RequestLimits {
  const isLimited = clientLimits === 'upstream';
  const amount = (field: keyof RequestLimitFields, least: number): number | undefined => {
    const value: unknown = given[field];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MAX_INT32) return value;
    return refuse(field, `an integer in ${least}..${MAX_INT32}`, value);
  };
  const client = (qps: 'kubeAPIQPS' | 'eventRecordQPS', burst: 'kubeAPIBurst' | 'eventBurst'): RateLimit | undefined =>
    clientLimit(amount(qps, 0) ?? (isLimited ? 50 : -1), positive(amount(burst, 0)) ?? 100);
  const pullQps = amount('registryPullQPS', 0) ?? (isLimited ? 5 : 0);
  const pullBurst = positive(amount('registryBurst', 0)) ?? 10;
  const most = amount('maxParallelImagePulls', 1);
  const { serializeImagePulls: isSerial = most === undefined || most < 2 } = given;
  if (typeof isSerial !== 'boolean') refuse('serializeImagePulls', 'true or false', isSerial);
  if (isSerial && most !== undefined && most > 1) {
    refuse('maxParallelImagePulls', '1 unless serializeImagePulls is false', most);
  }
  return {
    api: client('kubeAPIQPS', 'kubeAPIBurst'),
    events: client('eventRecordQPS', 'eventBurst'),
    imagePulls: {
      mostAtOnce: isSerial ? 1 : (most ?? Infinity),
      limit: pullQps === 0 ? undefined : { qps: pullQps, burst: pullBurst },
    },
  };
}

/** A burst of 0 is one that is not said. */
function positive(amount: number | undefined): number | undefined {
  return amount === 0 ? undefined : amount;
}
