/** What a token says of its bearer, beside its name. */
import test from 'ava';
import { createCluster } from '../../../src/index.js';

interface Review {
  readonly status: { readonly user?: { readonly extra?: Readonly<Record<string, readonly string[]>> } };
}

test('a token that is bound to a pod tells of the pod and of its node, until the pod is gone', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app' }] } });
  const post = (path: string, body: object): unknown => cluster.request({ method: 'POST', path, body }).body;
  const issue = (): string => {
    const { uid } = cluster.get('Pod', 'p').metadata;
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid };
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    return (post(path, { spec: { boundObjectRef } }) as { readonly status: { readonly token: string } }).status.token;
  };
  const extraOf = (token: string): Readonly<Record<string, readonly string[]>> | undefined => {
    const review = post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } }) as Review;
    return review.status.user?.extra;
  };
  const early = issue();
  t.false('authentication.kubernetes.io/node-name' in (extraOf(early) ?? {}));
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  const token = issue();
  t.like(extraOf(token), {
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/node-name': ['node-0'],
    'authentication.kubernetes.io/node-uid': [cluster.get('Node', 'node-0').metadata.uid],
  });
  cluster.delete('Pod', 'p');
  await cluster.run({ limit: '1m' });
  t.is(extraOf(token), undefined);
});
