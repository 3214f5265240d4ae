/** Faults of links, as what they lay on them. */
import { ApiError } from '../api/errors/api-error.js';
import type { LinkDirection } from '../bus/bus-types.js';
import { kindRegistry } from '../api/kinds/registry.js';
import type { Kind } from '../api/objects/objects.js';
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
import { STORE } from './fault-seams.js';

/** Verbs that compare what they write with what is stored. */
const CONFLICTING: readonly RequestVerb[] = ['update', 'patch'];

/** Opens the random stream of the fault; called at most once. */
export type OpenStream = () => RandomStream;

/** What a fault lays on its link. */
export type LinkFault = SlowFault | LossyFault | RefuseFault | DelayWatchFault | CoalesceWatchFault | StaleReadsFault;

/** The disturbance that a valid fault of a link is. @param nowMs - when it begins */
export function disturbanceOf(fault: LinkFault, nowMs: number, openStream: OpenStream): Disturbance {
  if ('slow' in fault) return slowness(fault.slow, openStream());
  if ('lossy' in fault) return loss(fault.lossy, openStream());
  if ('refuse' in fault) return refusal(fault.refuse, openStream());
  if ('delayWatch' in fault) return lag(fault.delayWatch, { isMerging: false, isStale: false });
  if ('coalesceWatch' in fault) return lag(fault.coalesceWatch, { isMerging: true, isStale: false });
  return staleness(fault.staleReads, nowMs);
}

/** What it means for requests that nothing gets to the store, or that its answers do not come back. */
export function storeCut(direction: LinkDirection | undefined): Disturbance {
  return { fateOf: () => (direction === 'in' ? 'unanswered' : 'lost') };
}

/** The same, and `met` is told each time that it changes what happens. */
export function counted({ fateOf, lagOf, drawLatencyMs, drawDelayMs }: Disturbance, met: () => void): Disturbance {
  const noted = <T>(value: T): T => {
    if (value !== undefined) met();
    return value;
  };
  return {
    ...(fateOf === undefined ? {} : { fateOf: (request) => noted(fateOf(request)) }),
    ...(lagOf === undefined ? {} : { lagOf: (kind) => noted(lagOf(kind)) }),
    ...(drawLatencyMs === undefined ? {} : { drawLatencyMs: () => noted(drawLatencyMs()) }),
    ...(drawDelayMs === undefined ? {} : { drawDelayMs: () => noted(drawDelayMs()) }),
  };
}

/** The party with the link that a fault disturbs. */
export function disturbedLink(fault: LinkFault): LinkTarget {
  if ('slow' in fault) return fault.slow;
  if ('lossy' in fault) return fault.lossy;
  if ('refuse' in fault) return fault.refuse;
  if ('delayWatch' in fault) return fault.delayWatch;
  return 'coalesceWatch' in fault ? fault.coalesceWatch : fault.staleReads;
}

/** What is slow behind the API server adds to whatever the links need. */
function slowness({ latency, ...target }: SlowFault['slow'], random: RandomStream): Disturbance {
  const distribution = typeof latency === 'number' ? latency : (parseDistribution(latency) ?? 0);
  const draw = (): number => sample(distribution, random);
  return isStore(target) ? { drawDelayMs: draw } : { drawLatencyMs: draw };
}

/** Whether a fault is about the store behind the API server. */
export function isStore(target: LinkTarget): boolean {
  return 'component' in target && target.component === STORE;
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
  return laggingOf(kind, { lagMs: lagMsOf(by), ...how });
}

/** Pinned reads are told of nothing more. */
function staleness({ kind, by = 0, isPinned }: StaleReadsFault['staleReads'], nowMs: number): Disturbance {
  const lagMs = lagMsOf(by);
  if (isPinned !== true) return laggingOf(kind, { lagMs, isMerging: false, isStale: true });
  return laggingOf(kind, { lagMs: Infinity, pinnedMs: nowMs - lagMs, isMerging: false, isStale: true });
}

function lagMsOf(by: number | string): number {
  return Math.round(typeof by === 'number' ? by : (parseDurationMs(by) ?? 0));
}

function laggingOf(kind: Kind | undefined, lagging: WatchLag): Disturbance {
  return { lagOf: (asked) => ((kind === undefined ? asked !== 'Lease' : asked === kind) ? lagging : undefined) };
}
