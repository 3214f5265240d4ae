import test from 'ava';
import { structFact, typeKeys } from '../../src/api/types/type-facts.js';
import { describedField, describedKeys } from '../../src/requests/openapi/descriptions.js';
import { createRoom } from './ask.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string }[];
    }[];
  }[];
}

test('discovery › tells all groups at once, under a tag by which they are kept', (t) => {
  const { ask } = createRoom();
  const { status, headers, body } = ask('GET', '/apis', { accept: AGGREGATED });
  t.is(status, 200);
  t.is(headers['content-type'], 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  const names = (body as Discovery).items.map(({ metadata }) => metadata.name);
  t.deepEqual(names.slice(0, 4), ['apiregistration.k8s.io', 'apps', 'events.k8s.io', 'authentication.k8s.io']);
  const etag = String(headers['etag']);
  t.regex(etag, /^"[0-9A-F]{128}"$/);
  t.is(ask('GET', '/apis', { accept: AGGREGATED, headers: { 'if-none-match': etag } }).status, 304);
});

test('discovery › clients of a later version get the plain documents', (t) => {
  const { ask } = createRoom();
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
  t.is((ask('GET', '/apis', { accept }).body as { readonly kind: string }).kind, 'APIGroupList');
  const { resources } = ask('GET', '/apis/apps/v1').body as { readonly resources: readonly object[] };
  t.deepEqual(resources[1], {
    name: 'daemonsets',
    singularName: 'daemonset',
    namespaced: true,
    kind: 'DaemonSet',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['ds'],
    categories: ['all'],
    storageVersionHash: 'dd7pWHUlMKQ=',
  });
});

test('discovery › every verb that is listed is served', (t) => {
  const { ask } = createRoom();
  const { body } = ask('GET', '/apis', { accept: AGGREGATED });
  const served = (body as Discovery).items.flatMap(({ metadata: { name = '' }, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ resource }) => `/apis/${name}/${version}/${resource}`),
    ),
  );
  t.true(served.length > 40);
  for (const path of served) {
    if (path.includes('/authentication') || path.includes('/authorization') || path.includes('/autoscaling')) continue;
    t.is(ask('GET', path).status, 200, path);
  }
});

test('openapi › the patch of a kind takes fieldValidation, and its lists say how they merge', (t) => {
  const { ask } = createRoom();
  const root = ask('GET', '/openapi/v3').body as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  const url = root.paths['apis/apps/v1']?.serverRelativeURL ?? '';
  const { status, headers, body } = ask('GET', url);
  t.deepEqual([status, headers['cache-control']], [200, 'public, immutable']);
  const document = body as {
    readonly paths: Readonly<Record<string, { readonly patch: { readonly parameters: readonly object[] } }>>;
    readonly components: {
      readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;
    };
  };
  const patch = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
  t.true(patch?.parameters.some((each) => 'name' in each && each.name === 'fieldValidation'));
  t.like(document.components.schemas['io.k8s.api.core.v1.PodSpec']?.properties['containers'], {
    type: 'array',
    items: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }], default: {} },
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge',
  });
  t.is(ask('GET', `${url.split('?')[0] ?? ''}?hash=other`).status, 301);
});

test('openapi › common kinds and fields are described, and words of which a field has one are named', (t) => {
  const { ask } = createRoom();
  const { components } = ask('GET', '/openapi/v3/apis/apps/v1').body as {
    readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  };
  const strategy = components.schemas['io.k8s.api.apps.v1.DeploymentStrategy'] ?? {};
  t.is(strategy['description'], 'How pods of an old template are replaced by new ones.');
  t.like(strategy['properties'], { type: { type: 'string', enum: ['Recreate', 'RollingUpdate'] } });
  const claim = components.schemas['io.k8s.api.core.v1.PersistentVolumeClaimSpec'] ?? {};
  const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
  t.like(claim['properties'], { accessModes: { type: 'array', items: { type: 'string', enum: modes } } });
});

test('openapi › every type and field of which something is said is there', (t) => {
  for (const key of describedKeys()) {
    const [, type = '', field] = /^([^.]*\.[^.]*)(?:\.(.*))?$/.exec(key) ?? [];
    const fact = structFact(type);
    t.true(field === undefined ? fact !== undefined : fact?.fields.has(field), key);
  }
});

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, { readonly schema?: object }>>;
}

test('openapi › each operation has a name of its own and says what it takes and answers, for generators of clients', (t) => {
  const { ask } = createRoom();
  const document = ask('GET', '/openapi/v2').body as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly definitions: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, object>>;
  };
  const pods = document.paths['/api/v1/namespaces/{namespace}/pods'];
  t.is(pods?.['get']?.operationId, 'listCoreV1NamespacedPod');
  t.deepEqual(pods?.['get']?.responses['200']?.schema, { $ref: '#/definitions/io.k8s.api.core.v1.PodList' });
  t.is(pods?.['delete']?.operationId, 'deleteCoreV1CollectionNamespacedPod');
  const scale = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale'];
  t.is(scale?.['put']?.operationId, 'replaceAppsV1NamespacedDeploymentScale');
  t.deepEqual(Object.keys(scale?.['put']?.responses ?? {}), ['200', '201', '401']);
  const operations = Object.values(document.paths)
    .flatMap((item) => Object.entries(item))
    .flatMap(([method, operation]) => (method === 'parameters' ? [] : [operation]));
  t.true(operations.length > 700);
  t.is(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  // Nothing refers to what is not there.
  const referred = new Set(JSON.stringify(document).match(/#\/(?:definitions|parameters)\/[^"]+/g));
  for (const reference of referred) {
    const [, section = '', name = ''] = reference.split('/');
    t.true(name in (section === 'definitions' ? document.definitions : document.parameters), reference);
  }
  // Where clients that follow no references look for it.
  const patch = document.paths['/api/v1/namespaces/{namespace}/pods/{name}']?.['patch'];
  t.deepEqual(
    patch?.parameters?.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])),
    ['dryRun', 'fieldValidation'],
  );
});

test('openapi › of kubeloom.dev every field is described', (t) => {
  const own = typeKeys().filter((key) => key.startsWith('kubeloom/'));
  t.true(own.length > 20);
  for (const type of own) {
    for (const field of structFact(type)?.fields.keys() ?? []) {
      t.truthy(describedField(type, field), `${type}.${field}`);
    }
  }
});

test('server paths › the version, the health and the list of paths are told', (t) => {
  const { ask } = createRoom();
  t.is((ask('GET', '/version').body as { readonly gitVersion: string }).gitVersion, 'v1.34.2');
  t.deepEqual(
    ['/healthz', '/livez', '/readyz', '/healthz/etcd'].map((path) => ask('GET', path).body),
    ['ok', 'ok', 'ok', 'ok'],
  );
  t.true(String(ask('GET', '/readyz?verbose').body).endsWith('[+]shutdown ok\nreadyz check passed\n'));
  const { paths } = ask('GET', '/').body as { readonly paths: readonly string[] };
  t.true(paths.includes('/apis/apps/v1'));
});
