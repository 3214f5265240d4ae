import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { comparisonRows, median } from '../../../bench/scale/comparison.js';
import * as library from '../../../src/index.js';
import { SCALE_CASES } from '../../../bench/scale/cases.js';
import { Laps, type ScaleResult } from '../../../bench/scale/scale-case.js';

/** A case that runs a program of the build. */
const PROGRAM = 'Smoke/Scene';
const run = promisify(execFile);
const bench = (...args: readonly string[]) => run(process.execPath, ['dist/bench/main.js', 'scale', ...args]);

test('bench scale › plays every scene, twice to the same trace', async (t) => {
  const build = { folder: '.', load: () => Promise.resolve(library) };
  for (const { name, isSmoke, run: play } of SCALE_CASES) {
    if (isSmoke !== true || name === PROGRAM) continue;
    const laps = new Laps();
    const traceHash = await play(build, laps);
    t.is(await play(build, new Laps()), traceHash, name);
    t.true(laps.stages.length > 0 && laps.stages.every(({ cpuSeconds, units }) => cpuSeconds >= 0 && units > 0), name);
  }
});

test('bench scale › compares a build with another in processes of their own', async (t) => {
  const { stdout } = await bench(PROGRAM, '--repeat', '1', '--against', '.', '--json');
  const rows = JSON.parse(stdout) as ReturnType<typeof comparisonRows>;
  t.deepEqual(
    rows.map(({ name, stage }) => [name, stage]),
    [[PROGRAM, 'run']],
  );
  for (const { cpuRatio, memoryRatio, traceHash = '' } of rows) {
    t.true(Number(cpuRatio) > 0 && Number(memoryRatio) > 0);
    t.regex(traceHash, /^[0-9a-f]{64}$/);
  }
});

test('bench scale › says in one line what it cannot do', async (t) => {
  const problems = [
    [['nothing'], /^kubeloom: no case is called nothing; known: FirstSecond/],
    [['Smoke', '--repeat', '0'], /^kubeloom: --repeat must be an integer in 1\.\.99, got 0\n$/],
    [['Smoke', '--against', 'src'], /^kubeloom: --against must be a folder with a compiled build in dist, got src\n$/],
  ] as const;
  for (const [args, problem] of problems) {
    const { code, stderr } = await t.throwsAsync<Error & { code: number; stderr: string }>(bench(...args));
    t.is(code, 2);
    t.regex(stderr, problem);
  }
});

test('bench scale › ratios are of medians, theirs to ours, those of memory ours to theirs', (t) => {
  const ours = [result(1, 10), result(2, 10), result(9, 10)];
  const [row] = comparisonRows({ name: 'x', ours, theirs: [result(4, 20)] });
  t.like(row, { cpuSeconds: 2, cpuMicrosecondsPerUnit: 1e6, cpuRatio: 2, secondsRatio: 2, memoryRatio: 0.5 });
  t.is(median([4, 1, 3, 2]), 2);
});

function result(cpuSeconds: number, peakRssBytes: number): ScaleResult {
  return { stages: [{ stage: 'pods', cpuSeconds, seconds: cpuSeconds, units: 2 }], peakRssBytes, traceHash: 'a' };
}
