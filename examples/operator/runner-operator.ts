/**
 * An operator with a bug to learn from, and the same one without it. A config map with the label
 * `example.com/runner` asks for one pod: never none for long, and never two. Whether it is there
 * is told in the annotation `example.com/state`.
 *
 *     apiVersion: v1
 *     kind: ConfigMap
 *     metadata: { name: ledger, labels: { example.com/runner: postgres } }
 *
 * Both look into their cache for the pod, and make one if there is none. A cache may be old: the pod that was made a
 * moment ago may not be in it yet. The careless one lets the API server find a new name for each pod, and so makes
 * two. The careful one gives the pod the name of its config map: a second one is refused, whatever the cache shows.
 * The search in `runner-operator.test.ts` finds the bug of the one, and none in the other.
 */
import {
  ApiError,
  defineController,
  keyOf,
  type ConfigMap,
  type ControllerContext,
  type ControllerDefinition,
  type Draft,
  type Informer,
  type Pod,
} from 'kubeloom';

/** Label of a config map that asks for a pod, and of that pod; on the pod it names the config map. */
export const RUNNER = 'example.com/runner';

const STATE = 'example.com/state';

/** What names the pod of a config map. */
type Naming = (owner: ConfigMap) => NonNullable<Draft['metadata']>;

/** What the operator sees of the cluster; it is as fresh as its link lets it be. */
interface Caches {
  readonly owners: Informer<'ConfigMap'>;
  /** With the index `runner`: pods by their config map. */
  readonly pods: Informer<'Pod'>;
}

/** Makes two pods where its cache does not show the first one yet. */
export const carelessOperator = runnerOperator('careless-runner', ({ metadata }) => ({
  generateName: `${metadata.name}-`,
}));

/** Makes one pod. */
export const carefulOperator = runnerOperator('careful-runner', ({ metadata }) => ({ name: metadata.name }));

function runnerOperator(name: string, naming: Naming): ControllerDefinition<Caches> {
  return defineController({
    name,
    setup(context: ControllerContext): Caches {
      const { queue } = context;
      const wakeOwner = (pod: Pod): void => {
        for (const owner of ownerKeys(pod)) queue.add(owner);
      };
      return {
        owners: context.watch('ConfigMap', {
          onAdd: (owner) => queue.add(keyOf(owner)),
          onUpdate: (_before, owner) => queue.add(keyOf(owner)),
        }),
        pods: context.watch(
          'Pod',
          { onAdd: wakeOwner, onUpdate: (_before, pod) => wakeOwner(pod), onDelete: wakeOwner },
          { runner: ownerKeys },
        ),
      };
    },
    async reconcile({ api }, key, { owners, pods }) {
      const owner = owners.getByKey(key);
      const image = owner?.metadata.labels?.[RUNNER];
      if (owner === undefined || image === undefined) return;
      const [present] = pods.byIndex('runner', key);
      if (present === undefined)
        await ignoring('AlreadyExists', api.create('Pod', draftOf(owner, image, naming(owner))));
      else if (hasEnded(present)) await ignoring('NotFound', api.delete('Pod', present.metadata));
      const state = present === undefined ? 'making' : 'made';
      if (owner.metadata.annotations?.[STATE] === state) return;
      const body = { metadata: { annotations: { [STATE]: state } } };
      await api.patch('ConfigMap', owner.metadata, { type: 'merge', body });
    },
  });
}

function ownerKeys({ metadata: { namespace, labels } }: Pod): readonly string[] {
  const owner = labels?.[RUNNER];
  return owner === undefined ? [] : [`${namespace}/${owner}`];
}

function draftOf({ metadata: owner }: ConfigMap, image: string, name: NonNullable<Draft['metadata']>): Draft {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.name, uid: owner.uid, controller: true };
  return {
    metadata: {
      ...name,
      ...(owner.namespace === undefined ? {} : { namespace: owner.namespace }),
      labels: { [RUNNER]: owner.name },
      ownerReferences: [reference],
    },
    spec: { containers: [{ name: 'main', image }] },
  };
}

function hasEnded({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Somebody was faster: the cache will show what there is. */
async function ignoring(reason: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === reason)) throw error;
  }
}
