/**
 * Workloads in the form of upstream's scheduler_perf: a list of test cases, each a template of steps and
 * the sizes in which it runs. Mirrors test/integration/scheduler_perf of Kubernetes v1.34. It reads and
 * checks; it runs nothing. A test case that cannot be simulated does not keep the others from running.
 */
import { printed } from '../input-error.js';
import { readYaml } from '../yaml-text.js';
import { Fields } from '../fields.js';
import { parseObjectTemplate, type ObjectTemplate } from './object-template.js';
import type { PerfOperation } from './operations.js';
import { Parameters } from './parameters.js';
import { SchedulerPerfError } from './perf-error.js';
import { readOperation, type OperationContext } from './read-operation.js';

/** Where templates come from. */
export interface TemplateFiles {
  /** The text of a file that the configuration names, and how messages call it. @throws any error with a message */
  read(path: string): { readonly text: string; readonly source: string };
}

/** What one workload does. */
export interface PerfPlan {
  readonly operations: readonly PerfOperation[];
  /** Text of the KubeSchedulerConfiguration that the test case names. */
  readonly schedulerConfig: string | undefined;
}

/** One test case in one size. */
export interface PerfWorkload {
  /** Test case and size, such as `SchedulingBasic/5000Nodes_10000Pods`. */
  readonly name: string;
  readonly testCase: string;
  /** Those of the test case and of the size. */
  readonly labels: readonly string[];
  /** Feature gates that the workload sets. Shown only: the scheduler is that of v1.34 with its defaults. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** What upstream expects, pods per second; absent = nothing. */
  readonly threshold: number | undefined;
  /** The measurement of the real scheduler that this workload repeats; an addition to upstream's form. */
  readonly anchor: string | undefined;
  /** Reads the steps and their templates. @throws SchedulerPerfError for what is wrong or not simulated */
  plan(): PerfPlan;
}

/**
 * Reads a configuration. Of its test cases only the outside is checked; `plan` checks the rest.
 *
 * @param source - how messages call the text: a file name
 * @throws SchedulerPerfError that names the place and the field
 */
export function parseSchedulerPerf(text: string, source: string, files: TemplateFiles): readonly PerfWorkload[] {
  const documents = readYaml(text, source, (position, problem) => new SchedulerPerfError(position, '', problem));
  const [document] = documents;
  if (document === undefined || !Array.isArray(document.value) || documents.length > 1) {
    const got = documents.length > 1 ? `${documents.length} documents` : printed(document?.value);
    throw new SchedulerPerfError(source, '', `must be one list of test cases, got ${got}`);
  }
  const { positionOf } = document;
  const templates = new Templates(files);
  const workloads = document.value.flatMap((value: unknown, index) =>
    readTestCase(() => new Fields(value, { path: [index], positionOf, ErrorType: SchedulerPerfError }), templates),
  );
  const names = new Set<string>();
  for (const { name } of workloads) {
    if (names.has(name)) throw new SchedulerPerfError(source, '', `has two workloads called ${name}`);
    names.add(name);
  }
  return workloads;
}

/** @param open - the test case from its beginning: each plan reads it anew, with parameters of its own */
function readTestCase(open: () => Fields, templates: Templates): readonly PerfWorkload[] {
  const fields = open();
  const testCase = fields.text('name');
  const labels = fields.texts('labels');
  const featureGates = fields.flagsByName('featureGates') ?? {};
  const anchor = fields.optionalText('anchor');
  fields.list('workloadTemplate');
  for (const known of ['defaultPodTemplatePath', 'schedulerConfigPath', ...OF_NO_CONSEQUENCE]) fields.skip(known);
  const sizes = fields.list('workloads');
  fields.refuseUnknown();
  return sizes.map((size) => {
    const params = size.mapping('params') ?? {};
    const workload = {
      name: `${testCase}/${size.text('name')}`,
      testCase,
      labels: [...labels, ...size.texts('labels')],
      featureGates: { ...featureGates, ...size.flagsByName('featureGates') },
      threshold: readThreshold(size),
      anchor,
      plan: () => readPlan(open(), size, params, templates),
    };
    size.skip('thresholdMetricSelector');
    size.refuseUnknown();
    return workload;
  });
}

/** Which metrics are collected is fixed here. */
const OF_NO_CONSEQUENCE = ['metricsCollectorConfig', 'defaultThresholdMetricSelector'];

/** One number, or one per topic, of which the largest is shown. */
function readThreshold(size: Fields): number | undefined {
  if (!size.has('threshold')) return undefined;
  const raw = size.value('threshold');
  const values: readonly unknown[] = typeof raw === 'object' && raw !== null ? Object.values(raw) : [raw];
  const numbers = values.filter((value): value is number => typeof value === 'number' && value >= 0);
  if (numbers.length === values.length && numbers.length > 0) return Math.max(...numbers);
  throw size.refusal('threshold', `must be a number >= 0, or one for each topic, got ${printed(raw)}`);
}

function readPlan(
  fields: Fields,
  size: Fields,
  params: Readonly<Record<string, unknown>>,
  templates: Templates,
): PerfPlan {
  const parameters = new Parameters(params);
  const context: OperationContext = {
    parameters,
    template: (at, field, path, kind) => templates.get(at, field, path, kind),
    defaultPodTemplatePath: fields.optionalText('defaultPodTemplatePath'),
  };
  const operations: PerfOperation[] = [];
  for (const step of fields.list('workloadTemplate'))
    operations.push(...readOperation(step, context, operations.length));
  const [unused] = parameters.unused;
  if (unused !== undefined) throw size.refusal('params', `has ${unused}, which no step of the workload uses`);
  const path = fields.optionalText('schedulerConfigPath');
  const schedulerConfig = path === undefined ? undefined : templates.read(fields, 'schedulerConfigPath', path).text;
  return { operations, schedulerConfig };
}

/** Templates by path, each read once. */
class Templates {
  readonly #byPath = new Map<string, ObjectTemplate>();

  constructor(private readonly files: TemplateFiles) {}

  /** @param wanted - the kind that it must be of; absent = any that is simulated */
  get(fields: Fields, field: string, path: string, wanted?: string): ObjectTemplate {
    let template = this.#byPath.get(path);
    if (template === undefined) {
      const { text, source } = this.read(fields, field, path);
      template = parseObjectTemplate(text, source);
      this.#byPath.set(path, template);
    }
    const { kind, source } = template;
    if (wanted !== undefined && kind !== wanted)
      throw new SchedulerPerfError(source, 'kind', `must be ${wanted}, got ${printed(kind)}`);
    return template;
  }

  read(fields: Fields, field: string, path: string): { readonly text: string; readonly source: string } {
    try {
      return this.files.read(path);
    } catch (error) {
      throw fields.refusal(field, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
