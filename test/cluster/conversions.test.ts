import test from 'ava';
import type { ExecutionContext } from 'ava';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Draft, Kind } from '../../src/index.js';
import { createAuthority } from '../../src/server/certificates.js';
import { ask, serve, type Reply, type ServedCluster } from '../server/wire-client.js';

type Fields = Readonly<Record<string, unknown>>;

const PLACES = '/apis/shop.example.com';
const NAME = 'places.shop.example.com';

function version(name: string, storage: boolean, properties: Fields): object {
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const selectableFields = Object.keys(properties).map((field) => ({ jsonPath: `.${field}` }));
  return { name, served: true, storage, schema, selectableFields };
}

/** Of places, which v1 keeps as `hostPort` and v2 shows as `host` and `port`. */
function definition(clientConfig: object): Draft {
  const text = { type: 'string' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: NAME },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'places', kind: 'Place' },
      versions: [version('v1', true, { hostPort: text }), version('v2', false, { host: text, port: text })],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  };
}

function convert(object: Fields, to: string): object {
  const { hostPort, host, port, ...others } = object as { hostPort?: string; host?: string; port?: string };
  if (to.endsWith('/v1')) return { ...others, hostPort: `${host}:${port}` };
  const [name = '', number = ''] = (hostPort ?? '').split(':');
  if (name === 'bad') throw new Error('no such place');
  return { ...others, host: name, port: number };
}

function place(name: string, apiVersion: string, fields: object): Draft {
  return { apiVersion: `shop.example.com/${apiVersion}`, kind: 'Place', metadata: { name }, ...fields };
}

function at(served: ServedCluster, path: string, body?: object): Promise<Reply> {
  const question = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return ask(served, `${PLACES}/${path}`, question);
}

function shown({ json }: Reply): Fields {
  const { metadata: _metadata, kind: _kind, ...fields } = json as Fields;
  return fields;
}

/** What a client of each version sees, whatever converts. */
async function tour(t: ExecutionContext, served: ServedCluster): Promise<void> {
  const one = 'v1/namespaces/default/places';
  const two = 'v2/namespaces/default/places';
  t.is((await at(served, one, place('a', 'v1', { hostPort: 'x:1' }))).status, 201);
  const made = await at(served, two, place('b', 'v2', { host: 'y', port: '2' }));
  t.deepEqual([made.status, shown(made)], [201, { apiVersion: 'shop.example.com/v2', host: 'y', port: '2' }]);
  t.deepEqual(shown(await at(served, `${one}/b`)), { apiVersion: 'shop.example.com/v1', hostPort: 'y:2' });
  t.deepEqual(shown(await at(served, `${two}/a`)), { apiVersion: 'shop.example.com/v2', host: 'x', port: '1' });
  const { items } = (await at(served, two)).json as { readonly items: readonly Fields[] };
  t.deepEqual(
    items.map(({ host, port }) => [host, port]),
    [
      ['x', '1'],
      ['y', '2'],
    ],
  );
  const watched = await at(served, `${two}?watch=true&timeoutSeconds=5`);
  const frames = watched.text.trim().split('\n');
  t.deepEqual(
    frames.map((line) => (JSON.parse(line) as { readonly object: Fields }).object['host']),
    ['x', 'y'],
  );
  // A webhook that fails takes the write back with it.
  await at(served, one, place('c', 'v1', { hostPort: 'bad:1' }));
  const failed = await at(served, `${two}/c`);
  t.is(failed.status, 500);
  const { message } = failed.json as { readonly message: string };
  t.is(message, 'conversion webhook for shop.example.com/v1, Kind=Place failed: no such place');
}

test('a function of the program converts the objects of a definition', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  cluster.create('CustomResourceDefinition', definition({ url: 'https://127.0.0.1:1' }));
  const takeAway = cluster.admission.conversion(NAME, convert);
  await tour(t, served);
  const selected = (await at(served, 'v2/namespaces/default/places?fieldSelector=host%3Dy')).json as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  };
  t.deepEqual(
    selected.items.map(({ metadata }) => metadata.name),
    ['b'],
  );
  const unknown = await at(served, 'v1/namespaces/default/places?fieldSelector=host%3Dy');
  t.is((unknown.json as { readonly message: string }).message, 'field label not supported: host');
  const kind = 'Place' as Kind;
  t.like(cluster.get(kind, 'b'), { apiVersion: 'shop.example.com/v1', hostPort: 'y:2' });
  takeAway();
  t.is((await at(served, 'v2/namespaces/default/places/a')).status, 500);
});

