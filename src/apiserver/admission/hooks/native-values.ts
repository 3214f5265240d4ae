/** Values of expressions as Go holds them, which is not always as JSON does: no field of an object takes the others. */
import { CelDuration, CelOptional, CelTime, plainValue, type CelMap, type CelValue } from '../../../api/cel/values.js';
import { GoValue } from '../../../api/ownership/typed-problems.js';
import { MONTH_NAMES } from '../../../kernel/calendar.js';

/** See the file header. */
export function nativeValue(value: CelValue): unknown {
  if (value === null) return new GoValue('NULL_VALUE', '0', 'structpb.NullValue');
  if (value instanceof CelTime) return timeValue(value);
  if (value instanceof CelDuration) return new GoValue(`${Number(value.ns) / 1e9}s`, String(value.ns), 'time.Duration');
  if (value instanceof Uint8Array) return bytesValue(value);
  if (value instanceof CelOptional) return value.value === undefined ? undefined : nativeValue(value.value);
  if (Array.isArray(value)) return (value as readonly CelValue[]).map(nativeValue);
  if (!(value instanceof Map)) return plainValue(value);
  const fields = [...(value as CelMap)] as readonly (readonly [string, CelValue])[];
  return Object.fromEntries(fields.map(([name, each]) => [name, nativeValue(each)]));
}

const SECOND_NS = 1_000_000_000n;

function timeValue(time: CelTime): GoValue {
  const shown = plainValue(time) as string;
  const [year, month, day, hours, minutes, seconds] = (shown.match(/\d+/g) ?? []).map(Number);
  const name = MONTH_NAMES[(month ?? 1) - 1];
  const parts = [year, `time.${name}`, day, hours, minutes, seconds, time.ns % SECOND_NS, 'time.UTC'].join(', ');
  return new GoValue(`${shown.slice(0, 10)} ${shown.slice(11, 19)} +0000 UTC`, `time.Date(${parts})`, 'time.Time');
}

function bytesValue(bytes: Uint8Array): GoValue {
  const all = [...bytes];
  const syntax = all.map((each) => `0x${each.toString(16)}`).join(', ');
  return new GoValue(`[${all.join(' ')}]`, `[]uint8{${syntax}}`, '[]uint8');
}
