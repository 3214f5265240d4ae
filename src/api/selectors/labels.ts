/**
 * Label selectors: matching, and compiling from the object form. The text form is read by
 * label-selector-parser.ts. Mirrors apimachinery's pkg/labels (v1.34).
 */
import { holds, type LabelRequirement } from './label-requirement.js';
import { parseRequirements } from './label-selector-parser.js';
import type { LabelSelector, StringMap } from '../objects/objects.js';

/** A compiled selector: all its requirements hold. */
export interface Selector {
  matches(labels: StringMap | undefined): boolean;
  /** It has no requirements and matches everything. */
  readonly isEmpty: boolean;
  /** Canonical text: equal for selectors that say the same in another order. */
  readonly text: string;
}

const NO_LABELS: StringMap = Object.freeze({});

/** A selector that matches everything. */
const EVERYTHING: Selector = Object.freeze({ matches: () => true, isEmpty: true, text: '' });
/** A selector that matches nothing. */
const NOTHING: Selector = Object.freeze({ matches: () => false, isEmpty: false, text: '<nothing>' });

/** Whether labels have every key of a plain selector with its value; an empty one matches everything. */
export function matchesLabels(selector: StringMap, labels: StringMap | undefined): boolean {
  for (const key in selector) if (labels?.[key] !== selector[key]) return false;
  return true;
}

/**
 * Reads the text form: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, joined
 * by commas. Empty text matches everything; `!=` and `notin` match absent keys.
 *
 * @throws ApiError 400
 */
export function parseLabelSelector(text: string): Selector {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const selector = selectorOf(parseRequirements(text));
  if (parsed.size >= CACHE_LIMIT) parsed.clear();
  parsed.set(text, selector);
  return selector;
}

/** Texts of selectors that are kept with what was read from them; with more than that the cache starts anew. */
const CACHE_LIMIT = 4096;
const parsed = new Map<string, Selector>();
const compiled = new WeakMap<LabelSelector, Selector>();

/**
 * Compiles the object form: absent matches nothing, empty matches everything. A selector that
 * validation would refuse matches nothing. Remembered by reference.
 */
export function compileLabelSelector(selector: LabelSelector | undefined | null): Selector {
  if (selector === undefined || selector === null) return NOTHING;
  let known = compiled.get(selector);
  if (known === undefined) {
    known = compile(selector);
    compiled.set(selector, known);
  }
  return known;
}

function compile({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Selector {
  const requirements: LabelRequirement[] = Object.entries(matchLabels).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  for (const { key, operator, values = [] } of matchExpressions) {
    const hasValues = values.length > 0;
    const isSet = operator === 'In' || operator === 'NotIn';
    if (!isSet && operator !== 'Exists' && operator !== 'DoesNotExist') return NOTHING;
    if (isSet !== hasValues) return NOTHING;
    requirements.push({ key, operator, values });
  }
  return selectorOf(requirements);
}

/** A selector of requirements that all must hold. */
function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  if (requirements.length === 0) return EVERYTHING;
  const text = requirements
    .map((requirement) => requirementText(requirement))
    .sort()
    .join(',');
  const [only] = requirements;
  if (requirements.length === 1 && only !== undefined) {
    return { matches: (labels = NO_LABELS) => holds(only, labels), isEmpty: false, text };
  }
  return {
    matches(labels = NO_LABELS) {
      for (const requirement of requirements) if (!holds(requirement, labels)) return false;
      return true;
    },
    isEmpty: false,
    text,
  };
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${[...values].sort().join(',')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${[...values].sort().join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${values[0]}`;
    case 'Lt':
      return `${key}<${values[0]}`;
  }
}
