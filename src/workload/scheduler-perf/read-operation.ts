/** One step of a workload as it is written, read into what is to be done. */
import { printed } from '../input-error.js';
import type { Fields } from '../fields.js';
import type { ObjectTemplate } from './object-template.js';
import type {
  Barrier,
  Churn,
  CreateAny,
  CreateNodes,
  CreatePods,
  DeletePods,
  PerfOperation,
  Sleep,
  UpdateAny,
} from './operations.js';
import type { Parameters } from './parameters.js';
import { readNodeStrategy } from './read-node-strategy.js';

/** What a step is read with. */
export interface OperationContext {
  readonly parameters: Parameters;
  /** The template that a field names, which must be of a kind that is simulated. */
  readonly template: (fields: Fields, field: string, path: string, kind?: string) => ObjectTemplate;
  readonly defaultPodTemplatePath: string | undefined;
}

/** Steps of upstream that need dynamic resource allocation. */
const NOT_SIMULATED = ['allocResourceClaims', 'createResourceClaims', 'createResourceDriver'];

const OPCODES = [
  'createNodes',
  'createNamespaces',
  'createPods',
  'createPodSets',
  'deletePods',
  'churn',
  'createAny',
  'updateAny',
  'barrier',
  'sleep',
  'startCollectingMetrics',
  'stopCollectingMetrics',
] as const;

/** @param index - of the step, counted with those that createPodSets stands for */
type Read = (fields: Fields, context: OperationContext, index: number) => readonly PerfOperation[];

const READERS: Readonly<Record<(typeof OPCODES)[number], Read>> = {
  createNodes: (fields, context) => [readCreateNodes(fields, context)],
  createNamespaces: (fields, context) => [
    {
      opcode: 'createNamespaces',
      prefix: fields.text('prefix'),
      count: context.parameters.count(fields),
      template: optionalTemplate(fields, context, 'namespaceTemplatePath', 'Namespace'),
    },
  ],
  createPods: (fields, context, index) => [readCreatePods(fields, context, `namespace-${index}`)],
  createPodSets: readCreatePodSets,
  deletePods: (fields) => [readDeletePods(fields)],
  churn: (fields, context, index) => [readChurn(fields, context, `namespace-${index}`)],
  createAny: (fields, context) => [readCreateAny(fields, context)],
  updateAny: (fields, context) => [readUpdateAny(fields, context)],
  barrier: (fields) => [readBarrier(fields)],
  sleep: (fields, context) => [readSleep(fields, context)],
  startCollectingMetrics: (fields) => {
    fields.skip('name');
    const namespaces = fields.texts('namespaces');
    if (namespaces.length === 0) throw fields.refusal('namespaces', 'cannot be empty');
    return [{ opcode: 'startCollectingMetrics', namespaces, labelSelector: fields.textsByName('labelSelector') ?? {} }];
  },
  stopCollectingMetrics: () => [{ opcode: 'stopCollectingMetrics' }],
};

/** Reads one step, which may stand for several. @throws SchedulerPerfError */
export function readOperation(fields: Fields, context: OperationContext, index: number): readonly PerfOperation[] {
  const opcode = fields.text('opcode');
  if (NOT_SIMULATED.includes(opcode))
    throw fields.refusal('opcode', `${printed(opcode)} is not simulated: it needs dynamic resource allocation`);
  const operations = READERS[fields.choice('opcode', OPCODES)](fields, context, index);
  fields.refuseUnknown();
  return operations;
}

function readCreateNodes(fields: Fields, context: OperationContext): CreateNodes {
  const kubelets = fields.flag('kubelets');
  if (kubelets && fields.has('nodeTemplatePath'))
    throw fields.refusal('nodeTemplatePath', 'cannot stand beside kubelets, whose nodes describe themselves');
  return {
    opcode: 'createNodes',
    count: context.parameters.count(fields),
    template: optionalTemplate(fields, context, 'nodeTemplatePath', 'Node'),
    strategy: readNodeStrategy(fields),
    kubelets,
  };
}

function readCreatePods(fields: Fields, context: OperationContext, namespace: string): CreatePods {
  const { defaultPodTemplatePath } = context;
  for (const field of ['steadyState', 'duration', 'durationParam']) {
    if (fields.has(field)) throw fields.refusal(field, 'is not simulated: pods are created all at once');
  }
  const collectMetrics = fields.flag('collectMetrics');
  const skipWaitToCompletion = fields.flag('skipWaitToCompletion');
  if (collectMetrics && skipWaitToCompletion)
    throw fields.refusal('skipWaitToCompletion', 'and collectMetrics cannot be true at the same time');
  const path = fields.optionalText('podTemplatePath') ?? defaultPodTemplatePath;
  return {
    opcode: 'createPods',
    namespace: fields.optionalText('namespace') ?? namespace,
    count: context.parameters.count(fields),
    template: path === undefined ? undefined : context.template(fields, 'podTemplatePath', path, 'Pod'),
    volumes: readVolumes(fields, context),
    collectMetrics,
    skipWaitToCompletion,
  };
}

