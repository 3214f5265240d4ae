import test from 'ava';
import { ApiError, createCluster, type Draft, type Kind } from '../../../src/index.js';

const requirement = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    values: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
  },
};
const RULE = { rule: 'self.all(x, int(x.values[0]) >= 0)', message: 'numbers only' };
const OTHER_RULE = { rule: 'self.exists(x, int(x.values[0]) >= 0)', message: 'a number' };

const definition: Draft = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  all: { type: 'array', maxItems: 5, items: requirement, 'x-kubernetes-validations': [RULE] },
                  some: { type: 'array', maxItems: 5, items: requirement, 'x-kubernetes-validations': [OTHER_RULE] },
                },
              },
              status: {
                type: 'object',
                default: { phase: 'Waiting' },
                properties: { phase: { type: 'string' }, by: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};

function widget(name: string, spec: object, status?: object): Draft {
  const own = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec };
  return status === undefined ? own : { ...own, status };
}

test('a new object has the status that its schema defaults, whatever its client says of it', (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  cluster.apply(definition);
  cluster.apply([widget('plain', {}), widget('stated', {}, { phase: 'Done', by: 'me' })]);
  for (const name of ['plain', 'stated']) {
    const { status } = cluster.get('Widget' as Kind, name) as { readonly status?: unknown };
    t.deepEqual(status, { phase: 'Waiting' }, name);
  }
  const [dry] = cluster.apply(widget('dry', {}), { dryRun: true });
  t.deepEqual((dry as { readonly object?: { readonly status?: unknown } }).object?.status, { phase: 'Waiting' });
});

test('of what is wrong with the items that a rule goes through the first is told', (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  cluster.apply(definition);
  const [text, missing] = [{ key: 'a', values: ['x'] }, { key: 'b' }];
  const refusal = (spec: object): string => {
    const { message } = t.throws(() => cluster.apply(widget('w', spec)), { instanceOf: ApiError });
    return (
      /: (no such key: values|type conversion error from 'string' to 'int') evaluating/.exec(message)?.[1] ?? message
    );
  };
  t.is(refusal({ all: [text, missing] }), "type conversion error from 'string' to 'int'");
  t.is(refusal({ all: [missing, text] }), 'no such key: values');
  t.is(refusal({ some: [text, missing] }), "type conversion error from 'string' to 'int'");
  t.is(refusal({ some: [missing, text] }), 'no such key: values');
});
