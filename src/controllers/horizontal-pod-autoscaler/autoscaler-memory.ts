import { keyOf, nameKey, parseKey, type Pod } from '../../api/objects/objects.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';
import type { Selector } from '../../api/selectors/labels.js';
import { SelectorIndex } from '../../api/selectors/selector-index.js';
import type { Informer, PromisedClient } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { ScaleHistory } from './scale-history.js';
import { SelectedPods } from './selected-pods.js';

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
  /** Pods of the targets, by key of the autoscaler; absent until the first sync. */
  readonly #selected = new Map<string, SelectedPods>();
  readonly #keyOf = new WeakMap<SelectedPods, string>();
  /** By namespace. */
  readonly #selecting = new Map<string, SelectorIndex<SelectedPods>>();
  readonly #toMs: (timestamp: string) => number;

  constructor(context: ControllerContext) {
    const { queue, settings } = context;
    const enqueue = (object: PlainObject): void => {
      const key = keyOf(object);
      queue.addAfter(key, settings.horizontalPodAutoscalerSyncPeriod);
    };
    this.autoscalers = context.watch('HorizontalPodAutoscaler', {
      onAdd: enqueue,
      onUpdate: (_previous, object) => enqueue(object),
      onDelete: (object) => {
        const key = keyOf(object);
        const selected = this.#selected.get(key);
        if (selected !== undefined) this.#deselect(key, selected);
      },
    });
    this.#pods = context.watch('Pod', {
      onAdd: (pod) => this.#note(pod, undefined, false),
      onUpdate: (previous, pod) => this.#note(pod, previous, false),
      onDelete: (pod) => this.#note(pod, undefined, true),
    });
    this.#toMs = (timestamp) => context.kernel.timestamps.toMs(timestamp);
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

  /** Notes what an autoscaler selects. @returns the pods that the selector takes, as they are at any time */
  select(key: string, selector: Selector): SelectedPods {
    const known = this.#selected.get(key);
    if (known?.selector.text === selector.text) return known;
    if (known !== undefined) this.#deselect(key, known);
    const selected = new SelectedPods(selector, this.#toMs);
    const { namespace = '' } = parseKey(key);
    for (const pod of this.#pods.list(namespace)) {
      if (!selector.matches(pod.metadata.labels)) continue;
      selected.put(pod);
      for (const other of this.#selecting.get(namespace)?.matching(pod.metadata.labels) ?? []) other.mayBeShared = true;
    }
    // An autoscaler may be gone before its sync has ended.
    if (this.autoscalers.getByKey(key) === undefined) return selected;
    const index = this.#selecting.get(namespace) ?? new SelectorIndex<SelectedPods>();
    this.#selecting.set(namespace, index);
    index.add(selected);
    this.#selected.set(key, selected);
    this.#keyOf.set(selected, key);
    return selected;
  }

  /** The autoscalers that select one of these pods, by `namespace/name`. */
  selecting(selected: SelectedPods): readonly string[] {
    const own = this.#keyOf.get(selected);
    if (selected.size === 0 || own === undefined) return [];
    const keys = new Set([own]);
    const { namespace = '' } = parseKey(own);
    const index = this.#selecting.get(namespace);
    if (selected.mayBeShared && index !== undefined) {
      for (const { metadata } of selected.list()) {
        for (const each of index.matching(metadata.labels)) keys.add(this.#keyOf.get(each) ?? '');
      }
      selected.mayBeShared = keys.size > 1;
    }
    return [...keys].map((key) => nameKey(namespace, parseKey(key).name)).sort();
  }

  #note(pod: Pod, previous: Pod | undefined, isGone: boolean): void {
    const { namespace = '', labels } = pod.metadata;
    const index = this.#selecting.get(namespace);
    if (index === undefined || index.size === 0) return;
    const present = isGone ? [] : index.matching(labels);
    for (const selected of present) {
      selected.put(pod);
      if (present.length > 1) selected.mayBeShared = true;
    }
    if (!isGone && (previous === undefined || previous.metadata.labels === labels)) return;
    for (const selected of index.matching(previous?.metadata.labels ?? labels)) {
      if (!present.includes(selected)) selected.delete(pod);
    }
  }

  #deselect(key: string, selected: SelectedPods): void {
    this.#selected.delete(key);
    this.#selecting.get(parseKey(key).namespace ?? '')?.delete(selected);
  }
}