function readVolumes(fields: Fields, context: OperationContext): CreatePods['volumes'] {
  const claim = optionalTemplate(fields, context, 'persistentVolumeClaimTemplatePath', 'PersistentVolumeClaim');
  const volume = optionalTemplate(fields, context, 'persistentVolumeTemplatePath', 'PersistentVolume');
  if (claim === undefined) return undefined;
  if (volume === undefined)
    throw fields.refusal('persistentVolumeTemplatePath', 'is missing, must name the volume for each claim');
  return { volume, claim };
}

/** One createPods for each namespace `prefix-0`, `prefix-1`, … */
function readCreatePodSets(fields: Fields, context: OperationContext): readonly CreatePods[] {
  const count = context.parameters.count(fields);
  const prefix = fields.text('namespacePrefix');
  const inner = fields.fields('createPodsOp');
  inner.choice('opcode', ['createPods'], 'createPods');
  const pods = readCreatePods(inner, context, prefix);
  inner.refuseUnknown();
  return Array.from({ length: count }, (_, set) => ({ ...pods, namespace: `${prefix}-${set}` }));
}

function readDeletePods(fields: Fields): DeletePods {
  return {
    opcode: 'deletePods',
    namespace: fields.text('namespace'),
    labelSelector: fields.textsByName('labelSelector') ?? {},
    skipWaitToCompletion: fields.flag('skipWaitToCompletion'),
    deletePodsPerSecond: fields.count('deletePodsPerSecond') ?? 0,
  };
}

function readChurn(fields: Fields, context: OperationContext, namespace: string): Churn {
  const mode = fields.choice('mode', ['create', 'recreate']);
  const number = fields.count('number') ?? 0;
  if (mode === 'recreate' && number === 0) throw fields.refusal('number', 'cannot be 0 when mode is recreate');
  const paths = fields.texts('templatePaths');
  if (paths.length === 0) throw fields.refusal('templatePaths', 'must name at least one template');
  // As upstream, 0 is as good as nothing.
  const interval = fields.count('intervalMilliseconds') ?? 0;
  return {
    opcode: 'churn',
    mode,
    number,
    intervalMilliseconds: interval === 0 ? 500 : interval,
    namespace: fields.optionalText('namespace') ?? namespace,
    templates: paths.map((path) => context.template(fields, 'templatePaths', path)),
  };
}

function readCreateAny(fields: Fields, context: OperationContext): CreateAny {
  const template = context.template(fields, 'templatePath', fields.text('templatePath'));
  const namespace = namespaceFor(fields, template);
  return { opcode: 'createAny', namespace, count: context.parameters.count(fields, 1), template };
}

function readUpdateAny(fields: Fields, context: OperationContext): UpdateAny {
  const template = context.template(fields, 'templatePath', fields.text('templatePath'));
  const other = fields.texts('subresources').find((subresource) => subresource !== 'status');
  if (other !== undefined) throw fields.refusal('subresources', `${printed(other)} is not simulated; status is`);
  return {
    opcode: 'updateAny',
    namespace: namespaceFor(fields, template),
    count: context.parameters.count(fields, 1),
    template,
    updatePerSecond: fields.count('updatePerSecond') ?? 0,
  };
}

/** Objects with a namespace need one, others must not have one, as upstream. */
function namespaceFor(fields: Fields, { kind, isNamespaced }: ObjectTemplate): string | undefined {
  const namespace = fields.optionalText('namespace');
  if (isNamespaced === (namespace !== undefined)) return namespace;
  throw fields.refusal(
    'namespace',
    isNamespaced ? `is missing: a ${kind} needs one` : `must be absent: a ${kind} has none`,
  );
}

function readBarrier(fields: Fields): Barrier {
  return {
    opcode: 'barrier',
    namespaces: fields.texts('namespaces'),
    labelSelector: fields.textsByName('labelSelector') ?? {},
    stageRequirement: fields.choice(
      'stageRequirement',
      ['Scheduled', 'Attempted', 'Ready', 'NodesSchedulable'],
      'Scheduled',
    ),
  };
}

function readSleep(fields: Fields, { parameters }: OperationContext): Sleep {
  const text = parameters.text(fields, 'duration');
  const durationMs = durationOf(text);
  if (durationMs === undefined) throw fields.refusal('duration', `must be a duration such as 5s, got ${printed(text)}`);
  return { opcode: 'sleep', durationMs };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's form, such as `1m30s`; milliseconds. */
function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}

function optionalTemplate(
  fields: Fields,
  context: OperationContext,
  field: string,
  kind: string,
): ObjectTemplate | undefined {
  const path = fields.optionalText(field);
  return path === undefined ? undefined : context.template(fields, field, path, kind);
}
