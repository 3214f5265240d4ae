import test from 'ava';
import { createRoom, type Room, type Seen } from '../ask.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PLACE = '/apis/shop.example.com/v1/namespaces/default/gadgets';
const OLD_PLACE = '/apis/shop.example.com/v1beta1/namespaces/default/gadgets';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** The old version has a field that the one that is stored does not have. */
const VERSIONS = [
  { name: 'v1', storage: true, fields: { size: { type: 'integer' }, frame: { type: 'object', properties: {} } } },
  {
    name: 'v1beta1',
    storage: false,
    fields: { size: { type: 'integer' }, delay: { type: 'integer', default: 15 } },
  },
].map(({ fields, ...version }) => ({
  ...version,
  served: true,
  subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      'x-kubernetes-validations': [{ rule: "self.metadata.name != 'none'" }],
      properties: {
        spec: {
          type: 'object',
          properties: fields,
          'x-kubernetes-validations': [{ rule: '!has(self.size) || self.size < 1000', message: 'too large' }],
        },
      },
    },
  },
}));

function room(): Room {
  const own = createRoom();
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const spec = { group: 'shop.example.com', scope: 'Namespaced', names, versions: VERSIONS };
  const metadata = { name: 'gadgets.shop.example.com' };
  own.ask('POST', DEFINITIONS, {
    body: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec },
  });
  return own;
}

function gadget(changes: object = {}): object {
  return { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name: 'one' }, ...changes };
}

function message({ body }: Seen): string | undefined {
  return (body as { readonly message?: string }).message;
}

test('custom resources › a body says of what type it is', (t) => {
  const { ask } = room();
  const told = (changes: object): readonly unknown[] => {
    const seen = ask('POST', PLACE, { body: gadget(changes) });
    return [seen.status, message(seen)];
  };
  t.deepEqual(told({ apiVersion: undefined }), [
    400,
    'the API version in the data () does not match the expected API version (shop.example.com/v1)',
  ]);
  const text = '{"apiVersion":"shop.example.com/v1","metadata":{"name":"one"}}';
  t.deepEqual(told({ kind: undefined }), [
    400,
    `the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '${text}' ({"apiVersion":"shop.example.co ...)`,
  ]);
  const unknown = 'strict decoding error: unknown field "a", unknown field "spec"';
  const old = ask('POST', `${PLACE}?fieldValidation=Strict`, {
    body: gadget({ apiVersion: 'shop.example.com/v0', spec: {}, a: 1 }),
  });
  t.is(message(old), `Gadget in version "v0" cannot be handled as a Gadget: ${unknown}`);
  t.deepEqual(told({ apiVersion: 'shop.example.com/v0' }), [
    400,
    'the API version in the data (shop.example.com/v0) does not match the expected API version (shop.example.com/v1)',
  ]);
  t.deepEqual(told({ kind: 'Other' }), [
    422,
    'Other.shop.example.com "one" is invalid: kind: Invalid value: "Other": must be Gadget',
  ]);
  t.deepEqual(told({ metadata: 'x' }), [
    400,
    'Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal string into Go value of type v1.ObjectMeta',
  ]);
});

