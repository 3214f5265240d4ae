/** An operator as users write them with the Kubernetes client for Node, against a served cluster. */
import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import test from 'ava';
import { serve } from './wire-client.js';

const NAMESPACE = 'default';
const LABEL = 'example.com/site';

test('client-node › an operator keeps a Deployment for each of its objects', async (t) => {
  const served = await serve(t, { nodes: 2 });
  await served.cluster.ready();
  const config = new KubeConfig();
  config.loadFromString(served.kubeconfig);
  const [core, apps] = [config.makeApiClient(CoreV1Api), config.makeApiClient(AppsV1Api)];
  const failures: unknown[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  const reconcile = async ({ metadata, data }: V1ConfigMap): Promise<void> => {
    const name = metadata?.name ?? '';
    const labels = { site: name };
    const container = { name: 'web', image: `site:${data?.['version'] ?? '0'}` };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata?.uid ?? '' };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: NAMESPACE, ownerReferences: [owner] },
      spec: {
        replicas: Number(data?.['replicas'] ?? '1'),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    };
    await apps.patchNamespacedDeployment(
      { name, namespace: NAMESPACE, body, fieldManager: 'site-operator', force: true },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    );
  };
  const list = (): ReturnType<CoreV1Api['listNamespacedConfigMap']> =>
    core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: LABEL });
  const informer = makeInformer(config, `/api/v1/namespaces/${NAMESPACE}/configmaps`, list, LABEL);
  const later = (map: V1ConfigMap): void => {
    pending = pending.then(() => reconcile(map)).catch((error: unknown) => failures.push(error));
  };
  informer.on('add', later);
  informer.on('update', later);
  informer.on('error', (error: unknown) => failures.push(error));
  const opened = new Promise<void>((resolve) => informer.on('connect', () => resolve()));
  await informer.start();
  t.teardown(() => informer.stop());
  await opened;
  await core.createNamespacedConfigMap({
    namespace: NAMESPACE,
    body: { metadata: { name: 'blog', labels: { [LABEL]: 'yes' } }, data: { replicas: '2', version: '1' } },
  });
  const { cluster } = served;
  // The run waits for requests while the operator is at work.
  await cluster.run({ until: () => cluster.readyPods === 2 });
  await core.patchNamespacedConfigMap(
    { name: 'blog', namespace: NAMESPACE, body: { data: { replicas: '3', version: '2' } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  const isRolled = (): boolean =>
    cluster.readyPods === 3 && cluster.list('Pod').every(({ spec }) => spec.containers[0]?.image === 'site:2');
  await cluster.run({ until: isRolled });
  await pending;
  t.deepEqual(failures, []);
  const { managedFields = [] } = cluster.get('Deployment', 'blog').metadata;
  t.true(managedFields.some((entry) => (entry as { readonly manager?: string }).manager === 'site-operator'));
  await core.deleteNamespacedConfigMap({ name: 'blog', namespace: NAMESPACE });
  await cluster.run({ until: () => cluster.list('Pod').length === 0, limit: '10m' });
  t.is(cluster.list('Deployment').length, 0);
});
