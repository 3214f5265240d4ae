/** Parts of moments and spans (cel-go v0.26 common/stdlib; without a zone in UTC). */
import { CelError, timeParts, type CelDuration, type CelTime, type TimeParts } from '../values.js';
import { functionTable, type FunctionTable } from './function-table.js';

const OFFSET = /^([+-]?)(\d\d):(\d\d)$/;

/** How far a zone is from UTC at a moment. @throws CelError for a zone that there is not */
function offsetSeconds(zone: string, { ns }: CelTime): number {
  const fixed = OFFSET.exec(zone);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    return (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
  }
  if (zone === 'UTC' || zone === '') return 0;
  try {
    // The offsets of zones are the same whatever the host's.
    // oxlint-disable-next-line no-restricted-globals
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const shown = format.formatToParts(Number(ns / 1_000_000n)).find(({ type }) => type === 'timeZoneName');
    const [, sign, hours = '0', minutes = '0', seconds = '0'] =
      /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(shown?.value ?? '') ?? [];
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function part(name: string, of: (parts: TimeParts) => number): FunctionTable {
  return functionTable({
    [`timestamp::${name}() -> int`]: (time: CelTime) => BigInt(of(timeParts(time))),
    [`timestamp::${name}(string) -> int`]: (time: CelTime, zone: string) =>
      BigInt(of(timeParts(time, offsetSeconds(zone, time)))),
  });
}

export const TIME_FUNCTIONS = functionTable({
  ...part('getFullYear', ({ year }) => year),
  ...part('getMonth', ({ month }) => month - 1),
  ...part('getDayOfYear', ({ dayOfYear }) => dayOfYear),
  ...part('getDate', ({ day }) => day),
  ...part('getDayOfMonth', ({ day }) => day - 1),
  ...part('getDayOfWeek', ({ weekday }) => weekday),
  ...part('getHours', ({ hour }) => hour),
  ...part('getMinutes', ({ minute }) => minute),
  ...part('getSeconds', ({ second }) => second),
  ...part('getMilliseconds', ({ ns }) => Math.floor(ns / 1e6)),
  'duration::getHours() -> int': ({ ns }: CelDuration) => ns / 3_600_000_000_000n,
  'duration::getMinutes() -> int': ({ ns }: CelDuration) => ns / 60_000_000_000n,
  'duration::getSeconds() -> int': ({ ns }: CelDuration) => ns / 1_000_000_000n,
  'duration::getMilliseconds() -> int': ({ ns }: CelDuration) => ns / 1_000_000n,
});