test('custom resources › a patch leaves type and name as they are', (t) => {
  const { ask } = room();
  ask('POST', PLACE, { body: gadget() });
  const told = (body: object, contentType = MERGE): string =>
    `${ask('PATCH', `${PLACE}/one`, { body, contentType }).status} ${message(ask('PATCH', `${PLACE}/one`, { body, contentType }))}`;
  t.is(
    told({ kind: 'Other' }),
    '422 Other.shop.example.com "one" is invalid: kind: Invalid value: "Other": must be Gadget',
  );
  t.is(
    told({ apiVersion: 'v9' }),
    '422 Gadget "one" is invalid: apiVersion: Invalid value: "v9": must be shop.example.com/v1',
  );
  t.is(
    told({ metadata: { name: 'two' } }),
    '400 the name of the object (two) does not match the name on the URL (one)',
  );
  t.is(
    told({ metadata: { uid: 'x' } }),
    '422 Gadget.shop.example.com "one" is invalid: metadata.uid: Invalid value: "x": field is immutable',
  );
  t.is(
    told([{ op: 'replace', path: '', value: {} }], JSON_PATCH),
    `422  "" is invalid: patch: Invalid value: "{}": Object 'Kind' is missing in '{}'`,
  );
  t.is(
    told([{ op: 'replace', path: '', value: { apiVersion: 'a/b/c' } }], JSON_PATCH),
    '422  "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"a/b/c\\"}": unexpected GroupVersion string: a/b/c',
  );
  t.is(
    told([{ op: 'remove', path: '/apiVersion' }], JSON_PATCH),
    "500 Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  );
});

test('custom resources › an endpoint that there is not is an object that there is not', (t) => {
  const { ask } = room();
  const seen = ask('GET', `${PLACE}/one/status`);
  t.deepEqual([seen.status, message(seen)], [404, 'gadgets.shop.example.com "one" not found']);
});

test('custom resources › wrong metadata keeps rules from being judged', (t) => {
  const { ask } = room();
  const why = 'some validation rules were not checked because the object was invalid';
  t.is(
    message(ask('POST', PLACE, { body: gadget({ metadata: {} }) })),
    'Gadget.shop.example.com "" is invalid: [metadata.name: Required value: name or generateName is required, ' +
      `<nil>: Invalid value: null: ${why}; correct the existing errors to complete validation]`,
  );
});

test('custom resources › a version is applied by its own schema, and shown without the defaults of its own', (t) => {
  const { ask } = room();
  const apiVersion = 'shop.example.com/v1beta1';
  const body = gadget({ apiVersion, spec: { size: 2, delay: 3 } });
  const seen = ask('PATCH', `${OLD_PLACE}/one?fieldManager=me`, { body, contentType: APPLY });
  t.like(seen, { status: 201, body: { apiVersion, spec: { size: 2 } } });
  t.deepEqual((seen.body as { readonly spec: object }).spec, { size: 2 });
});

test('custom resources › owners of another version are lost where that does not know the object', (t) => {
  const { ask } = room();
  ask('POST', `${OLD_PLACE}?fieldManager=old`, {
    body: gadget({ apiVersion: 'shop.example.com/v1beta1', spec: { size: 1 } }),
  });
  const spec = { size: 2, frame: {} };
  const refused = ask('PATCH', `${PLACE}/one?fieldManager=new&force=true`, {
    body: gadget({ spec }),
    contentType: APPLY,
  });
  t.is(message(refused), 'failed to convert new object: .spec.frame: field not declared in schema');
  const merged = ask('PATCH', `${PLACE}/one?fieldManager=new`, { body: { spec }, contentType: MERGE });
  t.is(merged.status, 200);
  t.false('managedFields' in (merged.body as { readonly metadata: object }).metadata);
});

test('custom resources › a field of which nothing is left that was applied is null', (t) => {
  const { ask } = room();
  const frames = { type: 'object', properties: { frame: { type: 'object', properties: { a: { type: 'string' } } } } };
  const version = { ...VERSIONS[0], schema: { openAPIV3Schema: { type: 'object', properties: { spec: frames } } } };
  ask('PATCH', `${DEFINITIONS}/gadgets.shop.example.com`, {
    body: { spec: { versions: [version] } },
    contentType: MERGE,
  });
  const apply = (frame: object): Seen =>
    ask('PATCH', `${PLACE}/one?fieldManager=me`, { body: gadget({ spec: { frame } }), contentType: APPLY });
  t.is(apply({ a: 'b' }).status, 201);
  t.is(
    message(apply({})),
    'Gadget.shop.example.com "one" is invalid: spec.frame: Invalid value: "null": spec.frame in body must be of type object: "null"',
  );
});

test('custom resources › replicas that an object does not say are written, and never to nothing', (t) => {
  const { ask } = room();
  ask('POST', PLACE, { body: gadget() });
  const told = (body: object): readonly unknown[] => {
    const seen = ask('PATCH', `${PLACE}/one/scale`, { body, contentType: MERGE });
    return [seen.status, message(seen)];
  };
  t.is(ask('GET', `${PLACE}/one/scale`).status, 500);
  t.deepEqual(told({}), [400, 'the spec replicas field ".spec.size" cannot be empty']);
  t.is(told({ spec: { replicas: 'x' } })[0], 422);
  t.deepEqual(told({ spec: { replicas: null } }), [200, undefined]);
  t.like(ask('GET', `${PLACE}/one`).body, { spec: { size: 0 } });
  t.is(told({ metadata: { resourceVersion: '1' }, spec: { replicas: 3 } })[0], 409);
});

test('custom resources › an object is shown by the names of its fields', (t) => {
  const { ask } = room();
  const { body } = ask('POST', PLACE, { body: gadget({ spec: { size: 1, frame: {} } }) });
  t.is(
    Object.keys((body as { readonly metadata: object }).metadata).join(' '),
    'creationTimestamp generation managedFields name namespace resourceVersion uid',
  );
  t.is(JSON.stringify((body as { readonly spec: object }).spec), '{"frame":{},"size":1}');
});

/** A room with a kind that has a name of Kubernetes' own. */
function roomWithServices(annotations: object = {}): { readonly room: Room; readonly definition: Seen } {
  const own = createRoom();
  const names = { plural: 'services', singular: 'service', kind: 'Service', listKind: 'ServiceList' };
  const service = { name: 'hook', namespace: 'default' };
  const spec = {
    group: 'serving.k8s.io',
    scope: 'Namespaced',
    names,
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  };
  const metadata = { name: 'services.serving.k8s.io', annotations };
  const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  return { room: own, definition: own.ask('POST', DEFINITIONS, { body }) };
}

test('definitions of custom resources › a webhook of a service is at port 443', (t) => {
  const { definition } = roomWithServices({ 'api-approved.kubernetes.io': 'unapproved, a test' });
  t.like(definition, {
    status: 201,
    body: { spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } } },
  });
});

