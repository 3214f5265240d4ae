/** `kubeloom serve` as a process of its own, as users start it, and a client of it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { WireClient } from './wire-client.js';

/** What users run. */
const MAIN = fileURLToPath(new URL('../../bundle/src/main.js', import.meta.url));

/** A served cluster. */
export interface ServerProcess {
  readonly kubeconfig: string;
  readonly client: WireClient;
  /** A folder that is gone when the process has ended. */
  readonly folder: string;
  /** From the start of the process until it said that it is ready. */
  readonly readySeconds: number;
  /** Memory that it holds now. */
  residentBytes(): number;
  end(): Promise<void>;
}

/** Starts one, and waits until it is ready. */
export async function startServer(flags: readonly string[]): Promise<ServerProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubeloom-wire-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const beganMs = performance.now();
  const options = ['--max-semi-space-size=32', MAIN, 'serve', '--port', '0', '--kubeconfig', kubeconfig, ...flags];
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await readyLine(child);
  const readySeconds = (performance.now() - beganMs) / 1000;
  const client = new WireClient(kubeconfig);
  return {
    kubeconfig,
    client,
    folder,
    readySeconds,
    residentBytes: () => residentBytes(child.pid),
    end: async () => {
      client.close();
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readyLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`kubeloom serve ended with exit code ${String(code)}`)));
  });
}

/** Asks a process to end, and waits until it has. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill();
  });
}

/** As Linux tells it; 0 elsewhere. */
function residentBytes(pid: number | undefined): number {
  try {
    const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return 0;
  }
}
