/**
 * Everything that happens to the objects of a real cluster, through client-node: each kind is listed, then watched from
 * there, and anew where a watch ends. What a cluster does not serve is passed over. Kinds of definitions are among them,
 * and are followed from the time at which their definition is served. It writes nothing to that cluster.
 */
import type { RequestOptions } from 'node:https';
import type { KubeConfig, Watch } from '@kubernetes/client-node';
import type { Kind } from '../api/objects/objects.js';
import { isMapping } from '../options/option-checks.js';
import type { RecordedKinds, RecordedResource } from '../transfer/record/recorded-kinds.js';
import type { SeenChange } from '../transfer/record/recorder.js';
import { RecordError } from './record-error.js';

type Mapping = Readonly<Record<string, unknown>>;

/** A change, and its place in the order of all kinds. */
export interface WatchedChange extends Omit<SeenChange, 'atMs'> {
  /** Of the store; absent where the cluster's versions are no numbers. */
  readonly version: number | undefined;
}

/** What a watched cluster tells. */
export interface ClusterListener {
  /** An object that was there when it was first looked at. */
  begin(kind: Kind, object: Mapping): void;
  change(change: WatchedChange): void;
  /** A watch that broke, in words. */
  problem(text: string): void;
}

interface Listed {
  readonly version: string;
  readonly items: readonly Mapping[];
}

const RETRY_MS = 1000;
const GONE = 410;
const NOT_FOUND = 404;

