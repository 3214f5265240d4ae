import { keyOf, nameKey, parseKey, type Pod } from '../../api/objects/objects.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';
import type { Selector } from '../../api/selectors/labels.js';
import type { Informer, PromisedClient } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { ScaleHistory } from './scale-history.js';

/** Memory of one run of the controller: its caches, and what it has recommended to each autoscaler. */
export class AutoscalerMemory {
  readonly autoscalers: Informer<'HorizontalPodAutoscaler'>;
  /** Its clients beside the one for autoscalers and events: each has a limit of its own, as upstream's. */
  readonly scales: PromisedClient;
  readonly usage: PromisedClient;
  readonly customMetrics: PromisedClient;
  readonly externalMetrics: PromisedClient;
  readonly #pods: Informer<'Pod'>;
  readonly #histories = new Map<string, ScaleHistory>();
  /** Of the targets, by namespace and key of the autoscaler; absent until the first sync. */
  readonly #selectors = new Map<string, Map<string, Selector | undefined>>();

  constructor(context: ControllerContext) {
    const { queue, settings } = context;
    const enqueue = (object: PlainObject): void => {
      const key = keyOf(object);
      queue.addAfter(key, settings.horizontalPodAutoscalerSyncPeriod);
      const selectors = this.#selectorsOf(object.metadata.namespace);
      if (!selectors.has(key)) selectors.set(key, undefined);
    };
    this.autoscalers = context.watch('HorizontalPodAutoscaler', {
      onAdd: enqueue,
      onUpdate: (_previous, object) => enqueue(object),
      onDelete: (object) => this.#selectorsOf(object.metadata.namespace).delete(keyOf(object)),
    });
    this.#pods = context.informer('Pod');
    this.scales = context.openClient();
    this.usage = context.openClient();
    this.customMetrics = context.openClient();
    this.externalMetrics = context.openClient();
  }

  history(key: string): ScaleHistory {
    let history = this.#histories.get(key);
    if (history === undefined) this.#histories.set(key, (history = new ScaleHistory()));
    return history;
  }

  /** Drops what is kept of an autoscaler that is gone. */
  forget(key: string): void {
    this.#histories.delete(key);
  }

  /** The pods of a namespace that a selector takes. */
  pods(namespace: string, selector: Selector): Pod[] {
    const pods: Pod[] = [];
    for (const pod of this.#pods.list(namespace)) if (selector.matches(pod.metadata.labels)) pods.push(pod);
    return pods;
  }

  /** Notes what an autoscaler selects. */
  select(key: string, selector: Selector): void {
    const selectors = this.#selectorsOf(parseKey(key).namespace);
    if (selectors.has(key)) selectors.set(key, selector);
  }

  /** The autoscalers that select one of these pods, by `namespace/name`. */
  selecting(namespace: string, pods: readonly Pod[]): readonly string[] {
    const selectors = [...this.#selectorsOf(namespace)];
    return selectors
      .filter(
        ([, selector]) => selector !== undefined && pods.some(({ metadata }) => selector.matches(metadata.labels)),
      )
      .map(([key]) => nameKey(namespace, parseKey(key).name))
      .sort();
  }

  #selectorsOf(namespace = ''): Map<string, Selector | undefined> {
    let selectors = this.#selectors.get(namespace);
    if (selectors === undefined) this.#selectors.set(namespace, (selectors = new Map<string, Selector | undefined>()));
    return selectors;
  }
}
