import test from 'ava';
import { ask, serve } from '../server/wire-client.js';

interface Shown {
  readonly metadata: {
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string; fieldsV1: object }[];
    readonly labels: Readonly<Record<string, string>>;
  };
}

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const UPDATE = 'kube-apiserver Update';

test('what a cluster begins with belongs to the API server and the controller manager, as recorded', async (t) => {
  const served = await serve(t);
  const owners = async (path: string): Promise<readonly (readonly [string, object])[]> => {
    const { metadata } = (await ask(served, path)).json as Shown;
    return (metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
      `${manager} ${operation}`,
      fieldsV1,
    ]);
  };
  const label = { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } };
  t.deepEqual(await owners('/api/v1/namespaces/default'), [[UPDATE, { 'f:metadata': label }]]);
  t.deepEqual(await owners('/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical'), [
    [UPDATE, { 'f:description': {}, 'f:preemptionPolicy': {}, 'f:value': {} }],
  ]);
  const annotations = { '.': {}, 'f:rbac.authorization.kubernetes.io/autoupdate': {} };
  const bootstrapping = { '.': {}, 'f:kubernetes.io/bootstrapping': {} };
  const metadata = { 'f:annotations': annotations, 'f:labels': bootstrapping };
  t.deepEqual(await owners(`${ROLES}/system:discovery`), [[UPDATE, { 'f:metadata': metadata, 'f:rules': {} }]]);
  const labels = { ...bootstrapping, 'f:rbac.authorization.k8s.io/aggregate-to-admin': {} };
  t.deepEqual(await owners(`${ROLES}/edit`), [
    ['clusterrole-aggregation-controller Apply', { 'f:rules': {} }],
    [
      UPDATE,
      {
        'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} },
        'f:metadata': { 'f:annotations': annotations, 'f:labels': labels },
      },
    ],
  ]);
  const [[manager] = ['']] = await owners('/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt');
  t.is(manager, 'kube-controller-manager Update');

  const body = JSON.stringify({ metadata: { labels: { mine: 'yes' } } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  await ask(served, '/api/v1/namespaces/default?fieldManager=me', { method: 'PATCH', body, headers });
  t.deepEqual(await owners('/api/v1/namespaces/default'), [
    [UPDATE, { 'f:metadata': label }],
    ['me Update', { 'f:metadata': { 'f:labels': { 'f:mine': {} } } }],
  ]);
});
