/**
 * Serves the page of a cluster that runs: on the loopback alone, below a path that nothing else can guess. What has
 * changed goes out a few times a second, the charts when there is time for them; nothing is worked out unless a page is open.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '../cluster/cluster.js';
import type { Measurement } from '../cluster/measure.js';
import type { Fault } from '../faults/fault.js';
import { checkedOptions, integerIn, TEXT, wordOf, type Checks } from '../options/option-checks.js';
import { durationMs } from '../options/durations.js';
import { OptionError } from '../options/option-error.js';
import { summarize, type RunSummary } from '../report/run-summary.js';
import { ClusterMap } from './cluster-map.js';
import { liveCharts, livePage, type Facts } from './live-page.js';
import { ClockTime, HeldTime, type LiveTime } from './live-time.js';
import { podsOf, storyOf } from './pod-story.js';

/** How a page is served. */
export interface LivePageOptions {
  /** @defaultValue a free one */
  readonly port?: number;
  /** Words for readers. @defaultValue kubeloom */
  readonly title?: string;
  /**
   * What pauses the cluster and sets its speed: `held` holds the clock of a cluster that was made with `realtime`,
   * `clock` writes the object `clocks/cluster`, which `runByClock` follows. @defaultValue held
   */
  readonly time?: 'held' | 'clock';
  /** With `held`: the speed that the cluster was made with. @defaultValue 1 */
  readonly speed?: number;
}

/** A page that is served. */
export interface LivePage {
  /** With the token in its path. */
  readonly url: string;
  /** Ends it, and lets time pass on. */
  close(): Promise<void>;
}

const OPTIONS: Checks<LivePageOptions> = {
  port: integerIn(0, 65_535),
  title: TEXT,
  time: wordOf('held', 'clock'),
  speed: ['a number > 0', (value) => typeof value === 'number' && value > 0],
};
const HOST = '127.0.0.1';
/** How often what has changed goes out, ms. */
const FRAME_MS = 200;
/** Charts may take this share of real time. */
const CHART_SHARE = 0.1;
const LEAST_CHART_MS = 1000;
const LONGEST_BODY = 65_536;
/** What a reader has not taken is not piled up for it. */
const MOST_BUFFERED = 4_000_000;

/** Begins to serve. @throws OptionError */
export async function openLivePage(cluster: Cluster, options: LivePageOptions = {}): Promise<LivePage> {
  const { port = 0, title = 'kubeloom', time = 'held', speed = 1 } = checkedOptions('', options, OPTIONS);
  return new LiveServer(cluster, title, time === 'held' ? new HeldTime(cluster, speed) : new ClockTime(cluster)).open(
    port,
  );
}

class LiveServer {
  readonly #cluster: Cluster;
  readonly #title: string;
  readonly #time: LiveTime;
  readonly #measurement: Measurement;
  readonly #map: ClusterMap;
  readonly #server: Server;
  readonly #readers = new Set<ServerResponse>();
  readonly #token = randomBytes(24).toString('base64url');
  readonly #faults = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #chartsDueMs = 0;

