import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Draft } from '../../../src/index.js';

const MARK = 'ingressclass.kubernetes.io/is-default-class';

function ingressClass(name: string, isDefault: boolean): Draft {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name, annotations: { [MARK]: String(isDefault) } },
    spec: { controller: 'example.com/ingress' },
  };
}

function ingress(name: string, spec: object = {}, annotations: Readonly<Record<string, string>> = {}): Draft {
  const defaultBackend = { service: { name: 'web', port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: { defaultBackend, ...spec },
  };
}

function create(t: ExecutionContext): Cluster {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  return cluster;
}

function classOf(cluster: Cluster, name: string): unknown {
  const { spec } = cluster.get('Ingress', { namespace: 'default', name }) as {
    readonly spec?: { readonly ingressClassName?: string };
  };
  return spec?.ingressClassName;
}

test('DefaultIngressClass › an ingress that names no class gets the default one, of several the newest', async (t) => {
  const cluster = create(t);
  cluster.apply([ingressClass('plain', false), ingress('early')]);
  t.is(classOf(cluster, 'early'), undefined);
  cluster.apply([ingressClass('b', true), ingressClass('a', true), ingress('equal')]);
  t.is(classOf(cluster, 'equal'), 'a');
  await cluster.run({ limit: '5s' });
  cluster.apply([ingressClass('newest', true), ingress('late')]);
  t.is(classOf(cluster, 'late'), 'newest');
  cluster.apply([
    ingress('named', { ingressClassName: 'plain' }),
    ingress('annotated', {}, { 'kubernetes.io/ingress.class': 'old' }),
  ]);
  t.is(classOf(cluster, 'named'), 'plain');
  t.is(classOf(cluster, 'annotated'), undefined);
});
