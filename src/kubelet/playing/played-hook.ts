/** Hooks of containers that compute: a command is run in them, a server is asked. */
import type { core } from '../../api/objects/objects.js';
import { failureText, type HookRun, type HookTarget } from '../containers/lifecycle-hook.js';
import { portNumber } from '../probes/probe-outcome.js';
import type { AskServer } from './played-answers.js';
import type { PlayedProgram } from '../containers/played-program.js';

/** What it takes. */
export interface PlayedHookMeans {
  readonly nowMs: () => number;
  readonly program: PlayedProgram | undefined;
  readonly ask: AskServer;
  /** It has come back. */
  readonly onDone: () => void;
}

/** Starts a hook; `undefined` = it is one that is not played. */
export function playHook(
  handler: core.LifecycleHandler,
  target: HookTarget,
  means: PlayedHookMeans,
): HookRun | undefined {
  const { exec, httpGet } = handler;
  const nowMs = means.nowMs();
  if (exec !== undefined && means.program?.isPlaying === true)
    return runCommand(handler, target, exec.command ?? [], means);
  if (httpGet === undefined) return undefined;
  const { host = '', port, path = '/', httpHeaders = [] } = httpGet;
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const number = portNumber(port, target.container);
  const answer = means.ask(
    host === '' ? target.address : host,
    number,
    path.startsWith('/') ? path : `/${path}`,
    headers,
  );
  if (answer === undefined) return undefined;
  return { endMs: nowMs, failure: undefined, interruption: undefined };
}

function runCommand(
  handler: core.LifecycleHandler,
  target: HookTarget,
  command: readonly string[],
  { nowMs, program, onDone }: PlayedHookMeans,
): HookRun {
  let output = '';
  const text = (code: number): string =>
    failureText(handler, target, `command '${command.join(' ')}' exited with ${code}: ${output}`);
  const run = { endMs: Infinity, failure: undefined as string | undefined, interruption: text(137) };
  const take = (bytes: string): void => {
    output += bytes;
  };
  program?.exec(command, {
    onStdout: take,
    onStderr: take,
    hasInput: false,
    onEnd({ exitCode }) {
      run.endMs = nowMs();
      if (exitCode !== 0) run.failure = text(exitCode);
      onDone();
    },
  });
  return run;
}
