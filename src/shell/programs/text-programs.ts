/** Programs that make texts of texts. */
import { createHash } from 'node:crypto';
import type { Program, Running } from '../processes/process.js';
import { forEachFile, linesOf, makeProgram, readEach } from './make-program.js';
import { characterSet } from './character-set.js';

const cat = makeProgram({
  name: 'cat',
  letters: 'uevtAn',
  *run(process, options) {
    const { operands } = options;
    let status = 0;
    for (const path of operands.length === 0 ? ['-'] : operands) {
      if (path === '-') {
        for (let part = yield* process.read(0); part !== undefined; part = yield* process.read(0)) {
          process.print(part);
          yield* process.drain();
          yield* process.spend(1);
        }
        continue;
      }
      status ||= yield* readEach(process, 'cat', [path], (content) => process.print(content));
    }
    return status;
  },
});

const head = makeProgram({
  name: 'head',
  letters: 'n:c:qv0123456789',
  *run(process, { value, has, operands }) {
    const digits = '0123456789'.replaceAll(/./g, (digit) => (has(digit) ? digit : ''));
    const count = Number(value('n') ?? (digits === '' ? '10' : digits));
    const bytes = value('c');
    if (operands.length === 0)
      return yield* headOfInput(process, count, bytes === undefined ? undefined : Number(bytes));
    return yield* readEach(process, 'head', operands, (content, path) => {
      if (operands.length > 1 && !has('q')) process.print(`==> ${path} <==\n`);
      if (bytes === undefined) {
        const lines = content.split(/(?<=\n)/);
        process.print((count < 0 ? lines.slice(0, count) : lines.slice(0, count)).join(''));
      } else process.print(content.slice(0, Number(bytes)));
    });
  },
});

/** Reads no more than it prints. */
function* headOfInput(process: Parameters<Program>[0], count: number, bytes: number | undefined): Running {
  let lines = 0;
  let length = 0;
  while (bytes === undefined ? lines < count : length < bytes) {
    const part = yield* process.read(0, bytes === undefined ? 1 : bytes - length);
    if (part === undefined) break;
    process.print(part);
    length += part.length;
    if (part === '\n') lines += 1;
    if (length % 1024 === 0) yield* process.spend(1);
  }
  return 0;
}

const FOLLOW_MS = 1000;

const tail = makeProgram({
  name: 'tail',
  letters: 'n:c:fFqs:0123456789',
  *run(process, { value, has, operands }) {
    const digits = '0123456789'.replaceAll(/./g, (digit) => (has(digit) ? digit : ''));
    const given = value('n') ?? (digits === '' ? '10' : digits);
    const bytes = value('c');
    const lengths = new Map<string, number>();
    const status = yield* readEach(process, 'tail', operands, (content, path) => {
      if (bytes === undefined) {
        const lines = content.split(/(?<=\n)/);
        const count = Math.abs(Number(given));
        process.print(
          (given.startsWith('+') ? lines.slice(count - 1) : lines.slice(Math.max(0, lines.length - count))).join(''),
        );
      } else process.print(content.slice(Math.max(0, content.length - Number(bytes))));
      lengths.set(path, content.length);
    });
    if (!has('f') && !has('F')) return status;
    for (;;) {
      yield* process.sleep(FOLLOW_MS);
      forEachFile(process, 'tail', operands, (path) => {
        const content = process.tree.read(process.path(path), process.user);
        const before = lengths.get(path) ?? 0;
        if (content.length > before) process.print(content.slice(before));
        lengths.set(path, content.length);
      });
    }
  },
});

