/** What webhooks and policies see of requests in several versions, of scales, reviews and deletions. */
import test from 'ava';
import { ask, serve, type ServedCluster } from '../../server/wire-client.js';

type Review = Readonly<Record<string, unknown>> & {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly requestKind: Review['kind'];
  readonly object: unknown;
  readonly options: object | null;
};

const MERGE = { 'content-type': 'application/merge-patch+json' };
const AUTOSCALERS = '/apis/autoscaling/VERSION/namespaces/default/horizontalpodautoscalers';

function autoscalers(version: string): string {
  return AUTOSCALERS.replace('VERSION', version);
}

async function send(
  served: ServedCluster,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; json: unknown }> {
  const headers = method === 'PATCH' ? MERGE : { 'content-type': 'application/json' };
  return ask(served, path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

test('a hook sees a built-in kind in the version or group that its rules name, and says so', async (t) => {
  const served = await serve(t, { nodes: 0 });
  const { admission } = served.cluster;
  const seen: unknown[] = [];
  const note = ({ kind, requestKind }: Review, name: string): { allowed: boolean } => {
    seen.push([name, `${kind.group}/${kind.version}`, `${requestKind.group}/${requestKind.version}`]);
    return { allowed: true };
  };
  const older = { operations: ['CREATE'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] };
  admission.validating('equivalent', { rules: [older] }, (review) => note(review as unknown as Review, 'equivalent'));
  admission.validating('exact', { rules: [older], matchPolicy: 'Exact' }, (review) =>
    note(review as unknown as Review, 'exact'),
  );
  const records = { ...older, apiGroups: ['events.k8s.io'], resources: ['events'] };
  admission.mutating('records', { rules: [records] }, (review) => {
    const { note: text } = review.object as { readonly note?: string };
    note(review as unknown as Review, `records ${text}`);
    return { allowed: true, patch: [{ op: 'add', path: '/note', value: 'changed' }] };
  });
  const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } };
  await send(served, 'POST', autoscalers('v2'), { metadata: { name: 'a' }, spec });
  await send(served, 'POST', autoscalers('v1'), { metadata: { name: 'b' }, spec });
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' },
    message: 'm',
  };
  const made = await send(served, 'POST', '/api/v1/namespaces/default/events', event);
  t.is((made.json as { readonly message: string }).message, 'changed');
  t.deepEqual(seen, [
    ['equivalent', 'autoscaling/v1', 'autoscaling/v2'],
    ['equivalent', 'autoscaling/v1', 'autoscaling/v1'],
    ['exact', 'autoscaling/v1', 'autoscaling/v1'],
    ['records m', 'events.k8s.io/v1', '/v1'],
  ]);
});

test('a scale is what hooks see of scaling, and change', async (t) => {
  const served = await serve(t, { nodes: 0 });
  const { cluster } = served;
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
  });
  const seen: unknown[] = [];
  const rules = ['deployments', 'deployments/scale'].map((resource) => ({
    operations: ['UPDATE'],
    apiGroups: ['apps'],
    resources: [resource],
  }));
  cluster.admission.mutating('more', { rules }, ({ kind, subResource, object, oldObject }) => {
    const replicas = [object, oldObject].map((each) => (each as { spec: { replicas?: number } }).spec.replicas);
    seen.push([kind, subResource, replicas]);
    return { allowed: true, patch: [{ op: 'add', path: '/spec/replicas', value: 7 }] };
  });
  const path = '/apis/apps/v1/namespaces/default/deployments/web/scale';
  const { json } = await send(served, 'PATCH', path, { spec: { replicas: 3 } });
  t.is((json as { readonly spec: { readonly replicas: number } }).spec.replicas, 7);
  t.deepEqual(seen, [[{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'scale', [3, 1]]]);
});

test('reviews and requests for tokens are seen, and may be refused', async (t) => {
  const served = await serve(t, { nodes: 0 });
  const seen: unknown[] = [];
  const rules = [{ operations: ['CREATE'], apiGroups: ['*'], resources: ['*/*'] }];
  served.cluster.admission.validating('reviews', { rules }, (review) => {
    const { kind, name, namespace, object, dryRun } = review;
    seen.push([
      (kind as Review['kind']).kind,
      name,
      namespace,
      (object as { readonly status: unknown }).status,
      dryRun,
    ]);
    return { allowed: false, status: { message: 'not you' } };
  });
  const asks = async (path: string, body: object): Promise<unknown> =>
    ((await send(served, 'POST', path, body)).json as { readonly message: string }).message;
  const denied = 'admission webhook "reviews" denied the request: not you';
  t.is(await asks('/apis/authentication.k8s.io/v1/selfsubjectreviews?dryRun=All', {}), denied);
  const attributes = { verb: 'get', resource: 'pods' };
  const local = { metadata: {}, spec: { user: 'u', resourceAttributes: { ...attributes, namespace: 'default' } } };
  const locals = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
  t.is(await asks(locals, local), denied);
  t.is(await asks('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} }), denied);
  t.deepEqual(seen, [
    ['SelfSubjectReview', undefined, undefined, { userInfo: {} }, true],
    ['LocalSubjectAccessReview', undefined, 'default', { allowed: false }, false],
    ['TokenRequest', 'default', 'default', { token: '', expirationTimestamp: null }, false],
  ]);
});

test('a deletion says what time a pod is given, one of a collection names nothing, new objects have an empty status', async (t) => {
  const served = await serve(t, { nodes: 0 });
  const { cluster } = served;
  const seen: unknown[] = [];
  const rules = [{ operations: ['CREATE', 'DELETE'], apiGroups: [''], resources: ['pods'] }];
  cluster.admission.mutating('pods', { rules }, ({ operation, name, object, options }) => {
    const { gracePeriodSeconds } = (options ?? {}) as { readonly gracePeriodSeconds?: number };
    const { status } = (object ?? {}) as { readonly status?: object };
    seen.push([operation, name, gracePeriodSeconds, status]);
    return { allowed: true };
  });
  for (const name of ['a', 'b']) {
    cluster.create('Pod', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  }
  const pods = '/api/v1/namespaces/default/pods';
  await send(served, 'DELETE', `${pods}/a`);
  await send(served, 'DELETE', pods);
  t.deepEqual(seen, [
    ['CREATE', 'a', undefined, {}],
    ['CREATE', 'b', undefined, {}],
    ['DELETE', 'a', 0, undefined],
    ['DELETE', undefined, 0, undefined],
  ]);
});
