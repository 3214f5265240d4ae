/**
 * Servers that stand outside of the cluster, behind services of APIServices: requests for their group versions go there
 * with the user in headers and a certificate of a front proxy, and discovery tells what they serve. Mirrors
 * kube-aggregator's proxy (pkg/apiserver/handler_proxy.go, v1.34). What they answer is theirs: the engine knows nothing
 * of it, and a recording that is played again has 503 in its place.
 */
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { RemoteService } from '../../api/aggregation/remote-service.js';
import { isFields } from '../../api/custom/json-schema.js';
import type { RemoteTarget } from '../../requests/api-request.js';
import type { KeyPair } from '../certificates.js';
import { addressOf } from '../service-addresses.js';
import { failureText } from '../webhook-post.js';
import type { RemoteMeans } from './remote-means.js';
import { toldResources } from './told-resources.js';

/** A request that is taken to one of them. */
export interface RemoteRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array | undefined;
}

/** The user as which a front proxy's certificate is signed; aggregated servers know it by this name. */
export const FRONT_PROXY = 'front-proxy-client';
/** Whoever asks for discovery in the API server's name. */
const AGGREGATOR = { name: 'system:kube-aggregator', groups: ['system:masters'] };
/** What is told is asked for anew after that. */
const TOLD_FOR_MS = 10_000;
const DISCOVERY_TIMEOUT_MS = 5000;
/** Of one hop, or the proxy's own business. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** See the file header. */
export class RemoteServers {
  readonly #means: RemoteMeans;
  readonly #identity: KeyPair | undefined;
  readonly #askedMs = new Map<string, number>();

  /** @param identity - the front proxy's certificate; absent over plain HTTP */
  constructor(means: RemoteMeans, identity: KeyPair | undefined) {
    this.#means = means;
    this.#identity = identity;
  }

  /** Whether it is known where the server of a service is. */
  reaches({ service }: RemoteService): boolean {
    return addressOf(this.#means.services, service) !== undefined;
  }

  /** Whether a path is one of theirs. */
  serve(path: string): boolean {
    const [, root, group, version] = path.split('/');
    return root === 'apis' && this.#means.all().some((each) => each.group === group && each.version === version);
  }

  /** Asks those that can be reached what they serve, unless that was done a moment ago. */
  async refresh(): Promise<void> {
    const nowMs = performance.now();
    const due = this.#means.all().filter((remote) => {
      const askedMs = this.#askedMs.get(remote.name) ?? -Infinity;
      return remote.isAvailable && this.reaches(remote) && nowMs - askedMs > TOLD_FOR_MS;
    });
    await Promise.all(due.map((remote) => this.#askWhatIsServed(remote, nowMs)));
  }

  async #askWhatIsServed(remote: RemoteService, nowMs: number): Promise<void> {
    const { group, version, name } = remote;
    const path = `/apis/${group}/${version}`;
    const headers = { accept: 'application/json' };
    this.#askedMs.set(name, nowMs);
    try {
      const signal = AbortSignal.timeout(DISCOVERY_TIMEOUT_MS);
      const request = { method: 'GET', path, headers, body: undefined };
      const answer = await this.ask({ service: remote, user: AGGREGATOR }, request, signal);
      const document: unknown = JSON.parse(await textOf(answer));
      if (answer.statusCode !== 200 || !isFields(document)) return;
      this.#means.told.set(name, toldResources(remote, document));
    } catch {
      // It is asked again after a while; what it has told before stands.
    }
  }

  /** Takes a request there. @throws Error in Go's words where no answer comes */
  ask({ service, user }: RemoteTarget, asked: RemoteRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const base = new URL(addressOf(this.#means.services, service.service) ?? 'https://0.0.0.0');
    const { namespace, name } = service.service;
    const options: RequestOptions & { readonly servername: string } = {
      method: asked.method,
      path: asked.path,
      signal,
      headers: { ...passedOn(asked), ...userHeaders(user) },
      servername: `${name}.${namespace}.svc`,
      ...this.#trust(service),
    };
    return new Promise((resolve, reject) => {
      // Loaded with the first request: see webhook-post.
      const outgoing = process.getBuiltinModule('node:https').request(base, options, resolve);
      outgoing.on('error', (error) => reject(new Error(failureText(error, base), { cause: error })));
      outgoing.end(asked.body);
    });
  }

  #trust({ caBundle, isUnverified }: RemoteService): object {
    const own = this.#identity === undefined ? {} : { cert: this.#identity.certificate, key: this.#identity.key };
    const trusted = caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') };
    return { ...own, ...trusted, rejectUnauthorized: !isUnverified };
  }
}

/** Headers of an answer that go on to the client. */
export function answerHeaders({ headers }: IncomingMessage): Readonly<Record<string, string | readonly string[]>> {
  const known = Object.entries(headers).filter(
    (each): each is [string, string | string[]] => each[1] !== undefined && !OWN_HEADERS.has(each[0]),
  );
  return Object.fromEntries(known);
}

function passedOn({ headers, body }: RemoteRequest): Record<string, string | string[]> {
  const known: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isTheirs = name.startsWith(':') || name.startsWith('x-remote-') || name.startsWith('impersonate-');
    if (value === undefined || isTheirs || OWN_HEADERS.has(name)) continue;
    known[name] = typeof value === 'string' ? value : [...value];
  }
  return body === undefined ? known : { ...known, 'content-length': String(body.length) };
}

/** As `--requestheader-username-headers` and its siblings name them. */
function userHeaders({ name, uid, groups, extra = {} }: RemoteTarget['user']): Record<string, string | string[]> {
  const more = Object.entries(extra).map(([key, values]): [string, string[]] => [
    `x-remote-extra-${encodeURIComponent(key.toLowerCase())}`,
    [...values],
  ]);
  return {
    'x-remote-user': name,
    ...(uid === undefined ? {} : { 'x-remote-uid': uid }),
    'x-remote-group': [...groups],
    ...Object.fromEntries(more),
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
