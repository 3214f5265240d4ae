/** Reads what happens in a scenario: one verb, when it happens, and what it is done to. */
import type { Draft } from '../../api/objects/objects.js';
import type { PropagationPolicy, ScalableKind } from '../../apiserver/store/server-types.js';
import type { FaultVerb } from '../../faults/fault.js';
import { FaultError } from '../../faults/fault-error.js';
import { checkTarget, FAULT_VERBS } from '../../faults/read-fault.js';
import { nearestWord } from '../../kernel/nearest-word.js';
import { RATE_TABLE_TEXT, RATE_TEXT, readRate, readRateTable } from '../../offered-load/read-rate.js';
import type { Fields } from '../../workload/fields.js';
import { printed } from '../../workload/input-error.js';
import type { DrainOptions } from '../../cluster/drain/drain-options.js';
import { durationOf, namedObject, nodeOf, requiredCount, requiredDuration, requiredNode } from './read-fields.js';
import type { NodeChoice, ScenarioAction, Step, TargetObject } from './scenario.js';

/** Reads what stands in other files. */
export interface FileReaders {
  /** The objects of a field, or of the files that it names. */
  objects(fields: Fields, field: string): readonly Draft[];
  /** The text of the file that a field names. */
  text(fields: Fields, field: string): string;
}

type StepReader = (action: Fields, files: FileReaders) => Step;

const POLICIES: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan'];
const PATCH_TYPES = ['strategic', 'merge', 'json'] as const;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
/** Stands for a node that is not known yet. */
const SOME_NODE = 'node';
const DRAIN_FLAGS = ['force', 'ignoreDaemonSets', 'deleteEmptyDirData', 'disableEviction'] as const;
const BESIDES = ['at', 'name', 'mayFail'];

const READERS: Readonly<Record<string, StepReader>> = {
  apply: (action, files) => ({ verb: 'apply', objects: files.objects(action, 'apply') }),
  delete: (action) => readDelete(action),
  evict: (action) => ({ verb: 'evict', target: evicted(action) }),
  scale: (action) => readScale(action.fields('scale')),
  load: (action, files) => readLoad(action.fields('load'), files),
  patch: (action) => readPatch(action.fields('patch')),
  edit: (action) => readEdit(action),
  cordon: (action) => ({ verb: 'cordon', node: requiredNode(action, 'cordon') }),
  uncordon: (action) => ({ verb: 'uncordon', node: requiredNode(action, 'uncordon') }),
  drain: (action) => readDrain(action),
  taint: (action) => readTaint(action.fields('taint')),
  untaint: (action) => readUntaint(action.fields('untaint')),
  ...Object.fromEntries(FAULT_VERBS.map((verb) => [verb, (action: Fields) => readFaultStep(action, verb)])),
  heal: (action) => readHeal(action),
};
const VERBS = Object.keys(READERS);

/** Reads one action. @throws InputError that names the field, what it got and what is allowed */
export function readAction(action: Fields, files: FileReaders): ScenarioAction {
  const [verb, ...others] = VERBS.filter((each) => action.has(each));
  if (verb === undefined) {
    action.only([...BESIDES, 'for', ...VERBS]);
    throw action.refusal(undefined, `must have one of ${VERBS.join(', ')}`);
  }
  if (others.length > 0) throw action.refusal(others[0], `cannot stand beside ${verb}: an action does one thing`);
  action.only([...BESIDES, verb, ...(isLasting(verb) ? ['for'] : [])]);
  const read = READERS[verb] as StepReader;
  return {
    atMs: requiredDuration(action, 'at'),
    name: action.optionalText('name'),
    mayFail: action.flag('mayFail'),
    step: read(action, files),
    refuse: (keys, problem) => action.refusal(keys, problem),
  };
}

function isLasting(verb: string): boolean {
  return verb === 'edit' || FAULT_VERBS.some((each) => each === verb);
}

