/**
 * Steps that go by the clock: objects that are made, replaced and deleted so many a second, beside the
 * other steps or before them.
 */
import { interval, Subscription, take } from 'rxjs';
import { ApiError, type Cluster, type Kind } from '../../src/index.js';
import type { ObjectTemplate } from '../../src/workload/scheduler-perf/object-template.js';
import type { Churn, DeletePods, UpdateAny } from '../../src/workload/scheduler-perf/operations.js';
import type { PerfObjects } from '../../src/workload/scheduler-perf/perf-objects.js';
import { matchesLabels } from '../required-labels.js';
import { READY_LIMIT, runUntil } from './run-until.js';
import type { ServedObjects } from './served-objects.js';

/** See the file header. */
export class ClockedSteps {
  readonly #cluster: Cluster;
  readonly #served: ServedObjects;
  readonly #objects: PerfObjects;
  /** Whatever goes on beside the steps. */
  readonly #background = new Subscription();

  constructor(cluster: Cluster, served: ServedObjects, objects: PerfObjects) {
    this.#cluster = cluster;
    this.#served = served;
    this.#objects = objects;
  }

  stop(): void {
    this.#background.unsubscribe();
  }

  async updateAny({ template, namespace, count, updatePerSecond }: UpdateAny): Promise<void> {
    const update = (index: number): void =>
      this.#served.update(this.#objects.any(template, namespace, { Index: index, Count: count }));
    if (updatePerSecond > 0) return this.#paced(count, updatePerSecond, update);
    for (let index = 0; index < count; index += 1) update(index);
    return undefined;
  }

  async deletePods(operation: DeletePods): Promise<void> {
    const { namespace, labelSelector, deletePodsPerSecond, skipWaitToCompletion } = operation;
    const pods = this.#cluster.list('Pod', { namespace }).filter((pod) => matchesLabels(pod, labelSelector));
    const remove = (index: number): void => this.#remove('Pod', pods[index]?.metadata.name ?? '', namespace);
    if (deletePodsPerSecond > 0) return this.#paced(pods.length, deletePodsPerSecond, remove, skipWaitToCompletion);
    for (const index of pods.keys()) remove(index);
    return undefined;
  }

  churn({ mode, number, intervalMilliseconds, namespace, templates }: Churn): void {
    this.#served.needNamespace(namespace);
    const made: (string | undefined)[][] = templates.map(() => []);
    const ticks = interval(intervalMilliseconds, this.#cluster.scheduler);
    const rounds = mode === 'create' && number > 0 ? ticks.pipe(take(number)) : ticks;
    this.#background.add(
      rounds.subscribe((round) => {
        for (const [index, template] of templates.entries()) {
          const slots = made[index] ?? [];
          const place = mode === 'recreate' ? round % number : 0;
          const present = mode === 'recreate' ? slots[place] : undefined;
          if (present !== undefined) this.#remove(template.kind, present, namespace);
          slots[place] = present === undefined ? this.#make(template, namespace) : undefined;
        }
      }),
    );
  }

  /** So many a second; in the background, or until all is done. */
  async #paced(count: number, perSecond: number, act: (index: number) => void, isInBackground = false): Promise<void> {
    let done = 0;
    const ticks = interval(1000 / perSecond, this.#cluster.scheduler).pipe(take(count));
    this.#background.add(
      ticks.subscribe((index) => {
        act(index);
        done += 1;
      }),
    );
    if (isInBackground) return;
    await runUntil(this.#cluster, () => done >= count, READY_LIMIT, 'a step that goes by the clock has not ended');
  }

  /** The name of the new object. */
  #make(template: ObjectTemplate, namespace: string): string {
    return this.#served.create(this.#objects.any(template, namespace, { Index: 0, Count: 1 })).metadata.name;
  }

  /** What is gone already is gone: victims of a preemption, for one. */
  #remove(kind: Kind, name: string, namespace: string): void {
    try {
      this.#cluster.delete(kind, { name, namespace });
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error;
    }
  }
}
