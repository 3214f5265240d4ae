/**
 * Takes the pods off a node as kubectl drain does: cordon, then evict pod by pod, ask again every five
 * seconds where a budget says no, and wait until each pod is gone. It is a client like any other: it sees the
 * cluster over a link of its own and decides nothing for it. Mirrors kubectl v1.34 pkg/drain.
 */
import { Observable, type Subscriber } from 'rxjs';
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import type { ObjectName, Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { LinkDownError, type Client } from '../../bus/bus-types.js';
import type { Clock } from '../../kernel/engine/clock.js';
import { selectPods } from './drain-filters.js';
import type { ResolvedDrainOptions } from './drain-options.js';

const RETRY_MS = 5000;
const POLL_MS = 1000;

/** One thing that a drain did or met, with kubectl's words for it. */
export interface DrainEvent {
  /** Simulated time, ms. */
  readonly atMs: number;
  readonly type: 'cordoned' | 'warning' | 'evicting' | 'refused' | 'evicted' | 'drained';
  /** `namespace/name` of the pod that it is about. */
  readonly pod?: string;
  /** As kubectl prints it. */
  readonly text: string;
}

/** A drain that could not be finished; the message is kubectl's. */
export class DrainError extends Error {
  override readonly name = 'DrainError';
}

/** What a drain works with. */
export interface DrainMeans {
  readonly client: Client;
  readonly clock: Clock;
}

/** See the file header. Begins when subscribed; unsubscribing stops it where it is. Fails with {@link DrainError}. */
export function drainNode(means: DrainMeans, node: string, options: ResolvedDrainOptions): Observable<DrainEvent> {
  return new Observable((subscriber) => {
    new Drain(means, node, options, subscriber).run().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
  });
}

class Drain {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #node: string;
  readonly #options: ResolvedDrainOptions;
  readonly #subscriber: Subscriber<DrainEvent>;
  readonly #deadlineMs: number;

  constructor(
    { client, clock }: DrainMeans,
    node: string,
    options: ResolvedDrainOptions,
    subscriber: Subscriber<DrainEvent>,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#node = node;
    this.#options = options;
    this.#subscriber = subscriber;
    this.#deadlineMs = options.timeoutMs === 0 ? Number.POSITIVE_INFINITY : clock.now() + options.timeoutMs;
  }

  async run(): Promise<void> {
    await this.#cordon();
    const pods = await this.#pods();
    await Promise.all(pods.map((pod) => this.#remove(pod)));
    this.#tell('drained', `node/${this.#node} drained`);
  }

  async #cordon(): Promise<void> {
    let isNews = false;
    await this.#client.promised.change('Node', { name: this.#node }, (node) => {
      if (node.spec.unschedulable === true) return node;
      isNews = true;
      return { ...node, spec: { ...node.spec, unschedulable: true } };
    });
    this.#tell('cordoned', `node/${this.#node} ${isNews ? 'cordoned' : 'already cordoned'}`);
  }

  async #pods(): Promise<readonly Pod[]> {
    const { podSelector } = this.#options;
    const { items } = await this.#client.promised.list('Pod', {
      fieldSelector: `spec.nodeName=${this.#node}`,
      ...(podSelector === '' ? {} : { labelSelector: podSelector }),
    });
    const missing = new Map<string, string>();
    for (const pod of items) {
      const text = await this.#missingSet(pod);
      if (text !== undefined) missing.set(pod.metadata.uid, text);
    }
    const { pods, warnings, errors } = selectPods(items, this.#options, ({ metadata }) => missing.get(metadata.uid));
    if (errors.length > 0) throw this.#failure(errors);
    if (warnings.length > 0) this.#tell('warning', `Warning: ${warnings.join('; ')}`);
    return pods;
  }

  /** What the API answers about the daemon set of a pod that has one, when it is not there. */
  async #missingSet({ metadata }: Pod): Promise<string | undefined> {
    const owner = controllerOf({ metadata });
    if (owner?.kind !== 'DaemonSet') return undefined;
    try {
      await this.#client.promised.get('DaemonSet', { namespace: metadata.namespace, name: owner.name });
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return error.message;
      throw error;
    }
  }

  /** Asks until the pod may go, then waits until it has gone. */
  async #remove(pod: Pod): Promise<void> {
    const { namespace = '', name } = pod.metadata;
    const key = `${namespace}/${name}`;
    const verb = this.#options.disableEviction ? 'deleting' : 'evicting';
    do {
      this.#tell('evicting', `${verb} pod ${key}`, key);
    } while (!this.#subscriber.closed && !(await this.#ask(pod, key)));
    await this.#untilGone(pod);
    this.#tell('evicted', `pod/${name} ${this.#options.disableEviction ? 'deleted' : 'evicted'}`, key);
  }

  /** Whether the request was granted, or came too late. */
  async #ask(pod: Pod, key: string): Promise<boolean> {
    const { namespace = '', name, uid } = pod.metadata;
    try {
      await this.#request({ namespace, name }, uid);
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      if (isOfEndingNamespace(error)) {
        // The namespace deletes its pods by itself; one that is marked already is only waited for.
        if (pod.metadata.deletionTimestamp !== undefined) return true;
        const where = `pod "${name}" from terminating namespace "${namespace}"`;
        return this.#askLater(`error when evicting ${where} (will retry after 5s): ${error.message}`, key);
      }
      if (!isApiError(error, 'TooManyRequests') && !(error instanceof LinkDownError)) {
        if (error instanceof ApiError)
          throw this.#failure([`error when evicting pods/"${name}" -n "${namespace}": ${error.message}`]);
        throw error;
      }
      const where = `pods/"${name}" -n "${namespace}"`;
      return this.#askLater(`error when evicting ${where} (will retry after 5s): ${error.message}`, key);
    }
  }

  async #askLater(text: string, key: string): Promise<false> {
    this.#tell('refused', text, key);
    await this.#sleep(RETRY_MS);
    return false;
  }

  async #request(pod: ObjectName, uid: string): Promise<void> {
    const { gracePeriodSeconds, disableEviction } = this.#options;
    const deleteOptions = gracePeriodSeconds < 0 ? {} : { gracePeriodSeconds };
    if (!disableEviction) return this.#client.promised.evict({ metadata: pod, deleteOptions });
    await this.#client.promised.delete('Pod', pod, { ...deleteOptions, preconditions: { uid } });
  }

  async #untilGone({ metadata: { namespace, name, uid } }: Pod): Promise<void> {
    while (!this.#subscriber.closed) {
      try {
        const found = await this.#client.promised.get('Pod', { namespace, name });
        if (found.metadata.uid !== uid) return;
      } catch (error) {
        if (isApiError(error, 'NotFound')) return;
        if (!(error instanceof LinkDownError)) throw error;
      }
      await this.#sleep(POLL_MS);
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#clock.now() + ms > this.#deadlineMs) {
      throw this.#failure([`drain did not complete within ${Math.round(this.#options.timeoutMs / 1000)}s`]);
    }
    await new Promise<void>((resolve) => {
      this.#clock.schedule(ms, () => {
        this.#clock.settle();
        resolve();
      });
    });
  }

  #failure(errors: readonly string[]): DrainError {
    const text = errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`;
    return new DrainError(`unable to drain node "${this.#node}" due to error: ${text}`);
  }

  #tell(type: DrainEvent['type'], text: string, pod?: string): void {
    this.#subscriber.next({ atMs: this.#clock.now(), type, text, ...(pod === undefined ? {} : { pod }) });
  }
}

/** Whether a namespace on its way out refused: it takes no evictions. */
function isOfEndingNamespace(error: unknown): error is ApiError {
  return (
    isApiError(error, 'Forbidden') &&
    error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  );
}
