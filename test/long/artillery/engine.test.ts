/** The engine as Artillery finds and plays it: installed beside kubeloom, in a process with workers. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test from 'ava';
import { parse } from 'yaml';
import type { RunSummary } from '../../../src/index.js';
import type { Totals } from './runner.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RUNNER = fileURLToPath(new URL('runner.js', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeloom-artillery-'));
const INSTALLED = join(FOLDER, 'node_modules', 'artillery-engine-kubeloom');

mkdirSync(INSTALLED, { recursive: true });
symlinkSync(ROOT, join(FOLDER, 'node_modules', 'kubeloom'));
for (const part of ['package.json', 'dist']) {
  cpSync(join(ROOT, 'packages/artillery-engine-kubeloom', part), join(INSTALLED, part), { recursive: true });
}

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web-{{ $uuid }}' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: '{{ $uuid }}' } },
    template: {
      metadata: { labels: { app: '{{ $uuid }}' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '100m' } } }] },
    },
  },
};

const DEPLOYMENT = { deployment: 'web-{{ $uuid }}' };

function played(script: object, workers = 1, users = 1): Totals & { readonly stderr: string } {
  const file = join(FOLDER, `script-${Math.round(performance.now() * 1000)}.json`);
  writeFileSync(file, JSON.stringify(script));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [RUNNER, FOLDER, file, String(workers), String(users)],
    { encoding: 'utf8', timeout: 120_000 },
  );
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
  return { ...(JSON.parse(stdout) as Totals), stderr };
}

function scriptOf(flow: readonly object[], options: object = { nodes: 10, seed: 7 }, after?: object): object {
  return {
    config: { target: 'kubeloom://local', engines: { kubeloom: options } },
    before: { engine: 'kubeloom', flow: [{ cluster: {} }] },
    scenarios: [{ engine: 'kubeloom', flow }],
    ...(after === undefined ? {} : { after: { engine: 'kubeloom', flow: [after] } }),
  };
}

test('artillery › the engine is what a loader gets that imports it, and one that requires it', async (t) => {
  const require = createRequire(join(FOLDER, 'script.js'));
  const path = require.resolve(INSTALLED);
  const { default: imported } = (await import(pathToFileURL(path).href)) as { readonly default: unknown };
  const required: unknown = require(path);
  t.is(typeof required, 'function');
  t.is(required, imported);
});

test('artillery › users of all workers share one cluster: each verb does to it what it says', (t) => {
  const flow = [
    { apply: { manifest: WEB, as: 'web' } },
    { await: { ready: 'app={{ $uuid }}', count: 2, within: '5m' } },
    { scale: { ...DEPLOYMENT, replicas: 3 } },
    { await: { rollout: DEPLOYMENT } },
    { roll: { ...DEPLOYMENT, image: 'nginx:2' } },
    { await: { rollout: DEPLOYMENT } },
    { loop: [{ request: { path: '/apis/apps/v1/namespaces/default/deployments/web-{{ $uuid }}' } }], count: 2 },
    { think: 30 },
    { fault: { cut: { node: 'node-1' }, for: '10s', as: 'cut' } },
    { heal: 'cut' },
    { drain: { node: 'node-2', ignoreDaemonSets: true } },
    { delete: { ref: 'web' } },
    { await: { gone: 'app={{ $uuid }}' } },
  ];
  const summary = join(FOLDER, 'summary.json');
  const page = join(FOLDER, 'page.html');
  const options = { nodes: 3, seed: 7, thresholds: { pods_created: 'count>=24', pod_startup_ms: 'p(99)<60000' } };
  const { counters, values, exitCode, stderr } = played(scriptOf(flow, options, { report: { summary, page } }), 2, 2);
  t.is(counters['vusers.completed'], 4, stderr);
  t.is(exitCode, 0, stderr);
  t.is(counters['kubeloom.nodes_total'], 3);
  t.is(counters['kubeloom.calls_apply'], 4);
  t.is(counters['kubeloom.calls_request'], 8);
  t.is(counters['kubeloom.faults_injected'], 4);
  t.is(counters['kubeloom.calls_run'], 0);
  // The last user has seen to it that nothing is left.
  t.is(counters['kubeloom.pods_created'], counters['kubeloom.pods_deleted']);
  t.is(counters['kubeloom.pods_running'], 0);
  t.is(values['kubeloom.pod_startup_ms']?.length, counters['kubeloom.pods_started']);
  t.true((counters['kubeloom.virtual_seconds'] ?? 0) >= 30);
  const told = JSON.parse(readFileSync(summary, 'utf8')) as RunSummary;
  t.is(told.thresholds.length, 2);
  t.true(told.passed);
  t.regex(readFileSync(page, 'utf8'), /^<!doctype html>/);
});

test('artillery › the script of the page is played with its manifest, and meets its threshold', (t) => {
  const page = readFileSync(join(ROOT, 'packages/artillery-engine-kubeloom/README.md'), 'utf8');
  const [script = '', manifest = ''] = Array.from(page.matchAll(/^```yaml\n(.*?)^```$/gms), ([, text = '']) => text);
  writeFileSync(join(FOLDER, 'web.yaml'), manifest);
  const report = join(FOLDER, 'report.html');
  const { counters, exitCode, stderr } = played(parse(script.replace('report.html', report)) as object, 1, 3);
  t.is(exitCode, 0, stderr);
  t.is(counters['vusers.completed'], 3, stderr);
  t.is(counters['kubeloom.pods_created'], 30);
  t.regex(stderr, /^kubeloom: threshold met: pod_startup_ms: p\(99\)<5000/m);
  t.true(existsSync(report));
});

test('artillery › a bound of the engine that does not hold makes the exit code 1, with its line', (t) => {
  const options = { nodes: 2, thresholds: { pods_created: 'count<2' } };
  const flow = [{ apply: { manifest: WEB } }, { await: { ready: 'app={{ $uuid }}' } }];
  const { exitCode, stderr } = played(scriptOf(flow, options, { report: {} }));
  t.is(exitCode, 1);
  t.regex(stderr, /^kubeloom: threshold failed: pods_created: count<2 \(it was 2\)$/m);
});

test('artillery › a whole run is a function of its seed, and fails with what was not met', (t) => {
  const scenario = join(FOLDER, 'scenario.yaml');
  const pod = '{ apiVersion: v1, kind: Pod, metadata: { name: a }, spec: { containers: [{ name: c, image: i }] } }';
  const text = (by: string): string =>
    `cluster: { nodes: 2 }\nworkloads: [${pod}]\nexpectations: [{ by: ${by}, pods: { ready: true } }]\n`;
  writeFileSync(scenario, text('1m'));
  const flow = [
    { run: { scenario, seed: 5, as: 'one' } },
    { run: { scenario, seed: 5, as: 'two' } },
    { log: 'traces {{ one.traceHash }} {{ two.traceHash }}' },
    { run: { manifest: WEB, nodes: 2, readyPods: 2, seed: '{{ $uuid }}' } },
    { function: 'compare' },
  ];
  // Scripts as JSON have no functions: the missing one is told of, after the runs.
  const { counters, values, stderr } = played(scriptOf(flow, { runThreads: 1 }), 1, 2);
  t.is(counters['kubeloom.runs_passed'], 6, stderr);
  t.is(counters['kubeloom.runs_failed'], 0);
  t.is(counters['errors.ScriptError'], 2);
  t.regex(stderr, /function must be the name of a function of the script's processor, got "compare"/);
  t.is(values['kubeloom.run_virtual_ms']?.length, 6);
  const traces = [...stderr.matchAll(/^traces (\w+) (\w+)$/gm)].flatMap(([, one, two]) => [one, two]);
  t.is(traces.length, 4);
  t.is(new Set(traces).size, 1, 'of equal seeds');
  writeFileSync(scenario, text('1ms'));
  const failed = played(scriptOf([{ run: { scenario, seed: 5 } }]));
  t.is(failed.counters['kubeloom.runs_failed'], 1);
  t.is(failed.counters['errors.RunFailed'], 1);
  t.is(failed.counters['vusers.failed'], 1);
});

test('artillery › what a script cannot ask for is refused by name, and fails its user alone', (t) => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ scale: { deployment: 'nothing', replicas: 1 } }, /NotFound|not found/],
    [{ scale: { pod: 'a', replicas: 1 } }, /scale: a kind must be one of deployment, .*, got "pod"/],
    [{ await: { ready: 'app=none', within: '2s' } }, /ready app=none: not within 2s of simulated time/],
    [{ await: { soon: 1 } }, /await must be one of ready, gone, rollout, complete, nodes, got \{"soon":1\}/],
    [{ think: 'soon' }, /think must be .*got "soon"/],
    [{ delete: { ref: 'web' } }, /delete\.ref must be the name that an apply before has been given by `as`, got "web"/],
    [{ request: { path: '/api/v1/pods/x/y/z' } }, /was answered with 404/],
    [{ run: { manifest: WEB, nodes: 1 } }, /run\.readyPods must be how many pods are to be ready, got nothing/],
  ];
  const scenarios = wrong.map(([step]) => ({ engine: 'kubeloom', flow: [step] }));
  const { counters, stderr } = played({ ...scriptOf([], { nodes: 1, runThreads: 1 }), scenarios }, wrong.length);
  t.is(counters['vusers.failed'], wrong.length);
  for (const [, message] of wrong) t.regex(stderr, message);
  t.throws(() => played(scriptOf([{ aply: {} }])), {
    message: /scenario\.flow\[0\] must be a step with one of apply, /,
  });
  t.throws(() => played({ ...scriptOf([]), config: { target: 'http://a' } }), {
    message: /config\.target must be kubeloom:\/\/local/,
  });
});

test('artillery › no name of a metric is the beginning of another, and counters are told of from the start', (t) => {
  const { counters, values } = played(scriptOf([{ log: 'hello' }], { nodes: 1 }));
  const names = [...Object.keys(counters), ...Object.keys(values)].filter((name) => name.startsWith('kubeloom.'));
  t.true(names.length > 30);
  t.is(counters['kubeloom.violations'], 0);
  for (const name of names) {
    t.deepEqual(
      names.filter((other) => other !== name && other.startsWith(name)),
      [],
      name,
    );
  }
});
