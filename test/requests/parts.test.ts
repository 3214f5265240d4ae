import test from 'ava';
import { createRoom, PODS, type Room, type Seen } from './ask.js';

/** The frame of one, which is what is looked at. */
const FRAME = 'CERTIFICATE REQUEST-----';
const CERTIFICATE_REQUEST = Buffer.from(`-----BEGIN ${FRAME}\nAAAA\n-----END ${FRAME}\n`).toString('base64');

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

interface Shown {
  readonly metadata: { readonly generation?: number; readonly managedFields?: readonly { readonly manager: string }[] };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function shown({ body }: Seen): Shown {
  return body as Shown;
}

function roomWithPod(): Room {
  const room = createRoom();
  const resources = { requests: { cpu: '100m' } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }] };
  room.ask('POST', PODS, { body: { metadata: { name: 'a' }, spec } });
  return room;
}

test('pods/ephemeralcontainers › takes new containers, and keeps those that are there', (t) => {
  const { ask } = roomWithPod();
  const patch = (containers: readonly object[]): Seen =>
    ask('PATCH', `${PODS}/a/ephemeralcontainers`, {
      contentType: MERGE,
      body: { spec: { ephemeralContainers: containers, nodeName: 'elsewhere' } },
    });
  const added = patch([{ name: 'debug', image: 'busybox' }]);
  t.is(added.status, 200);
  t.like(shown(added).spec, { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] });
  t.is(shown(added).spec['nodeName'], undefined);
  const taken = patch([{ name: 'c', image: 'x' }]);
  t.is(taken.status, 422);
  t.regex(shown(taken).message, /spec\.ephemeralContainers\[0\]\.name: Duplicate value: "c"/);
  t.regex(shown(patch([])).message, /existing ephemeral containers "debug" may not be removed/);
});

test('pods/ephemeralcontainers › what serves for more than a look at a pod is refused field by field', (t) => {
  const { ask } = roomWithPod();
  const refusal = (container: object): string => {
    const body = { spec: { ephemeralContainers: [{ name: 'd', image: 'i', ...container }] } };
    return shown(ask('PATCH', `${PODS}/a/ephemeralcontainers`, { contentType: MERGE, body })).message;
  };
  const probe = { exec: { command: ['true'] } };
  const all = {
    lifecycle: { preStop: probe },
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    resources: { requests: { cpu: '1' } },
    ports: [{ containerPort: 80 }],
  };
  const own = 'spec.ephemeralContainers[0]';
  const names = ['ports', 'resources', 'resizePolicy', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];
  const texts = names.map((name) => `${own}.${name}: Forbidden: cannot be set for an Ephemeral Container`);
  t.is(refusal(all), `Pod "a" is invalid: [${texts.join(', ')}]`);
  const targeted = refusal({ targetContainerName: 'zz' });
  t.is(targeted, `Pod "a" is invalid: ${own}.targetContainerName: Not found: "zz"`);
  const mounted = refusal({ volumeMounts: [{ name: 'none', mountPath: '/x', subPath: 'y' }] });
  const below = `${own}.volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container`;
  t.is(mounted, `Pod "a" is invalid: [${own}.volumeMounts[0].name: Not found: "none", ${below}]`);
});

test('pods/ephemeralcontainers › gets the defaults of a container, no policy of its own, and is not changed', (t) => {
  const { ask } = roomWithPod();
  const patch = (container: object): Seen =>
    ask('PATCH', `${PODS}/a/ephemeralcontainers`, {
      contentType: MERGE,
      body: { spec: { ephemeralContainers: [container] } },
    });
  const debug = { name: 'd', image: 'i', resources: {}, restartPolicy: 'Always' };
  const defaults = {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'Always',
  };
  const { restartPolicy: _dropped, ...kept } = debug;
  t.deepEqual(shown(patch(debug)).spec['ephemeralContainers'], [{ ...kept, ...defaults }]);
  t.is(
    shown(patch({ name: 'd', image: 'j' })).message,
    'Pod "a" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n' +
      '@@ -1,6 +1,6 @@\n {\n  "Name": "d",\n- "Image": "i",\n+ "Image": "j",\n  "Command": null,\n  "Args": null,\n' +
      '  "WorkingDir": "",\n',
  );
});

