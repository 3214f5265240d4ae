/**
 * Keeps two processes from writing one file: a file beside it says which process does, and is touched while it does. One
 * that was not touched for a minute, or whose process is gone, is taken over.
 */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { OptionError } from '../../options/option-error.js';

interface Holder {
  readonly host: string;
  readonly pid: number;
}

const STALE_MS = 60_000;
const TOUCH_MS = 5000;
/** By this process. */
const held = new Set<string>();

/** @returns gives it back. @throws OptionError that names the process that writes */
export function lockFile(path: string): () => void {
  const lock = `${path}.lock`;
  const own: Holder = { host: hostname(), pid: process.pid };
  while (!isWritten(lock, own)) {
    const holder = holderOf(lock);
    if (held.has(lock) || (holder !== undefined && isHeld(lock, holder, own))) {
      const { host, pid } = holder ?? own;
      const problem = `a folder that no other process writes (${lock} names process ${pid} of ${host})`;
      throw new OptionError('out', problem, path);
    }
    rmSync(lock, { force: true });
  }
  held.add(lock);
  const touching = setInterval(() => touch(lock), TOUCH_MS).unref();
  return () => {
    clearInterval(touching);
    if (held.delete(lock)) rmSync(lock, { force: true });
  };
}

function isWritten(lock: string, own: Holder): boolean {
  try {
    writeFileSync(lock, JSON.stringify(own), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** `undefined` = it has none, or was given back. */
function holderOf(lock: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isHeld(lock: string, { host, pid }: Holder, own: Holder): boolean {
  const { mtimeMs = 0 } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > STALE_MS) return false;
  return host !== own.host || (pid !== own.pid && isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function touch(lock: string): void {
  const seconds = Date.now() / 1000;
  try {
    utimesSync(lock, seconds, seconds);
  } catch {
    // The folder is gone; whatever is written next says so.
  }
}
