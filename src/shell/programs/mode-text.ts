/** Permission bits as `ls` writes them, and as `chmod` reads them. */
import type { FileNode } from '../files/file-node.js';

const KINDS: Readonly<Record<FileNode['kind'], string>> = { file: '-', directory: 'd', link: 'l', device: 'c' };

/** Such as `-rw-r--r--`. */
export function modeText({ kind, mode }: Pick<FileNode, 'kind' | 'mode'>): string {
  const bits = [6, 3, 0].map((shift, index) => {
    const part = (mode >> shift) & 7;
    const special = (mode & (0o4000 >> index)) !== 0;
    const letter = index === 2 ? 't' : 's';
    const execute = (part & 1) !== 0;
    const last = special ? (execute ? letter : letter.toUpperCase()) : execute ? 'x' : '-';
    return `${(part & 4) === 0 ? '-' : 'r'}${(part & 2) === 0 ? '-' : 'w'}${last}`;
  });
  return KINDS[kind] + bits.join('');
}

/** The bits after a change such as `644`, `u+x` or `a=r`; `undefined` = it is none. */
export function changedMode(text: string, before: number): number | undefined {
  if (/^[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8);
  let mode = before;
  for (const clause of text.split(',')) {
    const match = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(clause);
    if (match === null) return undefined;
    const [, who = '', operator, letters = ''] = match;
    const isAll = who === '' || who.includes('a');
    let bits = 0;
    if (letters.includes('r')) bits |= 4;
    if (letters.includes('w')) bits |= 2;
    if (/[xX]/.test(letters)) bits |= 1;
    let mask = 0;
    let value = 0;
    for (const [letter, shift] of [
      ['u', 6],
      ['g', 3],
      ['o', 0],
    ] as const) {
      if (!isAll && !who.includes(letter)) continue;
      mask |= 7 << shift;
      value |= bits << shift;
    }
    if (letters.includes('t')) value |= 0o1000;
    if (letters.includes('s'))
      value |= (isAll || who.includes('u') ? 0o4000 : 0) | (isAll || who.includes('g') ? 0o2000 : 0);
    if (operator === '+') mode |= value;
    else if (operator === '-') mode &= ~value;
    else mode = (mode & ~mask) | value;
  }
  return mode;
}