test('definitions of custom resources › groups of the community say who approved of them', (t) => {
  const condition = (annotation: string): unknown => {
    const { room: own } = roomWithServices({ 'api-approved.kubernetes.io': annotation });
    const { body } = own.ask('GET', `${DEFINITIONS}/services.serving.k8s.io`);
    const { conditions } = (body as { readonly status: { readonly conditions: readonly [object] } }).status;
    return conditions[0];
  };
  const type = 'KubernetesAPIApprovalPolicyConformant';
  t.like(condition('https://example.com/1'), {
    type,
    status: 'True',
    reason: 'ApprovedAnnotation',
    message: 'approved in https://example.com/1',
  });
  t.like(condition('unapproved "x"'), {
    type,
    status: 'False',
    reason: 'UnapprovedAnnotation',
    message: String.raw`not approved: "unapproved \"x\""`,
  });
  t.like(roomWithServices().definition, { status: 422 });
});

test("custom resources › a kind with a name of Kubernetes' own is none of its", (t) => {
  const { room: own } = roomWithServices({ 'api-approved.kubernetes.io': 'unapproved' });
  const place = '/apis/serving.k8s.io/v1/namespaces/default/services';
  const body = { apiVersion: 'serving.k8s.io/v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'odd' } };
  t.is(own.ask('POST', place, { body }).status, 201);
  const patch = { body: { spec: { ports: 'none', clusterIP: '1' } }, contentType: MERGE };
  const { status, body: patched } = own.ask('PATCH', `${place}/web`, patch);
  t.is(status, 200);
  t.deepEqual((patched as { readonly spec: object }).spec, { clusterIP: '1', ports: 'none', type: 'odd' });
  t.like(own.ask('DELETE', `${place}/web`), { status: 200, body: { status: 'Success' } });
});

test('definitions of custom resources › are refused as Go reads them', (t) => {
  const own = createRoom();
  const told = (schema: object, version: object = { name: 'v1' }): string | undefined => {
    const versions = [{ served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }];
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    const spec = { group: 'shop.example.com', scope: 'Namespaced', names, versions };
    const metadata = { name: 'gadgets.shop.example.com' };
    const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
    return message(own.ask('POST', `${DEFINITIONS}?dryRun=All`, { body }));
  };
  const field = 'Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties';
  const unread = 'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition';
  const a = { type: 'array', items: { type: 'string', title: 1 } };
  t.is(told({ properties: { a } }), `${unread}: json: cannot unmarshal number into ${field}.items of type string`);
  t.is(told({ properties: { a: { additionalProperties: 'x' } } }), `${unread}: boolean or JSON schema expected`);
  t.regex(told({ type: 'object' }, {}) ?? '', /spec\.versions\[0\]\.name: Invalid value: "": a DNS-1035 label/);
  const name = { type: 'text', default: 1 };
  t.is(
    told({ type: 'object', properties: { name } }),
    'CustomResourceDefinition.apiextensions.k8s.io "gadgets.shop.example.com" is invalid: ' +
      '[spec.validation.openAPIV3Schema.properties[name].default: Invalid value: "integer":  in body must be of type text: "integer", ' +
      'spec.validation.openAPIV3Schema.properties[name].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"]',
  );
});

test('definitions of custom resources › are warned of formats that no text is held to', (t) => {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { a: { type: 'string', format: 'odd' }, b: { type: 'string', format: 'date-time' } },
    },
  };
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const spec = { group: 'shop.example.com', scope: 'Namespaced', names, versions };
  const metadata = { name: 'gadgets.shop.example.com' };
  const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  const { headers } = createRoom().ask('POST', DEFINITIONS, { body });
  t.deepEqual(headers['warning'], [String.raw`299 - "unrecognized format \"odd\""`]);
});

