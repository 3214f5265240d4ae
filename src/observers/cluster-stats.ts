import { Observable } from 'rxjs';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { Clock, Timer } from '../kernel/engine/clock.js';
import type { NodeCensus, NodeCounts } from './node-census.js';
import type { PodCensus, PodCounts, StartupQuantiles } from './pod-census.js';

/** Counts of one moment of a cluster. */
export interface ClusterStats {
  /** Simulated time, milliseconds since the start of the cluster. */
  readonly nowMs: number;
  readonly nodes: NodeCounts;
  readonly pods: PodCounts;
  /** Pods ever created, also those that are gone. */
  readonly podsCreated: number;
  /** From creation to first Ready; `undefined` while no pod has been Ready. */
  readonly startupSeconds: StartupQuantiles | undefined;
  /** Decisions of the scheduler so far, and those that bound a pod. */
  readonly scheduling: { readonly attempts: number; readonly scheduled: number };
  /** The store's newest version. */
  readonly resourceVersion: number;
}

/** What the counts are taken from. */
export interface CountedParts {
  readonly nodes: Pick<NodeCensus, 'counts'>;
  readonly census: Pick<PodCensus, 'counts' | 'created' | 'startupSeconds'>;
  readonly scheduler: { readonly stats: ClusterStats['scheduling'] };
  readonly server: { readonly version: number };
}

/** The counts of this moment. */
export function countedStats({ nodes, census, scheduler, server }: CountedParts, nowMs: number): ClusterStats {
  const { attempts, scheduled } = scheduler.stats;
  return {
    nowMs,
    nodes: nodes.counts(),
    pods: census.counts(),
    podsCreated: census.created,
    startupSeconds: census.startupSeconds(),
    scheduling: { attempts, scheduled },
    resourceVersion: server.version,
  };
}

/** Least simulated time between two values, milliseconds. */
const INTERVAL_MS = 1000;

/** Emits now, and later whenever pods have changed; a cluster without changes owes no timer. */
export function statsStream(lookout: Lookout, clock: Clock, read: () => ClusterStats): Observable<ClusterStats> {
  return new Observable((subscriber) => {
    let timer: Timer | undefined;
    subscriber.next(read());
    const subscription = listen(lookout.changes('Pod'), () => {
      timer ??= clock.schedule(INTERVAL_MS, () => {
        timer = undefined;
        subscriber.next(read());
      });
    });
    subscriber.add(() => {
      subscription.unsubscribe();
      if (timer !== undefined) clock.cancel(timer);
    });
  });
}