const wc = makeProgram({
  name: 'wc',
  letters: 'lwcm',
  *run(process, { has, operands }) {
    const isAll = !has('l') && !has('w') && !has('c') && !has('m');
    const totals = [0, 0, 0];
    const tell = (counts: readonly number[], name: string): void => {
      const shown = counts.filter(
        (_, index) => isAll || has(['l', 'w', 'c'][index] ?? '') || (index === 2 && has('m')),
      );
      const text = shown.length === 1 ? String(shown[0]) : shown.map((count) => String(count).padStart(9)).join(' ');
      process.print(`${text}${name === '-' ? '' : ` ${name}`}\n`);
    };
    const status = yield* readEach(process, 'wc', operands, (content, path) => {
      const counts = [
        content.split('\n').length - 1,
        content.split(/\s+/).filter((word) => word !== '').length,
        content.length,
      ];
      for (const [index, count] of counts.entries()) totals[index] = (totals[index] ?? 0) + count;
      tell(counts, path);
    });
    if (operands.length > 1) tell(totals, 'total');
    return status;
  },
});

const cut = makeProgram({
  name: 'cut',
  letters: 'd:f:c:b:s',
  *run(process, { value, has, operands }) {
    const list = value('f') ?? value('c') ?? value('b') ?? '1';
    const isWanted = (index: number): boolean =>
      list.split(',').some((range) => {
        const match = /^(\d*)(-?)(\d*)$/.exec(range);
        const from = Number(match?.[1] || 1);
        const to = match?.[2] === '-' ? Number(match[3] || Infinity) : from;
        return index >= from && index <= to;
      });
    const pick = (parts: readonly string[]): string[] => parts.filter((_, index) => isWanted(index + 1));
    return yield* readEach(process, 'cut', operands, (content) => {
      for (const line of linesOf(content)) {
        const delimiter = value('d') ?? '\t';
        if (!has('f')) process.print(`${pick(line.split('')).join('')}\n`);
        else if (line.includes(delimiter)) process.print(`${pick(line.split(delimiter)).join(delimiter)}\n`);
        else if (!has('s')) process.print(`${line}\n`);
      }
    });
  },
});

const tr = makeProgram({
  name: 'tr',
  letters: 'dsc',
  *run(process, { has, operands }) {
    const from = characterSet(operands[0] ?? '');
    const to = characterSet(operands[1] ?? '');
    const isIn = (character: string): boolean => from.includes(character) !== has('c');
    let last = '';
    for (let part = yield* process.read(0); part !== undefined; part = yield* process.read(0)) {
      let text = '';
      for (const character of part) {
        if (has('d') && isIn(character)) continue;
        const index = from.indexOf(character);
        const isMapped = to.length > 0 && !has('d') && isIn(character);
        const mapped = isMapped ? (to[Math.min(has('c') ? to.length : index, to.length - 1)] ?? character) : character;
        const squeezed = to.length > 0 ? to.includes(mapped) : isIn(mapped);
        if (has('s') && squeezed && mapped === last) continue;
        text += mapped;
        last = mapped;
      }
      process.print(text);
      yield* process.drain();
    }
    return 0;
  },
});

const sort = makeProgram({
  name: 'sort',
  letters: 'nrut:k:o:',
  *run(process, { has, value, operands }) {
    const lines: string[] = [];
    const status = yield* readEach(process, 'sort', operands, (content) => lines.push(...linesOf(content)));
    const field = Number.parseInt(value('k') ?? '0', 10);
    const separator = value('t');
    const keyOf = (line: string): string =>
      field === 0
        ? line
        : ((separator === undefined ? line.trim().split(/\s+/) : line.split(separator))[field - 1] ?? '');
    const isNumeric = has('n') || /n/.test(value('k') ?? '');
    const compare = (a: string, b: string): number => {
      const [x, y] = [keyOf(a), keyOf(b)];
      const order = isNumeric
        ? (Number.parseFloat(x) || 0) - (Number.parseFloat(y) || 0)
        : Number(x > y) - Number(x < y);
      return order === 0 ? Number(a > b) - Number(a < b) : order;
    };
    const sorted = lines.sort(compare);
    if (has('r')) sorted.reverse();
    const shown = has('u')
      ? sorted.filter((line, index) => index === 0 || keyOf(line) !== keyOf(sorted[index - 1] ?? ''))
      : sorted;
    process.print(shown.map((line) => `${line}\n`).join(''));
    return status;
  },
});

