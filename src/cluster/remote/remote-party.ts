/**
 * The way of a program outside of the simulation into a cluster: its requests and watches come over a real network,
 * and here over the link of a party as well, so that faults befall them as they befall those of any component. What
 * is lost is seen outside as a connection that breaks off. The real network stands for the link's own latency; a fault
 * `slow` adds simulated time.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Kind } from '../../api/objects/objects.js';
import { AdmissionPending, type RequestAttempts } from '../../apiserver/store/request-context.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { LinkUser, OuterLink } from '../../bus/bus-types.js';
import type { RequestFate, RequestVerb } from '../../bus/disturbance.js';
import type { EngineClock } from '../../kernel/engine/clock.js';
import { HOST_CLOCK } from '../../kernel/engine/host-clock.js';
import type { ApiAnswer, ApiRequest, WatchAnswer } from '../../requests/api-request.js';
import { servedBy } from '../../requests/custom/served-kinds.js';
import { resourceRequest } from '../../requests/request-info.js';
import { statusAnswer } from '../../requests/status-answer.js';
import type { CarriedWrite, RequestWay } from '../../server/listen.js';
import { ConnectionLost } from '../../server/connection-lost.js';
import { HeldFrames } from './held-frames.js';

/** What it stands on. */
export interface RemoteMeans {
  readonly clock: EngineClock;
  readonly server: ApiServer;
  readonly link: OuterLink;
}

/** What a request is about. */
interface Asked {
  readonly verb: RequestVerb;
  /** Absent for what is no resource, such as discovery. */
  readonly kind: Kind | undefined;
  readonly name: string | undefined;
}

/** Kept of a request that has come over a slow link. */
const ARRIVED = 'remote-party/arrived';

/** See the file header. */
export class RemoteParty implements RequestWay, LinkUser {
  messages = 0;
  requests = 0;
  isClosed = false;
  readonly #means: RemoteMeans;
  readonly #streams = new Set<HeldFrames>();
  readonly #writes: CarriedWrite[] = [];
  #lastMs = HOST_CLOCK.nowMs();
  #breakOff: () => void = () => undefined;
  #writesLeft: number | undefined;
  #onBroken: (() => void) | undefined;

  constructor(means: RemoteMeans) {
    this.#means = means;
    means.link.join(this);
  }

  get idleForMs(): number {
    return HOST_CLOCK.nowMs() - this.#lastMs;
  }

  get isCalm(): boolean {
    return this.#means.link.isCalm;
  }

  get watches(): number {
    return this.#streams.size;
  }

  get writes(): readonly CarriedWrite[] {
    return this.#writes;
  }

  opened(breakOff: () => void): void {
    this.#breakOff = breakOff;
  }

  closed(): void {
    this.#means.link.leave(this);
  }

  breakOff(_isOutCut = true, isInCut = true): void {
    // What is open goes on where requests alone are lost.
    if (isInCut) this.#breakOff();
  }

  resume(): void {
    /* what has broken off is for the program to open anew */
  }

