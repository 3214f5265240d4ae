/** What servers have in common: they stay until they are told to end. */
import { contentOf } from '../files/file-node.js';
import type { HttpHandler, HttpResponse } from '../processes/network.js';
import { ProcessExit, type Process, type Running, type Wait } from '../processes/process.js';
import { SIGINT, SIGTERM } from '../processes/signals.js';

/** How a server ends. */
export interface ServerEnd {
  /** Exit code on SIGTERM. */
  readonly onTerm: number;
  /** From SIGTERM to the end, ms. @defaultValue 0 */
  readonly delayMs?: number;
  /** Called on SIGTERM. */
  readonly onSignal?: (signal: number) => void;
  /** Asked after everything that happens: the exit code of a server that ends by itself. */
  readonly hasEnded?: () => number | undefined;
  /** When it has to be asked at the latest, simulated ms. */
  readonly nextMs?: () => number;
}

/** Stays until a signal ends it. */
export function* serve(process: Process, { onTerm, delayMs = 0, onSignal, hasEnded, nextMs }: ServerEnd): Running {
  for (const signal of [SIGTERM, SIGINT]) process.dispositions.set(signal, 'handle');
  let endMs = Infinity;
  for (;;) {
    const own = hasEnded?.();
    if (own !== undefined) return own;
    const signal = process.pending.shift();
    if (signal !== undefined && endMs === Infinity) {
      onSignal?.(signal);
      endMs = process.nowMs + delayMs;
    }
    if (process.nowMs >= endMs) return onTerm;
    const dueMs = Math.min(endMs, nextMs?.() ?? Infinity);
    const wait: Wait = {
      // A request may have brought its end nearer.
      isReady: () => process.pending.length > 0 || hasEnded?.() !== undefined || (nextMs?.() ?? Infinity) < dueMs,
      ...(dueMs === Infinity ? {} : { untilMs: dueMs }),
    };
    yield wait;
  }
}

/** Takes a port. @param certificate - of a server that speaks TLS, as PEM @throws ProcessExit where it is taken */
export function listen(process: Process, port: number, handler: HttpHandler | undefined, certificate?: string): void {
  if (process.table.network.listen(process.pid, port, handler, certificate)) return;
  process.complain(`listen tcp :${port}: bind: address already in use\n`);
  throw new ProcessExit(1);
}

/** The query of a path. */
export function queryOf(path: string): URLSearchParams {
  const at = path.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : path.slice(at + 1));
}

/** A path without its query. */
export function barePath(path: string): string {
  return path.split('?', 1)[0] ?? '/';
}

/** The files below a directory, as a web server gives them. */
export function fileServer(process: Process, root: string, index = 'index.html'): HttpHandler {
  return ({ path }): HttpResponse => {
    try {
      const { node, path: found } = process.tree.find(`${root}/${decodeURIComponent(barePath(path))}`, process.user);
      if (node.kind === 'file') return { status: 200, body: contentOf(node) };
      if (node.kind !== 'directory') return { status: 403, body: 'Forbidden\n' };
      const page = node.entries.get(index);
      if (page?.kind === 'file') return { status: 200, body: contentOf(page) };
      return {
        status: 200,
        body: process.tree
          .list(found, process.user)
          .map((name) => `<a href="${name}">${name}</a>\n`)
          .join(''),
      };
    } catch {
      return { status: 404, body: '404 page not found\n' };
    }
  };
}
