/**
 * Objects as YAML, in the form that Go writes: names in order, lists as far to the left as their names, texts without
 * quotes where nothing else would be read, and folded at 80 columns (sigs.k8s.io/yaml over go-yaml 2).
 */

const WIDTH = 80;
const INDENT = 2;

/** A whole document. */
export function yamlText(value: object): string {
  const writer = new YamlWriter();
  writer.document(JSON.parse(JSON.stringify(value)));
  return writer.text;
}

type Style = 'plain' | 'single' | 'double';

class YamlWriter {
  text = '';

  document(value: unknown): void {
    this.#value(value, 0, 0, '');
  }

  /**
   * @param indent - of the lines of a collection
   * @param column - at which the line stands
   * @param gap - between what stands on the line and a value that goes on there
   */
  #value(value: unknown, indent: number, column: number, gap: string): void {
    if (Array.isArray(value) && value.length > 0) this.#list(value, indent, gap === '');
    else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      this.#map(value as Readonly<Record<string, unknown>>, indent, gap === '');
    else this.text += `${gap}${scalarText(value, indent, column + gap.length)}\n`;
  }

  /** @param goesOn - whether the first entry stands on the line that has begun */
  #map(map: Readonly<Record<string, unknown>>, indent: number, goesOn: boolean): void {
    if (!goesOn) this.text += '\n';
    const names = Object.keys(map).sort();
    for (const [index, name] of names.entries()) {
      const key = `${goesOn && index === 0 ? '' : ' '.repeat(indent)}${keyText(name)}:`;
      this.text += key;
      const value = map[name];
      const column = indent + keyText(name).length + 1;
      // A list begins where the name of it does.
      this.#value(value, Array.isArray(value) ? indent : indent + INDENT, column, ' ');
    }
  }

  #list(list: readonly unknown[], indent: number, goesOn: boolean): void {
    if (!goesOn) this.text += '\n';
    for (const [index, item] of list.entries()) {
      this.text += `${goesOn && index === 0 ? '' : ' '.repeat(indent)}- `;
      this.#value(item, indent + INDENT, indent + INDENT, '');
    }
  }
}

function keyText(name: string): string {
  return name.includes('\n') ? doubleQuoted(name) : quotedText(name, Number.POSITIVE_INFINITY, 0, 0);
}

/** A value on one line, or several: those that follow begin at `indent`. */
function scalarText(value: unknown, indent: number, column: number): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  if (value.includes('\n') && canBeBlock(value)) return blockText(value, indent);
  return quotedText(value, WIDTH, indent, column);
}

/** As Go's `%g` with the fewest digits. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

function quotedText(text: string, width: number, indent: number, column: number): string {
  switch (styleOf(text)) {
    case 'plain':
      return folded(text, width, indent, column);
    case 'single':
      return `'${folded(text.replaceAll("'", "''"), width, indent, column + 1, 1)}'`;
    case 'double':
      return doubleQuoted(text, width, indent, column);
  }
}

function styleOf(text: string): Style {
  if (text === '' || text.includes('\n') || isReadOtherwise(text)) return 'double';
  if (SPECIAL.test(text)) return 'double';
  return isPlain(text) ? 'plain' : 'single';
}

/** What is shown by its number: all that is not printed, and what Go's YAML knows no better of. */
const SPECIAL = /[^\n\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{fefe}\u{ff00}-\u{fffd}]/u;
const INDICATORS = /^[#,[\]{}&*!|>'"%@`]|^-(?:\s|$)|^[?:](?:\s|$)|^---|^\.\.\.|:(?:\s|$)|\s#/;

function isPlain(text: string): boolean {
  return !text.startsWith(' ') && !text.endsWith(' ') && !INDICATORS.test(text);
}

/** Whether it would be read as a number, a time, a truth value or nothing. */
function isReadOtherwise(text: string): boolean {
  if (WORDS.has(text)) return true;
  if (/^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text)) return true;
  if (/^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]+\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/.test(text)) return true;
  if (!/^[-+.\d]/.test(text)) return false;
  const plain = text.replaceAll('_', '');
  return NUMBER.test(plain);
}
const NUMBER = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/;
const WORDS: ReadonlySet<string> = new Set(
  ['y', 'yes', 'n', 'no', 'on', 'off', 'true', 'false', 'null', '~', '.nan', '.inf', '+.inf', '-.inf'].flatMap(
    (word) => [
      word,
      word.toUpperCase(),
      word.replace(/[a-z]/, (letter) => letter.toUpperCase()),
      word === '.nan' ? '.NaN' : word,
    ],
  ),
);

/** Breaks a line at single blanks beyond its width. @param quote - letters at either end that are no blanks to break at */
function folded(text: string, width: number, indent: number, column: number, quote = 0): string {
  if (column + text.length <= width) return text;
  let result = '';
  let at = column;
  for (let index = 0; index < text.length; index += 1) {
    const isSingle = text[index] === ' ' && text[index - 1] !== ' ' && text[index + 1] !== ' ';
    const isWithin = quote === 0 || (index > 0 && index < text.length - 1);
    if (isSingle && at > width && isWithin) {
      result += `\n${' '.repeat(indent)}`;
      at = indent;
    } else {
      result += text[index];
      at += 1;
    }
  }
  return result;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\ufeff': '\\uFEFF',
};

function doubleQuoted(text: string, width = Number.POSITIVE_INFINITY, indent = 0, column = 0): string {
  let result = '"';
  let at = column + 1;
  const letters = Array.from(text);
  let isAfterBlank = false;
  for (const [index, letter] of letters.entries()) {
    if (letter === ' ' && !isAfterBlank && at > width && index > 0 && index < letters.length - 1) {
      result += `\n${' '.repeat(indent)}${letters[index + 1] === ' ' ? '\\' : ''}`;
      at = indent;
      isAfterBlank = true;
      continue;
    }
    const shown = escaped(letter);
    result += shown;
    at += shown.length;
    isAfterBlank = letter === ' ';
  }
  return `${result}"`;
}

function escaped(letter: string): string {
  const known = ESCAPES[letter];
  if (known !== undefined) return known;
  if (!SPECIAL.test(letter)) return letter;
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

/** Blanks before a line's end, and what is shown by its number, cannot stand in lines of their own. */
function canBeBlock(text: string): boolean {
  return !SPECIAL.test(text) && !text.endsWith(' ') && !text.includes(' \n');
}

function blockText(text: string, indent: number): string {
  const hint = /^[ \n]/.test(text) ? String(INDENT) : '';
  const isKept = text === '\n' || text.endsWith('\n\n');
  const end = isKept ? '+' : text.endsWith('\n') ? '' : '-';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return `|${hint}${end}\n${lines.join('\n')}`;
}
