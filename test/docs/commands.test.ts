import { existsSync, readFileSync } from 'node:fs';
import { CommanderError, type Command } from 'commander';
import test from 'ava';
import { createProgram } from '../../src/cli/program.js';
import { BLOCKS, placeOf } from './pages.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

interface Line {
  readonly place: string;
  readonly text: string;
}

/** The lines of all blocks for shells, without what stands behind `#`, and lines that go on put together. */
const LINES: readonly Line[] = BLOCKS.filter(({ language }) => language === 'sh').flatMap((block) =>
  block.text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => ({ place: placeOf(block), text: line.replace(/(^|\s)#.*$/, '').trim() }))
    .filter(({ text }) => text !== ''),
);

/** The words of a line as a shell has them. */
function wordsOf(text: string): readonly string[] {
  return (text.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}

/** The commands of lines: each side of `|`, `&&` and `$(…)`. */
function commandsOf(text: string): readonly string[] {
  return text.split(/\s*(?:\||&&|<\(|;)\s*/).map((each) => each.replace(/\)$/, ''));
}

/** The arguments of `kubeloom` in a command; words in brackets that stand for more are left out. */
function kubeloomArguments(text: string): readonly string[] | undefined {
  const [, rest] = /^(?:npx )?kubeloom (.*)$/.exec(text) ?? [];
  return rest === undefined ? undefined : wordsOf(rest.replaceAll(/\s*\[[^\]]*\]/g, '').replace(/ >.*$/, ''));
}

/** What the program says against arguments before it reads or plays anything. */
async function refusalOf(args: readonly string[]): Promise<string | undefined> {
  const program = await createProgram([...args], () => undefined);
  silence(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && ['commander.help', 'commander.helpDisplayed'].includes(error.code))
      return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

function silence(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const each of command.commands) {
    each.action(() => undefined);
    silence(each);
  }
}

test('pages › every command of kubeloom has the arguments and options that the program takes', async (t) => {
  const commands = LINES.flatMap(({ place, text }) =>
    commandsOf(text).map((each) => [place, kubeloomArguments(each)] as const),
  );
  const ours = commands.flatMap(([place, args]) => (args === undefined ? [] : [[place, args] as const]));
  t.true(ours.length > 40, `${ours.length} commands`);
  for (const [place, args] of ours) t.is(await refusalOf(args), undefined, `${place}: kubeloom ${args.join(' ')}`);
  t.regex((await refusalOf(['run', '--nods', '3'])) ?? '', /unknown option '--nods'/);
  t.regex((await refusalOf(['run', '--nodes', 'many'])) ?? '', /--nodes/);
  t.regex((await refusalOf(['rum'])) ?? '', /unknown command 'rum'/);
});

test('pages › every script of npm is one of the package', (t) => {
  const run = LINES.flatMap(({ place, text }) =>
    [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => [place, name]),
  );
  t.true(run.length > 10);
  t.deepEqual(
    run.filter(([, name = '']) => !(name in scripts)),
    [],
  );
});

test('pages › every file of the repository that a command names is there', (t) => {
  const named = LINES.flatMap(({ place, text }) => wordsOf(text).map((word) => [place, word] as const)).filter(
    ([, word]) => /^(?:examples|bench|schemas)\/.*\.\w+$/.test(word),
  );
  t.true(named.length > 2);
  t.deepEqual(
    named.filter(([, word]) => !existsSync(word)),
    [],
  );
});
