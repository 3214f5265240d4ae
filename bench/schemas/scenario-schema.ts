/** Scenario files: what happens when, and what is expected of it. */
import { FAULT_VERBS } from '../../src/faults/read-fault.js';
import { clusterShape } from './cluster-schema.js';
import { described } from './descriptions.js';
import { faultShapes } from './fault-schema.js';
import { ANYTHING, anyOf, exactlyOne, fields, FLAG, integer, listOf, MAPPING, MOMENT, oneWord, ref } from './shape.js';
import { TEXT, without, type Shape, type Shapes } from './shape.js';

const PAGE = 'scenarios.md';
const COUNT = integer(0);
const NAMED: Shape = { type: 'string', pattern: '^[^/]+/[^/]+$', examples: ['pod/web-0', 'statefulset/db'] };
const EFFECT = oneWord('NoSchedule', 'PreferNoSchedule', 'NoExecute');
const NODE_FORMS = ['ofPod', 'ofPods', 'ofAction'];

/** A node by its name, by a pod of it, or by an earlier action. */
export const NODE_CHOICE: Shape = anyOf(
  TEXT,
  fields(Object.fromEntries(NODE_FORMS.map((form) => [form, TEXT])), [], exactlyOne(NODE_FORMS)),
);
const NODE = NODE_CHOICE;
const STATUS = oneWord('True', 'False', 'Unknown');

const OBJECT: Shape = {
  type: 'object',
  properties: { apiVersion: TEXT, kind: TEXT, metadata: MAPPING },
  required: ['apiVersion', 'kind'],
};
const OBJECT_OR_FILE = anyOf({ ...TEXT, examples: ['app.yaml'] }, OBJECT);
const OBJECTS = anyOf(OBJECT_OR_FILE, listOf(OBJECT_OR_FILE));

/** What is acted on: an object by its name, or a node. */
const TARGET: Shapes = { object: NAMED, node: NODE, namespace: TEXT };
const ONE_TARGET = exactlyOne(['object', 'node']);
const SCALED: Shapes = { object: NAMED, namespace: TEXT, replicas: COUNT };

/** Requests a second. */
const RATE = anyOf(
  { type: 'number', minimum: 0 },
  { ...TEXT, examples: ['200', '0s=10, 5m=500', 'sine 100..500 every 24h'] },
);

const VERBS: Shapes = {
  apply: OBJECTS,
  delete: anyOf(
    NAMED,
    fields(
      {
        ...TARGET,
        gracePeriodSeconds: COUNT,
        force: FLAG,
        propagationPolicy: oneWord('Background', 'Foreground', 'Orphan'),
      },
      [],
      ONE_TARGET,
    ),
  ),
  evict: anyOf(NAMED, fields({ object: NAMED, namespace: TEXT }, ['object'])),
  scale: fields(SCALED, ['object', 'replicas']),
  load: fields({ service: TEXT, namespace: TEXT, rate: RATE, table: TEXT }, ['service'], exactlyOne(['rate', 'table'])),
  patch: fields({ ...TARGET, patch: ANYTHING, type: oneWord('strategic', 'merge', 'json') }, ['patch'], ONE_TARGET),
  edit: fields({ ...TARGET, patch: ANYTHING }, ['patch'], ONE_TARGET),
  cordon: NODE,
  uncordon: NODE,
  drain: anyOf(
    NODE,
    fields(
      {
        node: NODE,
        force: FLAG,
        ignoreDaemonSets: FLAG,
        deleteEmptyDirData: FLAG,
        disableEviction: FLAG,
        gracePeriodSeconds: COUNT,
        timeout: MOMENT,
        podSelector: TEXT,
      },
      ['node'],
    ),
  ),
  taint: fields({ node: NODE, key: TEXT, value: TEXT, effect: EFFECT }, ['node', 'key', 'effect']),
  untaint: fields({ node: NODE, key: TEXT, effect: EFFECT }, ['node', 'key']),
  ...faultShapes(NODE),
  heal: TEXT,
};

const LASTING = ['edit', ...FAULT_VERBS];

