import test from 'ava';
import { createRoom, type Room, type Seen } from './ask.js';

const MERGE = 'application/merge-patch+json';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/shop.example.com/v1/namespaces/default/gadgets';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const SPEC_SCHEMA = {
  type: 'object',
  required: ['size'],
  'x-kubernetes-validations': [
    { rule: 'self.size <= self.limit', message: 'size is beyond the limit' },
    { rule: '!has(oldSelf.color) || self.color == oldSelf.color', reason: 'FieldValueForbidden', fieldPath: '.color' },
    { rule: 'self.size != 13', messageExpression: "self.size == 13 ? 'no 13' : 'no'" },
  ],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 50 },
    limit: { type: 'integer', default: 20 },
    color: { type: 'string', enum: ['red', 'blue'] },
    note: { type: 'string', nullable: true, maxLength: 3 },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', pattern: '^[a-z]+$' } },
    parts: {
      type: 'array',
      maxItems: 2,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, count: { type: 'integer', default: 2, multipleOf: 2 } },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string', format: 'date-time' } },
    either: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

function definition(changes: object = {}): object {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      required: ['spec'],
      properties: { spec: SPEC_SCHEMA, status: { type: 'object', properties: { phase: { type: 'string' } } } },
    },
  };
  // Of versions with the same schema none may select by fields of its own.
  const old = { openAPIV3Schema: { ...schema.openAPIV3Schema, description: 'Old.' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['gg'], categories: ['all'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
          },
          selectableFields: [{ jsonPath: '.spec.color' }],
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].name' },
            { name: 'Second', type: 'integer', jsonPath: '.spec.parts[?(@.name=="b")].count' },
          ],
        },
        { name: 'v1beta1', served: true, storage: false, deprecated: true, schema: old, subresources: { status: {} } },
      ],
      ...changes,
    },
  };
}

function roomWithGadgets(): Room {
  const room = createRoom();
  room.ask('POST', DEFINITIONS, { body: definition() });
  return room;
}

interface Shown {
  readonly metadata: { readonly name: string; readonly generation: number; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: { readonly conditions: readonly { readonly type: string; readonly reason: string }[] };
  readonly message: string;
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
  readonly items: readonly Shown[];
  readonly apiVersion: string;
}

function shown({ body }: Seen): Shown {
  return body as Shown;
}

function gadget(spec: object, name = 'one'): object {
  return { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name }, spec };
}

test('a definition › is established at once, and its kind is discovered, listed and gone with it', async (t) => {
  const { ask, at } = roomWithGadgets();
  const { status } = shown(ask('GET', `${DEFINITIONS}/gadgets.shop.example.com`));
  t.deepEqual(
    status.conditions.map(({ type, reason }) => [type, reason]),
    [
      ['NamesAccepted', 'NoConflicts'],
      ['Established', 'InitialNamesAccepted'],
    ],
  );
  const { body } = ask('GET', '/apis/shop.example.com/v1');
  t.like(body, { resources: [{ name: 'gadgets' }, { name: 'gadgets/status' }, { name: 'gadgets/scale' }] });
  t.like(ask('GET', '/apis/shop.example.com').body, { preferredVersion: { version: 'v1' } });
  t.is(ask('POST', GADGETS, { body: gadget({ size: 2 }) }).status, 201);
  t.like(ask('DELETE', `${DEFINITIONS}/gadgets.shop.example.com`).body, { kind: 'CustomResourceDefinition' });
  const late = ask('POST', GADGETS, { body: gadget({ size: 2 }, 'late') });
  t.is(late.status, 405);
  t.is(shown(ask('GET', GADGETS)).items.length, 1);
  await at(1000);
  t.is(ask('GET', GADGETS).status, 404);
  t.is(ask('GET', `${DEFINITIONS}/gadgets.shop.example.com`).status, 404);
});

test('a custom resource › is pruned, defaulted, and told of unknown fields as its request asks', (t) => {
  const { ask } = roomWithGadgets();
  const body = gadget({ size: 2, junk: 1, note: null, limit: null, parts: [{ name: 'a', more: 1 }], free: { x: [1] } });
  const strict = ask('POST', `${GADGETS}?fieldValidation=Strict`, { body });
  t.is(strict.status, 400);
  t.is(
    shown(strict).message,
    'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: ' +
      'unknown field "spec.junk", unknown field "spec.parts[0].more"',
  );
  const fine = gadget({ size: 2, junk: 1, note: null, limit: null, free: { x: [1] } });
  const made = ask('POST', `${GADGETS}?fieldValidation=Warn`, { body: fine });
  t.deepEqual(made.headers['warning'], ['299 - "unknown field \\"spec.junk\\""']);
  t.deepEqual(shown(made).spec, { size: 2, note: null, limit: 20, free: { x: [1] } });
});