/** Whether what stands beside a verb is a mapping, and no short form. */
function isMapping(fields: Fields, field: string): boolean {
  const value = fields.value(field);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readDelete(action: Fields): Step {
  if (!isMapping(action, 'delete')) return { verb: 'delete', target: shortTarget(action, 'delete'), options: {} };
  const fields = action.fields('delete');
  fields.only(['object', 'node', 'namespace', 'gracePeriodSeconds', 'force', 'propagationPolicy']);
  const force = fields.flag('force');
  const asked = fields.count('gracePeriodSeconds');
  if (force && asked !== undefined && asked > 0) {
    throw fields.refusal('gracePeriodSeconds', `must be absent or 0 beside force, got ${asked}`);
  }
  // As kubectl does: without force, no time at all means a second.
  const gracePeriodSeconds = asked === 0 && !force ? 1 : asked;
  const propagationPolicy = fields.has('propagationPolicy') ? fields.choice('propagationPolicy', POLICIES) : undefined;
  return {
    verb: 'delete',
    target: longTarget(fields),
    options: {
      ...(force ? { force } : {}),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    },
  };
}

function evicted(action: Fields): TargetObject {
  const fields = isMapping(action, 'evict') ? action.fields('evict') : undefined;
  fields?.only(['object', 'namespace']);
  const target = fields === undefined ? shortTarget(action, 'evict') : longTarget(fields);
  if (target.kind === 'Pod') return target;
  throw action.refusal('evict', `must be a pod, got ${target.kind}`);
}

function readScale(fields: Fields): Step {
  fields.only(['object', 'namespace', 'replicas']);
  const target = longTarget(fields);
  // Kinds without that subresource are refused by the API server, in its own words.
  return {
    verb: 'scale',
    target: { ...target, kind: target.kind as ScalableKind },
    replicas: requiredCount(fields, 'replicas'),
  };
}

/** A rate, or a table of one in a file beside the scenario. */
function readLoad(fields: Fields, files: FileReaders): Step {
  fields.only(['service', 'namespace', 'rate', 'table']);
  const service = { name: fields.text('service'), namespace: fields.optionalText('namespace') ?? 'default' };
  if (!fields.has('table')) {
    const rate = fields.value('rate');
    if (readRate(rate) !== undefined) return { verb: 'load', service, rate: rate as number | string };
    const problem = rate === undefined ? 'is missing, must be' : 'must be';
    throw fields.refusal('rate', `${problem} ${RATE_TEXT}${rate === undefined ? '' : `, got ${printed(rate)}`}`);
  }
  if (fields.has('rate')) throw fields.refusal('table', 'cannot stand beside rate');
  const table = files.text(fields, 'table');
  if (readRateTable(table) !== undefined) return { verb: 'load', service, rate: { table } };
  throw fields.refusal('table', `must name a file of ${RATE_TABLE_TEXT}`);
}

function readPatch(fields: Fields): Step {
  fields.only(['object', 'node', 'namespace', 'patch', 'type']);
  const body = fields.value('patch');
  if (body === undefined) throw fields.refusal('patch', 'is missing, must be the body of a patch');
  return { verb: 'patch', target: longTarget(fields), body, type: fields.choice('type', PATCH_TYPES, 'strategic') };
}

function readEdit(action: Fields): Step {
  const fields = action.fields('edit');
  fields.only(['object', 'node', 'namespace', 'patch']);
  const body = fields.value('patch');
  if (body === undefined) throw fields.refusal('patch', 'is missing, must be the body of a merge patch');
  return { verb: 'edit', target: longTarget(fields), body, forMs: durationOf(action, 'for') ?? 0 };
}

function readDrain(action: Fields): Step {
  const fields = isMapping(action, 'drain') ? action.fields('drain') : undefined;
  if (fields === undefined || ['ofPod', 'ofPods', 'ofAction'].some((form) => fields.has(form))) {
    return { verb: 'drain', node: requiredNode(action, 'drain'), options: {} };
  }
  fields.only(['node', ...DRAIN_FLAGS, 'gracePeriodSeconds', 'timeout', 'podSelector']);
  const timeout = durationOf(fields, 'timeout');
  const podSelector = fields.optionalText('podSelector');
  const gracePeriodSeconds = fields.count('gracePeriodSeconds');
  const options: DrainOptions = {
    ...Object.fromEntries(DRAIN_FLAGS.map((flag) => [flag, fields.flag(flag)])),
    ...(timeout === undefined ? {} : { timeout }),
    ...(podSelector === undefined ? {} : { podSelector }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  return { verb: 'drain', node: requiredNode(fields, 'node'), options };
}

function readTaint(fields: Fields): Step {
  fields.only(['node', 'key', 'value', 'effect']);
  const value = fields.optionalText('value');
  const [key, effect] = [fields.text('key'), fields.choice('effect', EFFECTS)];
  return {
    verb: 'taint',
    node: requiredNode(fields, 'node'),
    taint: { key, effect, ...(value === undefined ? {} : { value }) },
  };
}

function readUntaint(fields: Fields): Step {
  fields.only(['node', 'key', 'effect']);
  const effect = fields.has('effect') ? fields.choice('effect', EFFECTS) : undefined;
  return { verb: 'untaint', node: requiredNode(fields, 'node'), key: fields.text('key'), effect };
}

/** What the names stand for is checked once the cluster is known. */
function readFaultStep(action: Fields, verb: FaultVerb): Step {
  const isWritten = isMapping(action, verb);
  const node = isWritten ? nodeOf(action.fields(verb), 'node') : undefined;
  const value = action.value(verb);
  const { node: _node, ...target } = (isWritten ? value : {}) as Readonly<Record<string, unknown>>;
  try {
    checkTarget(verb, isWritten ? { ...target, ...(node === undefined ? {} : { node: SOME_NODE }) } : value);
  } catch (error) {
    throw error instanceof FaultError ? action.refusal(error.keys, error.problem) : error;
  }
  return { verb: 'fault', fault: { verb, node, target }, forMs: durationOf(action, 'for') };
}

function readHeal(action: Fields): Step {
  const name = action.text('heal');
  return { verb: 'heal', action: name === 'all' ? undefined : name };
}

function shortTarget(action: Fields, field: string): TargetObject {
  return { ...namedObject(action, field, action.text(field)), namespace: 'default' };
}

function longTarget(fields: Fields): TargetObject {
  const namespace = fields.optionalText('namespace') ?? 'default';
  if (!fields.has('node')) return { ...namedObject(fields, 'object', fields.text('object')), namespace };
  if (fields.has('object')) throw fields.refusal('node', 'cannot stand beside object');
  return { kind: 'Node', namespace, name: requiredNode(fields, 'node') };
}

/** Checks that actions refer to others by names that exist. @throws InputError */
export function checkReferences(actions: readonly ScenarioAction[]): void {
  const names = actions.flatMap(({ name }) => name ?? []);
  for (const { step, refuse } of actions) {
    const referred = referredAction(step);
    if (referred === undefined || names.includes(referred)) continue;
    const nearest = nearestWord(referred, names);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw refuse(
      [step.verb === 'fault' ? step.fault.verb : step.verb],
      `refers to ${printed(referred)}, which is the name of no action${hint}`,
    );
  }
}

/** The node or the object that a step is about. */
function meantBy(step: Exclude<Step, { readonly verb: 'heal' }>): NodeChoice | string | undefined {
  if (step.verb === 'fault') return step.fault.node;
  if ('node' in step) return step.node;
  return 'target' in step ? step.target.name : undefined;
}

function referredAction(step: Step): string | undefined {
  if (step.verb === 'heal') return step.action;
  const node = meantBy(step);
  return typeof node === 'object' && 'ofAction' in node ? node.ofAction : undefined;
}
