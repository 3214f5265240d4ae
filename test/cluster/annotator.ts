/** An operator for tests, and a cluster with pods for it. */
import {
  createCluster,
  defineController,
  keyOf,
  type Cluster,
  type ControllerDefinition,
  type Draft,
  type PromisedClient,
} from '../../src/index.js';

export const pods = (count: number): Draft[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}` },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  }));

export const annotation = (name: string, value: string): { type: 'merge'; body: object } => ({
  type: 'merge',
  body: { metadata: { annotations: { [name]: value } } },
});

/** An operator that annotates every pod that it hears of for the first time. */
export function annotator(work: (api: PromisedClient, key: string) => Promise<void>): ControllerDefinition<void> {
  return defineController({
    name: 'annotator',
    setup: (context) => void context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) }),
    reconcile: ({ api }, key) => work(api, key),
  });
}

export async function created(count = 0): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, seed: 11 });
  await cluster.ready();
  cluster.apply(pods(count));
  return cluster;
}
