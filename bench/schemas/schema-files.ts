/** The schemas of the files that users write, as `schemas/` has them: made of what their readers check by. */
import { METRICS } from '../../src/measurements/metric-catalogue.js';
import { CLUSTER_DEFINITIONS, clusterShape } from './cluster-schema.js';
import { faultShape } from './fault-schema.js';
import { NODE_CHOICE, SCENARIO_DEFINITIONS, scenarioShape } from './scenario-schema.js';
import { SCRIPT_DEFINITIONS } from './script-schema.js';
import { anyOf, DISTRIBUTION, DRAWN, DURATION, fields, integer, listOf, MOMENT, ref, TEXT } from './shape.js';
import type { Shape, Shapes } from './shape.js';

const EXPRESSION: Shape = {
  type: 'string',
  pattern: '^\\s*[a-z]+(\\([^)]*\\))?\\s*(===|==|!=|>=|<=|>|<)\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*$',
  examples: ['p(99)<5000', 'count==0'],
};

/** With what becomes of the run once it does not hold. */
const ABORTING: Shape = fields(
  {
    threshold: EXPRESSION,
    abortOnFail: { description: 'Ends the run as soon as it does not hold.', type: 'boolean' },
    delayAbortEval: { description: 'Simulated time that is measured before the run may end for it.', ...DURATION },
  },
  ['threshold'],
);

/** Metrics by their names, and with tags in braces. */
const THRESHOLDS: Shape = {
  description: 'Bounds on what is measured.',
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(METRICS).map(([name, { help, unit }]) => [
      name,
      { description: unit === '' ? help : `${help}, in ${unit}`, allOf: [ref('bound')] },
    ]),
  ),
  patternProperties: {
    [`^\\s*(${Object.keys(METRICS).join('|')})\\{[^{}]*\\}\\s*$`]: ref('bound'),
  },
  additionalProperties: false,
};

const FILE: Shape = { ...TEXT, examples: ['app.yaml'] };

const RUN: Shapes = {
  nodes: { description: 'How many; of a trace, the first so many of its own.', ...integer(0, 100_000) },
  pods: { description: 'Of the default scene; none unless said.', ...integer(0) },
  manifests: listOf({ type: 'string', examples: ['app.yaml'] }),
  trace: {
    description: 'In place of the scene: its format and its files.',
    type: 'array',
    items: [{ const: 'openb' }, { type: 'string' }, { type: 'string' }],
    additionalItems: false,
    examples: [['openb', 'NODES.csv', 'PODS.csv']],
  },
  compress: { description: 'Divides the times of a trace.', type: 'number', exclusiveMinimum: 0 },
  from: { description: 'A cluster to begin with, as kubectl writes it down.', ...FILE },
  schedulerConfig: { description: 'The file of a KubeSchedulerConfiguration.', ...FILE },
  limit: { description: 'Simulated time; 1h unless said, for a trace none.', ...DURATION },
};

const OF_RUNS: Shape = fields(
  {
    title: TEXT,
    run: { description: 'What is played.', ...fields(RUN) },
    cluster: clusterShape('seed', 'nodes', 'from', 'scripts', 'realtime'),
    scripts: { description: 'The file of rules.', ...FILE },
  },
  ['run'],
);

/** All that shapes refer to by a name. */
const DEFINITIONS: Shapes = {
  ...SCRIPT_DEFINITIONS,
  ...CLUSTER_DEFINITIONS,
  ...SCENARIO_DEFINITIONS,
  thresholds: THRESHOLDS,
  bound: anyOf(EXPRESSION, ABORTING, listOf(anyOf(EXPRESSION, ABORTING))),
  scenario: scenarioShape(),
};

/** What stands in many places stands once in a file, under these names. */
const REPEATED: Shapes = {
  drawn: DRAWN,
  distribution: DISTRIBUTION,
  duration: DURATION,
  moment: MOMENT,
  nodeChoice: NODE_CHOICE,
};

/** References in place of what is repeated; `isWhole` leaves the shape itself as it is. */
function referring(shape: unknown, isWhole = false): unknown {
  if (Array.isArray(shape)) return shape.map((each: unknown) => referring(each));
  if (typeof shape !== 'object' || shape === null) return shape;
  const [name] = Object.entries(REPEATED).find(([, each]) => each === shape) ?? [];
  if (name !== undefined && !isWhole) return ref(name);
  return Object.fromEntries(Object.entries(shape).map(([key, each]: [string, unknown]) => [key, referring(each)]));
}

/** Definitions that a text refers to, and those that these refer to. */
function needed(text: string, known: Readonly<Record<string, unknown>>, taken: Record<string, unknown> = {}) {
  for (const [, name = ''] of text.matchAll(/#\/definitions\/(\w+)/g)) {
    if (name in taken) continue;
    taken[name] = known[name];
    needed(JSON.stringify(known[name]), known, taken);
  }
  return taken;
}

function file(name: string, title: string, shape: Shape): Shape {
  const known = Object.fromEntries(
    Object.entries({ ...DEFINITIONS, ...REPEATED }).map(([each, its]) => [each, referring(its, true)]),
  );
  const main = referring(shape) as Shape;
  const definitions = needed(JSON.stringify(main), known);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `https://kubeloom.dev/schemas/${name}.json`,
    title,
    // Beside a reference draft 7 reads nothing else.
    ...('$ref' in main ? { allOf: [main] } : main),
    ...(Object.keys(definitions).length === 0 ? {} : { definitions }),
  };
}

/** Each file with what it says. */
export const SCHEMA_FILES: Readonly<Record<string, Shape>> = {
  'scenario-1.json': file('scenario-1', 'Scenario of kubeloom', scenarioShape()),
  'fault-1.json': file('fault-1', 'Fault of kubeloom', faultShape()),
  'scripts-1.json': file('scripts-1', 'Rules that say what containers do', ref('scripts')),
  'variant-1.json': file('variant-1', 'Variant of a comparison of kubeloom', {
    description: 'A scenario, or, with a field run, what kubeloom run plays.',
    if: { required: ['run'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON schemas
    then: OF_RUNS,
    else: ref('scenario'),
  }),
  'thresholds-1.json': file('thresholds-1', 'Thresholds of kubeloom', ref('thresholds')),
};
