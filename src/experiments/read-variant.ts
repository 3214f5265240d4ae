/**
 * Variants of an experiment, as files: a scenario as `kubeloom scenario` plays it, or, where it has a field `run`, what
 * `kubeloom run` plays, with options of the cluster beside it. Files that it names stand beside it.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ClusterOptions } from '../cluster/options.js';
import type { ScenePlan } from '../laboratory/scene/run-scene.js';
import { parseScenario } from '../laboratory/scenario/read-scenario.js';
import type { Scenario } from '../laboratory/scenario/scenario.js';
import { durationOf } from '../options/durations.js';
import { parseScriptFile } from '../options/script-file.js';
import { defaultScene } from '../workload/default-scene.js';
import { Fields } from '../workload/fields.js';
import { InputError, printed } from '../workload/input-error.js';
import { parseManifests } from '../workload/manifest.js';
import { parseOpenb } from '../workload/openb.js';
import { readYaml } from '../workload/yaml-text.js';
import { filesBeside, type VariantFiles } from './variant-files.js';

/** A variant that cannot be used. */
export class VariantError extends InputError {
  override readonly name = 'VariantError';
}

/** What one variant plays. */
export type Variant = { readonly title: string; readonly source: string } & (
  | { readonly scenario: Scenario }
  | { readonly cluster: ClusterOptions; readonly scene: ScenePlan; readonly limitMs: number | undefined }
);

const FIELDS = ['title', 'run', 'cluster', 'scripts'];
const RUN_FIELDS = ['nodes', 'pods', 'manifests', 'trace', 'compress', 'from', 'schedulerConfig', 'limit'];
const DEFAULT_LIMIT = '1h';
const HOUR_MS = 3_600_000;

/** See the file header. @throws VariantError, ScenarioError and the errors of what it names */
export function readVariant(path: string): Variant {
  return parseVariant(variantText(path), path, filesBeside(dirname(path)));
}

/** The text of a variant's file. @throws VariantError */
export function variantText(path: string): string {
  return attempt(
    () => readFileSync(path, 'utf8'),
    (problem) => new VariantError(path, '', problem),
  );
}

/** @param files - those that the text names. @throws as {@link readVariant} */
export function parseVariant(text: string, source: string, files: VariantFiles): Variant {
  const documents = readYaml(text, source, (position, problem) => new VariantError(position, '', problem));
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    throw new VariantError(source, '', `must be one document, got ${documents.length}`);
  }
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: VariantError });
  if (!fields.has('run')) {
    const scenario = parseScenario(text, source, (file) => files.text(file));
    return { title: scenario.title ?? basename(source), source, scenario };
  }
  fields.only(FIELDS);
  const run = fields.fields('run');
  run.only(RUN_FIELDS);
  const cluster = clusterOptions(fields, run, files);
  const { scene, nodes } = sceneOf(run, files);
  return {
    title: fields.optionalText('title') ?? basename(source),
    source,
    cluster: { ...cluster, nodes },
    scene,
    limitMs: limitOf(run),
  };
}

function attempt(read: () => string, refuse: (problem: string) => Error): string {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw refuse(code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code}`);
  }
}

function named(fields: Fields, field: string, file: string, files: VariantFiles): string {
  return attempt(
    () => files.text(file),
    (problem) => fields.refusal(field, `names ${file}: ${problem}`),
  );
}

function clusterOptions(fields: Fields, run: Fields, files: VariantFiles): ClusterOptions {
  const cluster = fields.mapping('cluster') ?? {};
  for (const field of ['seed', 'nodes', 'from', 'scripts', 'realtime'] as const) {
    if (field in cluster) throw fields.refusal(['cluster', field], 'cannot be: run, scripts and the seeds say it');
  }
  const configFile = run.optionalText('schedulerConfig');
  const scripts = fields.optionalText('scripts');
  const from = run.optionalText('from');
  return {
    ...cluster,
    ...(configFile === undefined ? {} : { schedulerConfig: named(run, 'schedulerConfig', configFile, files) }),
    ...(scripts === undefined ? {} : { scripts: parseScriptFile(named(fields, 'scripts', scripts, files), scripts) }),
    ...(from === undefined ? {} : { from: files.cluster(from) }),
  };
}

/** What is played, and the nodes that it is played on. */
function sceneOf(
  run: Fields,
  files: VariantFiles,
): { readonly scene: ScenePlan; readonly nodes: NonNullable<ClusterOptions['nodes']> } {
  const objects = run
    .texts('manifests')
    .flatMap((file) => parseManifests(named(run, 'manifests', file, files), file).map(({ draft }) => draft));
  const count = run.count('nodes');
  const compression = compressionOf(run);
  const trace = run.texts('trace');
  if (trace.length === 0) {
    const pods = run.count('pods') ?? 0;
    const { nodeGroups, objects: own, updates } = defaultScene({ nodes: count ?? (run.has('from') ? 0 : 3), pods });
    return { scene: { objects: [...own, ...objects], updates }, nodes: nodeGroups };
  }
  const [format, nodeFile, podFile, ...rest] = trace;
  if (format !== 'openb' || nodeFile === undefined || podFile === undefined || rest.length > 0) {
    throw run.refusal('trace', `must be openb and two files, NODES.csv and PODS.csv, got ${printed(trace.join(' '))}`);
  }
  const { arrivals, nodes } = parseOpenb({
    nodes: { text: named(run, 'trace', nodeFile, files), source: nodeFile },
    pods: { text: named(run, 'trace', podFile, files), source: podFile },
    compression,
  });
  return { scene: { objects, arrivals }, nodes: nodes.slice(0, count) };
}

function compressionOf(run: Fields): number {
  const value = run.value('compress') ?? 1;
  if (typeof value === 'number' && value > 0) return value;
  throw run.refusal('compress', `must be a number > 0, got ${printed(value)}`);
}

function limitOf(run: Fields): number | undefined {
  const value = run.value('limit') ?? (run.has('trace') ? undefined : DEFAULT_LIMIT);
  if (value === undefined) return undefined;
  if (value === DEFAULT_LIMIT) return HOUR_MS;
  const ms = durationOf(value);
  if (ms !== undefined) return ms;
  throw run.refusal('limit', `must be a duration such as 30m, got ${printed(value)}`);
}
