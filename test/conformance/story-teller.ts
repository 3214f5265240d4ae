/** Tells a story in the form of a recording: our own control plane does what it does, at whatever pace. */
import { ControlPlane } from '../../bench/conformance/stories/control-plane.js';
import { RecordedChoices } from '../../bench/conformance/stories/recorded-choices.js';
import { sendRequest } from '../../bench/conformance/stories/rest-request.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';
import type { AnyObject, Kind } from '../../src/api/objects/objects.js';
import type { Latency } from '../../src/bus/bus-types.js';
import type { MapOrder } from '../../src/controllers/runtime/map-order.js';
import type { Line } from './story-lines.js';

/** A request of the story, and how long the story waits after it. */
export interface Step {
  readonly mark: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  readonly path: string | ((names: NamesOf) => string);
  /** A function is told the names of that moment. */
  readonly body?: unknown;
  /** Of a patch; the others send JSON. */
  readonly contentType?: string;
  readonly thenMs: number;
}

/** Names of the objects of a kind at that moment, in order. */
export type NamesOf = (kind: Kind) => readonly string[];

/** What is told, and what the watches are for. */
export interface Scene {
  /** What is done before the watches begin; they list then what there is. @defaultValue nothing, and no lists */
  readonly before?: readonly Step[];
  readonly watched: readonly Kind[];
  readonly steps: readonly Step[];
}

/** How fast the control plane is that a story is told by. */
export interface Pace {
  readonly seed: string;
  readonly schedulerLatency: Latency;
  readonly controllersLatency: Latency;
  /** What its controllers meet first. @defaultValue what came first */
  readonly mapOrder?: MapOrder;
}

const NAMESPACE = 'told';
const NO_STORY = { marks: [], actions: [], events: [], lastMs: 0 };
/** Before the first request. */
const QUIET_MS = 40;
/** From its mark to its being sent, and from there to its being written down. */
const SENDING_MS = 6;
const ANSWERING_MS = 5;
const CLUSTER = {
  nodes: ['node-000000', 'node-000001', 'node-000002', 'node-000003'],
  neighbours: [],
  namespaces: [NAMESPACE],
  objects: [],
  startMs: Date.UTC(2026, 10, 20, 23, 58, 7, 300),
};

/** A line with the milliseconds since the start. */
export type TimedLine = Line & { readonly ms: number };

/** Plays a scene and writes it down. */
export async function tellStory(scene: Scene, pace: Pace): Promise<TimedLine[]> {
  const teller = new Teller(scene, pace);
  await teller.tell();
  return JSON.parse(JSON.stringify(teller.lines)) as TimedLine[];
}

class Teller {
  readonly lines: Line[] = [];
  readonly #scene: Scene;
  readonly #plane: ControlPlane;
  /** When the story began. */
  #startMs = 0;
  #nowMs = 0;

  constructor(scene: Scene, pace: Pace) {
    this.#scene = scene;
    this.#plane = new ControlPlane(new RecordedChoices(NO_STORY), CLUSTER, pace);
  }

  async tell(): Promise<void> {
    const { before, watched, steps } = this.#scene;
    await this.#plane.start();
    for (const step of before ?? []) await this.#take(step);
    this.lines.length = 0;
    this.#startMs = this.#nowMs;
    for (const kind of watched) this.#watch(kind, before !== undefined);
    await this.#wait(QUIET_MS);
    for (const step of steps) await this.#take(step);
    this.#write({ mark: 'end' });
    await this.#plane.dispose();
  }

  #watch(kind: Kind, isListed: boolean): void {
    const { plural: res, isNamespaced } = kindRegistry[kind];
    const isTold = (object: AnyObject): boolean => !isNamespaced || object.metadata.namespace === NAMESPACE;
    if (isListed) {
      const objects = this.#plane.server.list(kind, {}).items.filter(isTold);
      for (const object of objects) this.#write({ res, event: { type: 'ADDED', object } });
    }
    this.#plane.watch(kind, ({ type, object }, atMs) => {
      if (isTold(object)) this.lines.push({ ms: atMs - this.#startMs, res, event: { type, object } });
    });
  }

  async #take({ mark, method, path, body = null, contentType = 'application/json', thenMs }: Step): Promise<void> {
    this.#write({ mark });
    await this.#wait(SENDING_MS);
    const names: NamesOf = (kind) => this.#namesOf(kind);
    const target = typeof path === 'string' ? path : path(names);
    const content: unknown = typeof body === 'function' ? (body as (names: NamesOf) => unknown)(names) : body;
    const request = { method, path: target, contentType, body: content };
    const { code, message, value } = sendRequest(this.#plane, request);
    await this.#wait(ANSWERING_MS);
    const response = code < 400 ? value : { kind: 'Status', message, code };
    this.#write({ action: mark, request, status: code, response });
    await this.#wait(thenMs);
  }

  #namesOf(kind: Kind): readonly string[] {
    const { items } = this.#plane.server.list(kind, kindRegistry[kind].isNamespaced ? { namespace: NAMESPACE } : {});
    return items.map(({ metadata }) => metadata.name);
  }

  async #wait(ms: number): Promise<void> {
    this.#nowMs += ms;
    await this.#plane.runUntil(this.#nowMs);
  }

  #write(line: Line): void {
    this.lines.push({ ms: this.#nowMs - this.#startMs, ...line });
  }
}
