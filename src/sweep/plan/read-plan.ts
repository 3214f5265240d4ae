/**
 * Reads the plan of a sweep: variants as files, what of them varies, how many seeds. Each variant is read whole before
 * anything is played, and packed with the files that it names.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { resolveOptions } from '../../cluster/options.js';
import { CONTROLLER_NAMES } from '../../controllers/controller-manager.js';
import { FilePacker, type VariantFiles, type VariantPack } from '../../experiments/variant-files.js';
import { parseVariant, variantText, VariantError } from '../../experiments/read-variant.js';
import { METRIC_NAMES, METRICS, type MetricName } from '../../measurements/metric-catalogue.js';
import { durationOf } from '../../options/durations.js';
import { Fields } from '../../workload/fields.js';
import { InputError, printed } from '../../workload/input-error.js';
import { readYaml } from '../../workload/yaml-text.js';
import { combinationCount, drawCombinations, everyCombination, type Choice, type FieldValues } from './draw-values.js';
import { withValues } from './set-values.js';
import type { MetricValue, SweepPlan, SweepVariant } from './sweep-plan.js';

/** A plan that cannot be used. */
export class SweepError extends InputError {
  override readonly name = 'SweepError';
}

const FIELDS = ['title', 'variants', 'vary', 'sample', 'seeds', 'metrics', 'jobTime'];
const RANGE_FIELDS = ['from', 'to', 'step', 'scale'];
const MOST_VARIANTS = 10_000;
const MOST_SEEDS = 10_000_000;
const DEFAULT_JOB_MS = 20_000;
const LONGEST_JOB_MS = 3_600_000;
/** What a summary has of each type of metric. */
const VALUES: Readonly<Record<'trend' | 'counter' | 'gauge', readonly string[]>> = {
  trend: ['count', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'max'],
  counter: ['count', 'rate'],
  gauge: ['value', 'min', 'max'],
};

