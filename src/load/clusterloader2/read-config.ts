/**
 * Reads a test of clusterloader2: renders its config and the modules that it names, puts their steps in place, and
 * checks what upstream checks (api/validation.go) before anything is played.
 */
import { LoadFields, type Params } from '../input/load-fields.js';
import { dictOf, type Dict } from '../../templates/values.js';
import { printed } from '../../workload/input-error.js';
import { chaosMonkeyOf, positiveMs } from './read-chaos-monkey.js';
import type { LoadConfig, MeasurementCall, ObjectTemplate, Pace, Phase, Step, TuningSet } from './load-config.js';
import { isMeasurement, MEASUREMENT_METHODS } from './measurements/methods.js';
import type { TemplateFiles } from './template-files.js';

const DELETE_NAMESPACE_TIMEOUT_MS = 600_000;
/** Modules that name each other deeper than that are said to have no end. */
const MAX_MODULE_DEPTH = 50;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** @throws LoadError that names file, line and field */
export function readConfig(file: string, files: TemplateFiles, values: Dict): LoadConfig {
  const fields = LoadFields.ofText(files.render(file, values), files.pathOf(file));
  const tuningSets = fields.list('tuningSets').map(tuningSetOf);
  const names = new Set(tuningSets.map(({ name }) => name));
  const steps: { step: Step; plain: Params }[] = [];
  collectSteps(fields, { files, values, depth: 0, names }, steps);
  if (steps.length === 0) throw fields.refusal('steps', 'must have at least one step');
  return {
    name: fields.text('name', ''),
    namespace: namespaceOf(fields),
    tuningSets,
    steps: steps.map(({ step }) => step),
    chaosMonkey: chaosMonkeyOf(fields.fields('chaosMonkey')),
    dependencies: fields.list('dependencies').map((dependency) => ({
      method: dependency.requiredText('method'),
      params: dependency.fields('params')?.plain ?? {},
    })),
    plain: { ...fields.plain, steps: steps.map(({ plain }) => plain) },
  };
}

function namespaceOf(fields: LoadFields): LoadConfig['namespace'] {
  const namespace = fields.fields('namespace');
  const former = fields.integer('automanagedNamespaces', 0, 0);
  const number = namespace?.integer('number', 1, 0) ?? 1;
  return {
    number: Math.max(1, number <= 1 && former > 1 ? former : number),
    prefix: namespace?.text('prefix', '') === '' ? undefined : namespace?.text('prefix'),
    deleteAutomanagedNamespaces: namespace?.flag('deleteAutomanagedNamespaces', true) ?? true,
    deleteNamespaceTimeoutMs:
      namespace?.durationMs('deleteNamespaceTimeout', DELETE_NAMESPACE_TIMEOUT_MS) ?? DELETE_NAMESPACE_TIMEOUT_MS,
  };
}

interface StepSource {
  readonly files: TemplateFiles;
  readonly values: Dict;
  readonly depth: number;
  /** Names of the tuning sets. */
  readonly names: ReadonlySet<string>;
}

/** Steps of modules come where the module stands, rendered with its parameters over the test's own values. */
function collectSteps(fields: LoadFields, source: StepSource, steps: { step: Step; plain: Params }[]): void {
  const { files, values, depth, names } = source;
  for (const step of fields.list('steps')) {
    const module = step.fields('module');
    const path = module?.text('path', '') ?? '';
    if (module === undefined || path === '') {
      steps.push({ step: stepOf(step, files, names), plain: step.plain });
      continue;
    }
    if (depth >= MAX_MODULE_DEPTH)
      throw module.refusal('path', `must not name modules deeper than ${MAX_MODULE_DEPTH}`);
    const params = dictOf(module.params('params'), 'json');
    const inner = LoadFields.ofText(files.render(path, new Map([...values, ...params])), files.pathOf(path));
    collectSteps(inner, { files, values, depth: depth + 1, names }, steps);
  }
}

function stepOf(fields: LoadFields, files: TemplateFiles, names: ReadonlySet<string>): Step {
  const phases = fields.list('phases').map((phase) => phaseOf(phase, files, names));
  const measurements = fields.list('measurements').map(measurementOf);
  if ((phases.length === 0) === (measurements.length === 0)) {
    throw fields.refusal(undefined, 'must have either phases or measurements');
  }
  return { name: fields.text('name', ''), phases, measurements };
}

