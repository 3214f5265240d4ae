/** Objects whose kinds definitions bring are taken over, written down and forked as all others are. */
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { createCluster, readCluster, takeoverText, type Cluster, type Kind } from '../../src/index.js';
import { inputFile } from '../cli/command.js';

const WIDGET = 'Widget.shop.example.com' as Kind;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
    - name: v1beta1
      served: true
      storage: false
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer, default: 3 } } }
            status: { type: object, properties: { made: { type: integer } } }
`;

const widget = (name: string, version: string, more: string): string => `
apiVersion: shop.example.com/${version}
kind: Widget
metadata: { name: ${name}, namespace: team, uid: ${name}-uid, generation: 4, creationTimestamp: "2026-01-01T00:00:00Z" }
${more}
`;

/** A widget that owns, by its uid and by its name alone, and one of a kind that nothing defines. */
const DUMP = [
  widget('a', 'v1', 'spec: { size: 7 }\nstatus: { made: 2 }'),
  widget('b', 'v1beta1', 'spec: { colour: red }'),
  `
apiVersion: v1
kind: ConfigMap
metadata: { name: owned, namespace: team, ownerReferences: [{ apiVersion: shop.example.com/v1, kind: Widget, name: a, uid: a-uid }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: re-linked, namespace: team, ownerReferences: [{ apiVersion: shop.example.com/v1, kind: Widget, name: a, uid: other }] }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: p, namespace: team }
`,
  DEFINITION,
].join('---');

/** The widgets that an export has, by name. */
function widgetsOf(cluster: Cluster): ReadonlyMap<string, unknown> {
  const { items } = cluster.export();
  const all = items as readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
  return new Map(all.flatMap((item) => (item.kind === 'Widget' ? [[item.metadata.name, item]] : [])));
}

test('custom objects keep their identity, status and dependents, whatever version they are written in', async (t) => {
  const picture = readCluster(inputFile('widgets.yaml', DUMP));
  t.regex(takeoverText(picture), /left out: 1 Prometheus \(monitoring\.coreos\.com\/v1\), not simulated$/);
  const cluster = createCluster({ from: picture });
  await cluster.run({ limit: '5m' });
  const [a, b] = [cluster.get(WIDGET, 'team/a'), cluster.get(WIDGET, 'team/b')] as unknown as readonly Record<
    string,
    object
  >[];
  t.like(a, { apiVersion: 'shop.example.com/v1', spec: { size: 7 }, status: { made: 2 } });
  t.like(a?.['metadata'], { uid: 'a-uid', generation: 4, creationTimestamp: '2026-01-01T00:00:00Z' });
  t.like(b, { apiVersion: 'shop.example.com/v1', spec: { size: 3 } });
  for (const name of ['owned', 're-linked']) {
    t.is(cluster.get('ConfigMap', `team/${name}`).metadata.ownerReferences?.[0]?.uid, 'a-uid', name);
  }
  cluster.delete(WIDGET, 'team/a');
  await cluster.run({ limit: '5m' });
  t.throws(() => cluster.get('ConfigMap', 'team/owned'), { message: /not found/ });
  await cluster.dispose();
});

test('custom objects are in an export, in what is made of it and in a fork', async (t) => {
  const first = createCluster({ from: DUMP });
  const written = widgetsOf(first);
  t.deepEqual([...written.keys()], ['a', 'b']);
  const second = createCluster({ from: first.export() });
  const fork = first.fork({ seed: 2 });
  for (const cluster of [second, fork]) t.true(isDeepStrictEqual(widgetsOf(cluster), written));
  for (const cluster of [first, second, fork]) await cluster.dispose();
});
