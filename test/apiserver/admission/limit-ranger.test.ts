/** What limit ranges give pods and refuse; texts as kube-apiserver 1.34.2 answers. */
import test, { type ExecutionContext } from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createCluster } from '../../../src/index.js';
import { createFixture, podDraft, refusal } from '../fixtures.js';

function rangeOf(name: string, ...limits: object[]): Draft {
  return { metadata: { name }, spec: { limits } };
}

function podWith(resources: object, spec: object = {}): Draft {
  return podDraft('p', { containers: [{ name: 'c', image: 'x', resources }], ...spec });
}

function limited(cpu: string): object {
  return { resources: { limits: { cpu } } };
}

function refusedText(t: ExecutionContext, server: ApiServer, draft: Draft): string {
  const { code, message } = refusal(t, () => server.create('Pod', draft));
  t.is(code, 403);
  return message.replace('pods "p" is forbidden: ', '');
}

test('containers get what the range has for those that say nothing, and the pod says so', (t) => {
  const { server } = createFixture();
  const limit = { type: 'Container', default: { cpu: '300m', memory: '64Mi' }, defaultRequest: { cpu: '100m' } };
  server.create('LimitRange', rangeOf('lr', limit));
  const init = [{ name: 'i', image: 'x', resources: { limits: { cpu: '1' } } }];
  const { spec, metadata } = server.create('Pod', podWith({ requests: { cpu: '200m' } }, { initContainers: init }));
  t.deepEqual(spec.containers[0]?.resources, {
    limits: { cpu: '300m', memory: '64Mi' },
    requests: { cpu: '200m', memory: '64Mi' },
  });
  t.deepEqual(spec.initContainers?.[0]?.resources, {
    limits: { cpu: '1', memory: '64Mi' },
    requests: { cpu: '1', memory: '64Mi' },
  });
  t.is(
    metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; ' +
      'memory request for init container i; memory limit for init container i',
  );
});

test('a maximum alone is the default limit and request, a minimum the default request', (t) => {
  const { server } = createFixture();
  server.create('LimitRange', rangeOf('lr', { type: 'Container', max: { cpu: '2' }, min: { memory: '10Mi' } }));
  const { spec } = server.create('Pod', podWith({}));
  t.deepEqual(spec.containers[0]?.resources, { limits: { cpu: '2' }, requests: { cpu: '2', memory: '10Mi' } });
});

test('pods of another namespace get nothing', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'other' } });
  server.create('LimitRange', rangeOf('lr', { type: 'Container', max: { cpu: '2' } }));
  const { spec } = server.create('Pod', podDraft('p', {}, { namespace: 'other' }));
  t.deepEqual(spec.containers[0]?.resources, {});
});

test('every bound that is broken is named', (t) => {
  const { server } = createFixture();
  const bounds = { max: { cpu: '1' }, min: { cpu: '50m' }, maxLimitRequestRatio: { cpu: '4' } };
  server.create('LimitRange', rangeOf('lr', { type: 'Container', ...bounds }, { type: 'Pod', max: { cpu: '1500m' } }));
  t.is(
    refusedText(t, server, podWith({ requests: { cpu: '10m' }, limits: { cpu: '2' } })),
    '[minimum cpu usage per Container is 50m, but request is 10m, ' +
      'maximum cpu usage per Container is 1, but limit is 2, ' +
      'cpu max limit to request ratio per Container is 4, but provided ratio is 200.000000, ' +
      'maximum cpu usage per Pod is 1500m, but limit is 2]',
  );
});

test('what a pod does not say can break a bound as well', (t) => {
  const { server } = createFixture();
  const bounds = { min: { memory: '1Mi' }, max: { cpu: '1' }, maxLimitRequestRatio: { 'ephemeral-storage': '2' } };
  server.create('LimitRange', rangeOf('lr', { type: 'Pod', ...bounds }));
  t.is(
    refusedText(t, server, podWith({})),
    '[minimum memory usage per Pod is 1Mi.  No request is specified, ' +
      'maximum cpu usage per Pod is 1.  No limit is specified, ' +
      'ephemeral-storage max limit to request ratio per Pod is 2, but no request is specified or request is 0]',
  );
});

test('a pod is counted by its containers together or by its init phase', (t) => {
  const { server } = createFixture();
  server.create('LimitRange', rangeOf('lr', { type: 'Pod', max: { cpu: '1' } }));
  const containers = [
    { name: 'a', image: 'x', ...limited('600m') },
    { name: 'b', image: 'x', ...limited('600m') },
  ];
  t.is(refusedText(t, server, podDraft('p', { containers })), 'maximum cpu usage per Pod is 1, but limit is 1200m');
  const initContainers = [{ name: 'i', image: 'x', ...limited('2') }];
  t.is(
    refusedText(t, server, podWith({ limits: { cpu: '1' } }, { initContainers })),
    'maximum cpu usage per Pod is 1, but limit is 2',
  );
});

test('claims are held to their bounds', (t) => {
  const { server } = createFixture();
  const limit = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } };
  server.create('LimitRange', rangeOf('lr', limit));
  const claim = (storage: string): (() => unknown) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
    return () => server.create('PersistentVolumeClaim', { metadata: { name: 'p' }, spec });
  };
  t.is(
    refusal(t, claim('9Gi')).message,
    'persistentvolumeclaims "p" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 9Gi',
  );
  t.is(
    refusal(t, claim('500Mi')).message,
    'persistentvolumeclaims "p" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi',
  );
});

test('a deployment whose pods are out of range has none, and its replica set says why', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  await cluster.ready();
  cluster.apply({ kind: 'LimitRange', apiVersion: 'v1', ...rangeOf('lr', { type: 'Container', max: { cpu: '1' } }) });
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'x', resources: { limits: { cpu: '2' } } }] },
  };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
  cluster.apply({ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'web' }, spec });
  await cluster.run({ limit: '10s' });
  t.is(cluster.list('Pod').length, 0);
  const failed = cluster.list('Event').find(({ reason }) => reason === 'FailedCreate');
  t.regex(
    failed?.message ?? '',
    /^Error creating: pods "web-\w+-\w{5}" is forbidden: maximum cpu usage per Container is 1, but limit is 2$/,
  );
  await cluster.dispose();
});
