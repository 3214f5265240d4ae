/**
 * Requests of a load, counted and timed by verb, resource and scope as an API server's metrics tell them. What may
 * pass is tried again, 100 ms later and then three times as long each time, as load generators do.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Draft, Kind, KindMap, ObjectName } from '../../api/objects/objects.js';
import type { DeleteOptions, Patch, Selection } from '../../apiserver/store/server-types.js';
import { LinkDownError, type PromisedClient } from '../../bus/bus-types.js';
import type { LoadKinds } from './load-kinds.js';

const FIRST_RETRY_MS = 100;
const RETRY_FACTOR = 3;
const ATTEMPTS = 6;
const INTERNAL_ERROR = 500;
const PASSING: readonly string[] = ['Timeout', 'ServerTimeout', 'TooManyRequests', 'Unauthorized'];

/** What a kind of request took. */
export interface RequestTimes {
  readonly verb: string;
  readonly resource: string;
  readonly scope: 'resource' | 'namespace' | 'cluster';
  /** From the request to its answer, ms of simulated time, in order. */
  readonly latenciesMs: number[];
}

interface Means {
  readonly connection: { readonly client: { readonly promised: PromisedClient } };
  readonly kinds: LoadKinds;
  readonly nowMs: number;
  sleep(ms: number): Promise<void>;
}

/** See the file header. */
export class LoadRequests {
  readonly #means: Means;
  readonly #times = new Map<string, RequestTimes>();

  constructor(means: Means) {
    this.#means = means;
  }

  /** Every kind of request so far. */
  get times(): Iterable<RequestTimes> {
    return this.#times.values();
  }

  /** @param isKept - an object that is there already is taken for made */
  async create(kind: Kind, draft: Draft, isKept = true): Promise<void> {
    await this.#timed(
      'POST',
      kind,
      'resource',
      () => this.#api.create(kind, draft),
      (error) => isKept && is(error, 'AlreadyExists'),
    );
  }

  async get<K extends Kind>(kind: K, name: ObjectName): Promise<KindMap[K] | undefined> {
    return this.#timed('GET', kind, 'resource', () => this.#api.get(kind, name), isNotFound);
  }

  async list<K extends Kind>(kind: K, selection: Selection): Promise<readonly KindMap[K][]> {
    const scope = selection.namespace === undefined ? 'cluster' : 'namespace';
    const answer = await this.#timed(
      'LIST',
      kind,
      scope,
      () => this.#api.list(kind, selection),
      () => false,
    );
    return answer?.items ?? [];
  }

  async patch(kind: Kind, name: ObjectName, patch: Patch): Promise<void> {
    await this.#timed(
      'PATCH',
      kind,
      'resource',
      () => this.#api.patch(kind, name, patch),
      () => false,
    );
  }

  /** What is gone already is deleted. */
  async delete(
    kind: Kind,
    name: ObjectName,
    options: DeleteOptions = { propagationPolicy: 'Background' },
  ): Promise<void> {
    await this.#timed('DELETE', kind, 'resource', () => this.#api.delete(kind, name, options), isNotFound);
  }

  get #api(): PromisedClient {
    return this.#means.connection.client.promised;
  }

  async #timed<T>(
    verb: string,
    kind: Kind,
    scope: RequestTimes['scope'],
    send: () => Promise<T>,
    isFine: (error: Error) => boolean,
  ): Promise<T | undefined> {
    let waitMs = FIRST_RETRY_MS;
    for (let attempt = 1; ; attempt += 1) {
      const startMs = this.#means.nowMs;
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (isFine(error)) return undefined;
        if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      } finally {
        this.#note(verb, kind, scope, this.#means.nowMs - startMs);
      }
      await this.#means.sleep(waitMs);
      waitMs *= RETRY_FACTOR;
    }
  }

  #note(verb: string, kind: Kind, scope: RequestTimes['scope'], latencyMs: number): void {
    const key = `${verb} ${kind} ${scope}`;
    let times = this.#times.get(key);
    if (times === undefined) {
      times = { verb, resource: this.#means.kinds.describe(kind).plural, scope, latenciesMs: [] };
      this.#times.set(key, times);
    }
    times.latenciesMs.push(latencyMs);
  }
}

function isNotFound(error: Error): boolean {
  return is(error, 'NotFound');
}

function is(error: Error, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason;
}

function isPassing(error: Error): boolean {
  if (error instanceof LinkDownError) return true;
  return error instanceof ApiError && (error.code === INTERNAL_ERROR || PASSING.includes(error.reason ?? ''));
}
