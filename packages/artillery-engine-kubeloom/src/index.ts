/**
 * Artillery's engine `kubeloom`: virtual users as clients of one simulated cluster, which lives on a thread of its own
 * for all threads of users, or as whole runs of clusters, each with its seed.
 */
import { isMainThread } from 'node:worker_threads';
import { Connection, startHost } from './connection.js';
import {
  fieldsOf,
  ScriptError,
  type Done,
  type Emitter,
  type Fields,
  type Helpers,
  type PlayedScenario,
  type Script,
  type VirtualUser,
} from './contract.js';
import { playSteps, stepsOf } from './flow.js';
import { emitCount, emitMeasured, emitValue, emitZeros } from './metric-names.js';
import { CallError } from './protocol.js';

/** The variable by which users find the cluster's thread. */
const HOST = 'kubeloomHost';
/** Engines are made anew for each hook, and keep here what they share. */
const SHARED = Symbol.for('artillery-engine-kubeloom');

/** What all engines of a thread share. */
interface Shared {
  /** The number of the cluster's thread. */
  host?: Promise<number>;
  connection?: Promise<Connection>;
}

interface ArtilleryGlobal {
  [SHARED]?: Shared;
  artillery?: { suggestedExitCode?: number };
}

/** See the file header. */
export default class KubeloomEngine {
  readonly #script: Script;
  readonly #helpers: Helpers;
  readonly #options: Fields;
  readonly #toldCodes = new Set<string>();

  /** @throws ScriptError for what the script asks of the engine and cannot be */
  constructor(script: Script, _ee: Emitter, helpers: Helpers) {
    const { target, engines = {} } = script.config;
    if (target !== undefined && (typeof target !== 'string' || !target.startsWith('kubeloom:'))) {
      throw new ScriptError('config.target', 'kubeloom://local', target);
    }
    this.#script = script;
    this.#helpers = helpers;
    this.#options = fieldsOf('config.engines.kubeloom', engines['kubeloom'] ?? {});
  }

  /** @throws ScriptError for a flow that cannot be played */
  createScenario(scenario: unknown, ee: Emitter): PlayedScenario {
    const place = this.#placeOf(scenario);
    const { flow } = fieldsOf(place, scenario);
    const steps = stepsOf(`${place}.flow`, flow);
    const { before, after } = this.#script;
    const hook = scenario === before ? 'before' : scenario === after ? 'after' : undefined;
    let isFirst = true;
    return (user, done) => {
      ee.emit('started');
      const first = isFirst && hook === undefined;
      isFirst = false;
      void this.#play(steps, user, { ee, done, first, hook });
    };
  }

  #placeOf(scenario: unknown): string {
    if (scenario === this.#script.before) return 'before';
    return scenario === this.#script.after ? 'after' : 'scenario';
  }

  async #play(
    steps: ReturnType<typeof stepsOf>,
    user: VirtualUser,
    { ee, done, first, hook }: { ee: Emitter; done: Done; first: boolean; hook: 'before' | 'after' | undefined },
  ): Promise<void> {
    try {
      const connection = await this.#connection(user, hook);
      if (first) emitZeros(ee, (await import('kubeloom')).METRICS);
      const means = { connection, ee, isOfHook: hook !== undefined };
      const call = (verb: string, args: Fields): Promise<unknown> => this.#call(means, verb, args);
      await playSteps(steps, user, { script: this.#script, helpers: this.#helpers, call, ee });
      if (hook === 'after') await this.#judge(call, steps);
      done(null, user);
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#tellOnce(code, `kubeloom: ${hook ?? 'a virtual user'}: ${message}\n`);
      ee.emit('error', code);
      done(error instanceof Error ? error : new Error(message), user);
    }
  }

  async #call({ connection, ee, isOfHook }: CallMeans, verb: string, args: Fields): Promise<unknown> {
    const began = performance.now();
    const { value, failure, measured } = await connection.call(verb, args, isOfHook);
    emitCount(ee, `calls_${verb}`, 1);
    emitValue(ee, 'call_ms', performance.now() - began);
    emitMeasured(ee, measured);
    if (failure !== undefined) throw new CallError(failure.code, failure.message);
    if (verb === 'run') return value;
    const { value: own, waitedMs } = value as { readonly value?: unknown; readonly waitedMs?: number };
    if (waitedMs !== undefined) emitValue(ee, 'wait_ms', waitedMs);
    if (verb === 'report') reportVerdict(own as Verdict);
    return own;
  }

  /** Artillery counts failures by their codes and shows no texts: the first one of each code is told. */
  #tellOnce(code: string, text: string): void {
    if (this.#toldCodes.has(code)) return;
    this.#toldCodes.add(code);
    process.stderr.write(text);
  }

  /** Bounds of the engine's options are judged where no report was asked for, too. */
  async #judge(
    call: (verb: string, args: Fields) => Promise<unknown>,
    steps: ReturnType<typeof stepsOf>,
  ): Promise<void> {
    if (this.#options['thresholds'] === undefined || steps.some((step) => 'report' in step)) return;
    await call('report', {});
  }

  /** The connection of this thread; `before` starts the cluster's thread, and tells users of it. */
  async #connection(user: VirtualUser, hook: 'before' | 'after' | undefined): Promise<Connection> {
    const shared = ((globalThis as ArtilleryGlobal)[SHARED] ??= {});
    const told = user.vars[HOST];
    if (typeof told === 'number') shared.host ??= Promise.resolve(told);
    if (shared.host === undefined) {
      if (hook !== 'before' && !isMainThread) {
        process.stderr.write(
          'kubeloom: no `before` with this engine: each worker of Artillery has a cluster of its own\n',
        );
      }
      shared.host = startHost(this.#options).then(({ threadId }) => threadId);
    }
    const host = await shared.host;
    user.vars[HOST] = host;
    return (shared.connection ??= Connection.to(host));
  }
}

// Releases of Artillery before it is ESM alone (2.0.21 is one) call `require` and take what it returns for the class.
export { KubeloomEngine as 'module.exports' };

/** What a call of a user goes over. */
interface CallMeans {
  readonly connection: Connection;
  readonly ee: Emitter;
  readonly isOfHook: boolean;
}

interface Verdict {
  readonly failed: readonly string[];
  readonly met: readonly string[];
}

/** Tells of each bound; one that does not hold makes Artillery's exit code 1. */
function reportVerdict({ failed, met }: Verdict): void {
  for (const line of [...met, ...failed]) process.stderr.write(`kubeloom: ${line}\n`);
  const { artillery } = globalThis as ArtilleryGlobal;
  if (failed.length > 0 && artillery !== undefined) artillery.suggestedExitCode = 1;
}

function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof CallError) return error;
  if (error instanceof Error) return { code: error.name, message: error.message };
  return { code: 'Error', message: String(error) };
}
