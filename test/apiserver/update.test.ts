import test from 'ava';
import type { Deployment, Draft, Pod } from '../../src/api/objects/objects.js';
import { createFixture, heard, podDraft, refusal, take } from './fixtures.js';

const P = { namespace: 'default', name: 'p' };
const D = { namespace: 'default', name: 'd' };

function deploymentDraft(): Draft {
  return {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
}

function asDraft(object: Pod | Deployment, metadata: object = {}): Draft {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

test('update › with the stored version it is applied, with another it conflicts', (t) => {
  const { server } = createFixture();
  const first = server.create('Pod', podDraft('p'));
  const second = server.update('Pod', asDraft(first, { labels: { a: '1' } }));
  t.is(second.metadata.resourceVersion, String(server.version));
  t.deepEqual(
    refusal(t, () => server.update('Pod', asDraft(first, { labels: { a: '2' } }))),
    {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on pods "p": the object has been modified; please apply your changes to the latest version and try again',
    },
  );
});

test('update › without a version the latest wins, except where the kind insists', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  t.deepEqual(server.update('Pod', asDraft(pod, { resourceVersion: undefined, labels: { a: '1' } })).metadata.labels, {
    a: '1',
  });
  server.create('Lease', { metadata: { name: 'l' } });
  t.deepEqual(
    refusal(t, () => server.update('Lease', { metadata: { name: 'l' } })),
    {
      code: 422,
      reason: 'Invalid',
      message:
        'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    },
  );
});

test('update › a missing object is 404, or created where the kind allows it', (t) => {
  const { server } = createFixture();
  t.is(refusal(t, () => server.update('Pod', podDraft('p'))).message, 'pods "p" not found');
  t.is(server.update('Lease', { metadata: { name: 'l' } }).metadata.resourceVersion, String(server.version));
});

test('update › what changes nothing keeps the version and is told to no watch', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p', {}, { labels: { a: 'b' } }));
  const lines = heard(server, 'Pod', { resourceVersion: String(server.version) });
  t.is(server.update('Pod', asDraft(pod)), pod);
  t.is(server.update('Pod', JSON.parse(JSON.stringify(pod)) as Draft), pod);
  t.is(server.patch('Pod', P, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }), pod);
  t.is(
    server.change('Pod', P, (current) => current),
    pod,
  );
  t.is(
    server.change('Pod', P, (current) => ({ ...current, spec: { ...current.spec } })),
    pod,
  );
  t.is(
    server.change('Pod', P, (current) => ({ ...current, status: { ...current.status } }), { subresource: 'status' }),
    pod,
  );
  t.deepEqual(take(lines), []);
});

test('update › identity, times and generation are the server’s, and marks of deletion are refused', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  const marks = { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
  const error = t.throws(() => server.update('Pod', asDraft(pod, marks)));
  t.is(
    error?.message,
    'Pod "p" is invalid: [metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable, ' +
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable]',
  );
  const updated = server.update(
    'Pod',
    asDraft(pod, { labels: { a: '1' }, generation: 77, creationTimestamp: '2001-01-01T00:00:00Z' }),
  );
  t.deepEqual(updated.metadata, { ...pod.metadata, labels: { a: '1' }, resourceVersion: String(server.version) });
});

test('update › the main endpoint keeps the status, the status endpoint keeps the spec and takes metadata', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  t.is(server.update('Pod', { ...asDraft(pod), status: { phase: 'Running' } }), pod);
  const draft = {
    ...asDraft(pod, { labels: { via: 'status' } }),
    spec: { containers: [] },
    status: { phase: 'Running' },
  };
  const updated = server.update('Pod', draft, 'status');
  t.is(updated.spec, pod.spec);
  t.is(updated.status.phase, 'Running');
  t.is(updated.status.qosClass, 'BestEffort');
  t.deepEqual(updated.metadata.labels, { via: 'status' });
  t.is(updated.metadata.generation, 1);
});

test('generation › rises with the spec, not with metadata or status', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  const generation = (body: object, subresource?: 'status'): number | undefined =>
    server.patch('Pod', P, { type: 'merge', body }, subresource).metadata.generation;
  t.is(generation({ metadata: { labels: { a: '1' }, annotations: { a: '1' } } }), 1);
  t.is(generation({ status: { phase: 'Running' } }, 'status'), 1);
  t.is(generation({ spec: { activeDeadlineSeconds: 5 } }), 2);
  t.is(generation({ spec: { activeDeadlineSeconds: 5 } }), 2);
});

