/** Reads what is expected of a scenario: a condition, and when it must hold. */
import type { Kind } from '../../api/objects/objects.js';
import type { Fields } from '../../workload/fields.js';
import { printed } from '../../workload/input-error.js';
import { WORKLOAD_KINDS } from '../scene/workload-state.js';
import { durationOf, flowText, kindOf, namedObject, nodeOf, qualified, requiredDuration } from './read-fields.js';
import type { Condition, EventSelection, Expectation, ObjectSelection, Subject } from './scenario.js';

const BOUNDS = ['count', 'atLeast', 'atMost'] as const;
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;
const STATUSES = ['True', 'False', 'Unknown'] as const;

const SUBJECTS: Readonly<Record<string, (condition: Fields) => Subject>> = {
  pods: (condition) => ({ of: 'objects', selection: readPods(condition.fields('pods')) }),
  nodes: (condition) => ({ of: 'objects', selection: readNodes(condition.fields('nodes')) }),
  objects: (condition) => ({ of: 'objects', selection: readObjects(condition.fields('objects')) }),
  complete: (condition) => ({ of: 'objects', selection: readComplete(condition) }),
  events: (condition) => ({ of: 'events', selection: readEvents(condition.fields('events')) }),
  processes: (condition) => readProcesses(condition.fields('processes')),
  mounts: (condition) => readMounts(condition.fields('mounts')),
  splitBrains: (condition) => ({ of: 'splitBrains', pod: readIdentity(condition, 'splitBrains', 'pod') }),
  unconfirmedDeletions: (condition) => ({
    of: 'unconfirmedDeletions',
    pod: readIdentity(condition, 'unconfirmedDeletions', 'pod'),
  }),
  brokenBudgets: (condition) => ({ of: 'brokenBudgets', budget: readIdentity(condition, 'brokenBudgets', 'budget') }),
};
const SUBJECT_NAMES = Object.keys(SUBJECTS);
const EVERYTHING: Omit<ObjectSelection, 'kind'> = {
  namespace: undefined,
  labelSelector: undefined,
  name: undefined,
  node: undefined,
  where: [],
  condition: undefined,
  taint: undefined,
  isTerminating: undefined,
  isComplete: false,
};

/** Reads one expectation. @throws InputError that names the field, what it got and what is allowed */
export function readExpectation(fields: Fields): Expectation {
  const [mode, other] = (['by', 'at', 'always', 'never'] as const).filter((each) => fields.has(each));
  if (mode === undefined) {
    fields.only(['name', 'by', 'at', 'always', 'never', 'from', 'until', ...SUBJECT_NAMES, ...BOUNDS]);
    throw fields.refusal(undefined, 'must have one of by, at, always, never');
  }
  if (other !== undefined) throw fields.refusal(other, `cannot stand beside ${mode}`);
  const name = fields.optionalText('name');
  if (mode === 'by' || mode === 'at') {
    fields.only(['name', mode, ...(mode === 'by' ? ['from'] : []), ...SUBJECT_NAMES, ...BOUNDS]);
    const condition = readCondition(fields);
    const untilMs = requiredDuration(fields, mode);
    const fromMs = mode === 'by' ? (durationOf(fields, 'from') ?? 0) : untilMs;
    if (fromMs > untilMs) throw fields.refusal('from', `must be before ${mode}`);
    return {
      mode,
      title: name ?? `${mode} ${String(fields.value(mode))}: ${condition.text}`,
      fromMs,
      untilMs,
      condition,
    };
  }
  fields.only(['name', mode, 'from', 'until']);
  const inner = fields.fields(mode);
  inner.only([...SUBJECT_NAMES, ...BOUNDS]);
  const condition = readCondition(inner);
  const fromMs = durationOf(fields, 'from') ?? 0;
  const untilMs = durationOf(fields, 'until');
  if (untilMs !== undefined && fromMs > untilMs) throw fields.refusal('from', 'must be before until');
  return { mode, title: name ?? `${mode} ${condition.text}`, fromMs, untilMs, condition };
}

function readCondition(fields: Fields): Condition {
  const [subject, other] = SUBJECT_NAMES.filter((each) => fields.has(each));
  if (subject === undefined) throw fields.refusal(undefined, `must have one of ${SUBJECT_NAMES.join(', ')}`);
  if (other !== undefined) throw fields.refusal(other, `cannot stand beside ${subject}: a condition counts one thing`);
  const read = SUBJECTS[subject] as (condition: Fields) => Subject;
  const bounds = BOUNDS.filter((bound) => fields.has(bound));
  const boundText = bounds.map((bound) => `, ${bound} ${String(fields.value(bound))}`).join('');
  const text = `${subject} ${flowText(fields.value(subject))}${boundText}`;
  return { subject: read(fields), ...readBounds(fields), text };
}

/** One at least, unless said otherwise. */
function readBounds(fields: Fields): { readonly min: number; readonly max: number } {
  const [count, atLeast, atMost] = BOUNDS.map((bound) => fields.count(bound));
  if (count !== undefined) {
    if (atLeast !== undefined) throw fields.refusal('atLeast', 'cannot stand beside count');
    if (atMost !== undefined) throw fields.refusal('atMost', 'cannot stand beside count');
    return { min: count, max: count };
  }
  if (atLeast === undefined && atMost === undefined) return { min: 1, max: Infinity };
  return { min: atLeast ?? 0, max: atMost ?? Infinity };
}

