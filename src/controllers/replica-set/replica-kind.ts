import type { KindMap, ReplicaSet, ReplicationController } from '../../api/objects/objects.js';
import type { Indexers, InformerHandler, Lister } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Kinds that keep a number of pods alike. */
export type ReplicaKindName = 'ReplicaSet' | 'ReplicationController';

/** The objects of such a kind in a cache, seen as replica sets. */
export interface ReplicaLister {
  getByKey(key: string): ReplicaSet | undefined;
  byIndex(index: string, value: string): Iterable<ReplicaSet>;
}

type ReplicaHandler = Required<Pick<InformerHandler<'ReplicaSet'>, 'onAdd' | 'onUpdate' | 'onDelete'>>;

/**
 * How the controller reads one kind: everything it does to replica sets it does to replication
 * controllers as well, which differ from them in the form of their selector alone. What it sees keeps
 * metadata, status and kind of the original. Mirrors kube-controller-manager v1.34
 * pkg/controller/replication.
 */
export interface ReplicaKind {
  readonly name: ReplicaKindName;
  informer(context: ControllerContext, indexers: Indexers<ReplicaKindName>): ReplicaLister;
  watch(context: ControllerContext, handler: ReplicaHandler): void;
}

/** Replica sets as they are. */
export const REPLICA_SETS: ReplicaKind = {
  name: 'ReplicaSet',
  informer: (context, indexers) => context.informer('ReplicaSet', indexers),
  watch: (context, handler) => void context.watch('ReplicaSet', handler),
};

/** Replication controllers seen as replica sets. */
export const REPLICATION_CONTROLLERS: ReplicaKind = {
  name: 'ReplicationController',
  informer: (context, indexers) => new ConvertedLister(context.informer('ReplicationController', indexers)),
  watch: (context, { onAdd, onUpdate, onDelete }) =>
    void context.watch('ReplicationController', {
      onAdd: (controller) => onAdd(asReplicaSet(controller)),
      onUpdate: (previous, controller) => onUpdate(asReplicaSet(previous), asReplicaSet(controller)),
      onDelete: (controller) => onDelete(asReplicaSet(controller)),
    }),
};

class ConvertedLister implements ReplicaLister {
  readonly #lister: Lister<'ReplicationController'>;

  constructor(lister: Lister<'ReplicationController'>) {
    this.#lister = lister;
  }

  getByKey(key: string): ReplicaSet | undefined {
    const controller = this.#lister.getByKey(key);
    return controller === undefined ? undefined : asReplicaSet(controller);
  }

  *byIndex(index: string, value: string): Iterable<ReplicaSet> {
    for (const controller of this.#lister.byIndex(index, value)) yield asReplicaSet(controller);
  }
}

type Spec = ReplicationController['spec'];

const views = new WeakMap<ReplicationController, ReplicaSet>();
const specs = new WeakMap<Spec, ReplicaSet['spec']>();
const NO_TEMPLATE: ReplicaSet['spec']['template'] = { spec: { containers: [] } };

/** The same view each time of the same object, and the same spec while the spec stays. */
function asReplicaSet(controller: ReplicationController): ReplicaSet {
  let view = views.get(controller);
  if (view === undefined) {
    view = { ...controller, spec: specOf(controller.spec) };
    views.set(controller, view);
  }
  return view;
}

function specOf(spec: Spec): ReplicaSet['spec'] {
  let view = specs.get(spec);
  if (view === undefined) {
    const { selector = {}, template = NO_TEMPLATE, ...rest } = spec;
    view = { ...rest, selector: { matchLabels: selector }, template };
    specs.set(spec, view);
  }
  return view;
}

/** A change of the status of either kind, as the API takes it. */
export function withReplicaStatus<K extends ReplicaKindName>(
  status: ReplicaSet['status'],
): (current: KindMap[K]) => KindMap[K] {
  return (current) => ({ ...current, status });
}
