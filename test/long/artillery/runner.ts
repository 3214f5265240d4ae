/**
 * What Artillery 2 does with an engine (lib/core/runner.ts, lib/platform/local there), and no more: hooks in the main
 * thread, virtual users in workers, variables of `before` as JSON in every one of them, metrics added up.
 *
 * `node runner.js FOLDER SCRIPT.json WORKERS USERS`: the engine is found in the folder's `node_modules`.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** What a run came to. */
export interface Totals {
  readonly counters: Record<string, number>;
  readonly values: Record<string, number[]>;
  exitCode: number;
}

interface User {
  readonly vars: Record<string, unknown>;
}
type Scenario = (user: User, done: (error: Error | null, user: User) => void) => void;
interface Engine {
  createScenario(spec: unknown, ee: EventEmitter): Scenario;
}
interface Script {
  readonly before?: unknown;
  readonly after?: unknown;
  readonly scenarios: readonly unknown[];
}
interface Plan {
  readonly folder: string;
  readonly script: Script;
  readonly users: number;
  readonly vars: Record<string, unknown>;
}

/** As `ensure` reads it. */
const artillery: { suggestedExitCode?: number } = {};
Object.assign(globalThis, { artillery });

async function engineIn(folder: string, script: Script): Promise<Engine> {
  const path = createRequire(join(folder, 'x.js')).resolve('artillery-engine-kubeloom');
  const { default: Engine } = (await import(pathToFileURL(path).href)) as {
    default: new (script: Script, ee: EventEmitter, helpers: object) => Engine;
  };
  return new Engine(script, new EventEmitter(), { template });
}

function found(vars: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], vars);
}

/** `{{ name.name }}` in texts, lists and mappings. */
function template(value: unknown, user: User): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\{\{\s*([\w$.]+)\s*\}\}/g, (_, path: string) => String(found(user.vars, path)));
  }
  if (Array.isArray(value)) return value.map((each) => template(each, user));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, template(each, user)]));
}

function played(scenario: Scenario, vars: Record<string, unknown>): Promise<User> {
  return new Promise((resolve, reject) => {
    scenario({ vars }, (error, user) => (error === null ? resolve(user) : reject(error)));
  });
}

async function hook(folder: string, script: Script, spec: unknown, vars: Record<string, unknown>): Promise<User> {
  if (spec === undefined) return { vars };
  const engine = await engineIn(folder, script);
  return played(
    engine.createScenario(
      spec,
      new EventEmitter().on('error', () => undefined),
    ),
    vars,
  );
}

async function work({ folder, script, users, vars }: Plan): Promise<Totals> {
  const totals: Totals = { counters: {}, values: {}, exitCode: 0 };
  const count = (name: string, amount: number): void => {
    totals.counters[name] = (totals.counters[name] ?? 0) + amount;
  };
  const ee = new EventEmitter();
  ee.on('counter', count);
  ee.on('histogram', (name: string, value: number) => (totals.values[name] ??= []).push(value));
  ee.on('error', (code: string) => count(`errors.${code}`, 1));
  ee.on('started', () => count('started', 1));
  const engine = await engineIn(folder, script);
  const { index: own } = (workerData ?? { index: 0 }) as { readonly index: number };
  const scenario = engine.createScenario(script.scenarios[own % script.scenarios.length], ee);
  const all = Array.from({ length: users }, async (_, index) => {
    try {
      const id = `vu-${own}-${index}`;
      await played(scenario, { ...vars, $uuid: id });
      count('vusers.completed', 1);
    } catch {
      count('vusers.failed', 1);
    }
  });
  await Promise.all(all);
  return totals;
}

function inWorker(plan: Plan, index: number): Promise<Totals> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...plan, index } });
    worker.once('message', resolve).once('error', reject);
  });
}

async function main(): Promise<void> {
  const [folder = '', file = '', workers = '1', users = '1'] = process.argv.slice(2);
  const script = { ...(JSON.parse(readFileSync(file, 'utf8')) as Script), _scriptPath: file };
  const { vars } = await hook(folder, script, script.before, {});
  const plan = { folder, script, users: Number(users), vars: JSON.parse(JSON.stringify(vars)) as Plan['vars'] };
  const parts = await Promise.all(Array.from({ length: Number(workers) }, (_, index) => inWorker(plan, index)));
  await hook(folder, script, script.after, plan.vars);
  const totals: Totals = { counters: {}, values: {}, exitCode: artillery.suggestedExitCode ?? 0 };
  for (const { counters, values } of parts) {
    for (const [name, amount] of Object.entries(counters))
      totals.counters[name] = (totals.counters[name] ?? 0) + amount;
    for (const [name, each] of Object.entries(values)) (totals.values[name] ??= []).push(...each);
  }
  process.stdout.write(JSON.stringify(totals));
  process.exit(0);
}

if (isMainThread) void main();
else void work(workerData as Plan).then((totals) => parentPort?.postMessage(totals));
