/** Files of script rules: YAML or JSON, a list of rules in each document. */
import { ScriptError } from '../kubelet/scripts/script-error.js';
import { parseScriptRules, type ParsedScriptRule } from '../kubelet/scripts/script-rules.js';
import { InputError, type SourcePosition } from '../workload/input-error.js';
import { readYaml, type RawDocument } from '../workload/yaml-text.js';

/** A file of script rules that cannot be used. */
export class ScriptFileError extends InputError {
  override readonly name = 'ScriptFileError';
}

/** What messages call the list of rules, as the option of `createCluster` is called. */
const LIST = 'scripts';

/**
 * Reads the rules of a text, for `createCluster({ scripts })`.
 *
 * @param source - how messages call the text: a file name
 * @throws ScriptFileError that names the place, the field, what it got and what is allowed
 */
export function parseScriptFile(text: string, source: string): readonly ParsedScriptRule[] {
  const documents = readYaml(text, source, unreadable);
  if (documents.length === 0) throw unreadable(`${source}:1`, 'holds no rules');
  return documents.flatMap(rulesOf);
}

function unreadable(position: SourcePosition, problem: string): ScriptFileError {
  return new ScriptFileError(position, '', problem);
}

function rulesOf({ value, positionOf }: RawDocument): readonly ParsedScriptRule[] {
  try {
    return parseScriptRules(value, LIST);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const { keys, field, allowed, got } = error;
    throw new ScriptFileError(positionOf(keys), field, `must be ${allowed}, got ${got}`);
  }
}
