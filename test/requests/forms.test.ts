import test from 'ava';
import { createRoom, PODS } from './ask.js';

/** The frame of one, which is what is looked at. */
const FRAME = 'CERTIFICATE REQUEST-----';
const CERTIFICATE_REQUEST = Buffer.from(`-----BEGIN ${FRAME}\nAAAA\n-----END ${FRAME}\n`).toString('base64');

const AUTOSCALERS = 'namespaces/default/horizontalpodautoscalers';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

function cpuMetric(averageUtilization: number): object {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

test('autoscaling/v1 › an autoscaler is kept as one of v2, and what v1 cannot say stays as it is', (t) => {
  const { ask } = createRoom();
  const spec = { scaleTargetRef: TARGET, maxReplicas: 9, targetCPUUtilizationPercentage: 70 };
  const made = ask('POST', `/apis/autoscaling/v1/${AUTOSCALERS}`, { body: { metadata: { name: 'web' }, spec } });
  t.is(made.status, 201);
  t.like(made.body, { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 9, targetCPUUtilizationPercentage: 70 } });
  const v2 = `/apis/autoscaling/v2/${AUTOSCALERS}/web`;
  t.like(ask('GET', v2).body, { apiVersion: 'autoscaling/v2', spec: { metrics: [cpuMetric(70)] } });
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };
  const merge = { contentType: 'application/merge-patch+json' };
  t.is(ask('PATCH', v2, { ...merge, body: { spec: { metrics: [memory, cpuMetric(70)] } } }).status, 200);
  const patch = { spec: { targetCPUUtilizationPercentage: 50 } };
  t.is(ask('PATCH', `/apis/autoscaling/v1/${AUTOSCALERS}/web`, { ...merge, body: patch }).status, 200);
  t.like(ask('GET', v2).body, { spec: { maxReplicas: 9, metrics: [memory, cpuMetric(50)] } });
});

test('events.k8s.io › selectors and patches name fields as the group has them', (t) => {
  const { ask } = createRoom();
  const event = {
    metadata: { name: 'e' },
    eventTime: '2030-01-01T00:00:00.000000Z',
    reportingController: 'tester',
    reportingInstance: 'tester-0',
    action: 'Do',
    reason: 'Test',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'first',
    type: 'Normal',
  };
  t.is(ask('POST', EVENTS, { body: event }).status, 201);
  const found = (selector: string): unknown =>
    (ask('GET', `${EVENTS}?fieldSelector=${selector}`).body as { readonly items: readonly unknown[] }).items.length;
  t.deepEqual(
    ['reportingController=tester', 'regarding.name=p,type=Normal', 'reportingController=other'].map(found),
    [1, 1, 0],
  );
  const contentType = 'application/strategic-merge-patch+json';
  const series = { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' };
  t.like(ask('PATCH', `${EVENTS}/e`, { contentType, body: { series } }).body, { series, regarding: { name: 'p' } });
  const refused = ask('PATCH', `${EVENTS}/e`, { contentType, body: { note: 'second' } });
  t.like(refused.body, {
    code: 422,
    message: 'Event "e" is invalid: message: Invalid value: "second": field is immutable',
  });
});

test('certificates › an approval says who may have one, and shows the whole request', (t) => {
  const { ask } = createRoom();
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const spec = { request: CERTIFICATE_REQUEST, signerName: 'example.com/x', usages: ['client auth'] };
  t.is(ask('POST', path, { body: { metadata: { name: 'r' }, spec } }).status, 201);
  const shown = ask('GET', `${path}/r/approval`).body as object;
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }];
  const put = ask('PUT', `${path}/r/approval`, { body: { ...shown, status: { conditions } } });
  t.is(put.status, 200);
  t.like(ask('GET', `${path}/r`).body, { spec, status: { conditions } });
});

test('namespaces/finalize › says what holds a namespace up', (t) => {
  const { ask } = createRoom();
  t.is(ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } }).status, 201);
  const finalizers = (names: readonly string[]): unknown =>
    ask('PUT', '/api/v1/namespaces/n/finalize', { body: { metadata: { name: 'n' }, spec: { finalizers: names } } })
      .body;
  t.like(finalizers(['kubernetes', 'example.com/x']), { spec: { finalizers: ['kubernetes', 'example.com/x'] } });
  t.like(finalizers(['kubernetes']), { spec: { finalizers: ['kubernetes'] } });
});

test('what is only answered › has no table', (t) => {
  const { ask } = createRoom();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
  t.is(ask('POST', path, { accept, body }).status, 406);
  t.is(ask('POST', path, { accept: `${accept},application/json`, body }).status, 201);
});

test('sysctls › names that are none are refused, each by itself', (t) => {
  const { ask } = createRoom();
  const sysctls = ['foo-', 'kernel.shmmax', 'safe-and-unsafe', 'bar..'].map((name) => ({ name, value: '1' }));
  const spec = { securityContext: { sysctls }, containers: [{ name: 'c', image: 'x' }] };
  const { status, body } = ask('POST', PODS, { body: { metadata: { name: 'p' }, spec } });
  t.is(status, 422);
  const { causes } = (body as { readonly details: { readonly causes: readonly { readonly field: string }[] } }).details;
  t.deepEqual(
    causes.map(({ field }) => field),
    ['spec.securityContext.sysctls[0].name', 'spec.securityContext.sysctls[3].name'],
  );
});

test('apps/v1 › the data of a revision has its keys in order, as clients compare it', (t) => {
  const { server, ask } = createRoom();
  const data = { spec: { template: { spec: { b: 1, a: [{ d: 1, c: 2 }] }, $patch: 'replace' } } };
  server.create('ControllerRevision', { metadata: { name: 'r', namespace: 'default' }, data, revision: 1 });
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const { data: shown } = ask('GET', `${path}/r`).body as { readonly data: object };
  t.is(JSON.stringify(shown), '{"spec":{"template":{"$patch":"replace","spec":{"a":[{"c":2,"d":1}],"b":1}}}}');
  const { items } = ask('GET', path).body as { readonly items: readonly [{ readonly data: object }] };
  t.is(JSON.stringify(items[0].data), JSON.stringify(shown));
});
