/**
 * Sends the requests of one command as they were recorded. A recording says roughly when each was sent, and its
 * controllers took their own time: what is only read is asked for again, a little later each time, until it is what was
 * recorded or the time is over.
 */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject } from '../recorded-lines.js';
import { compareExchange, type ExchangeVerdict, type OwnObjects } from './compare-exchange.js';
import { compareFrames } from './compare-watch.js';
import { maskedBody } from './masks.js';
import { jsonOrText } from './recording-proxy.js';
import { withoutFrames, type Answered, type RecordedSender } from './recorded-sender.js';
import type { TimedCommand } from './sightings.js';
import type { WireCluster } from './wire-cluster.js';
import type { RecordedExchange } from './wire-recording.js';

/** Simulated time between two looks at first; later it is longer each time. */
const STEP_MS = 3;
const SHORT_LOOKS = 40;
const LONGER = 1.5;
/** How long after its recorded time a request may still find what was recorded. */
const LATE_MS = 1500;
const SLACK_MS = 15;

/** A recorded request, and how our answer to it differs. */
export interface AnsweredExchange {
  readonly exchange: RecordedExchange;
  readonly verdict: ExchangeVerdict;
  /** When it was sent at last, by the recorded clock. */
  readonly sentMs: number;
}

function stepAfter(look: number): number {
  return Math.round(STEP_MS * LONGER ** Math.max(0, look - SHORT_LOOKS));
}

/** Before a write of an object, until its status is what the recorded answer shows. */
async function untilAsRecorded(
  sender: RecordedSender,
  cluster: WireCluster,
  exchange: RecordedExchange,
  dueMs: number,
): Promise<void> {
  const { body, status } = exchange.answer;
  const isOfObject = (exchange.method === 'PATCH' || exchange.method === 'PUT') && status === 200;
  if (!isOfObject || !isObject(body) || body['status'] === undefined) return cluster.runUntil(dueMs);
  const wanted = canonicalJson(maskedBody(body['status']));
  const read: RecordedExchange = { ...exchange, method: 'GET', query: '', body: null, headers: {} };
  for (let look = 0; cluster.recordedMs < dueMs + LATE_MS; look += 1) {
    const live = jsonOrText((await sender.send(read)).text());
    if (isObject(live) && canonicalJson(maskedBody(live['status'] ?? null)) === wanted) return;
    await cluster.runUntil(cluster.recordedMs + stepAfter(look));
  }
}

/** See the file header. */
export async function sendCommand(
  sender: RecordedSender,
  cluster: WireCluster,
  command: TimedCommand,
  own: OwnObjects,
): Promise<readonly AnsweredExchange[]> {
  const answered: AnsweredExchange[] = [];
  const watches: { readonly exchange: RecordedExchange; readonly answer: Answered; readonly at: number }[] = [];
  let hasLooked = false;
  for (const exchange of command.exchanges) {
    const dueMs = command.startMs + exchange.ms;
    const isRead = exchange.method === 'GET' && exchange.answer.lines === undefined;
    if (exchange.answer.lines !== undefined && !hasLooked) await cluster.runUntil(dueMs);
    else if (!isRead) await untilAsRecorded(sender, cluster, exchange, dueMs);
    let answer = await sender.send(exchange);
    if (exchange.answer.lines !== undefined) {
      watches.push({ exchange, answer, at: answered.length });
      answered.push({
        exchange,
        verdict: compareExchange(exchange, withoutFrames(answer), own),
        sentMs: cluster.recordedMs,
      });
      continue;
    }
    let verdict = compareExchange(exchange, answer, own);
    const mayChange = isRead && /^\/apis?\/.+\/.+/.test(exchange.path);
    const lastMs = mayChange ? dueMs + LATE_MS : 0;
    let looks = 0;
    for (; verdict.differences.length > 0 && cluster.recordedMs < lastMs; looks += 1) {
      await cluster.runUntil(cluster.recordedMs + stepAfter(looks));
      answer = await sender.send(exchange);
      verdict = compareExchange(exchange, answer, own);
    }
    sender.learn(exchange, answer);
    hasLooked = mayChange;
    // kubectl's requests are some milliseconds on their way, in which controllers are not to fall behind.
    answered.push({ exchange, verdict, sentMs: cluster.recordedMs + (looks > 0 ? SLACK_MS : 0) });
  }
  for (const { exchange, answer, at } of watches) {
    const lines = exchange.answer.lines ?? [];
    const lastMs = command.startMs + Math.max(exchange.ms, ...lines.map(({ ms }) => ms));
    const isOther = (answered[at]?.verdict.differences.length ?? 0) > 0;
    let differences = compareFrames(lines, answer.text());
    const endMs = isOther ? 0 : lastMs + LATE_MS;
    for (let look = SHORT_LOOKS; differences.length > 0 && cluster.recordedMs < endMs; look += 1) {
      await cluster.runUntil(cluster.recordedMs + stepAfter(look));
      await sender.framesAreHere();
      differences = compareFrames(lines, answer.text());
    }
    answer.end();
    const before = answered[at];
    if (before !== undefined && !isOther) {
      answered[at] = { ...before, verdict: { compared: new Set(['status', 'body']), differences } };
    }
  }
  return answered;
}
