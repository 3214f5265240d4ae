/**
 * Sends recorded requests as they stand. What the recorded server had handed out before, such as versions and tokens
 * of lists, is replaced by what ours handed out in the same place.
 */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';
import { maskedBody } from './masks.js';
import { jsonOrText, type Exchange } from './recording-proxy.js';
import { isLeftOut, type RecordedExchange } from './wire-recording.js';

/** Fields whose values clients send back. */
const HANDED_OUT: ReadonlySet<string> = new Set(['resourceVersion', 'continue', 'uid']);
/** Parameters that hold them. */
const PARAMETERS = ['resourceVersion', 'continue'] as const;
/** Requests that go to our server and back, one after the other, while frames that it has written come here. */
const ROUND_TRIPS = 3;
/** Real time that an answer has to come in. */
const ANSWER_MS = 10_000;

/** An answer of ours. */
export interface Answered {
  readonly status: number;
  /** As much as has come. */
  text(): string;
  /** Ends a watch. */
  end(): void;
}

/** See the file header. */
export class RecordedSender {
  readonly #url: string;
  /** Recorded value to ours. */
  readonly #ours = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether the recording holds all that was sent; options of a deletion that it does not hold are the usual ones. */
  static canSend({ body, method }: RecordedExchange): boolean {
    return !isLeftOut(body) || method === 'DELETE';
  }

  /** Sends one request. @returns its whole answer, or, of a watch, one that goes on */
  async send(recorded: RecordedExchange): Promise<Answered> {
    const { method, path, headers, answer } = recorded;
    const query = this.#query(recorded);
    const key = `${path} ${headers['accept'] ?? ''}`;
    const tag = answer.status === 304 ? this.#tags.get(key) : undefined;
    const body = this.#body(recorded);
    const end = new AbortController();
    const isWatch = answer.lines !== undefined;
    const got = await fetch(`${this.#url}${this.#path(path)}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: { ...headers, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
      redirect: 'manual',
      signal: isWatch ? end.signal : AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body }),
    });
    const etag = got.headers.get('etag');
    if (etag !== null) this.#tags.set(key, etag);
    const { status } = got;
    if (!isWatch) {
      const text = await got.text();
      return { status, text: () => text, end: () => undefined };
    }
    let text = '';
    void readAll(got, (part) => (text += part));
    return { status, text: () => text, end: () => end.abort() };
  }

  /**
   * Waits until what our server has written to watches has come: it writes on the loop on which this reads, and turns of
   * that loop count, not milliseconds, of which a busy machine lets some pass without a turn.
   */
  async framesAreHere(): Promise<void> {
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) await (await fetch(`${this.#url}/version`)).text();
  }

  /** Notes what our server handed out in place of what the recorded one did. */
  learn({ answer }: RecordedExchange, ours: Answered): void {
    const body = jsonOrText(ours.text());
    this.#learnEvents(answer.body, body);
    this.#learn(answer.body, body);
  }

  #path(path: string): string {
    const at = path.lastIndexOf('/');
    const name = path.slice(at + 1);
    const ours = this.#ours.get(name);
    return ours === undefined ? path : `${path.slice(0, at + 1)}${ours}`;
  }

  #query({ query }: RecordedExchange): string {
    const parameters = new URLSearchParams(query);
    parameters.delete('hash');
    for (const name of PARAMETERS) {
      const value = parameters.get(name);
      const ours = value === null ? undefined : this.#ours.get(value);
      if (ours !== undefined) parameters.set(name, ours);
    }
    return parameters.toString();
  }

  #body({ body, headers }: RecordedExchange): string | undefined {
    if (body === null || body === undefined || isLeftOut(body)) return undefined;
    const isYaml = headers['content-type']?.includes('yaml') === true;
    if (typeof body === 'string' && isYaml) return body;
    return JSON.stringify(this.#replaced(body));
  }

  #replaced(value: Json): Json {
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => this.#replaced(item));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, field]): [string, Json] => {
      const isHandedOut = HANDED_OUT.has(name) || (name === 'value' && value['path'] === '/metadata/resourceVersion');
      if (typeof field === 'string' && isHandedOut) return [name, this.#ours.get(field) ?? field];
      return [name, this.#replaced(field)];
    });
    return Object.fromEntries(entries);
  }

  #learn(recorded: Json, ours: Json): void {
    if (Array.isArray(recorded) && Array.isArray(ours)) {
      for (const [index, item] of (recorded as readonly Json[]).entries()) {
        this.#learn(item, (ours as readonly Json[])[index]);
      }
      return;
    }
    if (!isObject(recorded) || !isObject(ours)) return;
    for (const [name, field] of Object.entries(recorded)) {
      const mine = ours[name];
      if (!HANDED_OUT.has(name)) this.#learn(field, mine);
      else if (typeof field === 'string' && typeof mine === 'string' && field !== '') this.#ours.set(field, mine);
    }
  }

  /** Records of events have names of their own in each cluster: equal ones are taken for each other. */
  #learnEvents(recorded: Json, ours: Json): void {
    const mine = new Map(eventsOf(ours).map((event) => [canonicalJson(maskedBody(event)), nameOf(event)]));
    for (const event of eventsOf(recorded)) {
      const name = mine.get(canonicalJson(maskedBody(event)));
      if (name !== undefined) this.#ours.set(nameOf(event), name);
    }
  }
}

/** The answer of a watch without what it has told. */
export function withoutFrames({ status }: Answered): Pick<Exchange, 'status' | 'text'> {
  return { status, text: '' };
}

async function readAll(got: Response, tell: (part: string) => void): Promise<void> {
  try {
    const decoder = new TextDecoder();
    for await (const chunk of got.body ?? []) tell(decoder.decode(chunk as Uint8Array, { stream: true }));
  } catch {
    // The watch was ended, or our cluster has ended it.
  }
}

function eventsOf(body: Json): readonly JsonObject[] {
  if (!isObject(body) || !Array.isArray(body['items'])) return [];
  return (body['items'] as readonly Json[]).filter(
    (item) => isObject(item) && isObject(item['involvedObject']),
  ) as JsonObject[];
}

function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
