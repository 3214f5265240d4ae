/** What `echo` prints, and the escapes of `echo -e` and `printf %b`. */

export function echoText(args: readonly string[]): string {
  let index = 0;
  let isEscaping = false;
  let hasNewline = true;
  for (; index < args.length && /^-[neE]+$/.test(args[index] ?? ''); index += 1) {
    for (const letter of (args[index] ?? '').slice(1)) {
      if (letter === 'n') hasNewline = false;
      else isEscaping = letter === 'e';
    }
  }
  const text = args.slice(index).join(' ');
  if (!isEscaping) return hasNewline ? `${text}\n` : text;
  const { text: unescaped, isCut } = unescape(text);
  return hasNewline && !isCut ? `${unescaped}\n` : unescaped;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001B',
  '\\': '\\',
};

/** @returns also whether `\c` has cut it */
export function unescape(text: string): { readonly text: string; readonly isCut: boolean } {
  const cut = /(?<!\\)(?:\\\\)*\\c/.exec(text);
  const kept = cut === null ? text : text.slice(0, cut.index + cut[0].length - 2);
  const unescaped = kept.replaceAll(
    /\\(?:x([\dA-Fa-f]{1,2})|0?([0-7]{1,3})|([^]))/g,
    (all: string, hexadecimal?: string, octal?: string, letter?: string) => {
      if (hexadecimal !== undefined) return String.fromCharCode(Number.parseInt(hexadecimal, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return ESCAPES[letter ?? ''] ?? all;
    },
  );
  return { text: unescaped, isCut: cut !== null };
}
