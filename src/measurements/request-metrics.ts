/** Counts the requests of components, under the words of the API server's own metrics. */
import { kindRegistry } from '../api/kinds/registry.js';
import type { Kind } from '../api/objects/objects.js';
import type { RequestVerb } from '../bus/disturbance.js';
import type { RequestFact } from '../bus/request-watch.js';
import type { Level, MetricStore } from './metric-store.js';
import type { RunSeries } from './run-series.js';
import type { ValueCounts } from './value-counts.js';

const VERBS: Readonly<Record<RequestVerb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

/** Answers from here on are errors. */
const FIRST_ERROR = 400;

/** Where the requests of one sort are counted. */
interface Sort {
  readonly tags: Readonly<Record<string, string>>;
  readonly requests: Level;
  readonly times: ValueCounts;
  readonly waits: ValueCounts;
}

/** See the file header. */
export class RequestMetrics {
  readonly #store: MetricStore;
  readonly #series: RunSeries;
  readonly #sorts = new Map<string, Sort>();

  constructor(store: MetricStore, series: RunSeries) {
    this.#store = store;
    this.#series = series;
  }

  requestEnded(fact: RequestFact): void {
    const { tags, requests, times, waits } = this.#sortOf(fact);
    requests.add(1);
    this.#series.add(`requests ${VERBS[fact.verb]}`, 1);
    waits.add(fact.waitedMs);
    if (fact.tookMs !== undefined) times.add(fact.tookMs);
    if (fact.code !== 0 && fact.code < FIRST_ERROR) return;
    this.#store.level('api_errors', { ...tags, code: String(fact.code) }).add(1);
    this.#series.add('request errors', 1);
  }

  #sortOf({ verb, kind, subresource = '', scope, party }: RequestFact): Sort {
    const by = componentOf(party);
    const key = `${verb} ${kind} ${subresource} ${scope} ${by}`;
    let sort = this.#sorts.get(key);
    if (sort === undefined) {
      const tags = { verb: VERBS[verb], resource: resourceOf(kind), subresource, scope, by };
      sort = {
        tags,
        requests: this.#store.level('api_requests', tags),
        times: this.#store.trend('api_request_ms', tags),
        waits: this.#store.trend('api_wait_ms', { by }),
      };
      this.#sorts.set(key, sort);
    }
    return sort;
  }
}

/** `kubelet` for the kubelet of any node; an operator by its name. */
/** Of a kind that is not built in, its own name. */
function resourceOf(kind: string): string {
  return Object.hasOwn(kindRegistry, kind) ? kindRegistry[kind as Kind].plural : kind;
}

function componentOf(party: string): string {
  const slash = party.indexOf('/');
  return slash === -1 || party.startsWith('operator/') ? party : party.slice(0, slash);
}
