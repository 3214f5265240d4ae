/**
 * What a server over HTTP tells of itself: how long requests take in real time, how many are under way, and what
 * watches tell. Beside the metrics of the cluster, which know simulated time alone, and under upstream's names
 * (apiserver/pkg/endpoints/metrics, v1.34).
 */
import { Metrics } from '../metrics/metrics.js';
import type { ApiRequest } from '../requests/api-request.js';
import { REQUEST_LABELS, requestLabels } from '../requests/request-metrics.js';

/** Seconds, as upstream's. */
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** A request that lasts is never a trial. */
const LONG_LABELS = REQUEST_LABELS.filter((label) => label !== 'dry_run');
const MS_PER_SECOND = 1000;

type Asked = Pick<ApiRequest, 'method' | 'path' | 'query'>;

/** How many changes watches of a resource have told. */
export interface EventTally {
  count: number;
}

/** See the file header. */
export class ServerMetrics {
  readonly #metrics = new Metrics();
  readonly #durations;
  readonly #withoutWaits;
  readonly #longRunning;
  readonly #events = new Map<string, EventTally & { readonly labels: Readonly<Record<string, string>> }>();

  /** @param inFlight - requests under way that do not last as long as they are wanted, at any moment */
  constructor(inFlight: { readonly reads: number; readonly writes: number }) {
    const metrics = this.#metrics;
    this.#durations = metrics.histogram(
      'apiserver_request_duration_seconds',
      'Real time from a request to its answer, by what was asked for.',
      DURATION_BUCKETS,
      REQUEST_LABELS,
    );
    this.#withoutWaits = metrics.histogram(
      'apiserver_request_sli_duration_seconds',
      'Real time from a request to its answer without that of webhooks, by what was asked for.',
      DURATION_BUCKETS,
      REQUEST_LABELS,
    );
    this.#longRunning = metrics.gauge(
      'apiserver_longrunning_requests',
      'Watches and other requests that last as long as they are wanted.',
      LONG_LABELS,
    );
    metrics.computed(
      'apiserver_current_inflight_requests',
      'Requests under way that change something, and those that only read.',
      'gauge',
      () => [
        { labels: { request_kind: 'mutating' }, value: inFlight.writes },
        { labels: { request_kind: 'readOnly' }, value: inFlight.reads },
      ],
    );
    metrics.computed('apiserver_watch_events_total', 'Changes that watches have told.', 'counter', () =>
      [...this.#events.values()].map(({ labels, count }) => ({ labels, value: count })),
    );
  }

  /** Counts a request that was answered after so long. @param waitedMs - of it the time that webhooks took */
  answered(asked: Asked, ms: number, waitedMs = 0): void {
    const labels = { ...requestLabels(asked), component: 'apiserver' };
    this.#durations.observe(labels, ms / MS_PER_SECOND);
    this.#withoutWaits.observe(labels, Math.max(0, ms - waitedMs) / MS_PER_SECOND);
  }

  /** Counts a request that lasts. @returns what tells that it is over */
  begun(asked: Asked): () => void {
    const { dry_run: _dryRun, ...rest } = requestLabels(asked);
    const labels = { ...rest, component: 'apiserver' };
    this.#longRunning.inc(labels);
    return () => this.#longRunning.dec(labels);
  }

  /** Where a watch counts what it tells. */
  eventsOf(asked: Asked): EventTally {
    const { group, version, resource } = requestLabels(asked);
    const key = `${group}/${version}/${resource}`;
    let tally = this.#events.get(key);
    if (tally === undefined) {
      tally = { count: 0, labels: { group, version, resource } };
      this.#events.set(key, tally);
    }
    return tally;
  }

  /** All of them in Prometheus' text format. */
  text(): Promise<string> {
    return this.#metrics.text();
  }
}
