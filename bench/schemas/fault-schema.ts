/** Faults, from the table by which they are checked. */
import { FAULT_FIELDS, partyFields, type FaultField } from '../../src/faults/fault-fields.js';
import type { FaultVerb } from '../../src/faults/fault.js';
import { FAULT_VERBS } from '../../src/faults/read-fault.js';
import { described } from './descriptions.js';
import {
  DRAWN_TEXT,
  DURATION,
  exactlyOne,
  fields,
  FLAG,
  integer,
  listOf,
  number,
  oneWord,
  TEXT,
  without,
} from './shape.js';
import { anyOf, type Shape, type Shapes } from './shape.js';

/** Fields that are no words of a list, by their names: one name means one thing in all faults. */
const BY_NAME: Shapes = {
  node: TEXT,
  component: TEXT,
  controller: TEXT,
  zone: TEXT,
  volume: TEXT,
  pool: TEXT,
  claim: TEXT,
  error: TEXT,
  nodes: listOf(TEXT, 1),
  from: listOf(TEXT, 1),
  groups: listOf(listOf(TEXT, 1), 1),
  latency: DRAWN_TEXT,
  requests: number(0, 1),
  share: number(0, 1),
  by: DURATION,
  writes: integer(1),
  isPinned: FLAG,
  forgetsHistory: FLAG,
  inOneReconcile: FLAG,
};

const SKEW: Shape = anyOf(
  { type: 'string', pattern: '^-?\\s*(?:0|(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+)\\s*$', examples: ['10m', '-30s'] },
  { type: 'number' },
);

/** What the fields of a fault ask of each other, as `read-fault.ts` has it. */
const TOGETHER: { readonly [Verb in FaultVerb]?: readonly Shape[] } = {
  staleReads: [
    { anyOf: [{ required: ['by'] }, { required: ['isPinned'], properties: { isPinned: { const: true } } }] },
  ],
  failRuntime: [
    { not: { required: ['by', 'error'] } },
    { not: { required: ['by'], properties: { operation: { const: 'stopContainer' } } } },
  ],
  failVolume: [{ not: { required: ['by', 'error'] } }],
  failPool: [{ not: { required: ['by', 'error'] } }],
  partition: [exactlyOne(['node', 'nodes', 'zone', 'groups']), { not: { required: ['groups', 'from'] } }],
  breakAttachment: [exactlyOne(['volume', 'claim'])],
  crashAfterWrites: [
    {
      anyOf: [
        { required: ['controller'] },
        without('inOneReconcile'),
        { properties: { inOneReconcile: { const: false } } },
      ],
    },
  ],
};

function fieldShape(verb: FaultVerb, name: string, { problem }: FaultField): Shape {
  const { words, isList = false } = problem;
  if (words !== undefined) return isList ? listOf(oneWord(...words), 1) : oneWord(...words);
  if (verb === 'skewClock' && name === 'by') return SKEW;
  const shape = BY_NAME[name];
  if (shape === undefined) throw new Error(`${verb}.${name} needs a shape in bench/schemas/fault-schema.ts`);
  return shape;
}

/**
 * What stands under each verb.
 *
 * @param node - what may stand for a node
 */
export function faultShapes(node: Shape): Shapes {
  const shapes = FAULT_VERBS.map((verb): [string, Shape] => {
    const table = Object.entries(FAULT_FIELDS[verb]);
    const properties = Object.fromEntries(
      table.map(([name, field]) => [name, name === 'node' ? node : fieldShape(verb, name, field)]),
    );
    const parties = partyFields(verb);
    const rules = [...(parties.length > 1 ? [exactlyOne(parties)] : []), ...(TOGETHER[verb] ?? [])];
    const required = table.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
    return [verb, fields(properties, required, rules.length === 0 ? {} : { allOf: rules })];
  });
  return described(Object.fromEntries(shapes), 'scenarios.md');
}

/** A fault as plain data, with how long it lasts. */
export function faultShape(): Shape {
  const lasting = { for: { description: 'How long it lasts; without it until it is healed.', ...DURATION } };
  return fields({ ...lasting, ...faultShapes(TEXT) }, [], exactlyOne(FAULT_VERBS));
}
