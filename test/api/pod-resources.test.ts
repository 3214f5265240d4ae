import test from 'ava';
import type { Container, PodSpec } from '../../src/api/objects/objects.js';
import { podLimits, podRequests, podScoreRequests } from '../../src/api/pods/pod-resources.js';
import { qosClass } from '../../src/api/pods/qos-class.js';

function container(requests: Record<string, string>, extra: Partial<Container> = {}): Container {
  return { name: 'c', image: 'i', resources: { requests }, ...extra };
}

function requested(spec: Omit<PodSpec, 'containers'> & { containers?: Container[] }): Record<string, number> {
  return Object.fromEntries(podRequests({ containers: [], ...spec }));
}

test('containers add up exactly and are rounded once', (t) => {
  const third = container({ cpu: '0.3333m', memory: '100m' });
  t.deepEqual(requested({ containers: [third, third, third] }), { cpu: 1, memory: 1 });
  t.deepEqual(requested({ containers: [container({ cpu: '250m', 'nvidia.com/gpu': '2' }), container({ cpu: '1' })] }), {
    cpu: 1250,
    'nvidia.com/gpu': 2,
  });
});

test('the peak of the init phase counts when it is higher, resource by resource', (t) => {
  const initContainers = [container({ cpu: '3', memory: '1Mi' }), container({ cpu: '1', memory: '8Mi' })];
  t.deepEqual(requested({ containers: [container({ cpu: '2', memory: '4Mi' })], initContainers }), {
    cpu: 3000,
    memory: 8 * 1024 * 1024,
  });
});

test('a sidecar runs beside the later init containers and beside the regular ones', (t) => {
  const sidecar = container({ cpu: '1' }, { restartPolicy: 'Always' });
  const plain = container({ cpu: '4' });
  t.deepEqual(requested({ containers: [container({ cpu: '2' })], initContainers: [sidecar, plain] }), { cpu: 5000 });
  t.deepEqual(requested({ containers: [container({ cpu: '2' })], initContainers: [plain, sidecar] }), { cpu: 4000 });
  t.deepEqual(requested({ containers: [container({ cpu: '5' })], initContainers: [plain, sidecar] }), { cpu: 6000 });
});

test('pod-level requests replace, and overhead comes on top', (t) => {
  const spec = {
    containers: [container({ cpu: '1', memory: '1Ki' })],
    resources: { requests: { cpu: '500m', 'nvidia.com/gpu': '9' } },
    overhead: { cpu: '10m', memory: '1Ki' },
  };
  t.deepEqual(requested(spec), { cpu: 510, memory: 2048 });
});

test('an explicit zero is a request and a missing key is none', (t) => {
  t.deepEqual(requested({ containers: [container({ cpu: '0' })] }), { cpu: 0 });
  t.deepEqual(requested({ containers: [container({})] }), {});
});

test('scoring gives containers that do not say 100m and 200Mi, and ignores pod-level requests', (t) => {
  const containers = [container({}), container({ cpu: '0' })];
  const spec = { containers, resources: { requests: { cpu: '8' } } };
  t.deepEqual(Object.fromEntries(podScoreRequests(spec)), { cpu: 100, memory: 400 * 1024 * 1024 });
});

test('answers are shared between specs with the same containers, and only between those', (t) => {
  const containers = [container({ cpu: '1' })];
  t.is(podRequests({ containers }), podRequests({ containers }));
  t.deepEqual(Object.fromEntries(podRequests({ containers, overhead: { cpu: '1' } })), { cpu: 2000 });
  t.deepEqual(Object.fromEntries(podRequests({ containers })), { cpu: 1000 });
});

test('podLimits › adds the limits of containers up as requests are', (t) => {
  const limited = { name: 'c', image: 'i', resources: { limits: { cpu: '1' } } };
  t.deepEqual(Object.fromEntries(podLimits({ containers: [limited, limited] })), { cpu: 2000 });
});

function qosOf(...resources: NonNullable<Container['resources']>[]): string {
  return qosClass({ containers: resources.map((each) => ({ name: 'c', image: 'i', resources: each })) });
}

test('the QoS class follows from requests and limits of CPU and memory', (t) => {
  const full = { cpu: '1', memory: '1Gi' };
  t.is(qosOf({}), 'BestEffort');
  t.is(qosOf({ requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': '1' } }), 'BestEffort');
  t.is(qosOf({ requests: { cpu: '0' } }), 'BestEffort');
  t.is(qosOf({ requests: full, limits: full }), 'Guaranteed');
  t.is(qosOf({ requests: full, limits: { cpu: '1000m', memory: '1024Mi' } }), 'Guaranteed');
  t.is(qosOf({ requests: full, limits: full }, {}), 'Burstable');
  t.is(qosOf({ requests: { cpu: '1' }, limits: { cpu: '1' } }), 'Burstable');
  t.is(qosOf({ requests: { cpu: '1', memory: '1' }, limits: full }), 'Burstable');
  t.is(qosClass({ containers: [], resources: { requests: full, limits: full } }), 'Guaranteed');
});
