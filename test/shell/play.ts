import { bytesOf, newDevice, newDirectory, newProgramFile, textOf } from '../../src/shell/files/file-node.js';
import { FileTree } from '../../src/shell/files/file-tree.js';
import { NO_NETWORK } from '../../src/shell/processes/network.js';
import { openNull, openSink, openText } from '../../src/shell/processes/open-file.js';
import { ProcessTable } from '../../src/shell/processes/process-table.js';
import { PROGRAMS } from '../../src/shell/programs/programs.js';
import { sh } from '../../src/shell/programs/shell-program.js';

/** What came of a script. */
export interface Played {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  /** How long it took, simulated ms. */
  readonly ms: number;
}

/** Plays a script in files of its own, signals it at some times, and stops after an hour of its time. */
export function play(
  script: string,
  {
    args = [],
    input,
    signals = [],
  }: {
    readonly args?: readonly string[];
    readonly input?: string;
    readonly signals?: readonly { readonly atMs: number; readonly signal: number }[];
  } = {},
): Played {
  let nowMs = 0;
  const root = newDirectory();
  for (const name of ['bin', 'tmp', 'etc', 'dev']) root.entries.set(name, newDirectory());
  const tree = new FileTree(root, () => nowMs);
  const bin = root.entries.get('bin');
  const dev = root.entries.get('dev');
  if (bin?.kind === 'directory') for (const name of PROGRAMS.keys()) bin.entries.set(name, newProgramFile(name));
  if (dev?.kind === 'directory') dev.entries.set('null', newDevice('null'));
  let bits = 1;
  const table = new ProcessTable({
    now: () => nowMs,
    toTime: (ms) =>
      `2030-01-01T00:${String(Math.floor(ms / 60_000)).padStart(2, '0')}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}Z`,
    random: () => (bits = (bits * 69_069 + 1) >>> 0),
    tree,
    hostname: 'box',
    network: NO_NETWORK,
    programs: PROGRAMS,
  });
  let [stdout, stderr] = ['', ''];
  const options = {
    name: 'sh',
    args: ['sh', '-c', bytesOf(script), 'sh', ...args],
    environment: new Map([
      ['PATH', '/bin'],
      ['HOME', '/root'],
    ]),
    directory: '/',
    user: { uid: 0, gid: 0, groups: [] },
    open: new Map([
      [0, input === undefined ? openNull() : openText(bytesOf(input))],
      [1, openSink((bytes) => void (stdout += bytes))],
      [2, openSink((bytes) => void (stderr += bytes))],
    ]),
    isInit: true,
  };
  const first = table.spawn(options, (process) => sh(process, process.args));
  const pending = [...signals];
  while (first.status === undefined && nowMs < 3_600_000) {
    const nextMs = table.run();
    const [signal] = pending;
    if (first.status !== undefined) break;
    const dueMs = Math.min(nextMs, signal?.atMs ?? Infinity);
    if (dueMs === Infinity) break;
    nowMs = dueMs;
    if (signal?.atMs === nowMs) {
      pending.shift();
      table.signal(first.pid, signal.signal);
    }
  }
  return { stdout: textOf(stdout), stderr: textOf(stderr), exitCode: first.status, ms: nowMs };
}