test('a custom resource › is refused in the words of the real server', (t) => {
  const { ask } = roomWithGadgets();
  const refusal = (spec: object): readonly string[] => {
    const { details } = ask('POST', GADGETS, { body: gadget(spec) }).body as {
      readonly details: { readonly causes: readonly { readonly field: string; readonly message: string }[] };
    };
    return details.causes
      .filter(({ message }) => !message.includes('some validation rules were not checked'))
      .map(({ field, message }) => `${field}: ${message}`);
  };
  t.deepEqual(refusal({ size: 60, limit: 90 }), [
    'spec.size: Invalid value: 60: spec.size in body should be less than or equal to 50',
  ]);
  t.deepEqual(refusal({ size: 1, color: 'green' }), [
    'spec.color: Unsupported value: "green": supported values: "red", "blue"',
  ]);
  t.deepEqual(refusal({ size: 1, note: 'four' }), ['spec.note: Too long: may not be more than 3 bytes']);
  t.deepEqual(refusal({ size: 1, port: true }), [
    'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
  ]);
  t.deepEqual(refusal({ size: 1, tags: ['a', 'a', 'B'] }), [
    'spec.tags[2]: Invalid value: "B": spec.tags[2] in body should match \'^[a-z]+$\'',
    'spec.tags[1]: Duplicate value: "a"',
  ]);
  t.deepEqual(refusal({ size: 1, parts: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }), [
    'spec.parts: Too many: 3: must have at most 2 items',
    'spec.parts[2]: Duplicate value: {"name":"a"}',
  ]);
  t.deepEqual(refusal({ size: 1, parts: [{ name: 'a', count: 3 }] }), [
    'spec.parts[0].count: Invalid value: 3: spec.parts[0].count in body should be a multiple of 2',
  ]);
  t.deepEqual(refusal({ size: 1, labels: { at: 'today' } }), [
    'spec.labels.at: Invalid value: "today": spec.labels.at in body must be of type date-time: "today"',
  ]);
  t.deepEqual(refusal({ size: 1, either: {} }), [
    '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid',
    'spec.either.a: Required value',
  ]);
  t.deepEqual(refusal({ size: 30 }), ['spec: Invalid value: "object": size is beyond the limit']);
  t.deepEqual(refusal({ size: 13 }), ['spec: Invalid value: "object": no 13']);
});

test('a custom resource › a number of replicas beyond 64 bits is none', (t) => {
  const { ask } = roomWithGadgets();
  const { body } = ask('POST', GADGETS, { body: gadget({ size: 1e21 }) });
  const { causes } = (body as { readonly details: { readonly causes: readonly { message: string }[] } }).details;
  const text = '.spec.size accessor error: 1e+21 is of the type float64, expected int64';
  t.true(causes.some(({ message }) => message === `Invalid value: 0: ${text}`));
});

test('a custom resource › keeps its rules about changes, its generation and its status apart', (t) => {
  const { ask } = roomWithGadgets();
  ask('POST', GADGETS, { body: { ...gadget({ size: 2, color: 'red' }), status: { phase: 'Early' } } });
  const patch = (path: string, body: object): Seen =>
    ask('PATCH', `${GADGETS}/one${path}`, { body, contentType: MERGE });
  t.is(
    shown(patch('', { spec: { color: 'blue' } })).message,
    'Gadget.shop.example.com "one" is invalid: spec.color: Forbidden: failed rule: !has(oldSelf.color) || self.color == oldSelf.color',
  );
  t.is(shown(patch('', { metadata: { labels: { a: 'b' } } })).metadata.generation, 1);
  const done = shown(patch('/status', { status: { phase: 'Done', junk: 1 }, spec: { size: 9 } }));
  t.like(done, { metadata: { generation: 1 }, spec: { size: 2 }, status: { phase: 'Done' } });
  t.is(shown(patch('', { spec: { size: 3 }, status: { phase: 'x' } })).metadata.generation, 2);
  t.like(ask('GET', `${GADGETS}/one/scale`).body, { kind: 'Scale', spec: { replicas: 3 } });
  t.like(patch('/scale', { spec: { replicas: 4 } }).body, { spec: { replicas: 4 } });
  t.like(ask('GET', `${GADGETS}/one`).body, { spec: { size: 4 }, status: { phase: 'Done' } });
  const { metadata, spec } = shown(ask('GET', `${GADGETS}/one`));
  const without = { ...gadget(spec), metadata: { name: metadata.name } };
  t.is(
    shown(ask('PUT', `${GADGETS}/one`, { body: without })).message,
    'gadgets.shop.example.com "one" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
});

test('a custom resource › is shown in its columns, selected by its fields, and read in each version', (t) => {
  const { ask } = roomWithGadgets();
  const parts = [
    { name: 'a', count: 2 },
    { name: 'b', count: 4 },
  ];
  ask('POST', GADGETS, { body: gadget({ size: 2, color: 'red', parts }) });
  ask('POST', GADGETS, { body: gadget({ size: 3, color: 'blue' }, 'two') });
  const table = shown(ask('GET', GADGETS, { accept: TABLE }));
  t.deepEqual(
    table.rows.map(({ cells }) => cells),
    [
      ['one', 2, 'a b', 4],
      ['two', 3, null, null],
    ],
  );
  const { items } = shown(ask('GET', `${GADGETS}?fieldSelector=spec.color%3Dblue`));
  t.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['two'],
  );
  t.is(shown(ask('GET', `${GADGETS}?fieldSelector=spec.size%3D2`)).message, 'field label not supported: spec.size');
  const beta = ask('GET', `${GADGETS.replace('v1', 'v1beta1')}/one`);
  t.is(shown(beta).apiVersion, 'shop.example.com/v1beta1');
  t.deepEqual(beta.headers['warning'], [
    '299 - "shop.example.com/v1beta1 Gadget is deprecated; use shop.example.com/v1 Gadget"',
  ]);
  const frames = ask('POST', GADGETS.replace('v1', 'v1beta1'), {
    body: { ...gadget({ size: 5 }, 'three'), apiVersion: 'shop.example.com/v1beta1' },
  });
  t.is(shown(frames).apiVersion, 'shop.example.com/v1beta1');
  t.is(shown(ask('GET', `${GADGETS}/three`)).apiVersion, 'shop.example.com/v1');
});

