import { join } from 'node:path';
import test from 'ava';
import { readSweepPlan, SweepError } from '../../src/index.js';
import { sweepFolder } from './sweep-files.js';

function plan(text: string, files: Readonly<Record<string, string>> = {}) {
  return readSweepPlan(join(sweepFolder({ ...files, 'plan.yaml': text }), 'plan.yaml'));
}

test('every combination of what varies is a variant, with its values in its title', (t) => {
  const { variants, seeds, firstSeed } = plan(`
variants: [base.yaml, { file: base.yaml, title: other, set: { run.limit: 1m } }]
vary: { run.nodes: [1, 2], run.pods: { from: 0, to: 10, step: 5 } }
seeds: { first: 5, count: 3 }
`);
  t.deepEqual([firstSeed, seeds, variants.length], [5, 3, 12]);
  t.is(variants[0]?.title, 'small, run.nodes=1, run.pods=0');
  t.is(variants[11]?.title, 'other, run.nodes=2, run.pods=10');
  t.deepEqual(variants[11]?.set, { 'run.limit': '1m', 'run.nodes': 2, 'run.pods': 10 });
  t.is(new Set(variants.map(({ hash }) => hash)).size, 12);
});

test('a variant has the same hash wherever its files lie, and another one when one of them changes', (t) => {
  const text = 'variants: [base.yaml]\nseeds: 1\n';
  const [first, second] = [plan(text), plan(text)];
  t.is(first.variants[0]?.hash, second.variants[0]?.hash);
  const other = plan(text, {
    'pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: b }\nspec: { containers: [{ name: c, image: i }] }\n',
  });
  t.not(first.variants[0]?.hash, other.variants[0]?.hash);
  t.not(first.variants[0]?.hash, plan(`${text}metrics: ['pods_failed count']\n`).variants[0]?.hash);
});

function sampled(seed: number): string {
  return `
variants: [base.yaml]
vary: { run.nodes: { from: 1, to: 1000, scale: log }, cluster.runtime.imagePull: { from: 0.5, to: 9 }, run.pods: [1, 2] }
sample: { count: 20, seed: ${seed} }
seeds: 1
`;
}

function sets(seed: number) {
  return plan(sampled(seed)).variants.map(({ set }) => set);
}

test('a sample draws different combinations, the same ones from the same seed', (t) => {
  t.deepEqual(sets(1), sets(1));
  t.notDeepEqual(sets(1), sets(2));
  const nodes = sets(1).map((set) => Number(set['run.nodes']));
  t.is(sets(1).length, 20);
  t.true(nodes.every((count) => Number.isInteger(count) && count >= 1 && count <= 1000));
  t.true(nodes.filter((count) => count <= 32).length > 4, 'of a logarithmic scale half lie below the geometric middle');
});

test('a plan that cannot be played is refused with its line, its field, what it got and what is allowed', (t) => {
  const refused: readonly (readonly [text: string, message: RegExp])[] = [
    ['seeds: 1', /plan\.yaml:1: variants must be a list of files that is not empty, got nothing$/],
    ['variants: [base.yaml]', /:1: seeds must be an integer in 1\.\.10000000, got nothing$/],
    ['variants: [base.yaml]\nseeds: 0', /:2: seeds must be an integer in 1\.\.10000000, got 0$/],
    ['variants: [base.yaml]\nseeds: 1\nvari: 2', /:3: vari is not known here; .*did you mean vary\?$/],
    ['variants: [5]\nseeds: 1', /variants\[0\] must be a file, or a mapping with one, got 5$/],
    [
      'variants: [{ file: base.yaml, name: a }]\nseeds: 1',
      /variants\[0\]\.name is not known here; known are file, title, set$/,
    ],
    ['variants: [nowhere.yaml]\nseeds: 1', /nowhere\.yaml: there is no such file$/],
    [
      'variants: [base.yaml]\nseeds: 1\nvary: { run.nodes: 5 }',
      /vary\.run\.nodes must be a list of values, or a mapping/,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\nvary: { run.nodes: { from: 1, to: 2 } }',
      /step is missing: only a sample draws/,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\nvary: { run.nodes: [-1] }',
      /base\.yaml \(run\.nodes=-1\):\d+: run\.nodes must be an integer >= 0, got -1$/,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\nvary: { run.manifests.0.a: [1] }',
      /run\.manifests\.0\.a leads through "pod\.yaml", which is no mapping$/,
    ],
    ['variants: [base.yaml]\nseeds: 1\nvary: { cluster.nodez: [1] }', /option nodez must be one of .*$/],
    ['variants: [base.yaml]\nseeds: 1\nvary: { run.nodes: [1, 1] }', /must differ, but .* are the same$/],
    [
      'variants: [base.yaml]\nseeds: 1\nvary: { run.nodes: [1, 2] }\nsample: { count: 3 }',
      /sample\.count must be at most 2, as many as there are, got 3$/,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\nmetrics: [pods]',
      /metrics\[0\] must name a metric, such as "pod_startup_ms p\(99\)", got "pods"$/,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\nmetrics: [pod_ready_ms rate]',
      /metrics\[0\] must be one of "pod_ready_ms count", /,
    ],
    [
      'variants: [base.yaml]\nseeds: 1\njobTime: soon',
      /jobTime must be a duration such as 20s, at most 1h, got "soon"$/,
    ],
  ];
  for (const [text, message] of refused) t.throws(() => plan(text), { message }, text);
  t.throws(() => plan('a: [', {}), { instanceOf: SweepError });
});