/** See the file header. @throws SweepError, and the errors of variants */
export function readSweepPlan(path: string): SweepPlan {
  const documents = readYaml(textOf(path), path, (position, problem) => new SweepError(position, '', problem));
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    throw new SweepError(path, '', `must be one document, got ${documents.length}`);
  }
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: SweepError });
  fields.only(FIELDS);
  const packer = new FilePacker();
  const bases = basesOf(fields, dirname(path));
  const combinations = combinationsOf(fields);
  const count = bases.length * combinations.length;
  if (count > MOST_VARIANTS) throw fields.refusal('vary', `must make at most ${MOST_VARIANTS} variants, got ${count}`);
  const metrics = metricsOf(fields);
  const variants = bases.flatMap((base) => combinations.map((values) => variantOf(packer, base, values, metrics)));
  const seeds = seedsOf(fields);
  return {
    title: fields.optionalText('title') ?? basename(path),
    source: path,
    variants: different(variants, fields),
    ...seeds,
    metrics,
    jobMs: jobMsOf(fields),
    contents: packer.contents,
    files: filesOf(bases, variants, dirname(path)),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new SweepError(path, '', code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code}`);
  }
}

/** A variant before anything is put into it. */
interface Base {
  readonly path: string;
  readonly text: string;
  readonly document: unknown;
  readonly title: string | undefined;
  readonly set: FieldValues;
}

function basesOf(fields: Fields, folder: string): readonly Base[] {
  const entries = fields.value('variants');
  if (!Array.isArray(entries) || entries.length === 0) {
    throw fields.refusal('variants', `must be a list of files that is not empty, got ${printed(entries)}`);
  }
  return entries.map((entry: unknown, index): Base => {
    const place = ['variants', index];
    const written: unknown = typeof entry === 'string' ? { file: entry } : entry;
    if (!isMapping(written))
      throw fields.refusal(place, `must be a file, or a mapping with one, got ${printed(entry)}`);
    const { file, title, set = {}, ...others } = written;
    const [other] = Object.keys(others);
    if (other !== undefined) {
      throw fields.refusal([...place, other], 'is not known here; known are file, title, set');
    }
    if (typeof file !== 'string') throw fields.refusal([...place, 'file'], `must be a text, got ${printed(file)}`);
    if (title !== undefined && typeof title !== 'string') {
      throw fields.refusal([...place, 'title'], `must be a text, got ${printed(title)}`);
    }
    if (!isMapping(set)) throw fields.refusal([...place, 'set'], `must be a mapping, got ${printed(set)}`);
    const path = join(folder, file);
    const text = variantText(path);
    return { path, text, document: documentOf(text, path), title, set };
  });
}

function documentOf(text: string, path: string): unknown {
  const documents = readYaml(text, path, (position, problem) => new VariantError(position, '', problem));
  if (documents.length === 1) return documents[0]?.value;
  throw new VariantError(path, '', `must be one document, got ${documents.length}`);
}

function combinationsOf(fields: Fields): readonly FieldValues[] {
  const isSample = fields.has('sample');
  const choices = Object.fromEntries(
    Object.entries(fields.mapping('vary') ?? {}).map(([path, choice]) => [
      path,
      choiceOf(fields, path, choice, isSample),
    ]),
  );
  const count = combinationCount(choices);
  if (!isSample) {
    if (count > MOST_VARIANTS)
      throw fields.refusal('vary', `must have at most ${MOST_VARIANTS} combinations, got ${count}`);
    return everyCombination(choices);
  }
  const sample = fields.fields('sample');
  sample.only(['count', 'seed']);
  const wanted = sample.count('count') ?? 0;
  if (wanted < 1 || wanted > MOST_VARIANTS) {
    throw sample.refusal('count', `must be an integer in 1..${MOST_VARIANTS}, got ${printed(sample.value('count'))}`);
  }
  if (wanted > count) throw sample.refusal('count', `must be at most ${count}, as many as there are, got ${wanted}`);
  const drawn = drawCombinations(choices, wanted, String(sample.count('seed') ?? 1));
  if (drawn.length === wanted) return drawn;
  throw sample.refusal('count', `must be at most ${drawn.length}, as many as were found, got ${wanted}`);
}

function choiceOf(fields: Fields, path: string, choice: unknown, isSample: boolean): Choice {
  if (Array.isArray(choice) && choice.length > 0) return { values: choice };
  const place = ['vary', path];
  if (!isMapping(choice)) {
    throw fields.refusal(place, `must be a list of values, or a mapping with from and to, got ${printed(choice)}`);
  }
  const unknown = Object.keys(choice).find((field) => !RANGE_FIELDS.includes(field));
  if (unknown !== undefined) {
    throw fields.refusal([...place, unknown], `is not known here; known are ${RANGE_FIELDS.join(', ')}`);
  }
  const { from, to, step, scale = 'linear' } = choice;
  if (typeof from !== 'number') throw fields.refusal([...place, 'from'], `must be a number, got ${printed(from)}`);
  if (typeof to !== 'number' || to < from) {
    throw fields.refusal([...place, 'to'], `must be a number >= ${from}, got ${printed(to)}`);
  }
  if (step !== undefined) {
    if (typeof step !== 'number' || step <= 0 || (to - from) / step > MOST_VARIANTS) {
      const most = `must be a number > 0 that makes at most ${MOST_VARIANTS} values`;
      throw fields.refusal([...place, 'step'], `${most}, got ${printed(step)}`);
    }
    const count = Math.floor((to - from) / step + 1e-9) + 1;
    return { values: Array.from({ length: count }, (_, index) => Number((from + index * step).toPrecision(12))) };
  }
  if (!isSample) throw fields.refusal([...place, 'step'], 'is missing: only a sample draws numbers between two');
  if (scale !== 'linear' && (scale !== 'log' || from <= 0)) {
    throw fields.refusal([...place, 'scale'], `must be linear, or log where from is > 0, got ${printed(scale)}`);
  }
  const isWhole = Number.isInteger(from) && Number.isInteger(to);
  return { from, to, isWhole, isLogarithmic: scale === 'log' };
}

function variantOf(
  packer: FilePacker,
  { path, text, document, title, set }: Base,
  values: FieldValues,
  metrics: SweepPlan['metrics'],
): SweepVariant {
  const all = { ...set, ...values };
  const shown = Object.entries(all).map(([field, value]) => valueText(field, value));
  const source = shown.length === 0 ? path : `${path} (${shown.join(', ')})`;
  // JSON is YAML: a variant with values in it is read as any other.
  const whole = shown.length === 0 ? text : JSON.stringify(withValues(document, all, source), null, 1);
  const pack = packer.pack(source, whole, dirname(path), (files: VariantFiles) => {
    const variant = parseVariant(whole, source, files);
    resolveOptions('scenario' in variant ? variant.scenario.cluster : variant.cluster, CONTROLLER_NAMES);
  });
  const own = isMapping(document) && typeof document['title'] === 'string' ? document['title'] : basename(path);
  const varied = Object.entries(values).map(([field, value]) => valueText(field, value));
  const name = [title ?? own, ...varied].join(', ');
  return { title: name, set: all, pack, hash: hashOf(name, pack, metrics) };
}

function valueText(field: string, value: unknown): string {
  return `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** Where the files lie makes no difference. */
function hashOf(title: string, { text, texts, clusters }: VariantPack, metrics: SweepPlan['metrics']): string {
  const told = metrics ?? null;
  return createHash('sha256')
    .update(JSON.stringify([title, text, texts, clusters, told]))
    .digest('hex');
}

function different(variants: readonly SweepVariant[], fields: Fields): readonly SweepVariant[] {
  const titles = new Map<string, string>();
  for (const { hash, title } of variants) {
    const twin = titles.get(hash);
    if (twin !== undefined) throw fields.refusal('variants', `must differ, but ${twin} and ${title} are the same`);
    titles.set(hash, title);
  }
  return variants;
}

function seedsOf(fields: Fields): { readonly firstSeed: number; readonly seeds: number } {
  const value = fields.value('seeds');
  if (isMapping(value)) {
    const own = fields.fields('seeds');
    own.only(['first', 'count']);
    return { firstSeed: own.count('first') ?? 1, seeds: seedCount(own, own.value('count'), 'count') };
  }
  return { firstSeed: 1, seeds: seedCount(fields, value, 'seeds') };
}

function seedCount(fields: Fields, value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_SEEDS) return value;
  throw fields.refusal(field, `must be an integer in 1..${MOST_SEEDS}, got ${printed(value)}`);
}

