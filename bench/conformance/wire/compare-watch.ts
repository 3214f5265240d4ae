/** Holds the frames of a watch against the recorded ones. */
import { canonicalJson } from '../../../src/api/values/canonical-json.js';
import { isObject, type Json } from '../recorded-lines.js';
import type { WireDifference } from './compare-exchange.js';
import { maskedBody } from './masks.js';
import { jsonOrText } from './recording-proxy.js';
import type { RecordedFrame } from './wire-recording.js';

/**
 * What was told last of each object, and that nothing was told of any other: how many steps an object takes on its way
 * is left to timing.
 */
export function compareFrames(recorded: readonly RecordedFrame[], text: string): readonly WireDifference[] {
  const theirs = lastFrames(recorded.map(({ line }) => line));
  const ours = lastFrames(text.split('\n').filter(Boolean).map(jsonOrText));
  const differences: WireDifference[] = [];
  for (const [key, frame] of theirs) {
    const mine = ours.get(key);
    if (mine === undefined || canonicalJson(mine) !== canonicalJson(frame)) {
      differences.push({ field: `frame of ${key}`, recorded: frame, ours: mine ?? null });
    }
  }
  return differences;
}

function lastFrames(frames: readonly Json[]): ReadonlyMap<string, Json> {
  const last = new Map<string, Json>();
  for (const frame of frames) {
    if (!isObject(frame) || frame['type'] === 'BOOKMARK') continue;
    const masked = maskedBody(frame);
    last.set(nameOf(frame['object']), masked);
  }
  return last;
}

function nameOf(object: Json): string {
  if (!isObject(object)) return '';
  const { metadata, rows } = object;
  if (Array.isArray(rows)) {
    const [row] = rows as readonly Json[];
    return isObject(row) ? nameOf(row['object']) : '';
  }
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