function phaseOf(fields: LoadFields, files: TemplateFiles, names: ReadonlySet<string>): Phase {
  const range = fields.fields('namespaceRange');
  const namespaceList = fields.texts('namespaceList');
  if (range !== undefined && namespaceList !== undefined) {
    throw fields.refusal(undefined, 'must have at most one of namespaceList and namespaceRange');
  }
  const min = range?.integer('min', 0, 0) ?? 0;
  const tuningSet = fields.text('tuningSet', '');
  if (!names.has(tuningSet)) {
    throw fields.refusal(
      'tuningSet',
      `must name one of the test's tuning sets ${[...names].join(', ')}, got ${printed(tuningSet)}`,
    );
  }
  return {
    namespaceRange:
      range === undefined ? undefined : { min, max: range.integer('max', 0, min), basename: range.text('basename') },
    namespaceList,
    replicasPerNamespace: fields.integer('replicasPerNamespace', 0, 0),
    tuningSet,
    objectBundle: fields.list('objectBundle').map((object) => objectOf(object, files)),
  };
}

function objectOf(fields: LoadFields, files: TemplateFiles): ObjectTemplate {
  const basename = fields.requiredText('basename');
  if (!DNS_SUBDOMAIN.test(basename)) {
    throw fields.refusal('basename', `must be a name of lower case letters, digits, - and ., got ${printed(basename)}`);
  }
  const objectTemplatePath = fields.requiredText('objectTemplatePath');
  try {
    files.text(objectTemplatePath);
  } catch {
    throw fields.refusal(
      'objectTemplatePath',
      `must be a file that can be read, got ${printed(files.pathOf(objectTemplatePath))}`,
    );
  }
  const unknown = fields.fields('listUnknownObjectOptions')?.fields('labelSelector')?.params('matchLabels');
  const labels = Object.entries(unknown ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return {
    basename,
    objectTemplatePath,
    templateFillMap: fields.params('templateFillMap'),
    unknownObjects: fields.has('listUnknownObjectOptions') ? labels.join(',') : undefined,
  };
}

function measurementOf(fields: LoadFields): MeasurementCall {
  const method = fields.requiredText('method');
  if (!isMeasurement(method)) {
    throw fields.refusal('method', `must be one of ${MEASUREMENT_METHODS.join(', ')}, got ${printed(method)}`);
  }
  const identifier = fields.text('identifier', '');
  const instances = fields.list('instances');
  if ((identifier === '') === (instances.length === 0)) {
    throw fields.refusal(
      'identifier',
      instances.length === 0 ? 'is missing, must be a text' : 'must be absent beside instances',
    );
  }
  const shared = fields.fields('params') ?? fields.empty('params');
  if (instances.length === 0) return { method, identifier, instances: [{ identifier, params: shared }] };
  return {
    method,
    identifier,
    instances: instances.map((instance) => ({
      identifier: instance.requiredText('identifier'),
      params: instance.fields('params')?.over(shared) ?? shared,
    })),
  };
}

function tuningSetOf(fields: LoadFields): TuningSet {
  const paces = PACES.filter(([type]) => fields.has(type));
  const [[type, read] = [undefined, undefined], second] = paces;
  if (type === undefined || read === undefined || second !== undefined) {
    throw fields.refusal(undefined, `must have exactly one of ${PACES.map(([each]) => each).join(', ')}`);
  }
  const pace = fields.fields(type);
  if (pace === undefined) throw fields.refusal(type, 'must be a mapping');
  return { name: fields.text('name', ''), initialDelayMs: fields.durationMs('initialDelay', 0), ...read(pace) };
}

const PACES: readonly (readonly [Pace['type'], (fields: LoadFields) => Pace])[] = [
  ['qpsLoad', (fields) => ({ type: 'qpsLoad', qps: fields.positive('qps') })],
  ['randomizedLoad', (fields) => ({ type: 'randomizedLoad', averageQps: fields.positive('averageQps') })],
  [
    'steppedLoad',
    (fields) => ({
      type: 'steppedLoad',
      burstSize: fields.integer('burstSize', 0, 1),
      stepDelayMs: positiveMs(fields, 'stepDelay'),
    }),
  ],
  ['timeLimitedLoad', (fields) => ({ type: 'timeLimitedLoad', timeLimitMs: positiveMs(fields, 'timeLimit') })],
  [
    'randomizedTimeLimitedLoad',
    (fields) => ({ type: 'randomizedTimeLimitedLoad', timeLimitMs: positiveMs(fields, 'timeLimit') }),
  ],
  [
    'parallelismLimitedLoad',
    (fields) => ({ type: 'parallelismLimitedLoad', parallelismLimit: fields.integer('parallelismLimit', 0, 1) }),
  ],
  [
    'globalQPSLoad',
    (fields) => ({ type: 'globalQPSLoad', qps: fields.positive('qps'), burst: fields.integer('burst', 0, 1) }),
  ],
  [
    'poissonLoad',
    (fields) => ({ type: 'poissonLoad', expectedActionsPerSecond: fields.positive('expectedActionsPerSecond') }),
  ],
];
