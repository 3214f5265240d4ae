/** Variants against each other, played for real. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { comparePage, compareVariants, type CompareOptions, type CompareResult } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-compare-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const PACKED = `
title: packed
run: { nodes: 6, pods: 40, limit: 5m }
cluster:
  clientLimits: unlimited
  schedulerConfig:
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles:
      - pluginConfig:
          - name: NodeResourcesFit
            args: { scoringStrategy: { type: MostAllocated, resources: [{ name: cpu, weight: 1 }] } }
`;
const SPREAD = 'title: spread\nrun: { nodes: 6, pods: 40, limit: 5m }\ncluster: { clientLimits: unlimited }\n';
const SMALL = 'run: { nodes: 2, pods: 8, limit: 5m }\ncluster: { clientLimits: unlimited }\n';
const SLOW = `${SMALL}scripts: slow.yaml\n`;

function compare(options: Partial<CompareOptions>): Promise<CompareResult> {
  return compareVariants({
    variants: [file('a.yaml', SPREAD), file('b.yaml', PACKED)],
    program: '0',
    seeds: 3,
    ...options,
  });
}

test('two schedulers place pods differently, and say why; a variant against itself differs in nothing', async (t) => {
  const result = await compare({});
  const [comparison] = result.comparisons;
  t.deepEqual(result.seeds, [1, 2, 3]);
  t.is(comparison?.before, 'spread');
  t.is(comparison?.after, 'packed');
  t.true((comparison?.placements.moved ?? 0) > 20);
  t.true((comparison?.moves.length ?? 0) > 0);
  for (const { why, before, after } of comparison?.moves ?? []) {
    t.true(why[0]?.startsWith(`A: ${before}`), why[0]);
    t.true(why[1]?.startsWith(`B: ${after}`), why[1]);
  }
  t.regex(comparison?.moves.flatMap(({ why }) => why).join('\n') ?? '', /NodeResourcesFit [+−]\d|drawn out of/);
  const { verdict } = comparison ?? {};
  t.regex(verdict?.sentences[0] ?? '', /^Too few seeds to be sure of anything: 3;/);
  t.regex(verdict?.sentences.at(-1) ?? '', /^\d+(?:\.\d+)? % of the pods are on other nodes/);
  const page = comparePage(result);
  t.true(page.includes('Placed differently') && page.includes('How large, and how sure'));
  const itself = await compare({ variants: [file('a.yaml', SPREAD), file('c.yaml', SPREAD)] });
  t.is(itself.comparisons[0]?.placements.moved, 0);
  t.is(itself.comparisons[0]?.verdict.better, 'neither');
  t.deepEqual(
    itself.comparisons[0]?.values.filter(({ before, after }) => before !== after),
    [],
  );
  t.deepEqual(
    itself.summaries[0]?.map(({ traceHash }) => traceHash),
    itself.summaries[1]?.map(({ traceHash }) => traceHash),
  );
});

test('threads play the same runs', async (t) => {
  const texts = [SPREAD, PACKED].map((text) => text.replace('nodes: 6, pods: 40', 'nodes: 2, pods: 8'));
  const variants = texts.map((text, index) => file(`few-${index}.yaml`, text));
  const here = await compare({ variants, seeds: 2 });
  t.deepEqual(await compare({ variants, seeds: 2, workers: 2 }), here);
});

test('what starts slower is slower, for sure', async (t) => {
  file('slow.yaml', '- selector: {}\n  script: { startDelay: 20s }\n');
  const result = await compare({ variants: [file('small.yaml', SMALL), file('slow-variant.yaml', SLOW)], seeds: 6 });
  const median = result.comparisons[0]?.values.find(
    ({ metric, value }) => metric === 'pod_ready_ms' && value === 'med',
  );
  t.true(median?.isSure);
  t.is(median?.isBetter, false);
  t.is(median?.superiority, 1);
  t.true((median?.interval?.[0] ?? 0) > 15_000);
  const { better, sentences = [] } = result.comparisons[0]?.verdict ?? {};
  t.is(better, 'A');
  t.is(sentences[0], 'A is better than B: in all that is good or bad and differs for sure, over 6 seeds.');
  t.regex(sentences[1] ?? '', /^B is worse: .*pod_ready_ms \S+ [\d.]+ s → 2\d(?:\.\d+)? s.*\(medians\)\.$/);
  t.true(sentences.includes('Why: in A no pod had to wait for a node.'), sentences.join('\n'));
  t.true(comparePage(result).includes('A is better than B: in all'));
});

const scenario = (replicas: number): string => `
cluster: { nodes: 2 }
workloads:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web }
    spec:
      replicas: ${replicas}
      selector: { matchLabels: { app: web } }
      template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: i }] } }
expectations:
  - { by: 2m, complete: deployment/web }
`;

test('scenarios are variants, too', async (t) => {
  const variants = [file('two.yaml', scenario(2)), file('five.yaml', scenario(5))];
  const result = await compare({ variants, seeds: 2 });
  const created = result.comparisons[0]?.values.find(
    ({ metric, value }) => metric === 'pods_created' && value === 'count',
  );
  t.is(created?.before, 2);
  t.is(created?.after, 5);
});

const BAD: Readonly<Record<string, RegExp>> = {
  'run: { nodes: x }': /bad\.yaml:1: run\.nodes must be an integer >= 0, got "x"$/,
  'run: { node: 1 }': /bad\.yaml:1: run\.node is not known here; known are .*; did you mean nodes\?$/,
  'run: { trace: [csv] }': /bad\.yaml:1: run\.trace must be openb and two files/,
  'run: { manifests: [nothing.yaml] }': /bad\.yaml:1: run\.manifests names nothing\.yaml: there is no such file$/,
  'run: { limit: soon }': /bad\.yaml:1: run\.limit must be a duration such as 30m, got "soon"$/,
  'run: {}\ncluster: { seed: 5 }': /bad\.yaml:2: cluster\.seed cannot be/,
  'run: {}\nscript: a': /bad\.yaml:2: script is not known here/,
  '': /bad\.yaml: must be one document, got 0$/,
};

for (const [text, problem] of Object.entries(BAD)) {
  test(`a variant that cannot be is refused in one line: ${JSON.stringify(text)}`, async (t) => {
    const error = await t.throwsAsync(compare({ variants: [file('a.yaml', SPREAD), file('bad.yaml', text)] }));
    t.regex(error.message, problem);
  });
}

test('one variant is none to compare', async (t) => {
  const error = await t.throwsAsync(compare({ variants: [file('a.yaml', SPREAD)] }));
  t.regex(error.message, /^variants must be two files or more/);
});

test('a comparison of runs that take no time hears what the host has to say between two of them', async (t) => {
  const empty = file('empty.yaml', 'run: { nodes: 0, limit: 1ms }\n');
  const end = new AbortController();
  let played = 0;
  // Signals of a process come in as timers do.
  setTimeout(() => end.abort(), 1);
  const comparing = compareVariants({
    variants: [empty, empty],
    seeds: 400,
    program: 'test',
    signal: end.signal,
    onRun: () => (played += 1),
  });
  await t.throwsAsync(comparing, { name: 'AbortError' });
  t.true(played < 800);
});