test('pods/resize › changes requests of the CPU and the memory, and not the class of the pod', (t) => {
  const { ask } = roomWithPod();
  const resize = (resources: object): Seen =>
    ask('PATCH', `${PODS}/a/resize`, {
      contentType: STRATEGIC,
      body: { spec: { containers: [{ name: 'c', resources }] } },
    });
  const resized = resize({ requests: { cpu: '200m' } });
  t.like(shown(resized).spec, { containers: [{ resources: { requests: { cpu: '200m' } } }] });
  t.is(shown(resized).metadata.generation, 2);
  t.regex(shown(resize({ requests: { 'example.com/gpu': '1' } })).message, /only cpu and memory resources are mutable/);
  const guaranteed = resize({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } });
  const rule = 'Pod QOS Class may not change as a result of resizing';
  t.is(shown(guaranteed).message, `Pod "a" is invalid: spec: Invalid value: "Burstable": ${rule}`);
});

test('pods/resize › takes no other containers, and takes nothing away', (t) => {
  const { ask } = roomWithPod();
  const refusal = (containers: readonly object[]): string =>
    shown(ask('PATCH', `${PODS}/a/resize`, { contentType: MERGE, body: { spec: { containers } } })).message;
  const resources = { requests: { cpu: '1' } };
  t.is(
    refusal([{ name: 'other', image: 'i', resources }]),
    'Pod "a" is invalid: spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize',
  );
  t.is(
    refusal([
      { name: 'c', image: 'i', resources },
      { name: 'd', image: 'i' },
    ]),
    'Pod "a" is invalid: spec.containers: Forbidden: containers may not be added or removed on resize',
  );
  t.is(
    refusal([{ name: 'c', image: 'i', resources: { requests: { memory: '1Gi' } } }]),
    'Pod "a" is invalid: spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
  );
});

test('certificatesigningrequests/approval › sets conditions and their times, and nothing else', (t) => {
  const { ask } = createRoom();
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const spec = { request: CERTIFICATE_REQUEST, signerName: 'example.com/s', usages: ['client auth'] };
  const made = ask('POST', path, { body: { metadata: { name: 'r' }, spec } });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
  const body = { ...(made.body as object), spec: { ...spec, signerName: 'other.com/s' }, status: { conditions } };
  const approved = ask('PUT', `${path}/r/approval`, { body });
  t.is(approved.status, 200);
  t.like(shown(approved).spec, { signerName: 'example.com/s', username: 'admin' });
  t.deepEqual(shown(approved).spec['groups'], ['system:masters', 'system:authenticated']);
  const changed = ask('PATCH', `${path}/r`, { contentType: MERGE, body: { spec: { signerName: 'x.y/z' } } });
  t.like(shown(changed).spec, { signerName: 'example.com/s' });
  const withdrawn = ask('PATCH', `${path}/r/approval`, { contentType: MERGE, body: { status: { conditions: [] } } });
  t.regex(shown(withdrawn).message, /Forbidden: updates may not remove a condition of type "Approved"$/);
  const [condition] = shown(approved).status['conditions'] as readonly Readonly<Record<string, string>>[];
  t.like(condition, { type: 'Approved', reason: 'Test' });
  t.truthy(condition?.['lastUpdateTime']);
});