const ACTION: Shape = fields(
  {
    at: { description: 'When it happens, since the nodes were ready.', ...MOMENT },
    name: { description: 'By which other actions refer to it.', ...TEXT },
    mayFail: { description: 'A refusal is no failure of the scenario.', ...FLAG },
    for: { description: 'How long a fault lasts; without it until it is healed.', ...MOMENT },
    ...described(VERBS, PAGE),
  },
  ['at'],
  {
    ...exactlyOne(Object.keys(VERBS)),
    dependencies: { for: { anyOf: LASTING.map((verb) => ({ required: [verb] })) } },
  },
);

const COMMON: Shapes = { name: TEXT, selector: TEXT, terminating: FLAG, where: MAPPING };
const CONDITION: Shapes = { condition: TEXT, status: STATUS };
const STATUS_OF = { dependencies: { status: ['condition'] } };

const SUBJECTS: Shapes = {
  pods: fields({
    ...COMMON,
    namespace: TEXT,
    node: NODE,
    phase: oneWord('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
    ready: FLAG,
  }),
  nodes: fields({ ...COMMON, ...CONDITION, name: NODE, taint: TEXT, unschedulable: FLAG }, [], STATUS_OF),
  objects: fields({ ...COMMON, ...CONDITION, kind: TEXT, namespace: TEXT }, ['kind'], STATUS_OF),
  complete: { type: 'string', pattern: '^([^/]+/)?[^/]+/[^/]+$', examples: ['deployment/web', 'prod/statefulset/db'] },
  events: fields({
    reason: TEXT,
    type: oneWord('Normal', 'Warning'),
    message: TEXT,
    about: NAMED,
    namespace: TEXT,
  }),
  processes: fields({ pod: TEXT, node: NODE }),
  mounts: fields({ volume: TEXT, pod: TEXT, node: NODE }),
  splitBrains: fields({ pod: TEXT }),
  unconfirmedDeletions: fields({ pod: TEXT }),
  brokenBudgets: fields({ budget: TEXT }),
};
const SUBJECT_NAMES = Object.keys(SUBJECTS);

/** A condition: one thing that is counted, and how many there must be. */
const COUNTED: Shapes = { ...described(SUBJECTS, PAGE), count: COUNT, atLeast: COUNT, atMost: COUNT };
const BOUNDED = { dependencies: { count: without('atLeast', 'atMost') } };

const EXPECTATION: Shape = fields(
  {
    name: { description: 'What the output calls it.', ...TEXT },
    by: { description: 'It must hold at some moment until then.', ...MOMENT },
    at: { description: 'It must hold at that moment.', ...MOMENT },
    from: { description: 'It counts from then on.', ...MOMENT },
    until: { description: 'It counts until then.', ...MOMENT },
    always: ref('condition'),
    never: ref('condition'),
    ...COUNTED,
  },
  [],
  {
    ...BOUNDED,
    oneOf: [
      { required: ['by'], ...without('until'), ...exactlyOne(SUBJECT_NAMES) },
      { required: ['at'], ...without('from', 'until'), ...exactlyOne(SUBJECT_NAMES) },
      ...['always', 'never'].map((mode) => ({
        required: [mode],
        ...without(...SUBJECT_NAMES, 'count', 'atLeast', 'atMost'),
      })),
    ],
  },
);

/** What a scenario refers to, beside scripts and the cluster. */
export const SCENARIO_DEFINITIONS: Shapes = {
  condition: fields(COUNTED, [], { ...exactlyOne(SUBJECT_NAMES), ...BOUNDED }),
  action: ACTION,
  expectation: EXPECTATION,
};

/** A scenario. */
export function scenarioShape(): Shape {
  const shapes: Shapes = {
    title: TEXT,
    cluster: clusterShape('scripts', 'realtime'),
    scripts: ref('scripts'),
    workloads: OBJECTS,
    actions: listOf(ref('action'), 1),
    expectations: listOf(ref('expectation'), 1),
    thresholds: ref('thresholds'),
    until: MOMENT,
  };
  return fields(described(shapes, PAGE));
}
