/**
 * Serves the Kubernetes API of a cluster over the network: one port for HTTP/1.1 and HTTP/2 over TLS, with an
 * authority of its own, client certificates and bearer tokens, and the kubeconfig that clients need. What is behind
 * the port is the engine alone: no path of the host, and nothing that it could read, can be reached through it.
 */
import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { EngineClock } from '../kernel/engine/clock.js';
import type { RequestAttempts } from '../apiserver/store/request-context.js';
import type { ApiAnswer, ApiRequest, RequestUser } from '../requests/api-request.js';
import {
  createAuthenticator,
  staticToken,
  type Authenticator,
  type Credentials,
  type TokenReader,
} from './authentication.js';
import { createAuthority, loadAuthority, type KeyPair } from './certificates.js';
import { kubeconfigText } from './kubeconfig.js';
import { resolveListenOptions, type ListenOptions } from './listen-options.js';
import { recordingAnswerer } from './recording.js';
import type { RemoteMeans } from './remote/remote-means.js';
import { FRONT_PROXY, RemoteServers } from './remote/remote-servers.js';
import { RequestDoor, type WireRequest, type WireResponse } from './request-door.js';
import type { TokenSeal } from '../requests/access/service-account-tokens.js';
import type { NodeStreams } from './streams/node-streams.js';
import { createTokenSeal } from './token-seal.js';
import { UpgradeDoor } from './upgrade-door.js';

/** What lies between clients and the cluster, such as a network that loses messages. */
export interface RequestWay extends Traffic {
  /**
   * Takes a request to where it is answered, and its answer back.
   *
   * @throws ConnectionLost where no answer comes back; AdmissionPending while it is on its way
   */
  carry(request: ApiRequest, attempts: RequestAttempts, answer: (request: ApiRequest) => ApiAnswer): ApiAnswer;
  /** @param breakOff - breaks all connections off */
  opened(breakOff: () => void): void;
  closed(): void;
}

/** What goes over the link of a party that is served; see `party` of {@link ListenOptions}. */
export interface Traffic {
  /** Requests and changes that have reached the other side so far, of any kind. */
  readonly messages: number;
  /** Real time since the last of them, ms. */
  readonly idleForMs: number;
  /** Requests that have arrived so far, watches among them. */
  readonly requests: number;
  /** Whether everything gets through at once. */
  readonly isCalm: boolean;
  /** Watches that are open. */
  readonly watches: number;
  /** Requests that may have written, in their order: those that were lost or refused among them. */
  readonly writes: readonly CarriedWrite[];
  /** While it is, every request breaks off before it is heard. */
  isClosed: boolean;
  /** Ends all connections at once, as the end of a process does. */
  breakOff(): void;
  /** The next write but so many more ends all connections once it is applied, before it is answered; `undefined` = none does. */
  breakAfterWrites(writes: number | undefined, onBroken?: () => void): void;
}

/** A request that may have written, and what became of it. */
export interface CarriedWrite {
  /** Simulated time at which it arrived, ms. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** The status of its answer; `lost` before it was applied. */
  readonly status: number | 'lost';
  /** Whether its answer came back. */
  readonly isAnswered: boolean;
}

/** What is served. */
export interface Served {
  readonly clock: Pick<EngineClock, 'admit' | 'attend'>;
  /** Answers a request in the tick in which it is called. */
  answer(request: ApiRequest, attempts?: RequestAttempts): ApiAnswer;
  /** The text of all metrics, in Prometheus' form. */
  metrics(): Promise<string>;
  readonly nodes: NodeStreams;
  /** The user of a service account's token; `undefined` = it is none, or good no more. */
  userOfToken?(token: string): RequestUser | undefined;
  /** Absent = no link lies between. */
  readonly way?: RequestWay | undefined;
  /** Servers outside of the cluster that serve group versions of their own. */
  readonly remotes?: RemoteMeans | undefined;
  /** Signs such tokens with a seal of this server's, and has reviews of tokens ask it of its own. */
  secureTokens?(seal: TokenSeal, read: TokenReader): void;
}

