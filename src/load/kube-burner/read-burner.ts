/** Reads a workload of kube-burner: its config with values of the environment, user data and `--set`, strictly. */
import { documentsOf, LoadFields, type Params } from '../input/load-fields.js';
import { LoadError } from '../input/load-error.js';
import { FunctionError, TemplateError } from '../../templates/template-error.js';
import { parseTemplate, type TemplateSettings } from '../../templates/template.js';
import { dictOf } from '../../templates/values.js';
import { printed } from '../../workload/input-error.js';
import {
  BURNER_MEASUREMENTS,
  type BurnerConfig,
  type BurnerJob,
  type BurnerMeasurement,
  type BurnerObject,
  type JobType,
} from './burner-config.js';
import { churnOf, hookOf, incrementalLoadOf, watcherOf } from './read-job-parts.js';
import { withSetValues } from './set-values.js';
import { parseStatusPath } from './status-path.js';

const HOUR_MS = 3_600_000;
/** client-go's. */
const DEFAULT_QPS = 5;
const DEFAULT_BURST = 10;
const JOB_TYPES: readonly (JobType | 'kubevirt')[] = ['create', 'delete', 'patch', 'read', 'kubevirt'];
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const GLOBAL_FIELDS = [
  'measurements',
  'requestTimeout',
  'gc',
  'gcMetrics',
  'waitWhenFinished',
  'clusterHealth',
  'timeout',
  'functionTemplates',
  'deletionStrategy',
];
const JOB_FIELDS = [
  'jobIterations',
  'jobIterationDelay',
  'jobPause',
  'name',
  'objects',
  'watchers',
  'jobType',
  'qps',
  'burst',
  'namespace',
  'maxWaitTimeout',
  'waitForDeletion',
  'podWait',
  'waitWhenFinished',
  'cleanup',
  'namespacedIterations',
  'preCreateNamespaces',
  'iterationsPerNamespace',
  'verifyObjects',
  'errorOnVerify',
  'preLoadImages',
  'preLoadPeriod',
  'preLoadNodeLabels',
  'namespaceLabels',
  'namespaceAnnotations',
  'churnConfig',
  'skipIndexing',
  'defaultMissingKeysWithZero',
  'executionMode',
  'objectDelay',
  'objectWait',
  'metricsAggregate',
  'metricsClosing',
  'gc',
  'measurements',
  'incrementalLoad',
  'hooks',
];
const OBJECT_FIELDS = [
  'objectTemplate',
  'replicas',
  'inputVars',
  'kind',
  'patchType',
  'apiVersion',
  'labelSelector',
  'wait',
  'waitOptions',
  'runOnce',
  'kubeVirtOp',
  'churn',
  'group',
  'repeatEveryNIterations',
];

/** What a workload is read from. */
export interface BurnerSource {
  /** Name of the file, for messages. */
  readonly file: string;
  readonly text: string;
  /** Values for the config's template. */
  readonly values: Params;
  /** `--set`. */
  readonly assignments: readonly string[];
  readonly templates: TemplateSettings;
}

/** @throws LoadError that names file, line and field */
export function readBurner({ file, text, values, assignments, templates }: BurnerSource): BurnerConfig {
  const rendered = told(file, () => parseTemplate(file, text, templates).render(dictOf(values, 'yaml')));
  const [document] = documentsOf(rendered, file);
  if (document === undefined) throw new LoadError(file, '', 'must not be empty');
  const fields = new LoadFields(withSetValues(document.value, assignments), [], document.positionOf);
  fields.only(['global', 'jobs', 'metricsEndpoints']);
  const global = fields.fields('global') ?? fields.empty('global');
  global.only(GLOBAL_FIELDS);
  const ignored: string[] = [];
  const waitWhenFinished = global.flag('waitWhenFinished', false);
  const jobs = fields.list('jobs').flatMap((job) => jobOf(job, waitWhenFinished, ignored));
  const names = new Set<string>();
  for (const { name } of jobs) {
    if (names.has(name)) throw fields.refusal('jobs', `must have names of their own, got ${printed(name)} twice`);
    names.add(name);
  }
  return {
    gc: global.flag('gc', false),
    gcMetrics: global.flag('gcMetrics', false),
    clusterHealth: global.flag('clusterHealth', false),
    waitWhenFinished,
    timeoutMs: global.durationMs('timeout', 4 * HOUR_MS),
    functionTemplates: global.texts('functionTemplates') ?? [],
    measurements: measurementsOf(global, ignored),
    metricsDirectories: directoriesOf(fields, ignored),
    jobs,
    ignored,
  };
}

