/** Faults of links, as what they lay on them. */
import { ApiError } from '../api/api-error.js';
import { kindRegistry } from '../api/kinds/registry.js';
import type { Disturbance, RequestFate, RequestTraits, RequestVerb, WatchLag } from '../bus/disturbance.js';
import { parseDistribution, parseDurationMs, sample } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type {
  CoalesceWatchFault,
  DelayWatchFault,
  LinkTarget,
  LossyFault,
  RefusalReason,
  RefuseFault,
  SlowFault,
  StaleReadsFault,
} from './fault.js';

/** Verbs that compare what they write with what is stored. */
const CONFLICTING: readonly RequestVerb[] = ['update', 'patch'];

/** Opens the random stream of the fault; called at most once. */
export type OpenStream = () => RandomStream;

/** What a fault lays on its link. */
export type LinkFault = SlowFault | LossyFault | RefuseFault | DelayWatchFault | CoalesceWatchFault | StaleReadsFault;

/** The disturbance that a valid fault of a link is. */
export function disturbanceOf(fault: LinkFault, openStream: OpenStream): Disturbance {
  if ('slow' in fault) return slowness(fault.slow.latency, openStream());
  if ('lossy' in fault) return loss(fault.lossy, openStream());
  if ('refuse' in fault) return refusal(fault.refuse, openStream());
  if ('delayWatch' in fault) return lag(fault.delayWatch, { isMerging: false, isStale: false });
  if ('coalesceWatch' in fault) return lag(fault.coalesceWatch, { isMerging: true, isStale: false });
  return lag(fault.staleReads, { isMerging: false, isStale: true });
}

/** Whose link a fault disturbs. */
export function disturbedLink(fault: LinkFault): LinkTarget {
  if ('slow' in fault) return fault.slow;
  if ('lossy' in fault) return fault.lossy;
  if ('refuse' in fault) return fault.refuse;
  if ('delayWatch' in fault) return fault.delayWatch;
  return 'coalesceWatch' in fault ? fault.coalesceWatch : fault.staleReads;
}

function slowness(latency: number | string, random: RandomStream): Disturbance {
  const distribution = typeof latency === 'number' ? latency : (parseDistribution(latency) ?? 0);
  return { drawLatencyMs: () => sample(distribution, random) };
}

function loss({ requests, when = 'either' }: LossyFault['lossy'], random: RandomStream): Disturbance {
  const fates: readonly RequestFate[] = when === 'either' ? ['lost', 'unanswered'] : [LOSSES[when]];
  return { fateOf: () => (random.unit() < requests ? fates[random.int(0, fates.length - 1)] : undefined) };
}

const LOSSES = { before: 'lost', after: 'unanswered' } as const;

function refusal({ kinds, verbs, share = 1, with: reason }: RefuseFault['refuse'], random: RandomStream): Disturbance {
  const refused = verbs ?? (reason === 'Conflict' ? CONFLICTING : undefined);
  return {
    fateOf: (request) => {
      const { verb, kind } = request;
      if (kinds !== undefined && !kinds.includes(kind)) return undefined;
      if (refused !== undefined && !refused.includes(verb)) return undefined;
      return random.unit() < share ? refusalError(reason, request) : undefined;
    },
  };
}

/** The answers in the words of apimachinery's api/errors (v1.34). */
function refusalError(reason: RefusalReason, { verb, kind, name = '' }: RequestTraits): ApiError {
  const { plural, group } = kindRegistry[kind];
  const resource = group === '' ? plural : `${plural}.${group}`;
  switch (reason) {
    case 'Conflict': {
      const why = 'the object has been modified; please apply your changes to the latest version and try again';
      const text = `Operation cannot be fulfilled on ${resource} "${name}": ${why}`;
      return new ApiError(409, reason, text, { name, ...(group === '' ? {} : { group }), kind: plural });
    }
    case 'InternalError':
      return new ApiError(500, reason, 'Internal error occurred: etcdserver: leader changed', {
        causes: [{ message: 'etcdserver: leader changed' }],
      });
    case 'TooManyRequests':
      return new ApiError(429, reason, 'Too many requests, please try again later.', { retryAfterSeconds: 1 });
    case 'ServerTimeout': {
      const text = `The ${verb.toUpperCase()} operation against ${resource} could not be completed at this time, please try again.`;
      return new ApiError(500, reason, text, {
        name,
        ...(group === '' ? {} : { group }),
        kind: plural,
        retryAfterSeconds: 0,
      });
    }
  }
}

function lag({ kind, by }: DelayWatchFault['delayWatch'], how: Omit<WatchLag, 'lagMs'>): Disturbance {
  const lagMs = typeof by === 'number' ? by : (parseDurationMs(by) ?? 0);
  const told = { lagMs: Math.round(lagMs), ...how };
  return { lagOf: (asked) => ((kind === undefined ? asked !== 'Lease' : asked === kind) ? told : undefined) };
}
