/** Plays the steps of a flow for one virtual user. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  fieldsOf,
  ScriptError,
  textOf,
  type Fields,
  type Helpers,
  type Script,
  type Step,
  type VirtualUser,
} from './contract.js';
import { CALLED_VERBS } from './metric-names.js';

/** Verbs of hooks, beside those of users. */
const HOOK_VERBS = ['cluster', 'report'];
const USER_VERBS: readonly string[] = [...CALLED_VERBS, 'log', 'loop', 'function'];
/** What a step may have beside its verb. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  loop: ['count', 'over', 'loopValue', 'loopElement'],
};

/** What carries out a verb that goes to the cluster. */
export type Caller = (verb: string, args: Fields) => Promise<unknown>;

/** What steps are played with. */
export interface FlowMeans {
  readonly script: Script;
  readonly helpers: Helpers;
  readonly call: Caller;
  readonly ee: unknown;
}

/** The verb of a step. @throws ScriptError for a step without one, or with a field that is not known */
export function verbOf(place: string, step: unknown): string {
  const fields = Object.keys(fieldsOf(place, step));
  const verbs = [...USER_VERBS, ...HOOK_VERBS];
  const verb = fields.find((field) => verbs.includes(field));
  if (verb === undefined) throw new ScriptError(place, `a step with one of ${verbs.join(', ')}`, fields.join(', '));
  const other = fields.find((field) => field !== verb && BESIDE[verb]?.includes(field) !== true);
  if (other !== undefined) throw new ScriptError(`a field of ${place}`, `${verb} alone`, other);
  return verb;
}

/** The steps of a flow, looked over before the first user plays it. @throws ScriptError */
export function stepsOf(place: string, flow: unknown): readonly Step[] {
  if (!Array.isArray(flow)) throw new ScriptError(place, 'a list of steps', flow);
  const steps = flow.flat(Infinity) as Step[];
  steps.forEach((step, index) => {
    const at = `${place}[${index}]`;
    if (verbOf(at, step) === 'loop') stepsOf(`${at}.loop`, step['loop']);
  });
  return steps;
}

/** Plays steps one after the other. */
export async function playSteps(steps: readonly Step[], user: VirtualUser, means: FlowMeans): Promise<void> {
  for (const [index, step] of steps.entries()) await playStep(step, `flow[${index}]`, user, means);
}

async function playStep(step: Step, place: string, user: VirtualUser, means: FlowMeans): Promise<void> {
  const verb = verbOf(place, step);
  if (verb === 'loop') return playLoop(step, user, means);
  const spec = means.helpers.template(step[verb], user);
  if (verb === 'log') return void process.stderr.write(`${String(spec)}\n`);
  if (verb === 'function') return playFunction(textOf('function', spec), user, means);
  const { args, as } = argsOf(verb, spec, user, means);
  const value = await means.call(verb, args);
  if (as !== undefined) user.vars[as] = value;
}

/** What a verb is called with; files are read where the user is. */
function argsOf(
  verb: string,
  spec: unknown,
  user: VirtualUser,
  { script, helpers }: FlowMeans,
): { readonly args: Fields; readonly as: string | undefined } {
  if (verb === 'think') return { args: { for: thinkTime(spec) }, as: undefined };
  if (verb === 'heal')
    return { args: { fault: typeof spec === 'string' && spec !== 'all' ? user.vars[spec] : spec }, as: undefined };
  const { as, ...fields } = fieldsOf(verb, spec ?? {});
  const name = as === undefined ? undefined : textOf(`${verb}.as`, as);
  const { file, ref, ...rest } = fields;
  const place = (path: unknown, field: string): string => resolve(folderOf(script), textOf(field, path));
  if (verb === 'apply' || (verb === 'run' && file !== undefined)) {
    const manifest =
      file === undefined ? rest['manifest'] : helpers.template(textIn(place(file, `${verb}.file`)), user);
    if (manifest === undefined) throw new ScriptError(verb, 'with a file or a manifest', fields);
    return { args: { ...rest, manifest }, as: name };
  }
  if (verb === 'run' && rest['scenario'] !== undefined) {
    return { args: { ...rest, scenario: place(rest['scenario'], 'run.scenario') }, as: name };
  }
  if (ref !== undefined) return { args: { ...rest, refs: refsOf(verb, ref, user) }, as: name };
  if (verb === 'await' && typeof rest['gone'] === 'object' && rest['gone'] !== null && 'ref' in rest['gone']) {
    return { args: { ...rest, gone: refsOf('await.gone', rest['gone'].ref, user) }, as: name };
  }
  return { args: { ...rest, ...(verb === 'request' && name !== undefined ? { capture: true } : {}) }, as: name };
}

/** What an earlier step was given as a name. */
function refsOf(place: string, ref: unknown, user: VirtualUser): unknown {
  const found = user.vars[textOf(`${place}.ref`, ref)];
  if (Array.isArray(found)) return found;
  throw new ScriptError(`${place}.ref`, 'the name that an apply before has been given by `as`', ref);
}

/** Seconds as a number, as Artillery has them, or a duration. */
function thinkTime(spec: unknown): number | string {
  const seconds = typeof spec === 'string' && spec.trim() !== '' ? Number(spec) : spec;
  if (typeof seconds === 'number' && seconds >= 0) return Math.round(seconds * 1000);
  return textOf('think', spec);
}

async function playLoop(step: Step, user: VirtualUser, means: FlowMeans): Promise<void> {
  const { count, over, loopValue = '$loopCount', loopElement = '$loopElement' } = step;
  const steps = stepsOf('loop', step['loop']);
  const list = typeof over === 'string' ? user.vars[over] : over;
  if (over !== undefined && !Array.isArray(list)) throw new ScriptError('over', 'a list, or the name of one', over);
  const times = Array.isArray(list) ? list.length : Number(means.helpers.template(count ?? 1, user));
  if (!Number.isSafeInteger(times) || times < 0) throw new ScriptError('count', 'an integer >= 0', count);
  for (let index = 0; index < times; index += 1) {
    user.vars[String(loopValue)] = index;
    user.vars[String(loopElement)] = Array.isArray(list) ? list[index] : index;
    await playSteps(steps, user, means);
  }
}

/** `(context, events, done)` of the script's processor, or an async function. */
async function playFunction(name: string, user: VirtualUser, { script, ee }: FlowMeans): Promise<void> {
  const call = script.config.processor?.[name];
  if (typeof call !== 'function')
    throw new ScriptError('function', "the name of a function of the script's processor", name);
  await new Promise<void>((settle, reject) => {
    const done = (error?: unknown): void => (error instanceof Error ? reject(error) : settle());
    const result: unknown = (call as (...args: unknown[]) => unknown)(user, ee, done);
    if (result instanceof Promise || call.length < 3) Promise.resolve(result).then(() => settle(), reject);
  });
}

function folderOf({ _scriptPath }: Script): string {
  return _scriptPath === undefined ? process.cwd() : dirname(_scriptPath);
}

const texts = new Map<string, string>();

/** Files are read once by each thread. */
function textIn(path: string): string {
  let text = texts.get(path);
  if (text === undefined) texts.set(path, (text = readFileSync(path, 'utf8')));
  return text;
}
