/**
 * Times as `kwokctl snapshot export` writes them: how many nanoseconds away from the moment of the export, as in
 * `$(time-offset-nanosecond -1500000000)` (pkg/kwokctl/recording/time.go). That moment is not written down. Pure.
 */
import { createTimestamps } from '../../kernel/timestamps.js';

const OPENING = '$(time-offset-nanosecond ';
const OFFSET = /^-?\d{1,18}(?=\))/;
const LONGEST = OPENING.length + 20;
/** Where nothing tells of a time, clusters begin here. */
const MOMENT = createTimestamps('2030-01-01T00:00:00Z');
const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_MICROSECOND = 1000n;
const MS_PER_SECOND = 1000;
const MICROSECOND_DIGITS = 6;

/**
 * With times in place of distances. Most times of Kubernetes have whole seconds; the first one, a creation, has them,
 * which tells by how much of a second the moment of the export was off.
 */
export function withAbsoluteTimes(bytes: Buffer): Buffer {
  let found = bytes.indexOf(OPENING);
  if (found === -1) return bytes;
  const pieces: Uint8Array[] = [];
  let phase: bigint | undefined;
  let taken = 0;
  for (; found !== -1; found = bytes.indexOf(OPENING, found + 1)) {
    const start = found + OPENING.length;
    const [offset] = OFFSET.exec(bytes.toString('latin1', start, found + LONGEST)) ?? [];
    if (offset === undefined) continue;
    phase ??= fractionOf(-BigInt(offset));
    pieces.push(bytes.subarray(taken, found), Buffer.from(timeAt(BigInt(offset) + phase)));
    taken = start + offset.length + 1;
  }
  return Buffer.concat([...pieces, bytes.subarray(taken)]);
}

/** Of a second, in nanoseconds. */
function fractionOf(nanoseconds: bigint): bigint {
  return ((nanoseconds % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND;
}

function timeAt(offset: bigint): string {
  const fraction = fractionOf(offset);
  const seconds = Number((offset - fraction) / NANOSECONDS_PER_SECOND);
  const time = MOMENT.toTime(seconds * MS_PER_SECOND);
  const microseconds = fraction / NANOSECONDS_PER_MICROSECOND;
  if (microseconds === 0n) return time;
  return `${time.slice(0, -1)}.${String(microseconds).padStart(MICROSECOND_DIGITS, '0')}Z`;
}
