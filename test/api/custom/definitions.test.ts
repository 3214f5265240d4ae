import test from 'ava';
import { createRoom, type Seen } from '../../requests/ask.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY = 'application/apply-patch+yaml';
const { ask } = createRoom();

function definition(p: object, root: object = {}, own: object = {}): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', ...root, properties: { p, ...own } } },
        },
      ],
    },
  };
}

/** What is said, without what it is about. */
function told({ status, body }: Seen): string {
  if (status < 300) return 'ok';
  const { message = '' } = body as { readonly message?: string };
  return message
    .replace(/^CustomResourceDefinition.* is invalid: /, '')
    .replaceAll('spec.validation.openAPIV3Schema.properties[p]', 'p')
    .replaceAll('spec.validation.openAPIV3Schema', 'root')
    .replace(/^.*(?:to|v1), Kind=CustomResourceDefinition\)?: /, '')
    .replace(/^.*cannot be handled as a CustomResourceDefinition: /, '');
}

function created(p: object, root?: object, own?: object): string {
  return told(ask('POST', `${DEFINITIONS}?dryRun=All`, { body: definition(p, root, own) }));
}

function applied(p: object): string {
  const path = `${DEFINITIONS}/xs.shop.example.com?dryRun=All&fieldManager=a`;
  return told(ask('PATCH', path, { contentType: APPLY, body: definition(p) }));
}

test('a definition › with a word that no structural schema has is not judged as one', (t) => {
  t.is(created({ type: 'string', $schema: 'x' }), `root: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`);
  t.is(created({ id: 'x', type: 'object', properties: { a: {} } }), 'p.id: Forbidden: id is not supported');
  t.is(created({ type: 'string', allOf: [{ id: 'x' }] }), 'p.allOf[0].id: Forbidden: id is not supported');
});

test('alternatives of a schema › are judged by their words, and at the root must be complete', (t) => {
  const types = 'supported values: "array", "boolean", "integer", "number", "object", "string"';
  t.is(
    created({ type: 'string', not: { type: 'x' } }),
    `[p.not.type: Forbidden: must be empty to be structural, p.not.type: Unsupported value: "x": ${types}]`,
  );
  t.is(created({ type: 'object', anyOf: [{ properties: { a: { minLength: 1 } } }] }), 'ok');
  t.is(
    created({ type: 'string' }, { anyOf: [{ properties: { z: { minLength: 1 } } }] }),
    'root.properties[z]: Required value: because it is defined in root.anyOf[0].properties[z]',
  );
  t.is(created({ type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] }), 'ok', 'a number or a text');
});

const KEYED = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
};

test('keys of lists › are told as a whole', (t) => {
  const said = (keys: readonly string[]): string =>
    created({ ...KEYED, 'x-kubernetes-list-map-keys': keys }).replace(/^p.x-kubernetes-list-map-keys: /, '');
  t.is(said(['a', 'b']), 'Invalid value: ["a","b"]: entries must all be names of item properties');
  t.is(said(['a', 'a']), 'Invalid value: ["a","a"]: must not contain duplicate entries');
  t.is(
    created({ type: 'array', 'x-kubernetes-list-type': 'x', items: { type: 'string' } }),
    'p.x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
  );
});

function patternSaid(pattern: string): string {
  return created({ type: 'string', pattern }).split('error parsing regexp: ').at(-1) ?? '';
}

test('patterns › are told as Go tells them', (t) => {
  const faults: Readonly<Record<string, string>> = {
    '(': 'missing closing ): `(`',
    ')': 'unexpected ): `)`',
    '[a': 'missing closing ]: `[a`',
    '[z-a]': 'invalid character class range: `z-a`',
    'a**': 'invalid nested repetition operator: `**`',
    '*': 'missing argument to repetition operator: `*`',
    'a{2,1}': 'invalid repeat count: `{2,1}`',
    '\\q': 'invalid escape sequence: `\\q`',
    '(?=a)': 'invalid or unsupported Perl syntax: `(?=`',
    '(?P<a': 'invalid named capture: `(?P<a`',
  };
  for (const [pattern, fault] of Object.entries(faults)) t.is(patternSaid(pattern), fault);
  const good = [
    '^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$',
    '[]a]',
    '[^]]',
    '\\.\\-\\@',
    '(?:a|b)*?',
    '[[:alpha:]_]',
    'a{,2}',
    '\\Qa(\\E',
  ];
  for (const pattern of good) t.is(created({ type: 'string', pattern }), 'ok', pattern);
});

function createdWith(own: object): string {
  return created({ type: 'string' }, {}, own);
}

test('fields of every object › have no defaults of a definition', (t) => {
  const { kind, metadata } = { kind: { type: 'string', default: 'x' }, metadata: { type: 'object', default: {} } };
  t.is(createdWith({ kind }), 'root.properties[kind].default: Forbidden: must not be set in top-level kind');
  t.is(
    createdWith({ metadata }),
    'root.properties[metadata].default: Forbidden: must not be set in top-level metadata',
  );
});

test('parts of a schema that read themselves › are refused in the words of JSON', (t) => {
  t.is(
    created({ dependencies: [1] }),
    'json: cannot unmarshal array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.dependencies of type v1.JSONSchemaDependencies',
  );
  const nested = { items: { properties: { a: { items: { required: 'x' } } } } };
  t.is(
    applied(nested),
    'json: cannot unmarshal string into Go struct field JSONSchemaProps.properties.items of type []string',
  );
  t.is(applied({ items: [1] }), 'json: cannot unmarshal number into Go value of type v1.JSONSchemaProps');
  t.is(applied({ additionalProperties: 'x' }), 'boolean or JSON schema expected');
  t.is(applied({ items: 'x' }), 'p.type: Required value: must not be empty for specified object fields');
});
