import { execFileSync } from 'node:child_process';
import test from 'ava';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { HELP_EXAMPLES } from '../../src/cli/texts/help-examples.js';
import { MAIN } from './main-file.js';

const program = await createProgram([], () => undefined);

/** The words of a line, in which only double quotes count. */
function wordsOf(line: string): readonly string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

/** What of a line the program does not know. */
function unknownIn(line: string): readonly string[] {
  const [, ...words] = wordsOf(/kubeloom [^)>]*/.exec(line)?.[0] ?? '');
  let command: Command = program;
  const unknown: string[] = [];
  for (const word of words) {
    const inner = command.commands.find((each) => each.name() === word);
    if (inner !== undefined) command = inner;
    else if (command === program) unknown.push(word);
    else if (word.startsWith('-') && !command.options.some(({ short, long }) => word === short || word === long))
      unknown.push(word);
  }
  return unknown;
}

test('kubeloom --help › every command has examples, of commands and options that there are', (t) => {
  const names = program.commands.map((command) => command.name());
  t.deepEqual(Object.keys(HELP_EXAMPLES).toSorted(), names.toSorted());
  for (const { line } of Object.values(HELP_EXAMPLES).flat()) t.deepEqual(unknownIn(line), [], line);
  t.deepEqual(unknownIn('kubeloom run --nods 5'), ['--nods']);
});

function printed(...args: readonly string[]): string {
  return execFileSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

test('kubeloom completion › shells ask for commands and options, and get those that begin so', (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) t.regex(printed('completion', shell), /kubeloom complete --/, shell);
  t.deepEqual(namesIn(printed('complete', '--', 'scen')), ['scenario']);
  t.deepEqual(namesIn(printed('complete', '--', 'run', '--nod')), ['--nodes']);
  t.deepEqual(namesIn(printed('complete', '--', 'burner', 'i')), ['init']);
  t.throws(() => printed('completion', 'tcsh'), { message: /Allowed choices are/ });
});

/** What is suggested; the last line is a directive for the shell. */
function namesIn(answer: string): readonly string[] {
  const lines = answer.trim().split('\n').slice(0, -1);
  return lines.map((line) => line.split('\t')[0] ?? '');
}