test('autoscaling/v1 › shows the autoscalers of version 2, and keeps what it does not know', (t) => {
  const { ask } = createRoom();
  const [v1, v2] = ['v1', 'v2'].map(
    (version) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`,
  ) as [string, string];
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  ask('POST', v2, {
    body: { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3, metrics: [cpu, memory] } },
  });
  const first = ask('GET', `${v1}/h`);
  t.like(first.body, { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50, maxReplicas: 3 } });
  const patched = ask('PATCH', `${v1}/h`, {
    contentType: MERGE,
    body: { spec: { targetCPUUtilizationPercentage: 70 } },
  });
  t.is(patched.status, 200);
  const { metrics } = shown(ask('GET', `${v2}/h`)).spec as { readonly metrics: readonly object[] };
  t.like(metrics, [{ resource: { name: 'memory' } }, { resource: { target: { averageUtilization: 70 } } }]);
});

test('patches › what does not decode is refused with the patch, and unknown fields under Strict', (t) => {
  const { ask } = createRoom();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  ask('POST', DEPLOYMENTS, { body: { metadata: { name: 'web' }, spec } });
  const patch = (body: object, query = ''): Seen =>
    ask('PATCH', `${DEPLOYMENTS}/web${query}`, { contentType: STRATEGIC, body });
  const wrong = patch({ spec: { replicas: 'three' } });
  t.is(wrong.status, 422);
  t.is(
    shown(wrong).message,
    ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:three]]": unrecognized type: int32',
  );
  const strict = patch({ spec: { nope: 1 } }, '?fieldValidation=Strict');
  t.is(
    shown(strict).message,
    ' "" is invalid: patch: Invalid value: "map[spec:map[nope:1]]": strict decoding error: unknown field "spec.nope"',
  );
  const warned = patch({ spec: { nope: 1 } });
  t.deepEqual([warned.status, warned.headers['warning']], [200, ['299 - "unknown field \\"spec.nope\\""']]);
});

test('managed fields › a request may state them, and forget them', (t) => {
  const { ask } = roomWithPod();
  const owners = (body: object): readonly string[] => {
    const patched = ask('PATCH', `${PODS}/a?fieldManager=me`, { contentType: MERGE, body });
    return (shown(patched).metadata.managedFields ?? []).map(({ manager }) => manager);
  };
  const entry = {
    manager: 'other',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:image': {} } } } },
  };
  t.deepEqual(owners({ metadata: { managedFields: [entry] } }), ['other']);
  t.deepEqual(owners({ metadata: { managedFields: [entry], labels: { x: 'y' } } }).toSorted(), ['me', 'other']);
  t.deepEqual(owners({ metadata: { managedFields: [{}] } }), []);
});

test('server-side apply › a value of another type is named with its place', (t) => {
  const { ask } = createRoom();
  const apply = (spec: object): string => {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec };
    const path = '/api/v1/namespaces/default/services/s?fieldManager=me';
    return shown(ask('PATCH', path, { contentType: 'application/apply-patch+yaml', body })).message;
  };
  // The namespace is the one that the body states.
  const what = 'failed to create typed patch object (/s; /v1, Kind=Service): ';
  t.is(
    apply({ ports: [{ name: true, port: 81 }] }),
    `${what}.spec.ports[port=81,protocol="TCP"].name: expected string, got &value.valueUnstructured{Value:true}`,
  );
  t.is(
    apply({ ports: [{ port: 'x' }] }),
    `${what}.spec.ports[port="x",protocol="TCP"].port: expected numeric (int or float), got string`,
  );
  t.is(
    apply({ ports: [{ port: 1 }, { port: 1 }] }),
    `${what}.spec.ports: duplicate entries for key [port=1,protocol="TCP"]`,
  );
});

test('component statuses › are all well, and warned of', (t) => {
  const { ask } = createRoom();
  const listed = ask('GET', '/api/v1/componentstatuses');
  t.is((listed.body as { readonly items: readonly object[] }).items.length, 3);
  const warning = ['299 - "v1 ComponentStatus is deprecated in v1.19+"'];
  t.deepEqual(listed.headers['warning'], warning);
  const missing = ask('GET', '/api/v1/componentstatuses/none');
  t.like(missing.body, {
    message: 'componentstatus "none" not found',
    details: { name: 'none', kind: 'componentstatus' },
  });
  t.deepEqual([missing.status, missing.headers['warning']], [404, warning]);
  const refused = ask('DELETE', '/api/v1/componentstatuses/etcd-0');
  t.deepEqual([refused.status, refused.headers['warning']], [405, undefined]);
});
