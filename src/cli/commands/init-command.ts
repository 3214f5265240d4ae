/**
 * `kubeloom init`: writes a small project to begin with, from the files in `templates/`: a test, a scenario and a
 * comparison of schedulers over the same manifests.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { fileProblem } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';
import { VERSION } from '../input/version.js';

type TestRunner = keyof typeof TEST_RUNNERS;

/** How tests are run, with what that takes. */
const TEST_RUNNERS = {
  node: { script: 'node --test "test/**/*.test.ts"', packages: {}, settings: {} },
  vitest: { script: 'vitest run', packages: { vitest: '^5.0.0' }, settings: {} },
  ava: {
    script: 'ava',
    packages: { ava: '^8.0.0' },
    settings: { ava: { extensions: ['ts'], files: ['test/**/*.test.ts'] } },
  },
} as const;

const TEMPLATES = join(dirname(findPackageJSON(import.meta.url) ?? 'package.json'), 'templates');

/** Adds `kubeloom init`. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a small project to begin with: a test, a scenario and a comparison of schedulers')
    .argument('[folder]', 'where to; it must be new or empty', '.')
    .addOption(
      new Option('--test-runner <name>', 'what runs the tests').choices(Object.keys(TEST_RUNNERS)).default('node'),
    )
    .allowExcessArguments(false)
    .action((folder: string, { testRunner }: { readonly testRunner: TestRunner }) => init(folder, testRunner));
}

function init(folder: string, runner: TestRunner): void {
  const target = resolve(folder);
  checkEmpty(folder, target);
  const name = packageName(basename(target));
  try {
    writeProject(target, name, runner);
  } catch (error) {
    throw new UsageError(`folder: cannot write to ${folder}: ${fileProblem(error)}`);
  }
  const entry = relative(process.cwd(), target);
  const steps = [...(entry === '' ? [] : [`cd ${entry}`]), 'npm install', 'npm test'];
  process.stdout.write(`${name} is there, with ${runner === 'node' ? "Node's own tests" : runner}. Next:\n`);
  for (const step of steps) process.stdout.write(`  ${step}\n`);
}

/** What git, an editor or npm have put there is no project. */
const OF_NO_ACCOUNT: readonly string[] = ['.git', '.DS_Store', '.idea', '.vscode'];

function checkEmpty(folder: string, target: string): void {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new UsageError(`folder must be new or an empty folder, got the file ${folder}`);
  const [first, ...others] = readdirSync(target).filter((entry) => !OF_NO_ACCOUNT.includes(entry));
  if (first === undefined) return;
  const besides = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new UsageError(`folder must be new or empty, got ${folder} with ${first}${besides}`);
}

/** A name that npm takes, as near as can be to the folder's. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  return name === '' ? 'simulated-cluster' : name;
}

function writeProject(target: string, name: string, runner: TestRunner): void {
  mkdirSync(target, { recursive: true });
  cpSync(join(TEMPLATES, 'project'), target, { recursive: true });
  // A package cannot hold a file of that name.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'));
  mkdirSync(join(target, 'test'), { recursive: true });
  cpSync(join(TEMPLATES, 'tests', `${runner}.ts`), join(target, 'test/lost-node.test.ts'));
  const readme = join(target, 'README.md');
  writeFileSync(readme, readFileSync(readme, 'utf8').replaceAll('{{name}}', name));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(packageOf(name, runner), undefined, 2)}\n`);
}

function packageOf(name: string, runner: TestRunner): object {
  const { script, packages, settings } = TEST_RUNNERS[runner];
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      test: script,
      scenario: 'kubeloom scenario scenarios/lost-node.yaml',
      compare: 'kubeloom compare schedulers/spread-out.yaml schedulers/packed.yaml --seeds 10',
      typecheck: 'tsc',
    },
    devDependencies: { '@types/node': '^22.18.0', kubeloom: `^${VERSION}`, typescript: '^7.0.0', ...packages },
    engines: { node: '>=22.20' },
    ...settings,
  };
}