/** A cluster that is served. */
export interface Listening {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The text of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  /** The administrator's bearer token. */
  readonly token: string;
  /** The authority that has signed what is shown, in PEM; absent over plain HTTP. */
  readonly authority: KeyPair | undefined;
  /** Real time since a request was under way, watches and other streams aside, ms; 0 = one is. */
  readonly idleForMs: number;
  /** What goes over the link, with the option `party`. */
  readonly traffic: Traffic | undefined;
  /** Ends watches, lets requests that are under way be answered, and closes the port. Calling it twice is harmless. */
  close(): Promise<void>;
}

/** The user of the kubeconfig, as kubeadm's `super-admin.conf` names one. */
const ADMIN: RequestUser = { name: 'kubernetes-super-admin', groups: ['system:masters'] };

/** Names and addresses under which clients reach the server besides the one it listens at, as kubeadm signs them. */
const KNOWN_HOSTS = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
  '10.96.0.1',
];

/** All headers of a request together. */
const LONGEST_HEADERS_BYTES = 64 * 1024;
const MOST_HEADERS = 256;
/** A client that has not shaken hands, or not told its headers, after this is let go. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** How long a connection without a request is kept, as Go's servers keep it. */
const IDLE_TIMEOUT_MS = 180_000;
/** How often connections are looked at for those. */
const CHECK_EVERY_MS = 5000;
/** Streams of one connection: each watch of a client is one, upstream's `--http2-max-streams-per-connection`. */
const MOST_STREAMS = 1000;
/** How long requests that are under way have when the port is closed. */
const GRACE_MS = 3000;

/**
 * Begins to serve.
 *
 * @throws ListenError for options that cannot be followed; the host's own error where the port is taken
 */
export async function listen(served: Served, options: ListenOptions = {}): Promise<Listening> {
  const resolved = resolveListenOptions(options);
  const { port, host, isSecure, isAnonymousAllowed, authorization, token: chosen, authority, record } = resolved;
  const token = chosen ?? randomBytes(32).toString('base64url');
  const ofAdmin = staticToken(token, ADMIN);
  let url = '';
  served.secureTokens?.(
    createTokenSeal(() => url),
    ofAdmin,
  );
  const authenticate = createAuthenticator([ofAdmin, (each) => served.userOfToken?.(each)], { isAnonymousAllowed });
  // What is recorded enters where it is answered, also by a server in a container.
  if (record !== undefined) await served.nodes.servers.load();
  const answer = recordingAnswerer((request, attempts) => served.answer(request, attempts), record);
  const { way } = served;
  const secrets = isSecure ? await certificatesFor(host, authority, served.remotes !== undefined) : undefined;
  if (served.remotes !== undefined) served.remotes.authority = secrets?.authority.certificate ?? '';
  const door = new RequestDoor({
    clock: served.clock,
    answer: (request, place, attempts) => {
      const asked = authorization === 'RBAC' ? request : { ...request, authorization };
      if (way === undefined) return answer(asked, place, attempts);
      return way.carry(asked, attempts, (carried) => answer(carried, place, attempts));
    },
    metrics: () => served.metrics(),
    nodes: served.nodes,
    remotes: served.remotes && new RemoteServers(served.remotes, secrets?.frontProxy),
    userOf: (request) => authenticate(credentialsOf(request)),
  });
  const take = (request: WireRequest, response: WireResponse): void => void door.take(request, response);
  const server = secrets === undefined ? plainServer(take) : secureServer(secrets, take);
  const connections = new Connections(server);
  const upgrades = new UpgradeDoor(door, served.nodes, record);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgrades.take(request, socket, head),
  );
  url = `${isSecure ? 'https' : 'http'}://${await opened(server, port, host)}`;
  const release = served.clock.attend();
  way?.opened(() => connections.destroy());
  let closing: Promise<void> | undefined;
  return {
    url,
    token,
    get idleForMs() {
      return door.idleForMs;
    },
    traffic: way,
    authority: secrets?.authority,
    kubeconfig: kubeconfigText({ url, authority: secrets?.authority.certificate, client: secrets?.admin, token }),
    close: () => {
      way?.closed();
      return (closing ??= closed(server, door, connections, upgrades).finally(release));
    },
  };
}

interface Certificates {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Absent where there is nothing to be a front of. */
  readonly frontProxy: KeyPair | undefined;
}

