/**
 * What a stranger gets: the packages as npm packs them, installed into an empty project. It asks the registry for what
 * they depend on, which is why it is no part of `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';

const root = mkdtempSync(path.join(tmpdir(), 'kubeloom-package-'));

/** Runs a command that must end well, and returns what it prints. */
function ran(folder: string, command: string, ...args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** The tarball of a package of this repository, as it stands built. */
function packed(folder: string): string {
  ran(folder, 'npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', root);
  const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { readonly name: string };
  const file = readdirSync(root).find((each) => each.startsWith(`${name}-`) && each.endsWith('.tgz'));
  if (file === undefined) throw new Error(`${name} was not packed`);
  return path.join(root, file);
}

function install(folder: string, ...packages: readonly string[]): void {
  ran(folder, 'npm', 'install', '--no-audit', '--no-fund', '--save-dev', ...packages);
}

/** The versions that the repository itself uses. */
function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(path.join('node_modules', name, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `${name}@${version}`;
}

const [kubeloom, create] = [packed('.'), packed('packages/create-kubeloom')];

test.serial('the packed program, installed into an empty strict project, is what the README says', (t) => {
  const megabytes = statSync(kubeloom).size / 1e6;
  t.true(megabytes < 3, `${megabytes.toFixed(1)} MB to download`);
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  install(root, kubeloom, create, versionOf('typescript'));

  const readme = readFileSync('README.md', 'utf8');
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  const [, printed = ''] = /It prints `([^`]+)`/.exec(readme) ?? [];
  writeFileSync(path.join(root, 'program.mts'), program);
  t.is(ran(root, process.execPath, '--no-warnings', 'program.mts'), `${printed}\n`);

  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: false, noEmit: true };
  const config = { compilerOptions: { ...compilerOptions, lib: ['es2023', 'dom'], types: [] }, files: ['program.mts'] };
  writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify(config));
  ran(root, 'npx', 'tsc');

  t.regex(ran(root, 'npx', 'kubeloom', 'run', '--nodes', '3', '--pods', '5'), /goal reached: every workload is up/);
  t.regex(ran(root, 'npx', 'kubeloom', 'bench', '--list'), /anchor\/basic/);
  const schema = `import schema from 'kubeloom/schemas/scenario-1.json' with { type: 'json' }; console.log(schema.title);`;
  t.is(ran(root, process.execPath, '--input-type=module', '--eval', schema), 'Scenario of kubeloom\n');
});

for (const runner of ['node', 'vitest']) {
  test.serial(`npm create kubeloom writes a project whose checks pass, with ${runner}`, (t) => {
    const folder = path.join(root, `with-${runner}`);
    ran(root, 'npx', 'create-kubeloom', folder, '--test-runner', runner);
    install(folder, kubeloom);
    ran(folder, 'npm', 'run', 'typecheck');
    ran(folder, 'npm', 'test');
    ran(folder, 'npm', 'run', 'scenario');
    t.regex(ran(folder, 'npm', 'run', '--silent', 'compare'), /placed differently: (?!0 )\d+ of \d+ pods/);
  });
}

test.serial('npm create kubeloom writes a project whose tests pass, with the AVA that is here', (t) => {
  const folder = path.join(root, 'with-ava');
  ran(root, 'npx', 'create-kubeloom', folder, '--test-runner', 'ava');
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.join(root, 'node_modules/kubeloom'), path.join(folder, 'node_modules/kubeloom'));
  symlinkSync(path.resolve('node_modules/ava'), path.join(folder, 'node_modules/ava'));
  t.regex(ran(folder, process.execPath, path.resolve('node_modules/.bin/ava')), /1 test passed/);
});

test('the site installs from its own lock file', (t) => {
  t.regex(ran('.', 'npm', 'ci', '--dry-run', '--offline', '--prefix', 'site'), /^(?:added \d+ packages|up to date)/m);
});
