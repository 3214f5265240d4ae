import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { kubeloom } from '../cli/command.js';

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

/** A project as it is written; test/long installs it and has its scripts run. */
async function project(t: ExecutionContext, runner: string): Promise<string> {
  const folder = path.join(newFolder(), 'my-cluster');
  const { status, stdout, stderr } = await kubeloom('init', folder, '--test-runner', runner);
  t.deepEqual([status, stderr], [0, '']);
  t.regex(stdout, /^my-cluster is there, .*\n {2}cd .*\n {2}npm install\n {2}npm test\n$/);
  return folder;
}

for (const runner of RUNNERS) {
  test.serial(`kubeloom init › with ${runner} › writes a project whose files its package names`, async (t) => {
    const folder = await project(t, runner);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => path.extname(file) !== '',
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
  });
}

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