/** A template's message names its own file and line. */
export function told<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FunctionError) throw new LoadError(file, '', error.message);
    if (!(error instanceof TemplateError)) throw error;
    const [, position = file, problem = error.message] =
      /^template: (.+?:\d+)(?::\d+)?: (.*)$/s.exec(error.message) ?? [];
    throw new LoadError(position, '', problem);
  }
}

/** Measurements that are not simulated are named and left out. */
function measurementsOf(fields: LoadFields, ignored: string[]): readonly BurnerMeasurement[] {
  return fields.list('measurements').flatMap((measurement) => {
    const name = measurement.requiredText('name');
    if (!BURNER_MEASUREMENTS.includes(name)) {
      ignored.push(`measurement ${name}`);
      return [];
    }
    const thresholds = measurement.list('thresholds').map((threshold) => ({
      conditionType: threshold.requiredText('conditionType'),
      metric: threshold.choice('metric', ['P99', 'P95', 'P50', 'Avg', 'Max', 'Min'], 'P99'),
      thresholdMs: threshold.durationMs('threshold', 0),
    }));
    return [{ name, thresholds }];
  });
}

function directoriesOf(fields: LoadFields, ignored: string[]): readonly string[] {
  return fields.list('metricsEndpoints').flatMap((endpoint) => {
    if (endpoint.text('endpoint', '') !== '') ignored.push(`metrics and alerts of ${endpoint.text('endpoint', '')}`);
    const indexer = endpoint.fields('indexer');
    const type = indexer?.text('type', '') ?? '';
    if (indexer === undefined || type === '') return [];
    if (type === 'local') return [indexer.text('metricsDirectory', 'collected-metrics-{{.UUID}}')];
    ignored.push(`indexer ${type}`);
    return [];
  });
}

function jobOf(fields: LoadFields, isWaitingAtEnd: boolean, ignored: string[]): BurnerJob[] {
  fields.only(JOB_FIELDS);
  const name = fields.requiredText('name');
  if (!NAME.test(name))
    throw fields.refusal('name', `must be a name of lower case letters, digits, - and ., got ${printed(name)}`);
  const jobType = fields.choice('jobType', JOB_TYPES, 'create');
  if (jobType === 'kubevirt') {
    ignored.push('jobs of kubevirt');
    return [];
  }
  const mode = fields.choice(
    'executionMode',
    ['parallel', 'sequential'],
    jobType === 'patch' ? 'parallel' : 'sequential',
  );
  const churn = fields.fields('churnConfig');
  const incrementalLoad = fields.fields('incrementalLoad');
  return [
    {
      name,
      jobType,
      jobIterations: jobType === 'delete' ? 1 : fields.integer('jobIterations', 1, 1),
      namespace: fields.text('namespace', '') === '' ? name : fields.text('namespace', '').slice(0, 57),
      namespacedIterations: fields.flag('namespacedIterations', true),
      iterationsPerNamespace: fields.integer('iterationsPerNamespace', 1, 1),
      preCreateNamespaces: fields.flag('preCreateNamespaces', false),
      namespaceLabels: textsOf(fields.params('namespaceLabels')),
      namespaceAnnotations: textsOf(fields.params('namespaceAnnotations')),
      podWait: !isWaitingAtEnd && fields.flag('podWait', false),
      waitWhenFinished: !isWaitingAtEnd && jobType !== 'delete' && fields.flag('waitWhenFinished', true),
      waitForDeletion: fields.flag('waitForDeletion', true),
      objectWait: fields.flag('objectWait', false),
      maxWaitTimeoutMs: fields.durationMs('maxWaitTimeout', 4 * HOUR_MS),
      jobIterationDelayMs: fields.durationMs('jobIterationDelay', 0),
      objectDelayMs: fields.durationMs('objectDelay', 0),
      jobPauseMs: fields.durationMs('jobPause', 0),
      qps: rateOf(fields, 'qps', DEFAULT_QPS),
      burst: Math.max(1, Math.floor(rateOf(fields, 'burst', DEFAULT_BURST))),
      verifyObjects: fields.flag('verifyObjects', true),
      errorOnVerify: fields.flag('errorOnVerify', true),
      preLoadImages: jobType === 'create' && fields.flag('preLoadImages', true),
      preLoadNodeLabels: textsOf(fields.params('preLoadNodeLabels')),
      preLoadPeriodMs: fields.durationMs('preLoadPeriod', HOUR_MS / 6),
      gc: fields.flag('gc', false),
      isSequential: mode === 'sequential' || jobType !== 'patch',
      skipIndexing: fields.flag('skipIndexing', false),
      metricsAggregate: fields.flag('metricsAggregate', false),
      missingKeysAreZero: fields.flag('defaultMissingKeysWithZero', false),
      churn: churn === undefined ? undefined : churnOf(churn),
      incrementalLoad:
        incrementalLoad === undefined || jobType !== 'create' ? undefined : incrementalLoadOf(incrementalLoad),
      hooks: fields.list('hooks').map(hookOf),
      watchers: fields.list('watchers').map(watcherOf),
      metricsClosing: fields.choice(
        'metricsClosing',
        ['afterJob', 'afterJobPause', 'afterMeasurements'],
        'afterJobPause',
      ),
      measurements: measurementsOf(fields, ignored),
      objects: fields.list('objects').map((object) => objectOf(object, jobType)),
      plain: fields.plain,
    },
  ];
}

