/** The sets of characters that `tr` is given: ranges, classes, escapes. */
import { unescape } from '../language/echo-text.js';

const CLASSES: Readonly<Record<string, string>> = {
  upper: 'A-Z',
  lower: 'a-z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: '\t\n\v\f\r ',
  blank: ' \t',
  punct: '!-/:-@[-`{-~',
};

export function characterSet(text: string): readonly string[] {
  const plain = unescape(text).text.replaceAll(/\[:(\w+):\]/g, (all, name: string) => CLASSES[name] ?? all);
  const characters: string[] = [];
  for (let index = 0; index < plain.length; index += 1) {
    const character = plain.charAt(index);
    if (plain.charAt(index + 1) !== '-' || index + 2 >= plain.length) {
      characters.push(character);
      continue;
    }
    for (let code = character.charCodeAt(0); code <= plain.charCodeAt(index + 2); code += 1) {
      characters.push(String.fromCharCode(code));
    }
    index += 2;
  }
  return characters;
}
