/** Export, import and export again are one and the same at the size that people ask for: 5,000 nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { createCluster, readCluster, saveCluster, type Cluster, type ClusterExport } from '../../src/index.js';

const NODES = 5000;
const DEPLOYMENTS = 50;
const REPLICAS = 600;

function deployment(index: number): string {
  const name = `web-${index}`;
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${REPLICAS}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: web, image: nginx, resources: { requests: { cpu: 100m } } }] }
`;
}

async function warmCluster(): Promise<Cluster> {
  const cluster = createCluster({ nodes: NODES, seed: 3, clientLimits: 'unlimited' });
  await cluster.ready();
  cluster.apply(Array.from({ length: DEPLOYMENTS }, (_, index) => deployment(index)).join('---'));
  await cluster.run({ limit: '5m' });
  return cluster;
}

type Item = ClusterExport['items'][number];

/** Items by kind and name, but for the digest of how the cluster came about. */
function itemsOf({ items }: ClusterExport): ReadonlyMap<string, Item> {
  return new Map(
    items.map((item) => {
      if ('traceHash' in item) return ['SavedState', { ...item, traceHash: '' }];
      const { kind, metadata } = item as Fields;
      return [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, item];
    }),
  );
}

interface Fields {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

/** Names of those that are not the same once they are written down. */
const differing = (left: ReadonlyMap<string, Item>, right: ReadonlyMap<string, Item>): readonly string[] =>
  [...new Set([...left.keys(), ...right.keys()])].filter(
    (key) => !isDeepStrictEqual(written(left.get(key)), written(right.get(key))),
  );

const written = (item: Item | undefined): unknown => JSON.parse(JSON.stringify(item ?? null));

test('export → file → import → export is the identity at 5,000 nodes with 30,000 pods', async (t) => {
  const cluster = await warmCluster();
  const exported = cluster.export();
  const items = itemsOf(exported);
  t.is([...items.keys()].filter((key) => key.startsWith('Pod ')).length, DEPLOYMENTS * REPLICAS);
  t.is([...items.keys()].filter((key) => key.startsWith('Node ')).length, NODES);
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-export-'));
  const file = path.join(folder, 'cluster.json');
  saveCluster(exported, file);
  await cluster.dispose();
  const again = createCluster({ from: readCluster(file), seed: 3 });
  t.deepEqual(differing(itemsOf(again.export()), items), []);
  await again.dispose();
  rmSync(folder, { recursive: true });
});