  constructor(cluster: Cluster, title: string, time: LiveTime) {
    this.#cluster = cluster;
    this.#title = title;
    this.#time = time;
    this.#measurement = cluster.measure();
    this.#map = new ClusterMap(cluster);
    cluster.faults.follow({
      begun: ({ id }) => void this.#faults.add(id),
      healed: ({ id }) => void this.#faults.delete(id),
    });
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  async open(port: number): Promise<LivePage> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, HOST, resolve);
    });
    this.#timer = setInterval(() => this.#tick(), FRAME_MS);
    const { port: actual } = this.#server.address() as AddressInfo;
    return { url: `http://${HOST}:${actual}/${this.#token}/`, close: () => this.#close() };
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    this.#time.release();
    this.#measurement.stop();
    this.#map.close();
    for (const reader of this.#readers) reader.end();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
    const [, token = '', place = '', ...more] = pathname.split('/');
    if (!this.#isToken(token) || !this.#isOwnHost(request.headers.host) || more.length > 0)
      return answer(response, 404, { message: 'not found' });
    try {
      await this.#answer(request, response, place, searchParams);
    } catch (error) {
      answer(response, 400, { message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    place: string,
    query: URLSearchParams,
  ): Promise<void> {
    if (request.method === 'POST' && place === 'do') return answer(response, 200, this.#act(await bodyOf(request)));
    if (request.method !== 'GET') return answer(response, 405, { message: 'only do is written to' });
    switch (place) {
      case '':
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(livePage(this.#summary()));
        return;
      case 'events':
        return this.#listen(response);
      case 'pods':
        return answer(response, 200, { pods: podsOf(this.#cluster, query.get('node') ?? undefined) });
      case 'pod':
        return answer(response, 200, storyOf(this.#cluster, query.get('key') ?? ''));
      default:
        return answer(response, 404, { message: 'not found' });
    }
  }

  #isToken(text: string): boolean {
    const [given, own] = [Buffer.from(text), Buffer.from(this.#token)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  /** A name that leads here from elsewhere is not answered. */
  #isOwnHost(host = ''): boolean {
    return /^(?:127\.0\.0\.1|localhost):\d+$/.test(host);
  }

  #listen(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    send(response, { map: this.#map.all(), ...this.#present(), ...liveCharts(this.#summary()) });
    this.#readers.add(response);
    response.on('close', () => this.#readers.delete(response));
  }

  #tick(): void {
    const map = this.#map.take();
    if (this.#readers.size === 0) return;
    const now = performance.now();
    let charts = {};
    if (now >= this.#chartsDueMs) {
      charts = liveCharts(this.#summary());
      this.#chartsDueMs = now + Math.max(LEAST_CHART_MS, (performance.now() - now) / CHART_SHARE);
    }
    const text = { map, ...this.#present(), ...charts };
    for (const reader of this.#readers) {
      // A reader that is behind comes anew, and begins with everything.
      if (reader.writableLength > MOST_BUFFERED) reader.destroy();
      else send(reader, text);
    }
  }

  #present(): { readonly facts: Facts; readonly time: LiveTime['state'] } {
    const { nowMs, pods, nodes } = this.#cluster.stats();
    const { totals } = this.#measurement;
    const facts: Facts = {
      now: `${(nowMs / 1000).toFixed(1)} s`,
      podsReady: String(pods.ready),
      podsTotal: String(pods.total),
      nodesReady: `${totals.nodes_ready} of ${nodes.total}`,
      unschedulable: String(totals.unschedulable),
      faults: String(this.#faults.size),
    };
    return { facts, time: this.#time.state };
  }

  #summary(): RunSummary {
    const { seed, epochMs } = this.#cluster;
    const run = {
      title: this.#title,
      kind: 'live',
      program: '',
      seed,
      traceHash: '',
      epochMs,
      checks: [],
      thresholds: [],
    };
    return summarize(this.#measurement.read(), run);
  }

  /** @throws OptionError, FaultError */
  #act(asked: Readonly<Record<string, unknown>>): { readonly told: string } {
    const { fault, for: lasting, step, speed } = asked;
    if ('pause' in asked) this.#time.pause();
    else if ('resume' in asked) this.#time.resume();
    else if ('step' in asked) this.#time.step(durationMs('step', step as string));
    else if ('speed' in asked) {
      if (typeof speed !== 'number') throw new OptionError('speed', 'a number > 0', speed);
      this.#time.setSpeed(speed);
    } else if ('heal' in asked) this.#cluster.faults.healAll();
    else if ('fault' in asked) {
      const described = { ...(fault as object), ...(lasting === undefined || lasting === '' ? {} : { for: lasting }) };
      this.#cluster.faults.inject(described as Fault);
      return { told: `injected ${JSON.stringify(described)}` };
    } else
      throw new OptionError(
        'what to do',
        'one of pause, resume, step, speed, fault, heal',
        Object.keys(asked).join(', '),
      );
    return { told: '' };
  }
}

function send(response: ServerResponse, data: object): void {
  response.write(`data: ${JSON.stringify(data)}\n\n`);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LONGEST_BODY)
      throw new OptionError('the body', `at most ${LONGEST_BODY} characters`, text.length);
  }
  const body: unknown = JSON.parse(text);
  if (typeof body === 'object' && body !== null) return body as Readonly<Record<string, unknown>>;
  throw new OptionError('the body', 'an object', body);
}
