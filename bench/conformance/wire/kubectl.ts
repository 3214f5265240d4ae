/** kubectl itself, in a folder of its own, against one server: what its user sees. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedCommand } from './wire-recording.js';

/** What came of a command. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string;
}

/** A command is ended after this: longer than any that was recorded. */
const LONGEST_MS = 120_000;
/** `rollout restart` writes down the second in which it runs: a second one within it changes nothing, and fails. */
const RESTART_MS = 1200;

/**
 * The kubectl of the recorded version, such as `1.33`: `kubectl.1.33` beside the program that the path names, else that
 * one. `undefined` = there is none.
 */
export function findKubectl(minor: string, search = process.env['PATH'] ?? ''): string | undefined {
  for (const folder of search.split(path.delimiter)) {
    const found = path.join(folder, 'kubectl');
    if (!existsSync(found)) continue;
    const beside = path.join(path.dirname(realpathSync(found)), `kubectl.${minor}`);
    const program = existsSync(beside) ? beside : found;
    if (versionOf(program)?.startsWith(`v${minor}.`) === true) return program;
  }
  return undefined;
}

/** Such as `v1.33.1`; `undefined` = it is no kubectl. */
export function versionOf(program: string): string | undefined {
  const { stdout, status } = spawnSync(program, ['version', '--client'], { encoding: 'utf8' });
  return status === 0 ? /Client Version: (\S+)/.exec(stdout)?.[1] : undefined;
}

/** See the file header. */
export class Kubectl {
  readonly #program: string;
  readonly #home: string;
  readonly #work: string;
  #restartedMs = Number.NEGATIVE_INFINITY;

  /** @param namespace - of its context; absent = none */
  constructor(program: string, url: string, namespace: string | undefined) {
    this.#program = program;
    this.#home = mkdtempSync(path.join(tmpdir(), 'kubeloom-kubectl-'));
    this.#work = path.join(this.#home, 'work');
    mkdirSync(this.#work);
    mkdirSync(path.join(this.#home, '.kube'));
    writeFileSync(path.join(this.#home, '.kube', 'config'), configText(url, namespace));
  }

  /** Runs a recorded command to its end. @param stopped - interrupts it */
  async run({ argv, files, stdin }: RecordedCommand, stopped: AbortSignal): Promise<Outcome> {
    if (argv.includes('restart')) {
      await delay(Math.max(0, this.#restartedMs + RESTART_MS - performance.now()));
      this.#restartedMs = performance.now();
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(this.#work, path.basename(name)), text);
    const [, ...words] = argv;
    const child = spawn(this.#program, words, {
      cwd: this.#work,
      env: { PATH: process.env['PATH'], HOME: this.#home, KUBECTL_EXTERNAL_DIFF: process.env['KUBECTL_EXTERNAL_DIFF'] },
    });
    const outcome = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
    const stop = setTimeout(() => child.kill('SIGINT'), LONGEST_MS);
    stopped.addEventListener('abort', () => child.kill('SIGINT'));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin ?? '');
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(stop);
        resolve({ ...outcome, exit: code ?? signal ?? 'none' });
      });
    });
  }

  /** Removes what it wrote. */
  dispose(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function configText(server: string, namespace: string | undefined): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'recorded', cluster: { server } }],
    users: [{ name: 'admin', user: {} }],
    contexts: [{ name: 'recorded', context: { cluster: 'recorded', user: 'admin', namespace } }],
    'current-context': 'recorded',
  };
  return JSON.stringify(config);
}
