/**
 * What images of upstream's tests do: they are made for these, small (`pause` has 0.3 MB, `sleep` 2 MB), and pulled
 * before a second is over.
 */
import type { Cluster } from '../../cluster/cluster.js';
import type { ScriptInput } from '../../kubelet/scripts/script-input.js';
import { durationOf } from '../../options/durations.js';

const PULL = { duration: 'uniform(200ms, 800ms)' };
const GRACE = 'termination-grace-period';
const CODE = 'termination-code';

export function registerTestImages(cluster: Cluster): void {
  // They run until they are stopped, also in jobs.
  cluster.registerImage('*pause:*', { imagePull: PULL, runs: 'forever' });
  cluster.registerImage('*/k8s-staging-perf-tests/sleep:*', (_pod, { command = [], args = [] }) => ({
    imagePull: PULL,
    ...(command.length > 0 ? {} : sleepOf(args)),
  }));
}

/** `sleep [FLAGS] DURATION` (util-images/sleep/main.go): flags of Go's, `--name=value` or `-name value`. */
function sleepOf(args: readonly string[]): ScriptInput {
  const flags = new Map<string, string>();
  let rest = [...args];
  for (let [first, ...others] = rest; first?.startsWith('-') === true && first !== '--'; [first, ...others] = rest) {
    const [name = '', value] = first.replace(/^--?/, '').split('=', 2);
    flags.set(name, value ?? others[0] ?? '');
    rest = value === undefined ? others.slice(1) : others;
  }
  const [text = '0s'] = rest[0] === '--' ? rest.slice(1) : rest;
  const [durationMs, graceMs] = [durationOf(text), durationOf(flags.get(GRACE) ?? '0s')];
  const exitCode = Number(flags.get(CODE) ?? 0);
  const isRead = graceMs !== undefined && Number.isInteger(exitCode) && [...flags.keys()].every(isFlag);
  // Go's flag package ends a program with 2, what comes after it is read by the program itself.
  if (!isRead) return { runs: [{ duration: 0, exitCode: 2 }] };
  if (durationMs === undefined) return { runs: [{ duration: 0, exitCode: 1 }] };
  return { runs: [{ duration: durationMs }], shutdown: { delay: graceMs, exitCode: exitCode & 255 } };
}

function isFlag(name: string): boolean {
  return name === GRACE || name === CODE;
}