  hurry(): void {
    for (const stream of this.#streams) stream.hurry();
  }

  breakAfterWrites(writes: number | undefined, onBroken?: () => void): void {
    this.#writesLeft = writes;
    this.#onBroken = onBroken;
  }

  carry(request: ApiRequest, attempts: RequestAttempts, answer: (request: ApiRequest) => ApiAnswer): ApiAnswer {
    const { link, server } = this.#means;
    if (this.isClosed) throw new ConnectionLost();
    this.#note();
    this.requests += 1;
    if (link.isCalm && this.#writesLeft === undefined) return this.#answered(request, answer);
    if (link.passes('out')) this.#travel(attempts);
    const asked = askedOf(server, request);
    if (!link.passes('out')) throw this.#lost(request);
    const fate = asked.kind === undefined ? undefined : link.fateOf(asked.verb, asked.kind, asked.name);
    if (fate === 'lost') throw this.#lost(request);
    if (fate instanceof ApiError) {
      this.#wrote(request, fate.code, true);
      return statusAnswer(fate);
    }
    const got = this.#answered(this.#aged(request, asked), answer, fate);
    if (fate === undefined && link.passes('in')) return got;
    if (typeof fate === 'object') fate.onArrival();
    throw new ConnectionLost();
  }

  /** Has a request wait for its time on a slow link. @throws AdmissionPending */
  #travel(attempts: RequestAttempts): void {
    const { link, clock } = this.#means;
    if (link.isCalm || attempts.memory.has(ARRIVED)) return;
    attempts.memory.set(ARRIVED, true);
    const delayMs = link.drawLatencyMs() * 2;
    if (delayMs === 0) return;
    throw new AdmissionPending(
      new Promise<void>((resolve) => {
        clock.schedule(delayMs, () => {
          resolve();
          clock.settle();
        });
      }),
    );
  }

  #answered(request: ApiRequest, answer: (request: ApiRequest) => ApiAnswer, fate?: RequestFate): ApiAnswer {
    const got = answer(request);
    if (got.type === 'watch') return this.#followed(request, got);
    if (isRead(request)) return got;
    const isCut = this.#writesLeft === 1;
    if (this.#writesLeft !== undefined) this.#writesLeft = isCut ? undefined : this.#writesLeft - 1;
    this.#wrote(request, got.type === 'stream' ? 101 : got.status, fate === undefined && !isCut);
    if (!isCut) return got;
    this.breakOff();
    this.#onBroken?.();
    throw new ConnectionLost();
  }

  #followed(request: ApiRequest, answer: WatchAnswer): WatchAnswer {
    const { clock, link, server } = this.#means;
    const { kind = 'Event' } = askedOf(server, request);
    return {
      ...answer,
      // What says how far a watch has come must not overtake what lags.
      allowsBookmarks: false,
      open: (sink) => {
        const stream = new HeldFrames({ clock, link, kind }, (frame) => {
          this.#note();
          sink(frame);
        });
        this.#streams.add(stream);
        const opened = answer.open((frame) => stream.take(frame));
        return {
          ...opened,
          close: () => {
            this.#streams.delete(stream);
            stream.close();
            opened.close();
          },
        };
      },
    };
  }

  /** Reads that any version will do for are as old as what is told, where that is asked for. */
  #aged(request: ApiRequest, { verb, kind }: Asked): ApiRequest {
    const { link, clock, server } = this.#means;
    const lag = kind === undefined || verb !== 'list' ? undefined : link.lagOf(kind);
    if (kind === undefined || lag?.isStale !== true || request.query.get('resourceVersion') !== '0') return request;
    const nowMs = clock.now();
    const laggingMs = lag.lagMs === Infinity ? nowMs : nowMs - lag.lagMs;
    const query = new URLSearchParams(request.query);
    query.set('resourceVersion', String(server.versionAt(kind, Math.min(laggingMs, lag.pinnedMs ?? nowMs))));
    query.set('resourceVersionMatch', 'Exact');
    return { ...request, query };
  }

  #lost(request: ApiRequest): ConnectionLost {
    this.#wrote(request, 'lost', false);
    return new ConnectionLost();
  }

  #wrote(request: ApiRequest, status: number | 'lost', isAnswered: boolean): void {
    if (isRead(request)) return;
    const { method, path } = request;
    this.#writes.push({ atMs: this.#means.clock.now(), method, path, status, isAnswered });
  }

  #note(): void {
    this.messages += 1;
    this.#lastMs = HOST_CLOCK.nowMs();
  }
}

function isRead({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function askedOf(server: ApiServer, { method, path, query }: ApiRequest): Asked {
  const isWatch = query.get('watch') === 'true' || query.get('watch') === '1';
  const info = resourceRequest(method, path, isWatch);
  if (info?.resource === undefined) return { verb: 'get', kind: undefined, name: undefined };
  const kind = servedBy(server).resource(info.group, info.version, info.resource)?.stored;
  return { verb: info.verb as RequestVerb, kind, name: info.name === '' ? undefined : info.name };
}
