/** What TypeScript sees of the package from outside: a strict project that checks declarations, too, and has no types of Node. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';

const COMPILER = path.resolve('node_modules/typescript/bin/tsc');

const PROGRAM = `
import { createCluster, hostCluster, type Cluster, type WatchEvent } from 'kubeloom';
import * as faults from 'kubeloom/faults';
import * as scheduler from 'kubeloom/scheduler';
import * as testing from 'kubeloom/testing';

const told: WatchEvent<'Pod'>[] = [];
const cluster: Cluster = createCluster({ nodes: 3, seed: 1 });
cluster.watch('Pod').subscribe((event) => told.push(event));
cluster.watch('Pod').subscribe(({ type, object }) => [type, object.metadata.name, object.status.phase]);
await cluster.run({ until: { readyPods: 0 }, limit: '1m' });
const hosted = await hostCluster({ nodes: 3 });
hosted.watch('Node').subscribe(({ object }) => object.metadata.name);
export const doors = [faults, scheduler, testing];
`;

function project(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-types-'));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(process.cwd(), path.join(folder, 'node_modules', 'kubeloom'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: false,
    noEmit: true,
    types: [],
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  return folder;
}

test('types › a strict project without types of Node compiles against the package', (t) => {
  const { status, stdout } = spawnSync(process.execPath, [COMPILER, '-p', project()], { encoding: 'utf8' });
  t.is(stdout, '');
  t.is(status, 0);
});

test('types › what is wrong in a program is an error', (t) => {
  const folder = project();
  const wrong = `${readFileSync(path.join(folder, 'program.ts'), 'utf8')}\ncreateCluster({ nodes: 'many' });\n`;
  writeFileSync(path.join(folder, 'program.ts'), wrong);
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', folder], { encoding: 'utf8' });
  t.regex(stdout, /program\.ts\(16,17\): error TS2322: Type 'string' is not assignable/);
});
