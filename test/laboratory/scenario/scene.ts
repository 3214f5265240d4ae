import type { ExecutionContext } from 'ava';
import { parseScenario, runScenario, type ScenarioEntry, type ScenarioResult } from '../../../src/index.js';

/** A scenario that was played. */
export interface Played {
  readonly result: ScenarioResult;
  /** Each thing that happened, as `seconds type: text`. */
  readonly lines: readonly string[];
}

const noFile = (path: string): never => {
  throw new Error(`no such file: ${path}`);
};

/** Plays the scenario of a text. */
export async function play(text: string, seed?: string): Promise<Played> {
  const lines: string[] = [];
  const onEntry = ({ atMs, type, text: what }: ScenarioEntry): void => {
    lines.push(`${Math.floor(atMs / 1000)} ${type}: ${what}`);
  };
  const result = await runScenario(parseScenario(text, 'x.yaml', noFile), { seed, onEntry });
  return { result, lines };
}

/** The message that a text is refused with, when it is read or before it is played. */
export async function refusal(t: ExecutionContext, text: string): Promise<string> {
  const error = await t.throwsAsync(async () => play(text), { name: 'ScenarioError' });
  return error?.message ?? '';
}