function metricsOf(fields: Fields): readonly MetricValue[] | undefined {
  if (!fields.has('metrics')) return undefined;
  return fields.texts('metrics').map((text, index) => {
    const [name = '', value = '', ...rest] = text.split(/\s+/);
    const metric = METRIC_NAMES.find((each): each is MetricName => each === name);
    if (metric === undefined) {
      throw fields.refusal(
        ['metrics', index],
        `must name a metric, such as "pod_startup_ms p(99)", got ${printed(text)}`,
      );
    }
    const allowed = VALUES[METRICS[metric].type];
    if (rest.length > 0 || !allowed.includes(value)) {
      const words = allowed.map((word) => `"${metric} ${word}"`).join(', ');
      throw fields.refusal(['metrics', index], `must be one of ${words}, got ${printed(text)}`);
    }
    return { metric, value };
  });
}

function jobMsOf(fields: Fields): number {
  const value = fields.value('jobTime');
  if (value === undefined) return DEFAULT_JOB_MS;
  const ms = durationOf(value);
  if (ms !== undefined && ms > 0 && ms <= LONGEST_JOB_MS) return ms;
  throw fields.refusal('jobTime', `must be a duration such as 20s, at most 1h, got ${printed(value)}`);
}

function filesOf(bases: readonly Base[], variants: readonly SweepVariant[], folder: string): readonly string[] {
  const own = bases.map(({ path }) => path);
  const named = variants.flatMap(({ pack: { source, texts, clusters } }) => {
    const base = bases.find(({ path }) => source === path || source.startsWith(`${path} (`));
    const beside = dirname(base?.path ?? folder);
    const clusterFiles = Object.entries(clusters).flatMap(([name, { isFolder, files }]) =>
      isFolder ? files.map(([file]) => join(name, file)) : [name],
    );
    return [...Object.keys(texts), ...clusterFiles].map((name) => join(beside, name));
  });
  return [...new Set([...own, ...named])].map((file) => relative(resolve(folder), resolve(file))).toSorted();
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
