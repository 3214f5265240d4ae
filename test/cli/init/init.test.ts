import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Outcome } from '../command.js';
import { inThisThread as kubeloom } from '../command-line.js';

const RUNNERS = ['node', 'vitest', 'ava'] as const;
const FILES = [
  '.gitignore',
  'README.md',
  'manifests/web.yaml',
  'package.json',
  'scenarios/lost-node.yaml',
  'schedulers/packed.yaml',
  'schedulers/spread-out.yaml',
  'test/lost-node.test.ts',
  'tsconfig.json',
];

function newFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'kubeloom-init-'));
}

/** A project as `npm install` leaves it, with links in the place of packages. */
async function project(t: ExecutionContext, runner: string): Promise<string> {
  const folder = path.join(newFolder(), 'my-cluster');
  const { status, stdout, stderr } = await kubeloom('init', folder, '--test-runner', runner);
  t.deepEqual([status, stderr], [0, '']);
  t.regex(stdout, /^my-cluster is there, .*\n {2}cd .*\n {2}npm install\n {2}npm test\n$/);
  mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(process.cwd(), path.join(folder, 'node_modules/kubeloom'));
  for (const each of ['@types/node', 'ava']) {
    symlinkSync(path.resolve('node_modules', each), path.join(folder, 'node_modules', each));
  }
  return folder;
}

function node(folder: string, ...args: readonly string[]): Outcome {
  // A run of tests inside of one is told to another than the terminal.
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
}

for (const runner of RUNNERS) {
  test.serial(`kubeloom init › with ${runner} › writes a project whose files its package names`, async (t) => {
    const folder = await project(t, runner);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules') && path.extname(file) !== '',
    );
    t.deepEqual([...files, '.gitignore'].toSorted(), [...FILES].toSorted());
    const { name, scripts } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly scripts: Readonly<Record<string, string>>;
    };
    t.is(name, 'my-cluster');
    for (const [, file = ''] of Object.values(scripts)
      .join(' ')
      .matchAll(/(\S+\.yaml)/g)) {
      t.true(existsSync(path.join(folder, file)), file);
    }
    t.regex(readFileSync(path.join(folder, 'README.md'), 'utf8'), /^# my-cluster\n/);
    t.is(
      readFileSync(path.join(folder, 'test/lost-node.test.ts'), 'utf8').includes(
        `'${runner === 'node' ? 'node:test' : runner}'`,
      ),
      true,
    );
    if (runner === 'vitest') return; // It is installed by a project of its own, in test/long.
    const compiled = node(folder, path.resolve('node_modules/typescript/bin/tsc'));
    t.deepEqual([compiled.status, compiled.stdout], [0, '']);
    if (runner !== 'ava') return;
    const tested = node(folder, path.resolve('node_modules/.bin/ava'));
    t.is(tested.status, 0, tested.stdout + tested.stderr);
  });
}

test.serial('kubeloom init › the test, the scenario and the comparison of the project come out well', async (t) => {
  const folder = await project(t, 'node');
  const main = path.resolve('dist/bundle/src/main.js');
  const tested = node(folder, '--test', 'test/lost-node.test.ts');
  const played = node(folder, main, 'scenario', 'scenarios/lost-node.yaml');
  const compared = node(
    folder,
    main,
    'compare',
    'schedulers/spread-out.yaml',
    'schedulers/packed.yaml',
    '--seeds',
    '2',
  );
  for (const each of [tested, played, compared]) t.is(each.status, 0, each.stdout + each.stderr);
  t.regex(played.stdout, /5 of 5 expectations met/);
  t.regex(compared.stdout, /placed differently: (?!0 )\d+ of 40 pods/);
});

test.serial('kubeloom init › a folder that is not empty is refused, and nothing is written', async (t) => {
  const folder = newFolder();
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, 'notes.txt'), '');
  const refused = await kubeloom('init', folder);
  t.deepEqual(
    [refused.status, refused.stderr],
    [2, `kubeloom: folder must be new or empty, got ${folder} with notes.txt\n`],
  );
  t.deepEqual(readdirSync(folder).toSorted(), ['.git', 'notes.txt']);
  const file = path.join(folder, 'notes.txt');
  t.regex(
    (await kubeloom('init', file)).stderr,
    /^kubeloom: folder must be new or an empty folder, got the file .*\n$/,
  );
  t.regex((await kubeloom('init', path.join(file, 'x'))).stderr, /^kubeloom: folder: cannot write to .*\n$/);
  t.regex(
    (await kubeloom('init', 'x', '--test-runner', 'jest')).stderr,
    /^kubeloom: .*Allowed choices are node, vitest, ava\.\n$/,
  );
});