test('a custom resource › is applied by the keys of its lists', (t) => {
  const { ask } = roomWithGadgets();
  const apply = (parts: readonly object[], manager: string): Seen =>
    ask('PATCH', `${GADGETS}/one?fieldManager=${manager}`, {
      body: gadget({ size: 2, parts }),
      contentType: 'application/apply-patch+yaml',
    });
  t.is(apply([{ name: 'a', count: 2 }], 'first').status, 201);
  t.deepEqual(shown(apply([{ name: 'b', count: 4 }], 'second')).spec['parts'], [
    { name: 'a', count: 2 },
    { name: 'b', count: 4 },
  ]);
  t.is(
    shown(apply([{ name: 'a', count: 8 }], 'second')).message,
    'Apply failed with 1 conflict: conflict with "first": .spec.parts[name="a"].count',
  );
});

function version(schema: object): object {
  return { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }] };
}

test('a definition › is refused in the words of the real server', (t) => {
  const { ask } = roomWithGadgets();
  const refusal = (changes: object, name = 'gadgets.shop.example.com'): string =>
    shown(ask('POST', DEFINITIONS, { body: { ...definition(changes), metadata: { name } } })).message.replace(
      /^CustomResourceDefinition.apiextensions.k8s.io "\S+" is invalid: /,
      '',
    );
  t.is(refusal({}, 'other'), 'metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group');
  t.regex(
    refusal({ scope: 'Wide' }),
    /spec\.scope: Unsupported value: "Wide": supported values: "Cluster", "Namespaced"/,
  );
  const place = 'spec.validation.openAPIV3Schema';
  t.is(
    refusal(version({ type: 'object', properties: { a: {} } })),
    `${place}.properties[a].type: Required value: must not be empty for specified object fields`,
  );
  t.is(
    refusal(version({ type: 'object', anyOf: [{ properties: { a: { minimum: 1 } } }] })),
    `${place}.properties[a]: Required value: because it is defined in ${place}.anyOf[0].properties[a]`,
  );
  t.regex(
    refusal(version({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a ==' }] })),
    /compilation failed/,
  );
  const taken = shown(
    ask('POST', DEFINITIONS, {
      body: {
        ...definition({ names: { plural: 'others', kind: 'Gadget' } }),
        metadata: { name: 'others.shop.example.com' },
      },
    }),
  );
  t.truthy(taken);
  t.like(shown(ask('GET', `${DEFINITIONS}/others.shop.example.com`)).status, {
    conditions: [
      { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"GadgetList" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ],
  });
});

test('a definition › that keeps unknown fields is described to old clients without any field', (t) => {
  const { ask } = createRoom();
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open } }];
  const made = definition({ versions, group: 'shop.example.com' });
  t.is(ask('POST', DEFINITIONS, { body: made }).status, 201);
  const kind = [{ group: 'shop.example.com', kind: 'Gadget', version: 'v1' }];
  const { definitions } = ask('GET', '/openapi/v2').body as { readonly definitions: Readonly<Record<string, object>> };
  t.deepEqual(definitions['com.example.shop.v1.Gadget'], { type: 'object', 'x-kubernetes-group-version-kind': kind });
  const { components } = ask('GET', '/openapi/v3/apis/shop.example.com/v1').body as {
    readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
  };
  const { properties = {} } = components.schemas['com.example.shop.v1.Gadget'] ?? {};
  t.deepEqual(Object.keys(properties).toSorted(), ['apiVersion', 'kind', 'metadata']);
});
