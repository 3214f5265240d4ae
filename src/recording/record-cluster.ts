/** Records what users do to a real cluster: watches it, and writes a file for `kubeloom replay`, and one for SimKube. */
import { accessSync, closeSync, constants, existsSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkedOptions, FUNCTION, integerIn, SIGNAL, TEXT, TEXTS, type Checks } from '../options/option-checks.js';
import { RecordedKinds } from '../transfer/record/recorded-kinds.js';
import { Recorder } from '../transfer/record/recorder.js';
import { endLine, headLine, objectLine, requestLine } from '../transfer/record/recording-file.js';
import { SimkubeWriter } from '../transfer/record/simkube-writer.js';
import { RecordError } from './record-error.js';
import { WatchedCluster, type WatchedChange } from './watched-cluster.js';

/** What is recorded where. */
export interface RecordOptions {
  /** A kubeconfig. @defaultValue that of kubectl: `$KUBECONFIG`, `~/.kube/config`, or that of a pod */
  readonly kubeconfig?: string;
  /** One of its contexts. @defaultValue its current one */
  readonly context?: string;
  /** The recording; a name that ends in `.gz` has it compressed. */
  readonly output?: string;
  /** The trace of SimKube, in msgpack. */
  readonly simkube?: string;
  readonly excludeNamespaces?: readonly string[];
  /** Ends by itself after so long. @defaultValue never */
  readonly durationMs?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Told once everything that was there is known: what happens from now on is recorded. */
  readonly onStart?: (objects: number) => void;
  /** Told of watches that broke; they are opened anew. */
  readonly onProblem?: (text: string) => void;
}

/** What became of it. */
export interface RecordResult {
  /** That were there. */
  readonly objects: number;
  /** That users made. */
  readonly requests: number;
  readonly leftOut: ReadonlyMap<string, number>;
  readonly endMs: number;
}

const LONGEST_MS = 2_147_483_647;
const OPTIONS: Checks<RecordOptions> = {
  kubeconfig: TEXT,
  context: TEXT,
  output: TEXT,
  simkube: TEXT,
  excludeNamespaces: TEXTS,
  durationMs: integerIn(1, LONGEST_MS),
  signal: SIGNAL,
  onStart: FUNCTION,
  onProblem: FUNCTION,
};
/** Watches of kinds are connections of their own: what they tell is put into the store's order within this time. */
const ORDER_MS = 500;
const OWNER_ONLY = 0o600;
/** The context that client-node makes up where it finds no kubeconfig. */
const NO_KUBECONFIG = 'loaded-context';

/** See the file header. Ends by its time or its signal. @throws OptionError, RecordError */
export async function recordCluster(options: RecordOptions): Promise<RecordResult> {
  const { excludeNamespaces = [], durationMs, signal, ...given } = checkedOptions('', options, OPTIONS);
  const { config, watch } = await connected(given.kubeconfig, given.context);
  const kinds = new RecordedKinds();
  const recorder = new Recorder((namespace) => excludeNamespaces.includes(namespace), kinds);
  for (const path of [given.output, given.simkube]) if (path !== undefined) checkWritable(path);
  const startMs = Date.now();
  const file = given.output === undefined ? undefined : new RecordingFile(given.output, headLine(startMs));
  const simkube = given.simkube === undefined ? undefined : new SimkubeWriter(startMs);
  const startedAt = performance.now();
  const now = (): number => Math.round(performance.now() - startedAt);
  let [objects, requests] = [0, 0];
  const order = new ChangeOrder((change, atMs) => {
    const made = recorder.note({ ...change, atMs });
    if (made === undefined) return;
    requests += 1;
    file?.write(requestLine(made));
    simkube?.note(made);
  });
  const cluster = new WatchedCluster(config, watch, kinds, {
    begin(kind, object) {
      recorder.begin(kind, object);
      const { name, namespace = '' } = object['metadata'] as { readonly name: string; readonly namespace?: string };
      if (excludeNamespaces.includes(kind === 'Namespace' ? name : namespace)) return;
      objects += 1;
      file?.write(objectLine(object));
      simkube?.begin(kind, object);
    },
    change: (change) => order.add(change, now()),
    problem: (text) => given.onProblem?.(text),
  });
  const end = new AbortController();
  const stop = (): void => end.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  let timer: NodeJS.Timeout | undefined;
  const flushing = setInterval(() => order.flush(now() - ORDER_MS), ORDER_MS);
  try {
    await cluster.follow(end.signal, () => {
      if (durationMs !== undefined) timer = setTimeout(stop, durationMs);
      given.onStart?.(objects);
    });
  } finally {
    clearTimeout(timer);
    clearInterval(flushing);
    signal?.removeEventListener('abort', stop);
  }
  order.flush(Number.POSITIVE_INFINITY);
  const endMs = now();
  const { lives, leftOut } = recorder;
  file?.end(endLine(endMs, lives, leftOut));
  if (simkube !== undefined)
    attempt(given.simkube ?? '', (path) => writeFileSync(path, simkube.end(endMs, lives), { mode: OWNER_ONLY }));
  return { objects, requests, leftOut, endMs };
}

