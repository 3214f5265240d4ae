import test from 'ava';
import {
  compileNodeSelector,
  preferredNodeAffinity,
  requiredNodeAffinity,
} from '../../src/api/selectors/node-affinity.js';
import type { core } from '../../src/api/objects/objects.js';

const NODE = { zone: 'a', cpus: '16', odd: '9223372036854775808' };

function expression(key: string, operator: string, ...values: string[]): core.NodeSelectorTerm {
  return { matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }] };
}

function nameField(operator: string, ...values: string[]): core.NodeSelectorTerm {
  return { matchFields: [{ key: 'metadata.name', operator, values }] };
}

function matches(...nodeSelectorTerms: core.NodeSelectorTerm[]): boolean {
  return compileNodeSelector({ nodeSelectorTerms }).matches(NODE, 'n1');
}

test('every operator compares as the scheduler does', (t) => {
  const cases: readonly (readonly [core.NodeSelectorTerm, boolean])[] = [
    [expression('zone', 'In', 'a', 'b'), true],
    [expression('zone', 'NotIn', 'a'), false],
    [expression('gone', 'NotIn', 'a'), true],
    [expression('zone', 'Exists'), true],
    [expression('gone', 'DoesNotExist'), true],
    [expression('cpus', 'Gt', '8'), true],
    [expression('cpus', 'Gt', '16'), false],
    [expression('cpus', 'Lt', '32'), true],
    [expression('gone', 'Lt', '32'), false],
    [nameField('In', 'n1'), true],
    [nameField('NotIn', 'n1'), false],
  ];
  t.deepEqual(
    cases.map(([term]) => matches(term)),
    cases.map(([, expected]) => expected),
  );
});

test('terms that cannot be read match nothing', (t) => {
  const broken = [
    {},
    expression('zone', 'In'),
    expression('zone', 'Exists', 'a'),
    expression('cpus', 'Gt', '8', '9'),
    expression('cpus', 'Gt', 'many'),
    expression('odd', 'Gt', '1'),
    expression('zone', 'Like', 'a'),
    nameField('In', 'n1', 'n2'),
    nameField('Exists'),
    { matchFields: [{ key: 'metadata.labels', operator: 'In', values: ['n1'] }] },
  ];
  t.deepEqual(
    broken.map((term) => matches(term)),
    broken.map(() => false),
  );
  t.true(matches({}, expression('zone', 'Exists')));
  t.false(matches());
});

test('nodeSelector and required terms must both hold', (t) => {
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [expression('zone', 'Exists')] },
  };
  const wanted = requiredNodeAffinity({ nodeSelector: { cpus: '16' }, affinity: { nodeAffinity } });
  t.is(requiredNodeAffinity({}), undefined);
  t.true(wanted?.matches(NODE, 'n1'));
  t.false(wanted?.matches({ cpus: '16' }, 'n1'));
  t.false(wanted?.matches({ zone: 'a' }, 'n1'));
});

function narrowed(...nodeSelectorTerms: core.NodeSelectorTerm[]): readonly string[] | undefined {
  const names = compileNodeSelector({ nodeSelectorTerms }).nodeNames;
  return names === undefined ? undefined : [...names];
}

test('names narrow the choice only when every term fixes them', (t) => {
  t.deepEqual(narrowed(nameField('In', 'n1'), nameField('In', 'n2')), ['n1', 'n2']);
  t.is(narrowed(nameField('In', 'n1'), expression('zone', 'Exists')), undefined);
  t.deepEqual(
    narrowed({
      matchFields: [...(nameField('In', 'a').matchFields ?? []), ...(nameField('In', 'b').matchFields ?? [])],
    }),
    [],
  );
});

test('preferred terms keep their weights and drop what is empty', (t) => {
  const preferredDuringSchedulingIgnoredDuringExecution = [
    { weight: 5, preference: expression('zone', 'In', 'a') },
    { weight: 0, preference: expression('zone', 'In', 'a') },
    { weight: 7, preference: {} },
    { weight: 9, preference: expression('zone', 'In', 'b') },
  ];
  const terms = preferredNodeAffinity({
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } },
  });
  t.deepEqual(
    terms?.map((term) => [term.weight, term.matches(NODE, 'n1')]),
    [
      [5, true],
      [9, false],
    ],
  );
  t.is(preferredNodeAffinity({}), undefined);
});
