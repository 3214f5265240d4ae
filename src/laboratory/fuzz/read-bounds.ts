import type { FaultVerb } from '../../faults/fault.js';
import { FAULT_VERBS } from '../../faults/read-fault.js';
import { nearestWord } from '../../kernel/nearest-word.js';
import { Fields } from '../../workload/fields.js';
import { printed } from '../../workload/input-error.js';
import { readYaml } from '../../workload/yaml-text.js';
import { checkedOptions, COUNT, type Check, type Checks } from '../../options/option-checks.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { DEFAULT_BOUNDS, type PlanBounds, type Range } from './plan-document.js';

/** What a bound may be. */
interface Limits {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

/** The least and the most that each bound may be. */
const LIMITS: Readonly<Record<Exclude<keyof PlanBounds, 'kinds' | 'reference'>, Limits>> = {
  nodes: { least: 1, most: 1000, isWhole: true },
  faults: { least: 0, most: 1000, isWhole: true },
  changes: { least: 0, most: 1000, isWhole: true },
  minutes: { least: 2, most: 100_000, isWhole: true },
  lastSeconds: { least: 1, most: 1_000_000, isWhole: true },
  lagSeconds: { least: 0, most: 1_000_000, isWhole: true },
  skewSeconds: { least: -1_000_000, most: 1_000_000, isWhole: true },
  shares: { least: 0, most: 1, isWhole: false },
  writes: { least: 1, most: 1000, isWhole: true },
};
const RANGES = Object.keys(LIMITS) as readonly (keyof typeof LIMITS)[];
const NAMES = Object.keys(DEFAULT_BOUNDS);

/** Reads the bounds of a search: a mapping such as `faults: [0, 20]`. @throws ScenarioError */
export function parseBounds(text: string, source: string): PlanBounds {
  const [document, ...others] = readYaml(text, source, (position, problem) => new ScenarioError(position, '', problem));
  if (document === undefined || others.length > 0) throw new ScenarioError(source, '', 'must be one document');
  const { value, positionOf } = document;
  const fields = new Fields(value, { path: [], positionOf, ErrorType: ScenarioError });
  fields.only(NAMES);
  const given = RANGES.filter((name) => fields.has(name));
  const ranges: Partial<Record<keyof typeof LIMITS, Range>> = Object.fromEntries(
    given.map((name) => [name, readRange(fields, name)] as const),
  );
  const reference = fields.count('reference');
  return {
    ...ranges,
    ...(fields.has('kinds') ? { kinds: readKinds(fields) } : {}),
    ...(reference === undefined ? {} : { reference }),
  };
}

function readRange(fields: Fields, name: keyof typeof LIMITS): Range {
  const [allowed, isAllowed] = rangeCheck(name);
  const value = fields.value(name);
  if (isAllowed(value)) return value as Range;
  throw fields.refusal(name, `must be ${allowed}, got ${printed(value)}`);
}

function rangeCheck(name: keyof typeof LIMITS): Check {
  const { least, most, isWhole } = LIMITS[name];
  const isBound = (value: unknown): value is number =>
    typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  return [
    `two ${isWhole ? 'integers' : 'numbers'} in ${least}..${most}, the lesser first`,
    (value) => {
      if (!Array.isArray(value) || value.length !== 2) return false;
      const [first, second] = value as readonly unknown[];
      return isBound(first) && isBound(second) && first <= second;
    },
  ];
}

const CHECKS: Checks<PlanBounds> = {
  nodes: rangeCheck('nodes'),
  faults: rangeCheck('faults'),
  changes: rangeCheck('changes'),
  minutes: rangeCheck('minutes'),
  lastSeconds: rangeCheck('lastSeconds'),
  lagSeconds: rangeCheck('lagSeconds'),
  skewSeconds: rangeCheck('skewSeconds'),
  shares: rangeCheck('shares'),
  writes: rangeCheck('writes'),
  kinds: [
    `a list with at least one of ${FAULT_VERBS.join(', ')}`,
    (value) =>
      Array.isArray(value) && value.length > 0 && value.every((kind) => FAULT_VERBS.some((verb) => verb === kind)),
  ],
  reference: COUNT,
};

/** The bounds of a search as a program gives them. @throws OptionError */
export function checkBounds(bounds: PlanBounds): PlanBounds {
  return checkedOptions('bounds.', bounds, CHECKS);
}

function readKinds(fields: Fields): readonly FaultVerb[] {
  const kinds = fields.texts('kinds');
  if (kinds.length === 0) throw fields.refusal('kinds', `must name at least one of ${FAULT_VERBS.join(', ')}`);
  for (const [index, kind] of kinds.entries()) {
    if (FAULT_VERBS.some((verb) => verb === kind)) continue;
    const nearest = nearestWord(kind, FAULT_VERBS);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw fields.refusal(['kinds', index], `must be one of ${FAULT_VERBS.join(', ')}, got ${printed(kind)}${hint}`);
  }
  return kinds as readonly FaultVerb[];
}
