import { Fields } from '../../workload/fields.js';
import { printed } from '../../workload/input-error.js';
import { readYaml } from '../../workload/yaml-text.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { DEFAULT_BOUNDS, type PlanBounds } from './plan-document.js';

/** The least and the most that each bound may be. */
const RANGES: Readonly<Record<keyof PlanBounds, readonly [number, number]>> = {
  nodes: [1, 1000],
  faults: [0, 1000],
  changes: [0, 1000],
  minutes: [2, 100_000],
};
const NAMES = Object.keys(DEFAULT_BOUNDS) as readonly (keyof PlanBounds)[];

/** Reads the bounds of a search: a mapping such as `faults: [0, 20]`. @throws ScenarioError */
export function parseBounds(text: string, source: string): PlanBounds {
  const [document, ...others] = readYaml(text, source, (position, problem) => new ScenarioError(position, '', problem));
  if (document === undefined || others.length > 0) throw new ScenarioError(source, '', 'must be one document');
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: ScenarioError });
  fields.only(NAMES);
  return Object.fromEntries(NAMES.filter((name) => fields.has(name)).map((name) => [name, readBound(fields, name)]));
}

function readBound(fields: Fields, name: keyof PlanBounds): readonly [number, number] {
  const [least, most] = RANGES[name];
  const value = fields.value(name);
  const isPair =
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((each) => Number.isInteger(each) && (each as number) >= least && (each as number) <= most) &&
    (value[0] as number) <= (value[1] as number);
  if (isPair) return value as unknown as readonly [number, number];
  throw fields.refusal(name, `must be two integers in ${least}..${most}, the lesser first, got ${printed(value)}`);
}
