/** What the repository has of the files that schemas are for, and what reads them. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { CONTROLLER_NAMES } from '../../src/controllers/controller-manager.js';
import { resolveOptions } from '../../src/cluster/options.js';
import { readFault } from '../../src/faults/read-fault.js';
import type { FaultSeams } from '../../src/faults/fault-seams.js';
import { parseScenario, parseScriptFile } from '../../src/index.js';
import { parseThresholds } from '../../src/measurements/thresholds.js';

/** A document as plain data, with the file that it is from. */
export interface Document {
  readonly source: string;
  readonly value: unknown;
}

/** The YAML blocks of a page, each as its documents. */
function blocksOf(page: string): readonly Document[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, block = '']) => documentsOf(block, page));
}

function filesOf(pattern: string): readonly Document[] {
  return globSync(pattern)
    .toSorted()
    .flatMap((source) => documentsOf(readFileSync(source, 'utf8'), source));
}

function documentsOf(text: string, source: string): readonly Document[] {
  return parseAllDocuments(text).map((each) => ({ source, value: each.toJS() as unknown }));
}

function isScenario({ value }: Document): boolean {
  return typeof value === 'object' && value !== null && ('actions' in value || 'expectations' in value);
}

const hasField =
  (field: string) =>
  ({ value }: Document): boolean =>
    typeof value === 'object' && value !== null && field in value;

const PAGES = ['README.md', ...globSync('docs/*.md').toSorted()].flatMap(blocksOf);

/** Scenarios: those of pages and examples, those that stand in tests as texts, and the plans that the search has found. */
export const SCENARIOS: readonly Document[] = [
  ...PAGES.filter((each) => isScenario(each) && !hasField('plan')(each)),
  ...filesOf('{examples,templates/project}/scenarios/*.yaml').filter(isScenario),
  ...textsOfTests().filter(isScenario),
];

/** The plans of the files of a search, which are scenarios. */
export const PLANS: readonly Document[] = [
  ...filesOf('test/laboratory/fuzz/found/*.yaml'),
  ...PAGES.filter(hasField('plan')),
].map(({ source, value }) => {
  const { reference: _ofTheSearch, ...plan } = (value as { readonly plan: Readonly<Record<string, unknown>> }).plan;
  return { source, value: plan };
});

export const VARIANTS: readonly Document[] = [
  ...PAGES.filter(hasField('run')),
  ...filesOf('{examples/compare,templates/project/schedulers}/*.yaml'),
];

/** Lists of rules: a list whose items have scripts. */
export const RULES: readonly Document[] = PAGES.filter(
  ({ value }) =>
    Array.isArray(value) &&
    value.every((each: unknown) => typeof each === 'object' && each !== null && 'script' in each),
);

export const THRESHOLDS: readonly Document[] = [...PAGES, ...SCENARIOS, ...PLANS].flatMap(({ source, value }) => {
  const { thresholds } = (value ?? {}) as { readonly thresholds?: unknown };
  return thresholds === undefined ? [] : [{ source, value: thresholds }];
});

/** Texts of tests that are scenarios as they stand, and that can be played. */
function textsOfTests(): readonly Document[] {
  return globSync('test/**/*.ts')
    .toSorted()
    .flatMap((source) => {
      const texts = [...readFileSync(source, 'utf8').matchAll(/`([^`$\\]*\n(?:actions|expectations):[^`$\\]*)`/g)];
      return texts.flatMap(([, text = '']) => {
        const value = valueOf(text);
        return value === undefined ? [] : [{ source, value }];
      });
    });
}

function valueOf(text: string): unknown {
  try {
    const value = parse(text) as unknown;
    readScenario(value, '.');
    return value;
  } catch {
    return undefined;
  }
}

/** Reads a scenario as `kubeloom scenario` does, options of the cluster included. Throws what it is refused with. */
export function readScenario(value: unknown, folder: string): void {
  const { cluster } = parseScenario(JSON.stringify(value), 'x.yaml', (path) =>
    readFileSync(join(folder, path), 'utf8'),
  );
  resolveOptions(cluster, CONTROLLER_NAMES);
}

export function readScripts(value: unknown): void {
  parseScriptFile(JSON.stringify(value), 'x.yaml');
}

export function readThresholds(value: unknown): void {
  parseThresholds(value);
}

/** A cluster in which every name that the faults of {@link FAULTS} use is there. */
const SEAMS = {
  nodes: ['node-0', 'node-1', 'node-2', 'node-3'],
  components: ['kube-scheduler', 'kube-controller-manager'],
  controllers: ['job-controller'],
  zones: ['zone-a'],
  volumes: ['pv-1'],
  claims: ['default/data'],
  pools: ['spot'],
} as unknown as FaultSeams;

export function readOneFault(value: unknown): void {
  readFault(value, SEAMS);
}

/** One fault of each verb at least, with every field. */
export const FAULTS: readonly Document[] = [
  { cut: { node: 'node-1', direction: 'in' }, for: '10m' },
  { cut: { component: 'kube-scheduler' }, for: 5000 },
  { cut: { controller: 'job-controller' } },
  { partition: { node: 'node-1', from: ['node-2'] } },
  { partition: { nodes: ['node-0', 'node-1'] } },
  { partition: { zone: 'zone-a' } },
  { partition: { groups: [['node-0'], ['node-1', 'node-2']] } },
  { slow: { node: 'node-1', latency: 'uniform(10ms, 2s)' } },
  { lossy: { node: 'node-1', requests: 0.5, when: 'before' } },
  { refuse: { node: 'node-1', kinds: ['Pod'], verbs: ['update'], share: 0.5, with: 'Conflict' } },
  { delayWatch: { node: 'node-1', kind: 'Pod', by: '5s' } },
  { coalesceWatch: { node: 'node-1', kind: 'Pod', by: 5000 } },
  { staleReads: { node: 'node-1', kind: 'Pod', by: '5s', isPinned: true } },
  { restartApiServer: { forgetsHistory: true }, for: '5s' },
  { stopKubelet: { node: 'node-1' } },
  { powerOff: { node: 'node-1' } },
  { shutDown: { node: 'node-1' } },
  { failRuntime: { node: 'node-1', operation: 'pullImage', error: 'no' } },
  { failRuntime: { node: 'node-1', operation: 'createSandbox', by: '30s' } },
  { failVolume: { node: 'node-1', operation: 'attach', by: '30s' } },
  { failPool: { pool: 'spot', operation: 'create', by: '10m' } },
  { breakAttachment: { node: 'node-1', volume: 'pv-1' } },
  { breakAttachment: { node: 'node-1', claim: 'data' } },
  { stopController: { controller: 'job-controller' } },
  { runTwice: { controller: 'job-controller' } },
  { crashAfterWrites: { controller: 'job-controller', writes: 2, inOneReconcile: true } },
  { crashAfterWrites: { component: 'kube-scheduler', writes: 2 } },
  { stopComponent: { component: 'kube-scheduler' } },
  { skewClock: { node: 'node-1', by: '-30s' } },
].map((value) => ({ source: 'a fault', value }));

/** The folder from which a document names files. */
export function folderOf({ source }: Document): string {
  return dirname(source);
}
