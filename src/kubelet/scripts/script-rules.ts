/** Rules that give scripts to pods by their labels. They stand in a cluster's options and in files. */
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { labelValue, qualifiedName } from '../../api/values/names.js';
import type { Container, LabelSelector, meta, Pod } from '../../api/objects/objects.js';
import { placeOf, ScriptError } from './script-error.js';
import { isMapping, readFields, readScript, type FieldReaders, type Reader } from './script-fields.js';
import type { ScriptInput } from './script-input.js';
import { NO_SCRIPT, over, type ScriptLayer } from './script-layer.js';
import type { ContainerScript } from './script-types.js';

/** One rule: what it selects, and the script that this gets. */
export interface ScriptRule {
  /** By the pod's labels, in Kubernetes' form; `{}` selects every pod. */
  readonly selector: LabelSelector;
  /** The namespace of the pod. @defaultValue any */
  readonly namespace?: string;
  /** The name of the container. @defaultValue every container of the pod */
  readonly container?: string;
  readonly script: ScriptInput;
}

/** A rule as {@link parseScriptRules} gives it back: its script is plain data. */
export interface ParsedScriptRule extends ScriptRule {
  readonly script: ContainerScript;
}

const text: Reader<string> = (value, place) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new ScriptError(place, 'a text', value);
};

/** A text that Kubernetes' rule for it has nothing against. */
function checkedText(name: string, faultsOf: (text: string) => readonly string[]): Reader<string> {
  return (value, place) => {
    if (typeof value !== 'string') throw new ScriptError(place, `${name}, as a text in quotes`, value);
    const faults = faultsOf(value);
    if (faults.length === 0) return value;
    throw new ScriptError(place, `${name} (${faults.join('; ')})`, value);
  };
}

const labelKey = checkedText('a label key', qualifiedName);
const labelText = checkedText('a label value', labelValue);

const matchLabels: Reader<Record<string, string>> = (value, place) => {
  if (!isMapping(value)) throw new ScriptError(place, 'a mapping of labels', value);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      labelKey(key, placeOf(place, key)),
      labelText(each, placeOf(place, key)),
    ]),
  );
};

/** The operators of selectors, and whether they need values. */
const OPERATORS: ReadonlyMap<unknown, boolean> = new Map([
  ['In', true],
  ['NotIn', true],
  ['Exists', false],
  ['DoesNotExist', false],
]);

const REQUIREMENT: FieldReaders<meta.LabelSelectorRequirement> = {
  key: labelKey,
  operator: (value, place) => {
    if (OPERATORS.has(value)) return value as string;
    throw new ScriptError(place, `one of ${[...OPERATORS.keys()].join(', ')}`, value);
  },
  values: listOf('a list of label values', labelText),
};

const requirement: Reader<meta.LabelSelectorRequirement> = (value, place) => {
  const read = readFields(value, place, REQUIREMENT, 'a requirement with key, operator, values');
  const { key = labelKey(undefined, placeOf(place, 'key')), values = [] } = read;
  const { operator = REQUIREMENT.operator(undefined, placeOf(place, 'operator')) } = read;
  const needsValues = OPERATORS.get(operator) === true;
  if (needsValues === values.length > 0) return needsValues ? { key, operator, values } : { key, operator };
  const allowed = needsValues ? `a list with a value at least for ${operator}` : `absent for ${operator}`;
  throw new ScriptError(placeOf(place, 'values'), allowed, read.values);
};

const SELECTOR: FieldReaders<LabelSelector> = {
  matchLabels,
  matchExpressions: listOf('a list of requirements', requirement),
};

const selector: Reader<LabelSelector> = (value, place) =>
  readFields(value, place, SELECTOR, 'a label selector with matchLabels, matchExpressions ({} selects every pod)');

function listOf<T>(allowed: string, item: Reader<T>): Reader<T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw new ScriptError(place, allowed, value);
    return (value as readonly unknown[]).map((each, index) => item(each, placeOf(place, index)));
  };
}

const RULE: FieldReaders<ParsedScriptRule> = { selector, namespace: text, container: text, script: readScript };

const rule: Reader<ParsedScriptRule> = (value, place) => {
  const read = readFields(value, place, RULE, 'a rule with selector, namespace, container, script');
  return {
    ...read,
    selector: read.selector ?? selector(undefined, placeOf(place, 'selector')),
    script: read.script ?? readScript(undefined, placeOf(place, 'script')),
  };
};

/**
 * Reads rules out of plain data, such as a YAML file's.
 *
 * @param path - what messages call the list, such as `scripts`
 * @throws ScriptError that names the field, such as `scripts[0].script.runs[1].exitCode`, what it got and what is allowed
 */
export function parseScriptRules(value: unknown, path: string): readonly ParsedScriptRule[] {
  return listOf('a list of rules with selector, namespace, container, script', rule)(value, { path, keys: [] });
}

/** What the rules say of a container: all that match count, and of two that say the same field the later one. */
export class RuleScripts {
  readonly #rules: readonly ParsedScriptRule[];

  constructor(rules: readonly ParsedScriptRule[]) {
    this.#rules = rules;
  }

  layerOf({ metadata }: Pod, { name }: Container): ScriptLayer {
    let layer: ScriptLayer = NO_SCRIPT;
    for (const each of this.#rules) {
      if (each.namespace !== undefined && each.namespace !== metadata.namespace) continue;
      if (each.container !== undefined && each.container !== name) continue;
      if (compileLabelSelector(each.selector).matches(metadata.labels)) layer = over(each.script, layer);
    }
    return layer;
  }
}
