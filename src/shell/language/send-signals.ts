/** `kill`. */
import type { Process } from '../processes/process.js';
import { SIGNAL_NAMES, signalNumber, SIGTERM } from '../processes/signals.js';

export function sendSignals(process: Process, args: readonly string[]): number {
  let signal = SIGTERM;
  const pids: string[] = [];
  for (let index = 1; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-l') {
      process.print(`${SIGNAL_NAMES.join('\n')}\n`);
      return 0;
    }
    const isNamed = /^-[A-Za-z\d]+$/.test(arg) && pids.length === 0 && index === 1;
    if (!isNamed) {
      if (arg !== '--') pids.push(arg);
      continue;
    }
    const name = arg === '-s' ? (args[(index += 1)] ?? '') : arg.slice(1);
    const found = signalNumber(name);
    if (found === undefined) {
      process.complain(`kill: bad signal name '${name}'\n`);
      return 1;
    }
    signal = found;
  }
  let status = 0;
  for (const pid of pids) {
    if (process.table.signal(Number(pid), signal)) continue;
    process.complain(`kill: can't kill pid ${pid}: No such process\n`);
    status = 1;
  }
  return status;
}
