/** The Kubernetes client for Node against a served cluster, as a program of a user's has it. */
import { ApiException, CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import test, { type ExecutionContext } from 'ava';
import { serve, type ServedCluster } from './wire-client.js';

async function connected(t: ExecutionContext): Promise<{ served: ServedCluster; config: KubeConfig; core: CoreV1Api }> {
  const served = await serve(t);
  const config = new KubeConfig();
  config.loadFromString(served.kubeconfig);
  return { served, config, core: config.makeApiClient(CoreV1Api) };
}

test('client-node › creates, reads, replaces and deletes; of two that replace the same version the second is refused', async (t) => {
  const { core } = await connected(t);
  const place = { namespace: 'default', name: 'a' };
  const made = await core.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'a' }, data: { x: '1' } },
  });
  t.is(made.data?.['x'], '1');
  const replaced = await core.replaceNamespacedConfigMap({
    ...place,
    body: { metadata: made.metadata ?? {}, data: { x: '2' } },
  });
  t.is(replaced.data?.['x'], '2');
  const stale = core.replaceNamespacedConfigMap({
    ...place,
    body: { metadata: made.metadata ?? {}, data: { x: '3' } },
  });
  t.is((await t.throwsAsync(stale, { instanceOf: ApiException }))?.code, 409);
  const { items } = await core.listNamespacedConfigMap({ namespace: 'default', fieldSelector: 'metadata.name=a' });
  t.deepEqual(
    items.map(({ data }) => data),
    [{ x: '2' }],
  );
  t.is((await core.deleteNamespacedConfigMap(place)).status, 'Success');
  t.is((await t.throwsAsync(core.readNamespacedConfigMap(place), { instanceOf: ApiException }))?.code, 404);
});

test('client-node › an informer hears of what there is and of every change', async (t) => {
  const { config, core, served } = await connected(t);
  served.cluster.create('ConfigMap', { metadata: { name: 'early', namespace: 'kube-public' } });
  const list = (): ReturnType<CoreV1Api['listNamespacedConfigMap']> =>
    core.listNamespacedConfigMap({ namespace: 'kube-public' });
  const informer = makeInformer(config, '/api/v1/namespaces/kube-public/configmaps', list);
  const told: string[] = [];
  const done = Promise.withResolvers<void>();
  const tell = (what: string) => (object: V1ConfigMap) => {
    if (object.metadata?.name === 'kube-root-ca.crt') return;
    told.push(`${what} ${object.metadata?.name} ${JSON.stringify(object.data ?? {})}`);
    if (what === 'delete') done.resolve();
  };
  for (const what of ['add', 'update', 'delete'] as const) informer.on(what, tell(what));
  informer.on('error', done.reject);
  const opened = new Promise<void>((resolve) => informer.on('connect', () => resolve()));
  await informer.start();
  await opened;
  await core.createNamespacedConfigMap({ namespace: 'kube-public', body: { metadata: { name: 'late' } } });
  served.cluster.patch('ConfigMap', { namespace: 'kube-public', name: 'late' }, { data: { x: '1' } });
  await core.deleteNamespacedConfigMap({ namespace: 'kube-public', name: 'late' });
  await done.promise;
  await informer.stop();
  t.deepEqual(told, ['add early {}', 'add late {}', 'update late {"x":"1"}', 'delete late {"x":"1"}']);
});
