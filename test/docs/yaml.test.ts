import test from 'ava';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { parseBounds } from '../../src/laboratory/fuzz/read-bounds.js';
import { createCluster, readSweepPlan, type Draft } from '../../src/index.js';
import { PLANS, RULES, SCENARIOS, THRESHOLDS, VARIANTS } from '../schemas/documents.js';
import { BLOCKS, placeOf, type Block } from './pages.js';

const YAML = BLOCKS.filter(({ language }) => language === 'yaml');
const WITH_SCHEMA = [...SCENARIOS, ...PLANS, ...RULES, ...VARIANTS].map(({ value }) => JSON.stringify(value));

/** With the variables of Artillery's users filled in. */
function documentsOf({ text }: Block): readonly unknown[] {
  return parseAllDocuments(text.replaceAll('{{ $uuid }}', 'u-1')).map((each) => each.toJS() as unknown);
}

/** Objects as a cluster takes them, with the kinds of kubeloom.dev beside Kubernetes' own. */
function areManifests(block: Block): boolean {
  const documents = documentsOf(block);
  if (!documents.every((each) => typeof each === 'object' && each !== null && 'apiVersion' in each)) return false;
  const cluster = createCluster({ nodes: 2 });
  cluster.keepClock();
  cluster.apply(documents as readonly Draft[], { dryRun: true });
  return true;
}

/** A plan of a sweep, which stands beside the files that pages name. */
function isSweepPlan(block: Block): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-page-'));
  writeFileSync(path.join(folder, 'rollout.yaml'), 'title: rollout\nrun: { nodes: 2 }\n');
  const profile = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
  writeFileSync(path.join(folder, 'packed.yaml'), profile);
  const file = path.join(folder, 'plan.yaml');
  writeFileSync(file, block.text);
  return readSweepPlan(file).variants.length > 0;
}

/** What a block is that nothing else is asked to read. */
function kindOf(block: Block): string | undefined {
  const documents = documentsOf(block);
  const has = (field: string): boolean =>
    documents.every((each) => typeof each === 'object' && each !== null && field in each);
  if (documents.every((each) => WITH_SCHEMA.includes(JSON.stringify(each)))) return 'a file with a schema';
  if (has('thresholds') && THRESHOLDS.length > 0) return 'thresholds, which test/schemas reads';
  if (has('config')) return 'a script of Artillery, which test/long/artillery plays';
  if (has('variants') && has('seeds') && isSweepPlan(block)) return 'a plan of a sweep';
  if (areManifests(block)) return 'manifests';
  if (has('faults') && has('nodes')) {
    parseBounds(block.text, 'bounds.yaml');
    return 'the bounds of a search';
  }
  return undefined;
}

test('pages › every block of YAML is a file that something reads, and is read', (t) => {
  t.true(YAML.length > 15, `${YAML.length} blocks`);
  for (const block of YAML) t.not(kindOf(block), undefined, placeOf(block));
});
