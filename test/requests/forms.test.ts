import test from 'ava';
import { createRoom, PODS } from './ask.js';

/** The frame of one, which is what is looked at. */
const FRAME = 'CERTIFICATE REQUEST-----';
const CERTIFICATE_REQUEST = Buffer.from(`-----BEGIN ${FRAME}\nAAAA\n-----END ${FRAME}\n`).toString('base64');

const AUTOSCALERS = 'namespaces/default/horizontalpodautoscalers';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

interface Shown {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly apiVersion: string; readonly fieldsV1: object }[];
  };
  readonly spec: object;
}

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

test('autoscaling › what v1 has no fields for is in annotations there, and owners have the fields of their version', (t) => {
  const { ask } = createRoom();
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 60 } },
  };
  const rules = {
    scaleDown: { stabilizationWindowSeconds: 3, policies: [{ type: 'Pods', value: 1, periodSeconds: 2 }] },
  };
  const spec = { scaleTargetRef: TARGET, maxReplicas: 9, metrics: [cpuMetric(70), memory], behavior: rules };
  const v2 = `/apis/autoscaling/v2/${AUTOSCALERS}`;
  t.is(ask('POST', v2, { body: { metadata: { name: 'web' }, spec } }).status, 201);
  const v1 = `/apis/autoscaling/v1/${AUTOSCALERS}/web`;
  const { metadata } = ask('GET', v1).body as Shown;
  t.is(
    metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'],
    '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60}}]',
  );
  t.regex(
    metadata.annotations?.['autoscaling.alpha.kubernetes.io/behavior'] ?? '',
    /"ScaleDown":\{"StabilizationWindowSeconds":3,/,
  );
  const contentType = 'application/merge-patch+json';
  const annotations = { 'autoscaling.alpha.kubernetes.io/behavior': null, mine: 'x' };
  const patch = { metadata: { annotations }, spec: { maxReplicas: 8, targetCPUUtilizationPercentage: null } };
  t.is(ask('PATCH', v1, { contentType, body: patch }).status, 200);
  const after = ask('GET', `${v2}/web`).body as Shown;
  t.like(after, { metadata: { annotations: { mine: 'x' } }, spec: { maxReplicas: 8, metrics: [memory] } });
  t.false('behavior' in after.spec);
  t.deepEqual(
    after.metadata.managedFields.map(({ apiVersion, fieldsV1 }) => ({ apiVersion, fieldsV1 })),
    [
      {
        apiVersion: 'autoscaling/v1',
        fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:mine': {} } }, 'f:spec': { 'f:maxReplicas': {} } },
      },
      {
        apiVersion: 'autoscaling/v2',
        fieldsV1: {
          'f:spec': { 'f:minReplicas': {}, 'f:scaleTargetRef': { 'f:apiVersion': {}, 'f:kind': {}, 'f:name': {} } },
        },
      },
    ],
  );
  const apply = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } };
  const wanted = { scaleTargetRef: TARGET, maxReplicas: 8, targetCPUUtilizationPercentage: 50 };
  const applied = ask('PATCH', `${v1}?fieldManager=m`, {
    contentType: 'application/apply-patch+yaml',
    body: { ...apply, spec: wanted },
  });
  t.is(applied.status, 200);
  t.like(ask('GET', `${v2}/web`).body, { spec: { metrics: [memory, cpuMetric(50)] } });
});

test('events.k8s.io › a record is applied in the fields of its group, and owners of the other one are forgotten', (t) => {
  const { ask } = createRoom();
  const core = '/api/v1/namespaces/default/events';
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    message: 'm',
  };
  t.is(ask('POST', core, { body: event }).status, 201);
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', labels: { a: 'b' } },
    note: 'm',
  };
  const applied = ask('PATCH', `${EVENTS}/e?fieldManager=m&force=true`, {
    contentType: 'application/apply-patch+yaml',
    body,
  });
  t.is(applied.status, 200);
  const { metadata } = applied.body as Shown;
  t.deepEqual(
    metadata.managedFields.map(({ apiVersion, fieldsV1 }) => ({ apiVersion, fieldsV1 })),
    [{ apiVersion: 'events.k8s.io/v1', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:note': {} } }],
  );
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
