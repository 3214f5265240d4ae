/** Fields that stand twice in one object of a JSON text, which parsers pass over: the last one counts. */
import { fieldPathText } from './decode.js';

/** A text, or what JSON has between values; numbers and words are passed over. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

interface Level {
  /** Names of an object's fields so far; absent in a list. */
  readonly names: Set<string> | undefined;
  /** The field, or the index, at which the text is. */
  at: string | number;
  isAtName: boolean;
}

/** Paths such as `spec.replicas`, in the order of the text, which must be JSON; each once. */
export function duplicateFields(text: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), at: '', isAtName: true });
    else if (token === '[') levels.push({ names: undefined, at: 0, isAtName: false });
    else if (token === '}' || token === ']') levels.pop();
    else if (level !== undefined && token === ',') {
      if (typeof level.at === 'number') level.at += 1;
      else level.isAtName = true;
    } else if (level?.names !== undefined && level.isAtName) {
      level.isAtName = false;
      level.at = JSON.parse(token) as string;
      if (level.names.has(level.at)) found.add(fieldPathText(levels.map(({ at }) => at)));
      level.names.add(level.at);
    }
  }
  return [...found];
}
