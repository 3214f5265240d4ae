import test from 'ava';
import { readQuery } from '../../src/stages/jq/jq.js';
import type { Json } from '../../src/stages/jq/jq-values.js';

const POD: Json = {
  metadata: { name: 'web', labels: { 'a/b': 'yes' }, ownerReferences: [{ kind: 'Job' }, { kind: 'Set' }] },
  spec: { replicas: 3 },
  status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'Other' }], gone: null },
};

const CASES: readonly (readonly [query: string, answers: readonly Json[] | undefined])[] = [
  ['.metadata.name', ['web']],
  ['.metadata.labels["a/b"]', ['yes']],
  ['.metadata.labels."a/b"', ['yes']],
  ['.metadata.annotations["x"]', []],
  ['.metadata.ownerReferences.[].kind', ['Job', 'Set']],
  ['.status.conditions.[] | select( .type == "Ready" ) | .status', ['True']],
  ['.status.conditions[] | .status', ['True']],
  ['.status.gone', []],
  ['.status.nothing.[].state.running', undefined],
  ['.status.nothing[]?.state', []],
  ['.metadata.name.deep', undefined],
  ['.spec.replicas == 3 and (.status.conditions | length) > 1', [true]],
  ['.status.ready // .spec.replicas - 1', [2]],
  ['[.metadata.ownerReferences[].kind] | join(",")', ['Job,Set']],
  ['.metadata.ownerReferences | map(.kind) | index("Job")', undefined],
  ['any(.status.conditions[]; .type == "Ready" and .status == "True")', [true]],
  ['if .spec.replicas > 2 then "many" elif .spec.replicas > 0 then "few" else "none" end', ['many']],
  ['reduce .metadata.ownerReferences[] as $each (0; . + ($each.kind | length))', [6]],
  ['.metadata as {name: $n} | $n', undefined],
  ['.metadata.name as $name | "\\($name)-\\(.spec.replicas * 2)"', ['web-6']],
  ['{name: .metadata.name, n: (1, 2)} | .n', [1, 2]],
  ['.metadata.ownerReferences[-1:] | .[0].kind', ['Set']],
  ['.metadata.labels | to_entries | map("\\(.key)=\\(.value)") | .[]', ['a/b=yes']],
  ['.metadata.name | test("^w.b$") , has_none?', undefined],
  ['[3, 1, 2] | sort | last, first, max, add', [3, 1, 3, 6]],
  ['.metadata | has("name"), (keys | length)', [true, 3]],
  ['1, null, 2', [1, 2]],
  ['try error("no") catch .', ['no']],
  ['-(2) + 7 % 4 * 2', [4]],
];

for (const [query, answers] of CASES) {
  test(`queries › ${query}`, (t) => {
    const read = (): readonly Json[] | undefined => readQuery(query)(POD);
    if (query.includes('as {') || query.includes('has_none')) t.throws(read, { name: 'JqError' });
    else t.deepEqual(read(), answers);
  });
}

test('queries › say what they cannot be', (t) => {
  for (const [query, message] of [
    ['.a |', 'unexpected EOF'],
    ['.a b', 'unexpected token "b"'],
    ['nothing(1)', 'function not defined: nothing/1'],
    ['"open', 'unterminated string literal'],
    ['def f: 1; f', 'def is not supported'],
    ['.a = 1', 'unexpected token "="'],
  ] as const) {
    t.throws(() => readQuery(query), { name: 'JqError', message }, query);
  }
});
