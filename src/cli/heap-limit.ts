/**
 * Room for large clusters. Node ends a process whose heap passes a limit of at most 4 GiB, however much memory the
 * machine has; 5,000 nodes under upstream's load test need 5 GiB. And it collects new objects 16 MiB at a time, most of
 * which a large cluster keeps: 64 MiB save an eighth of the default scene's processor time. A process cannot change
 * either of itself, so the command line starts itself anew in its place (same process id, same streams) for a large run.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 2 ** 20;
/** Part of the memory that the heap may take; the rest is for buffers, threads and the system. */
const SHARE = 0.75;
const NEW_SPACE_MIB = 64;
/** Below, Node's own limits are enough by far: 1,000 nodes with 30,000 pods take 0.6 GiB. */
const LARGE = { '--nodes': 1000, '--pods': 50_000 };
/** Commands whose cluster has 5,000 nodes unless they are told otherwise. */
const LARGE_BY_DEFAULT = ['run', 'explain', 'describe', 'timeline', 'drain', 'shutdown'];
const SMALL = new Set(['--nodes', '--trace', '--help', '-h']);

/** Whether arguments ask for a large cluster: many nodes or pods, or one of a file. */
export function isLarge(argv: readonly string[]): boolean {
  const options = argv.map((argument, index) => {
    const [name = '', value = argv[index + 1]] = argument.split('=', 2);
    return { name, value };
  });
  if (LARGE_BY_DEFAULT.includes(argv[0] ?? '') && !options.some(({ name }) => SMALL.has(name))) return true;
  return options.some(
    ({ name, value }) => name === '--from' || (name in LARGE && Number(value) >= LARGE[name as keyof typeof LARGE]),
  );
}

/** The limit for this machine in MiB (its memory, or what its container may take); `undefined` = as it is now. */
export function largerHeapLimit(memoryBytes = machineMemory()): number | undefined {
  const limit = Math.floor((memoryBytes * SHARE) / MIB);
  return limit * MIB > getHeapStatistics().heap_size_limit ? limit : undefined;
}

function machineMemory(): number {
  const contained = process.constrainedMemory();
  return contained > 0 ? Math.min(contained, totalmem()) : totalmem();
}

/** Goes on in a process with more room, and then does not return; returns where that is not needed or possible. */
export function continueWithMoreRoom(argv: readonly string[]): void {
  // Windows has no execve.
  if (process.execve === undefined || !isLarge(argv)) return;
  const given = `${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS'] ?? ''}`;
  // Whoever gives a limit has decided; so has this process before it began anew.
  if (/--max[-_](?:old[-_]space|heap)[-_]size/u.test(given)) return;
  const limit = largerHeapLimit();
  if (limit === undefined) return;
  const ofNew = /--max[-_]semi[-_]space[-_]size/u.test(given) ? [] : [`--max-semi-space-size=${NEW_SPACE_MIB}`];
  const flags = [...process.execArgv, `--max-old-space-size=${limit}`, ...ofNew];
  process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], process.env);
}
