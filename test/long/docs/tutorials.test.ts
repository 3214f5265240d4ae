/** Tutorials are followed step by step: files are written, commands run, and what is printed has what the page says. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { MAIN } from '../../cli/main-file.js';
import { blocksOf, isTutorial, PAGES, placeOf } from '../../docs/pages.js';

const TUTORIALS = PAGES.filter(isTutorial);

function newProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-tutorial-'));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(process.cwd(), path.join(folder, 'node_modules/kubeloom'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return folder;
}

interface Step {
  readonly status: number | null;
  readonly expected: number;
  readonly output: string;
}

/** Runs a line of a shell; `undefined` = it installs what is there already. */
function follow(folder: string, line: string): Step | undefined {
  const [command = '', comment = ''] = line.split(/\s+# /);
  if (command.startsWith('npm install')) return undefined;
  const words = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
  const args = words[0] === 'npx' && words[1] === 'kubeloom' ? [MAIN, ...words.slice(2)] : words.slice(1);
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env,
    timeout: 240_000,
  });
  const [, expected = '0'] = /^exit code (\d+)/.exec(comment) ?? [];
  return { status, expected: Number(expected), output: stdout + stderr };
}

test('there are tutorials', (t) => {
  t.true(TUTORIALS.length >= 4);
});

for (const page of TUTORIALS) {
  test.serial(`${page.file} › can be followed`, (t) => {
    const folder = newProject();
    let printed = '';
    for (const block of blocksOf(page)) {
      const { language, file, text } = block;
      if (file !== undefined) writeFileSync(path.join(folder, file), text);
      else if (language === 'text')
        for (const line of text.trim().split('\n'))
          t.true(printed.includes(line), `${placeOf(block)}: ${line}\n${printed}`);
      else if (language === 'sh') {
        for (const line of text.trim().split('\n')) {
          const step = follow(folder, line);
          if (step === undefined) continue;
          t.is(step.status, step.expected, `${placeOf(block)}: ${line}\n${step.output}`);
          printed = step.output;
        }
      } else t.fail(`${placeOf(block)} is neither a file nor a command`);
    }
  });
}