/** A boolean or a number as a text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : '';
}

/** YAML's booleans and numbers are texts where texts are wanted. */
function textsOf(params: Params): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([key, value]) => [key, textOf(value)]));
}

/** Rates that are 0 or less are client-go's. */
function rateOf(fields: LoadFields, field: string, standard: number): number {
  const value = fields.value(field) ?? standard;
  if (typeof value === 'number' && Number.isFinite(value)) return value > 0 ? value : standard;
  throw fields.refusal(field, `must be a number, got ${printed(value)}`);
}

function objectOf(fields: LoadFields, jobType: JobType): BurnerObject {
  fields.only(OBJECT_FIELDS);
  const waitOptions = fields.fields('waitOptions') ?? fields.empty('waitOptions');
  const hasTemplate = jobType === 'create' || jobType === 'patch';
  const group = typeof fields.value('group') === 'object' ? fields.fields('group') : undefined;
  group?.only(['id', 'gc', 'pauseBeforeGC', 'pauseAfterGC']);
  return {
    objectTemplate: hasTemplate ? fields.requiredText('objectTemplate') : '',
    replicas: fields.integer('replicas', 1, 0),
    inputVars: fields.params('inputVars'),
    wait: fields.flag('wait', true),
    waitOptions: {
      kind: waitOptions.text('kind', ''),
      apiVersion: waitOptions.text('apiVersion', ''),
      labelSelector: waitOptions.params('labelSelector'),
      customStatusPaths: waitOptions.list('customStatusPaths').map(statusPathOf),
    },
    runOnce: fields.flag('runOnce', false),
    churn: fields.flag('churn', true),
    group: group === undefined ? fields.integer('group', 0, 0) : group.integer('id', 0, 0),
    groupGc:
      group?.flag('gc', false) === true
        ? { pauseBeforeMs: group.durationMs('pauseBeforeGC', 0), pauseAfterMs: group.durationMs('pauseAfterGC', 0) }
        : undefined,
    repeatEveryNIterations: fields.integer('repeatEveryNIterations', 1, 1),
    kind: jobType === 'create' ? '' : fields.requiredText('kind'),
    apiVersion: fields.text('apiVersion', 'v1'),
    labelSelector: fields.params('labelSelector'),
    patchType: jobType === 'patch' ? patchTypeOf(fields) : '',
  };
}

const PATCH_TYPES = [
  'application/strategic-merge-patch+json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
] as const;

function patchTypeOf(fields: LoadFields): string {
  return fields.has('patchType')
    ? fields.choice('patchType', PATCH_TYPES, PATCH_TYPES[0])
    : fields.requiredText('patchType');
}

function statusPathOf(fields: LoadFields): { readonly key: string; readonly value: string } {
  const key = fields.requiredText('key');
  if (parseStatusPath(key) === undefined) {
    throw fields.refusal(
      'key',
      `must be a path such as .phase or (.conditions.[] | select(.type == "Ready")).status, got ${printed(key)}`,
    );
  }
  return { key, value: textOf(fields.value('value')) };
}