test('a webhook over HTTPS converts, also for lists and watches, and what a write answers', async (t) => {
  const authority = await createAuthority();
  const { certificate: cert, key } = await authority.issueServer(['127.0.0.1']);
  const server = createServer({ cert, key }, (request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const review = JSON.parse(text) as {
        readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Fields[] };
      };
      const { uid, desiredAPIVersion: apiVersion, objects } = review.request;
      let answer: object;
      try {
        const convertedObjects = objects.map((each) => ({ ...convert(each, apiVersion), apiVersion }));
        answer = { uid, convertedObjects, result: { status: 'Success' } };
      } catch (error) {
        answer = { uid, result: { status: 'Failure', message: (error as Error).message } };
      }
      response.end(JSON.stringify({ ...review, request: undefined, response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  const served = await serve(t);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`;
  served.cluster.create('CustomResourceDefinition', definition({ url, caBundle }));
  await tour(t, served);
});

test('metadata that a conversion may not make is told as a real server tells it, also to a delete', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  cluster.create('CustomResourceDefinition', definition({ url: 'https://127.0.0.1:1' }));
  let made: object = {};
  cluster.admission.conversion(NAME, (object, to) => {
    const { metadata, ...others } = convert(object, to) as { readonly metadata: object };
    return { ...others, ...('metadata' in made ? { metadata: { ...metadata, ...(made.metadata as object) } } : made) };
  });
  await at(served, 'v1/namespaces/default/places', place('a', 'v1', { hostPort: 'x:1' }));
  const told = async (outcome: object, method = 'GET'): Promise<string> => {
    made = outcome;
    const { json } = await ask(served, `${PLACES}/v2/namespaces/default/places/a`, { method });
    const { message = 'fine' } = json as { readonly message?: string };
    return message.replace('conversion webhook for shop.example.com/v1, Kind=Place returned ', '');
  };
  const cases: readonly (readonly [object, string])[] = [
    [{}, 'invalid object: must have the same name: a != '],
    [
      { kind: '' },
      `Object 'Kind' is missing in '{"apiVersion":"shop.example.com/v2","host":"x","kind":"","port":"1"}'`,
    ],
    [{ metadata: { labels: 'x' } }, 'invalid metadata: invalid metadata.labels of type string in converted object'],
    [
      { metadata: { labels: { a: 1 } } },
      'invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      { metadata: { annotations: { 'a b': '' } } },
      `invalid metadata: metadata.annotation: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ];
  for (const [outcome, text] of cases) t.is(await told(outcome), text);
  t.is(await told({}, 'DELETE'), 'invalid object: must have the same name: a != ');
  t.is(await told({ metadata: { labels: { a: 'b' } } }, 'DELETE'), 'fine');
});

test('what a webhook changes of an object in another version is kept in its own', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  cluster.create('CustomResourceDefinition', definition({ url: 'https://127.0.0.1:1' }));
  cluster.admission.conversion(NAME, convert);
  const rules = [
    { operations: ['CREATE'], apiGroups: ['shop.example.com'], apiVersions: ['v2'], resources: ['places'] },
  ];
  cluster.admission.mutating('ports', { rules }, ({ object }) => {
    t.like(object, { apiVersion: 'shop.example.com/v2', host: 'x', port: '1' });
    return { allowed: true, patch: [{ op: 'replace', path: '/port', value: '9' }] };
  });
  const made = await at(served, 'v1/namespaces/default/places', place('a', 'v1', { hostPort: 'x:1' }));
  t.deepEqual([made.status, shown(made)], [201, { apiVersion: 'shop.example.com/v1', hostPort: 'x:9' }]);
});

test('a watch shows objects by the definition of its own cluster', async (t) => {
  for (const host of ['first', 'second']) {
    const served = await serve(t);
    served.cluster.create('CustomResourceDefinition', definition({ url: 'https://127.0.0.1:1' }));
    served.cluster.admission.conversion(NAME, (object, apiVersion) => ({ ...object, apiVersion, host, port: '1' }));
    await at(served, 'v1/namespaces/default/places', place('a', 'v1', { hostPort: 'x:1' }));
    const { text } = await at(served, 'v2/namespaces/default/places?watch=true&timeoutSeconds=1');
    t.true(text.includes(`"host":"${host}"`), text);
  }
});
