/** What the quota controller knows: the quotas, the kinds that they count, and when it counts all of them anew. */
import { definitionOf, isCondition } from '../../api/custom/definition.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import { keyOf, type AnyObject, type Kind, type Service } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { isPodFreed } from '../../api/quota/pod-usage.js';
import { sumOf, type QuotaAmounts } from '../../api/quota/quota-amounts.js';
import { quotaEvaluator } from '../../api/quota/quota-evaluator.js';
import { scopesOf, type ResourceQuota } from '../../api/quota/quota-object.js';
import type { QuotaEvaluator, QuotaTime } from '../../api/quota/quota-rules.js';
import { quotaServiceType } from '../../api/quota/service-usage.js';
import { ZERO_QUANTITY } from '../../api/values/quantity.js';
import type { Informer } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Upstream's `--resource-quota-sync-period`. */
const RESYNC_MS = 300_000;

/** The key under which that waits; no object has one like it. */
export const RESYNC = '*';

/** A kind that quotas may count. */
interface Countable {
  readonly kind: Kind;
  readonly evaluator: QuotaEvaluator;
}

/** See the file header. */
export class QuotaMemory {
  quotas: Informer<'ResourceQuota'> | undefined;
  readonly #context: ControllerContext;
  readonly #startedMs: number;
  readonly #builtIn: readonly Countable[];
  readonly #custom = new Map<string, Countable>();
  readonly #followed = new Map<Kind, Informer<Kind>>();
  /** By namespace; what goes elsewhere costs a lookup. */
  readonly #byNamespace = new Map<string, Map<string, ResourceQuota>>();
  #isResyncDue = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#startedMs = context.kernel.clock.now();
    const kinds = Object.values(kindRegistry) as unknown as readonly ResourceKind[];
    this.#builtIn = kinds.flatMap((each) => (each.isNamespaced ? countable(each.kind, each) : []));
    const begin = (stored: AnyObject): void => this.#noteDefinition(stored);
    context.watch('CustomResourceDefinition', {
      onAdd: begin,
      onUpdate: (_previous, stored) => begin(stored),
      onDelete: ({ metadata }) => void this.#custom.delete(metadata.name),
    });
  }

  note(quota: ResourceQuota): void {
    const { namespace = '' } = quota.metadata;
    const own = this.#byNamespace.get(namespace) ?? new Map<string, ResourceQuota>();
    this.#byNamespace.set(namespace, own.set(keyOf(quota), quota));
    for (const { kind } of this.#countedBy(quota)) this.#follow(kind);
  }

  forget(quota: ResourceQuota): void {
    const { namespace = '' } = quota.metadata;
    const own = this.#byNamespace.get(namespace);
    own?.delete(keyOf(quota));
    if (own?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Admission has charged a quota: whether rightly shows when all are counted anew. */
  noteUse(): void {
    if (this.#isResyncDue) return;
    this.#isResyncDue = true;
    const sinceStartMs = this.#context.kernel.clock.now() - this.#startedMs;
    this.#context.queue.addAfter(RESYNC, RESYNC_MS - (sinceStartMs % RESYNC_MS));
  }

  /** Has all quotas counted anew. */
  resync(): void {
    this.#isResyncDue = false;
    for (const quotas of this.#byNamespace.values()) for (const key of quotas.keys()) this.#context.queue.add(key);
  }

  /** Whether all that a quota counts is known; if it is not, its key comes again once it is. */
  isCountable(quota: ResourceQuota): boolean {
    const missing = this.#countedBy(quota).flatMap(({ kind }) => {
      const informer = this.#follow(kind);
      return informer.hasSynced ? [] : [informer];
    });
    missing[0]?.whenSynced(() => this.#context.queue.add(keyOf(quota)));
    return missing.length === 0;
  }

  /** What is used of each resource that the quota names and something counts. */
  usageOf(quota: ResourceQuota): QuotaAmounts {
    const names = Object.keys(quota.spec?.hard ?? {});
    const scopes = scopesOf(quota);
    const time = this.#time;
    const { namespace } = quota.metadata;
    let total: QuotaAmounts = new Map();
    const counted = new Set<string>();
    for (const { kind, evaluator } of this.#countedBy(quota)) {
      for (const name of names) if (evaluator.counts(name)) counted.add(name);
      for (const object of this.#follow(kind).list(namespace)) {
        if (scopes.every((scope) => evaluator.isInScope(scope, object))) {
          total = sumOf(total, evaluator.usage(object, time));
        }
      }
    }
    return new Map([...counted].map((name) => [name, total.get(name) ?? ZERO_QUANTITY]));
  }

  get #time(): QuotaTime {
    const { clock, timestamps } = this.#context.kernel;
    return { nowMs: clock.now(), toMs: (text) => timestamps.toMs(text) };
  }

  #noteDefinition(stored: AnyObject): void {
    const { spec, status } = definitionOf(stored);
    if (spec.scope !== 'Namespaced' || !isCondition(status, 'Established')) return;
    const { name } = stored.metadata;
    if (this.#custom.has(name)) return;
    const { group, names } = spec;
    for (const each of countable(`${names.kind}.${group}` as Kind, { group, plural: names.plural })) {
      this.#custom.set(name, each);
    }
    for (const quotas of this.#byNamespace.values()) {
      for (const [key, quota] of quotas) if (this.#countedBy(quota).length > 0) this.#context.queue.add(key);
    }
  }

  #countedBy({ spec }: ResourceQuota): readonly Countable[] {
    const names = Object.keys(spec?.hard ?? {});
    const isCounted = ({ evaluator }: Countable): boolean => names.some((name) => evaluator.counts(name));
    return [...this.#builtIn, ...this.#custom.values()].filter(isCounted);
  }

  #follow(kind: Kind): Informer<Kind> {
    let informer = this.#followed.get(kind);
    if (informer === undefined) {
      informer = this.#context.watch(kind, {
        onUpdate: (previous, object) => {
          if (this.#isFreed(kind, previous, object)) this.#replenish(kind, object);
          if (kind === 'Pod' && object.metadata.deletionTimestamp !== undefined && this.#hasQuota(object))
            this.noteUse();
        },
        onDelete: (object) => this.#replenish(kind, object),
      });
      this.#followed.set(kind, informer);
    }
    return informer;
  }

  #hasQuota({ metadata }: AnyObject): boolean {
    return this.#byNamespace.has(metadata.namespace ?? '');
  }

  #isFreed(kind: Kind, previous: AnyObject, object: AnyObject): boolean {
    if (!this.#hasQuota(object)) return false;
    switch (kind) {
      case 'Pod':
        return isPodFreed(previous, object, this.#time);
      case 'Service':
        return quotaServiceType(previous as Service) !== quotaServiceType(object as Service);
      case 'PersistentVolumeClaim':
        return true;
      default:
        return false;
    }
  }

  /** Has the quotas counted that count objects of a kind. */
  #replenish(kind: Kind, { metadata }: AnyObject): void {
    const quotas = this.#byNamespace.get(metadata.namespace ?? '');
    for (const [key, quota] of quotas ?? []) {
      if (this.#countedBy(quota).some((each) => each.kind === kind)) this.#context.queue.add(key);
    }
  }
}

function countable(kind: Kind, names: Pick<ResourceKind, 'group' | 'plural'>): readonly Countable[] {
  const evaluator = quotaEvaluator(names);
  return evaluator === undefined ? [] : [{ kind, evaluator }];
}
