/**
 * A small operator to copy from. A config map with the label `example.com/fleet` describes a fleet: each
 * of its entries is a Deployment of that many pods.
 *
 *     apiVersion: v1
 *     kind: ConfigMap
 *     metadata: { name: shop, labels: { example.com/fleet: nginx } }
 *     data: { web: '3', worker: '1' }
 *
 * becomes the Deployments `shop-web` with three pods and `shop-worker` with one. An entry that goes takes
 * its Deployment with it, and so does the config map. How many pods are ready is told in the annotation
 * `example.com/ready`.
 *
 * Like every controller it is told names only, looks at what there is, and does what is missing: it may
 * be ended between any two of its requests and started again.
 */
import {
  ApiError,
  defineController,
  keyOf,
  type ConfigMap,
  type ControllerContext,
  type Deployment,
  type Draft,
  type Informer,
} from 'kubeloom';

const FLEET = 'example.com/fleet';
const READY = 'example.com/ready';

/** What the operator sees of the cluster; it is as fresh as its link lets it be. */
interface Caches {
  readonly fleets: Informer<'ConfigMap'>;
  /** With the index `fleet`: Deployments by the uid of their config map. */
  readonly deployments: Informer<'Deployment'>;
}

export const fleetOperator = defineController({
  name: 'fleet-operator',
  setup(context: ControllerContext): Caches {
    const { queue } = context;
    const wakeOwner = ({ metadata }: Deployment): void => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'ConfigMap');
      if (owner !== undefined) queue.add(`${metadata.namespace}/${owner.name}`);
    };
    return {
      fleets: context.watch('ConfigMap', {
        onAdd: (fleet) => queue.add(keyOf(fleet)),
        onUpdate: (_before, fleet) => queue.add(keyOf(fleet)),
        onDelete: (fleet) => queue.drop(keyOf(fleet)),
      }),
      deployments: context.watch(
        'Deployment',
        { onAdd: wakeOwner, onUpdate: (_before, deployment) => wakeOwner(deployment), onDelete: wakeOwner },
        { fleet: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid) },
      ),
    };
  },
  async reconcile(context, key, caches) {
    const fleet = caches.fleets.getByKey(key);
    const image = fleet?.metadata.labels?.[FLEET];
    if (fleet === undefined || image === undefined) return;
    const surplus = membersOf(caches, fleet);
    for (const [entry, text] of Object.entries(fleet.data ?? {})) {
      const name = `${fleet.metadata.name}-${entry}`;
      await putInOrder(context, fleet, surplus.get(name), { name, image, text });
      surplus.delete(name);
    }
    for (const { metadata } of surplus.values()) {
      const options = { preconditions: { uid: metadata.uid } };
      await ignoring('NotFound', context.api.delete('Deployment', metadata, options));
    }
    await tellReadiness(context, fleet, membersOf(caches, fleet));
  },
});

/** One entry of a fleet as it should be. */
interface Wanted {
  readonly name: string;
  readonly image: string;
  /** The number of pods as it is written. */
  readonly text: string;
}

function membersOf({ deployments }: Caches, fleet: ConfigMap): Map<string, Deployment> {
  return new Map([...deployments.byIndex('fleet', fleet.metadata.uid)].map((each) => [each.metadata.name, each]));
}

async function putInOrder(
  { api, recorder }: ControllerContext,
  fleet: ConfigMap,
  present: Deployment | undefined,
  { name, image, text }: Wanted,
): Promise<void> {
  const replicas = Number(text);
  if (!/^\d+$/.test(text)) {
    recorder.record(fleet, 'Warning', 'BadEntry', `${name} must be a number of pods, got ${text}`);
  } else if (present === undefined) {
    await ignoring('AlreadyExists', api.create('Deployment', draftOf(fleet, name, image, replicas)));
  } else if (present.spec.replicas !== replicas) {
    await api.patch('Deployment', present.metadata, { type: 'merge', body: { spec: { replicas } } });
  }
}

function draftOf({ metadata: owner }: ConfigMap, name: string, image: string, replicas: number): Draft {
  const labels = { 'example.com/member': name };
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.name, uid: owner.uid, controller: true };
  return {
    metadata: {
      name,
      ...(owner.namespace === undefined ? {} : { namespace: owner.namespace }),
      labels,
      ownerReferences: [reference],
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

async function tellReadiness(
  { api }: ControllerContext,
  { metadata }: ConfigMap,
  members: ReadonlyMap<string, Deployment>,
): Promise<void> {
  const texts = [...members.values()].map(
    ({ metadata: { name }, spec, status }) => `${name} ${status.readyReplicas ?? 0}/${spec.replicas ?? 1}`,
  );
  const readiness = texts.sort().join(', ');
  if (metadata.annotations?.[READY] === readiness) return;
  await api.patch('ConfigMap', metadata, {
    type: 'merge',
    body: { metadata: { annotations: { [READY]: readiness } } },
  });
}

/** Somebody was faster: the next look at the fleet will show what there is. */
async function ignoring(reason: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === reason)) throw error;
  }
}