/** See the file header. */
export class WatchedCluster {
  readonly #config: KubeConfig;
  readonly #watch: Watch;
  /** By kind and uid: what a relist is compared with. */
  readonly #known = new Map<Kind, Map<string, Mapping>>();
  /** Kinds whose definitions came while the others were watched. */
  readonly #late = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(
    config: KubeConfig,
    watch: Watch,
    private readonly kinds: RecordedKinds,
    private readonly listener: ClusterListener,
  ) {
    this.#config = config;
    this.#watch = watch;
  }

  /**
   * Lists all kinds, and watches them until the signal is raised.
   *
   * @param onListed - called once everything that was there has been told
   * @throws RecordError where the cluster cannot be read
   */
  async follow(signal: AbortSignal, onListed: () => void): Promise<void> {
    const lists = await this.#begin(this.kinds.kinds);
    const defined = lists.flatMap(([kind, listed]) =>
      (listed?.items ?? []).map((item) => this.kinds.define(kind, item)),
    );
    lists.push(...(await this.#begin(defined.filter((kind) => kind !== undefined))));
    onListed();
    this.#signal = signal;
    const watched = lists.flatMap(([kind, listed]) =>
      listed === undefined ? [] : [this.#follow(kind, listed.version, signal)],
    );
    await Promise.all(watched);
    await Promise.all(this.#late);
  }

  /** Tells what there is of kinds, one after the other. */
  async #begin(kinds: readonly Kind[]): Promise<(readonly [Kind, Listed | undefined])[]> {
    const lists = await Promise.all(kinds.map(async (kind) => [kind, await this.#list(kind)] as const));
    for (const [kind, listed] of lists) {
      const known = new Map<string, Mapping>();
      this.#known.set(kind, known);
      for (const item of listed?.items ?? []) {
        known.set(uidOf(item), item);
        this.listener.begin(kind, item);
      }
    }
    return lists;
  }

  /** A kind is served a moment after its definition; its first objects are changes. */
  async #followLate(kind: Kind, signal: AbortSignal): Promise<void> {
    this.#known.set(kind, new Map());
    for (;;) {
      const version = await this.#relist(kind);
      if (version !== undefined) return this.#follow(kind, version, signal);
      await pause(RETRY_MS, signal);
      if (signal.aborted) return;
    }
  }

  async #follow(kind: Kind, start: string, signal: AbortSignal): Promise<void> {
    let version = start;
    let isBroken = false;
    while (!signal.aborted) {
      const end = await this.#watchFrom(kind, version, signal);
      ({ version } = end);
      if (signal.aborted) return;
      if (end.error === undefined) {
        isBroken = false;
        continue;
      }
      if (!isBroken)
        this.listener.problem(`the watch of ${this.kinds.resource(kind).plural} broke: ${textOf(end.error)}`);
      isBroken = true;
      await pause(RETRY_MS, signal);
      if (!end.isGone) continue;
      version = (await this.#relist(kind)) ?? version;
    }
  }

  /** Ends with the version that the next watch begins from. */
  async #watchFrom(kind: Kind, start: string, signal: AbortSignal) {
    let version = start;
    let isGone = false;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const told = (type: string, object: unknown): void => {
      if (!isMapping(object)) return;
      if (type === 'ERROR') {
        isGone = object['code'] === GONE;
        resolve(new Error(String(object['message'])));
        return;
      }
      const next = versionOf(object);
      if (next !== undefined) version = next;
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
        this.#tell(kind, type, named(this.kinds.resource(kind), object));
    };
    const query = { allowWatchBookmarks: true, resourceVersion: version };
    const watching = await this.#watch.watch(pathOf(this.kinds.resource(kind)), query, told, (error: unknown) => {
      isGone ||= isMapping(error) && error['statusCode'] === GONE;
      resolve(isQuiet(error) ? undefined : error);
    });
    const end = (): void => {
      resolve(undefined);
      watching.abort();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const error = await promise;
    signal.removeEventListener('abort', end);
    watching.abort();
    return { version, isGone, error };
  }

  #tell(kind: Kind, type: SeenChange['type'], object: Mapping): void {
    const known = this.#known.get(kind);
    if (type === 'DELETED') known?.delete(uidOf(object));
    else known?.set(uidOf(object), object);
    const version = Number(versionOf(object));
    this.listener.change({ kind, type, object, version: Number.isSafeInteger(version) ? version : undefined });
    const defined = type === 'DELETED' ? undefined : this.kinds.define(kind, object);
    if (defined === undefined || this.#signal === undefined) return;
    const following: Promise<void> = this.#followLate(defined, this.#signal).finally(() =>
      this.#late.delete(following),
    );
    this.#late.add(following);
  }

  /** What has happened while nothing was heard; `undefined` where the cluster does not answer. */
  async #relist(kind: Kind): Promise<string | undefined> {
    const listed = await this.#list(kind).catch(() => undefined);
    if (listed === undefined) return undefined;
    const before = this.#known.get(kind) ?? new Map<string, Mapping>();
    const present = new Set(listed.items.map(uidOf));
    for (const [uid, object] of before) if (!present.has(uid)) this.#tell(kind, 'DELETED', object);
    for (const item of listed.items) {
      const known = before.get(uidOf(item));
      if (known !== undefined && versionOf(known) === versionOf(item)) continue;
      this.#tell(kind, known === undefined ? 'ADDED' : 'MODIFIED', item);
    }
    return listed.version;
  }

  /** `undefined` = the cluster has no such kind. */
  async #list(kind: Kind): Promise<Listed | undefined> {
    const resource = this.kinds.resource(kind);
    const path = pathOf(resource);
    const answer = await this.#get(path);
    if (answer === undefined) return undefined;
    const { metadata, items } = answer;
    const version = isMapping(metadata) ? versionOf({ metadata }) : undefined;
    if (version === undefined) throw new RecordError(`${path} answered with no list`);
    const all = Array.isArray(items) ? (items as readonly Mapping[]) : [];
    return { version, items: all.map((item) => named(resource, item)) };
  }

  async #get(path: string): Promise<Mapping | undefined> {
    const server = this.#config.getCurrentCluster()?.server ?? '';
    const url = new URL(`${server}${path}`);
    const options: RequestOptions = { method: 'GET', headers: { accept: 'application/json' } };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new RecordError(`${server} cannot be reached: ${textOf(error)}`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Mapping | undefined>();
    // Loaded when they are needed, as by webhooks' client.
    const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
    const call = request(url, options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => void pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode === NOT_FOUND) {
          resolve(undefined);
          return;
        }
        try {
          const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
          if (!isMapping(body)) throw new Error('its answer is no object');
          if (statusCode !== 200) throw new Error(`${statusCode} ${String(body['message'])}`);
          resolve(body);
        } catch (error) {
          reject(new RecordError(`${server}${path} cannot be read: ${textOf(error)}`));
        }
      });
    });
    call.on('error', (error) => reject(new RecordError(`${server} cannot be reached: ${textOf(error)}`)));
    call.end();
    return promise;
  }
}

function pathOf({ group, version, plural }: RecordedResource): string {
  return group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
}

/** Items of lists do not say what they are. */
function named({ name, group, version }: RecordedResource, object: Mapping): Mapping {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind: name, ...object };
}

function versionOf({ metadata }: Mapping): string | undefined {
  const version = isMapping(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function uidOf({ metadata }: Mapping): string {
  return isMapping(metadata) ? String(metadata['uid']) : '';
}

/** Servers end watches after a while, and the client ends one on which nothing was heard. */
function isQuiet(error: unknown): boolean {
  return (
    error === null ||
    error === undefined ||
    (error instanceof Error && /Abort|Timeout|Premature/.test(error.name + error.message)) ||
    (error instanceof Error && error.message === 'terminated')
  );
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code = '' }: { readonly message: string; readonly code?: string } = error;
  return (message === '' ? code : message).replaceAll(/\s*\n\s*/g, ' ');
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = (): void => resolve();
  signal.addEventListener('abort', end, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