test('generation › of a Deployment rises with annotations too, but only through the main endpoint', (t) => {
  const { server } = createFixture();
  server.create('Deployment', deploymentDraft());
  const generation = (body: object, subresource?: 'status'): number | undefined =>
    server.patch('Deployment', D, { type: 'merge', body }, subresource).metadata.generation;
  t.is(generation({ metadata: { labels: { a: '1' } } }), 1);
  t.is(generation({ metadata: { annotations: { a: '1' } } }), 2);
  t.is(generation({ spec: { replicas: 3 } }), 3);
  t.is(generation({ metadata: { annotations: { a: '2' } } }, 'status'), 3);
});

test('generation › of kinds without a spec rises with what is not metadata, of slices of endpoints with labels as well', (t) => {
  const { server } = createFixture();
  const labels = { metadata: { labels: { a: '1' } } };
  const webhook = {
    name: 'a.b.c',
    clientConfig: { url: 'https://a.b/c' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  server.create('ValidatingWebhookConfiguration', { metadata: { name: 'w' }, webhooks: [webhook] });
  const hooks = (body: object): number | undefined =>
    server.patch('ValidatingWebhookConfiguration', { name: 'w' }, { type: 'merge', body }).metadata.generation;
  t.is(hooks(labels), 1);
  t.is(hooks({ webhooks: [{ ...webhook, timeoutSeconds: 3 }] }), 2);
  server.create('EndpointSlice', { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [], ports: [] });
  const slice = { namespace: 'default', name: 's' };
  t.is(server.patch('EndpointSlice', slice, { type: 'merge', body: labels }).metadata.generation, 2);
});

test('generation › of a PriorityClass stays 1', (t) => {
  const { server } = createFixture();
  server.create('PriorityClass', { metadata: { name: 'hi' }, value: 1 });
  const updated = server.patch('PriorityClass', { name: 'hi' }, { type: 'merge', body: { description: 'x' } });
  t.is(updated.metadata.generation, 1);
});

test('change › preconditions on identity and version', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  const label = (preconditions: object): Pod =>
    server.change('Pod', P, (each) => ({ ...each, metadata: { ...each.metadata, labels: { a: '1' } } }), {
      preconditions,
    });
  t.is(
    refusal(t, () => label({ uid: 'other' })).message,
    `Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${pod.metadata.uid}`,
  );
  t.is(refusal(t, () => label({ resourceVersion: '1' })).code, 409);
  t.deepEqual(label({ uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion }).metadata.labels, {
    a: '1',
  });
});

test('change › keeps what the endpoint may not change', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  const changed = server.change(
    'Pod',
    P,
    (each) => ({ ...each, spec: { ...each.spec, nodeName: 'n' }, status: { ...each.status, phase: 'Running' } }),
    { subresource: 'status' },
  );
  t.is(changed.spec, pod.spec);
  t.is(changed.status.phase, 'Running');
});

test('change › is validated like any update', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  t.regex(
    refusal(t, () => server.change('Pod', P, (each) => ({ ...each, spec: { ...each.spec, hostNetwork: true } })))
      .message,
    /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than/,
  );
});

test('patch › name, identity and version in the patch are checked', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  const patch = (metadata: object) => () => server.patch('Pod', P, { type: 'merge', body: { metadata } });
  t.is(refusal(t, patch({ name: 'zz' })).message, 'the name of the object (zz) does not match the name on the URL (p)');
  t.is(
    refusal(t, patch({ namespace: 'zz' })).message,
    'the namespace of the provided object does not match the namespace sent on the request',
  );
  t.is(
    refusal(t, patch({ uid: 'u' })).message,
    'Pod "p" is invalid: metadata.uid: Invalid value: "u": field is immutable',
  );
  t.is(refusal(t, patch({ resourceVersion: '1' })).reason, 'Conflict');
});

test('scale › shows and sets the replicas, and raises the generation', (t) => {
  const { server } = createFixture();
  const { metadata } = server.create('Deployment', deploymentDraft());
  const scale = server.setScale('Deployment', D, 5);
  t.deepEqual(scale, {
    metadata: {
      name: 'd',
      namespace: 'default',
      uid: metadata.uid,
      resourceVersion: String(server.version),
      creationTimestamp: metadata.creationTimestamp,
    },
    spec: { replicas: 5 },
    status: { replicas: 0, selector: 'a=b' },
  });
  t.deepEqual(server.getScale('Deployment', D), scale);
  t.is(server.get('Deployment', D).metadata.generation, 2);
  t.deepEqual(
    refusal(t, () => server.setScale('Deployment', D, -1)),
    {
      code: 422,
      reason: 'Invalid',
      message: 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    },
  );
  t.is(refusal(t, () => server.getScale('ReplicaSet', D)).message, 'replicasets.apps "d" not found');
});