/** The library is loaded where it is wanted; it is installed by those that record. */
async function connected(kubeconfig: string | undefined, context: string | undefined) {
  const library = await import('@kubernetes/client-node').catch(() => {
    throw new RecordError(
      'recording needs the package @kubernetes/client-node, which is not installed: npm install @kubernetes/client-node',
    );
  });
  const config = new library.KubeConfig();
  const place = kubeconfig ?? 'the kubeconfig';
  if (kubeconfig !== undefined && !existsSync(kubeconfig)) throw new RecordError(`${place}: there is no such file`);
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (context !== undefined) config.setCurrentContext(context);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new RecordError(`${place} cannot be used: ${problem.replaceAll(/\s*\n\s*/g, ' ')}`);
  }
  if (kubeconfig === undefined && config.getCurrentContext() === NO_KUBECONFIG) {
    throw new RecordError(
      'there is no kubeconfig, neither in $KUBECONFIG nor as ~/.kube/config nor that of a pod: name one (kubeconfig, --kubeconfig)',
    );
  }
  if (config.getCurrentCluster() === null) {
    const names = config.getContexts().map(({ name }) => name);
    throw new RecordError(
      `${place} has no cluster in its context ${JSON.stringify(config.getCurrentContext() ?? '')}, it has ${names.join(', ') || 'none'}`,
    );
  }
  return { config, watch: new library.Watch(config) };
}

/** Holds changes back until those of other kinds that came before them must have arrived. */
class ChangeOrder {
  #waiting: { readonly change: WatchedChange; readonly atMs: number }[] = [];

  constructor(private readonly tell: (change: WatchedChange, atMs: number) => void) {}

  add(change: WatchedChange, atMs: number): void {
    this.#waiting.push({ change, atMs });
  }

  /** Tells what has arrived until then, in the store's order; times never go back. */
  flush(untilMs: number): void {
    const due = this.#waiting.filter(({ atMs }) => atMs <= untilMs);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > untilMs);
    due.sort((a, b) => (a.change.version ?? a.atMs) - (b.change.version ?? b.atMs));
    let lastMs = 0;
    for (const { change, atMs } of due) {
      lastMs = Math.max(lastMs, atMs);
      this.tell(change, lastMs);
    }
  }
}

/**
 * Written as it comes: what is there is of use also where the end is missing. What a file of that name held is
 * replaced by the first write, so that a cluster that cannot be reached costs no earlier recording.
 */
class RecordingFile {
  #file: number | undefined;

  constructor(
    private readonly path: string,
    private readonly head: string,
  ) {}

  write(text: string): void {
    const { path } = this;
    const isFirst = this.#file === undefined;
    const file = (this.#file ??= attempt(path, () => openSync(path, 'w', OWNER_ONLY)));
    const told = isFirst ? this.head + text : text;
    attempt(path, () => writeSync(file, path.endsWith('.gz') ? gzipSync(told) : Buffer.from(told)));
  }

  end(text: string): void {
    this.write(text);
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function checkWritable(file: string): void {
  attempt(file, (path) => {
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  });
}

function attempt<T>(path: string, work: (path: string) => T): T {
  try {
    return work(path);
  } catch (error) {
    throw new RecordError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
