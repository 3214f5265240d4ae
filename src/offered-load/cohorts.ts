/** The cohorts of one service: an endpoint that begins joins one that begins as well; those that have become alike are put together. */
import { EndpointCohort, type ServerSpeed } from './endpoint-cohort.js';
import type { ServiceTraffic } from './service-traffic.js';

/** Those of one speed, the oldest first. */
interface SpeedCohorts {
  readonly cohorts: EndpointCohort[];
  /** When the last one began. */
  newestMs: number;
}

/** See the file header. */
export class Cohorts {
  readonly #traffic: ServiceTraffic;
  readonly #bySpeed = new Map<string, SpeedCohorts>();

  constructor(traffic: ServiceTraffic) {
    this.#traffic = traffic;
  }

  /** For an endpoint that begins now, with no request in it. The traffic has an entry of the present. */
  join(speed: ServerSpeed, nowMs: number): EndpointCohort {
    const key = `${speed.perMs}/${speed.queue}`;
    const known = this.#bySpeed.get(key) ?? { cohorts: [], newestMs: -1 };
    this.#bySpeed.set(key, known);
    const newest = known.cohorts.at(-1);
    if (newest !== undefined && known.newestMs === nowMs) {
      newest.members += 1;
      return newest;
    }
    mergeAlike(known.cohorts, nowMs);
    const cohort = new EndpointCohort(this.#traffic, speed);
    known.cohorts.push(cohort);
    known.newestMs = nowMs;
    return cohort;
  }
}

/** Takes away those that are empty, and those that become a part of an older one. */
function mergeAlike(cohorts: EndpointCohort[], nowMs: number): void {
  const kept: EndpointCohort[] = [];
  for (const cohort of cohorts) {
    if (cohort.members === 0) cohort.end();
    else if (!kept.some((older) => cohort.mergeInto(older, nowMs))) kept.push(cohort);
  }
  cohorts.splice(0, cohorts.length, ...kept);
}