async function certificatesFor(host: string, kept: KeyPair | undefined, isFront: boolean): Promise<Certificates> {
  const authority = kept === undefined ? await createAuthority() : await loadAuthority(kept);
  return {
    authority: { certificate: authority.certificate, key: authority.key },
    server: await authority.issueServer([...new Set([...KNOWN_HOSTS, host])]),
    admin: await authority.issueClient(ADMIN.name, ADMIN.groups),
    frontProxy: isFront ? await authority.issueClient(FRONT_PROXY, []) : undefined,
  };
}

type Taker = (request: WireRequest, response: WireResponse) => void;

const HTTP1_LIMITS = {
  maxHeaderSize: LONGEST_HEADERS_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
};

function plainServer(take: Taker): Server {
  return createHttpServer(HTTP1_LIMITS, take);
}

function secureServer({ authority, server: own }: Certificates, take: Taker): Http2SecureServer {
  const server = createSecureServer(
    {
      allowHTTP1: true,
      ...HTTP1_LIMITS,
      key: own.key,
      cert: own.certificate,
      // A certificate is asked for and none is needed: a client without one brings a token.
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxHeaderListPairs: MOST_HEADERS,
      settings: { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: LONGEST_HEADERS_BYTES },
    },
    take,
  );
  // Node takes them from the options of an HTTP/1.1 server alone, and looks at them here as well.
  Object.assign(server, { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS });
  // A client that breaks off its handshake is no concern of the server's.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('sessionError', () => undefined);
  return server;
}

/** The certificate of a connection is looked at once, however many requests it brings. */
const certificates = new WeakMap<object, Credentials['certificate']>();

function credentialsOf(request: WireRequest): Parameters<Authenticator>[0] {
  const { authorization } = request.headers;
  return { authorization, certificate: certificateOf(request) };
}

function certificateOf(request: WireRequest): Credentials['certificate'] {
  const session = 'stream' in request ? request.stream.session : undefined;
  const connection: object = session ?? request.socket;
  const known = certificates.get(connection);
  if (known !== undefined || certificates.has(connection)) return known;
  // A session hands out a stand-in of its socket, which has its methods and is no instance of anything.
  const socket: Socket & Partial<Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>> =
    session?.socket ?? request.socket;
  const peer = socket.getPeerCertificate?.();
  const hasNone = peer === undefined || Object.keys(peer).length === 0;
  const found = hasNone ? undefined : { peer, isSigned: socket.authorized === true };
  certificates.set(connection, found);
  return found;
}

/** The connections of a server, each of which is to end when it has nothing to do any more. */
class Connections {
  readonly #all = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Connections of HTTP/1.1, and how many requests of each are under way. */
  readonly #busy = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server | Http2SecureServer) {
    server.on('connection', (socket: Socket) => {
      // Small answers must not wait for the acknowledgement of the frame before.
      socket.setNoDelay(true);
      this.#all.add(socket);
      socket.on('close', () => this.#all.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => session.destroy());
      session.setTimeout(IDLE_TIMEOUT_MS, () => session.close());
    });
    server.on('request', (request: WireRequest, response: WireResponse) => {
      if (!('stream' in request)) this.#follow(request.socket, response);
    });
  }

  /** Ends those that have nothing to do, and the others as soon as they have not. */
  close(): void {
    this.#isClosing = true;
    for (const session of this.#sessions) session.close();
    for (const [socket, requests] of this.#busy) if (requests === 0) socket.end();
  }

  destroy(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #follow(socket: Socket, response: WireResponse): void {
    if (!this.#busy.has(socket)) socket.on('close', () => this.#busy.delete(socket));
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.on('close', () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (this.#busy.has(socket)) this.#busy.set(socket, left);
      if (left === 0 && this.#isClosing) socket.end();
    });
  }
}

/** Opens the port. @returns where it is, as a URL has it */
function opened(server: Server | Http2SecureServer, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { port: actual } = server.address() as AddressInfo;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

async function closed(
  server: Server | Http2SecureServer,
  door: RequestDoor,
  connections: Connections,
  upgrades: UpgradeDoor,
): Promise<void> {
  const over = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  door.close();
  upgrades.close();
  connections.close();
  const late = setTimeout(() => connections.destroy(), GRACE_MS);
  await over;
  clearTimeout(late);
}