function finalizerWarning(name: string): string {
  const why = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
  return String.raw`299 - "metadata.finalizers: \"${name}\": ${why}"`;
}

test('custom resources › are warned of finalizers without a domain', (t) => {
  const { ask } = room();
  const warned = (method: string, place: string, finalizers: readonly string[]): unknown => {
    const body = gadget({ metadata: { name: 'one', finalizers } });
    return ask(method, place, { body, ...(method === 'PATCH' ? { contentType: MERGE } : {}) }).headers['warning'];
  };
  t.deepEqual(warned('POST', PLACE, ['b', 'orphan', 'a.b/c']), [finalizerWarning('b')]);
  t.deepEqual(warned('PATCH', `${PLACE}/one`, ['b', 'a']), [finalizerWarning('a')]);
});

test('custom resources › what another version does not know is lost by a write of it that changes nothing', (t) => {
  const { ask } = room();
  ask('POST', PLACE, { body: gadget({ spec: { size: 1, frame: {} } }) });
  ask('PATCH', `${OLD_PLACE}/one`, { body: { spec: { size: 1 } }, contentType: MERGE });
  t.deepEqual((ask('GET', `${PLACE}/one`).body as { readonly spec: object }).spec, { size: 1 });
});

test('custom resources › rules are asked of what a patch says is of another type', (t) => {
  const { ask } = room();
  ask('POST', PLACE, { body: gadget({ spec: { size: 1 } }) });
  const told = (apiVersion: string): unknown =>
    message(
      ask('PATCH', `${PLACE}/one?fieldValidation=Ignore`, {
        body: { apiVersion, spec: { size: 2000 } },
        contentType: MERGE,
      }),
    );
  t.is(
    told('other.example.com/v1'),
    'Gadget.other.example.com "one" is invalid: [apiVersion: Invalid value: "other.example.com/v1": must be shop.example.com/v1, spec: Invalid value: "object": too large]',
  );
  const unknown = 'apiVersion: Invalid value: "shop.example.com/v9": must be shop.example.com/v1';
  t.is(
    told('shop.example.com/v9'),
    `Gadget.shop.example.com "one" is invalid: ${unknown}`,
    'of which nothing is known',
  );
});

test('custom resources › the identity of an object is of a type of its own', (t) => {
  const { ask } = room();
  ask('POST', PLACE, { body: gadget() });
  const patch = { body: [{ op: 'replace', path: '/metadata/uid', value: {} }], contentType: JSON_PATCH };
  t.regex(message(ask('PATCH', `${PLACE}/one`, patch)) ?? '', /Go struct field ObjectMeta\.uid of type types\.UID$/);
});