function readPods(fields: Fields): ObjectSelection {
  fields.only(['namespace', 'name', 'selector', 'node', 'phase', 'ready', 'terminating', 'where']);
  const phase = fields.has('phase') ? fields.choice('phase', PHASES) : undefined;
  const isReady = optionalFlag(fields, 'ready');
  return {
    ...readCommon(fields, 'Pod'),
    node: nodeOf(fields, 'node'),
    where: [...(phase === undefined ? [] : [[['status', 'phase'], phase] as const]), ...readWhere(fields)],
    ...(isReady === undefined ? {} : { condition: { type: 'Ready', status: isReady ? 'True' : 'not True' } }),
  };
}

function readNodes(fields: Fields): ObjectSelection {
  fields.only(['name', 'selector', 'condition', 'status', 'taint', 'terminating', 'unschedulable', 'where']);
  const isCordoned = optionalFlag(fields, 'unschedulable');
  return {
    ...readCommon(fields, 'Node'),
    name: nodeOf(fields, 'name'),
    where: [
      ...(isCordoned === undefined ? [] : [[['spec', 'unschedulable'], isCordoned ? true : null] as const]),
      ...readWhere(fields),
    ],
    taint: fields.optionalText('taint'),
    condition: readObjectCondition(fields),
  };
}

function readObjectCondition(fields: Fields): ObjectSelection['condition'] {
  const type = fields.optionalText('condition');
  const status = fields.has('status') ? fields.choice('status', STATUSES) : 'True';
  if (type === undefined && fields.has('status')) throw fields.refusal('status', 'needs condition beside it');
  return type === undefined ? undefined : { type, status };
}

function readObjects(fields: Fields): ObjectSelection {
  fields.only(['kind', 'namespace', 'name', 'selector', 'condition', 'status', 'terminating', 'where']);
  const kind = kindOf(fields, 'kind', fields.text('kind'));
  return { ...readCommon(fields, kind), condition: readObjectCondition(fields), where: readWhere(fields) };
}

function readCommon(fields: Fields, kind: Kind): ObjectSelection {
  return {
    ...EVERYTHING,
    kind,
    ...(kind === 'Node' ? {} : { namespace: fields.optionalText('namespace'), name: fields.optionalText('name') }),
    labelSelector: fields.optionalText('selector'),
    isTerminating: optionalFlag(fields, 'terminating'),
  };
}

/** `complete: deployment/web`, or `complete: prod/deployment/web`. */
function readComplete(condition: Fields): ObjectSelection {
  const text = condition.text('complete');
  const parts = text.split('/');
  const [namespace, rest] = parts.length === 3 ? [parts[0], parts.slice(1).join('/')] : ['default', text];
  const { kind, name } = namedObject(condition, 'complete', rest);
  if (!WORKLOAD_KINDS.some((each) => each === kind)) {
    throw condition.refusal('complete', `must name one of ${WORKLOAD_KINDS.join(', ')}, got ${kind}`);
  }
  return { ...EVERYTHING, kind, name, namespace, isComplete: true };
}

function readEvents(fields: Fields): EventSelection {
  fields.only(['reason', 'type', 'message', 'about', 'namespace']);
  const about = fields.optionalText('about');
  return {
    reason: fields.optionalText('reason'),
    type: fields.has('type') ? fields.choice('type', ['Normal', 'Warning']) : undefined,
    message: fields.optionalText('message'),
    about:
      about === undefined
        ? undefined
        : { ...namedObject(fields, 'about', about), namespace: fields.optionalText('namespace') },
  };
}

function readProcesses(fields: Fields): Subject {
  fields.only(['pod', 'node']);
  const pod = fields.optionalText('pod');
  return { of: 'processes', pod: pod === undefined ? undefined : qualified(pod), node: nodeOf(fields, 'node') };
}

function readMounts(fields: Fields): Subject {
  fields.only(['volume', 'pod', 'node']);
  const pod = fields.optionalText('pod');
  return {
    of: 'mounts',
    volume: fields.optionalText('volume'),
    pod: pod === undefined ? undefined : qualified(pod),
    node: nodeOf(fields, 'node'),
  };
}

function readIdentity(condition: Fields, subject: string, field: string): string | undefined {
  const fields = condition.fields(subject);
  fields.only([field]);
  const name = fields.optionalText(field);
  return name === undefined ? undefined : qualified(name);
}

function optionalFlag(fields: Fields, field: string): boolean | undefined {
  return fields.has(field) ? fields.flag(field) : undefined;
}

/** Paths such as `status.readyReplicas`; `null` = nothing stands there. */
function readWhere(fields: Fields): ObjectSelection['where'] {
  if (!fields.has('where')) return [];
  const value = fields.value('where');
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw fields.refusal('where', `must be a mapping of paths such as status.phase to values, got ${printed(value)}`);
  }
  return Object.entries(value as object).map(([path, wanted]: [string, unknown]) => [pathOf(path), wanted]);
}

/** Keys with dots of their own stand in brackets. */
function pathOf(path: string): readonly string[] {
  return [...path.matchAll(/\[([^\]]+)\]|[^.[\]]+/g)].map(([key, bracketed]) => bracketed ?? key);
}