const uniq = makeProgram({
  name: 'uniq',
  letters: 'cdu',
  *run(process, { has, operands }) {
    return yield* readEach(process, 'uniq', operands.slice(0, 1), (content) => {
      const lines = linesOf(content);
      for (let index = 0; index < lines.length;) {
        let end = index + 1;
        while (end < lines.length && lines[end] === lines[index]) end += 1;
        const count = end - index;
        if ((!has('d') || count > 1) && (!has('u') || count === 1)) {
          process.print(`${has('c') ? `${String(count).padStart(7)} ` : ''}${lines[index] ?? ''}\n`);
        }
        index = end;
      }
    });
  },
});

const tee = makeProgram({
  name: 'tee',
  letters: 'ai',
  *run(process, { has, operands }) {
    const files = operands.map((path) => process.openFile(path, has('a') ? 'append' : 'write'));
    for (let part = yield* process.read(0); part !== undefined; part = yield* process.read(0)) {
      for (const file of files) file.write(part);
      process.print(part);
      yield* process.spend(1);
    }
    return 0;
  },
});

function digest(name: string, algorithm: string): Program {
  return makeProgram({
    name,
    *run(process, { operands }) {
      return yield* readEach(process, name, operands, (content, path) => {
        process.print(`${createHash(algorithm).update(Buffer.from(content, 'latin1')).digest('hex')}  ${path}\n`);
      });
    },
  });
}

const base64 = makeProgram({
  name: 'base64',
  letters: 'dw:',
  *run(process, { has, value, operands }) {
    const width = Number(value('w') ?? '76');
    return yield* readEach(process, 'base64', operands, (content) => {
      if (has('d')) return process.print(Buffer.from(content.replaceAll(/\s/g, ''), 'base64').toString('latin1'));
      const text = Buffer.from(content, 'latin1').toString('base64');
      const lines = width === 0 ? [text] : (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
      process.print(`${lines.join('\n')}${width === 0 ? '' : '\n'}`);
    });
  },
});

const rev = makeProgram({
  name: 'rev',
  *run(process, { operands }) {
    return yield* readEach(process, 'rev', operands, (content) => {
      for (const line of linesOf(content)) process.print(`${line.split('').reverse().join('')}\n`);
    });
  },
});

function offset(at: number): string {
  return at.toString(16).padStart(8, '0');
}

/** Bytes as `hexdump -C` shows them. */
const hexdump = makeProgram({
  name: 'hexdump',
  letters: 'Cv',
  *run(process, { operands }) {
    return yield* readEach(process, 'hexdump', operands, (content) => {
      for (let at = 0; at < content.length; at += 16) {
        const part = content.slice(at, at + 16);
        const bytes = part.split('').map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
        const halves = [bytes.slice(0, 8).join(' '), bytes.slice(8).join(' ')];
        const shown = part.replaceAll(/[^ -~]/g, '.');
        process.print(`${offset(at)}  ${(halves[0] ?? '').padEnd(23)}  ${(halves[1] ?? '').padEnd(23)}  |${shown}|\n`);
      }
      process.print(`${offset(content.length)}\n`);
    });
  },
});

export const TEXT_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['cat', cat],
  ['head', head],
  ['tail', tail],
  ['wc', wc],
  ['cut', cut],
  ['tr', tr],
  ['sort', sort],
  ['uniq', uniq],
  ['tee', tee],
  ['rev', rev],
  ['hexdump', hexdump],
  ['base64', base64],
  ['md5sum', digest('md5sum', 'md5')],
  ['sha1sum', digest('sha1sum', 'sha1')],
  ['sha256sum', digest('sha256sum', 'sha256')],
];
