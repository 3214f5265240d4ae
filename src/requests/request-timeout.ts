/**
 * The option `timeout` of every request that does not last (apiserver's filters/request_deadline.go, v1.34). Nothing
 * takes that long here, so that only its form counts.
 */
import { badRequest } from '../apiserver/store/api-errors.js';

const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/** @throws ApiError 400 for what is no duration of Go */
export function checkTimeout(query: URLSearchParams): void {
  const text = query.get('timeout') ?? '';
  const problem = text === '' ? undefined : durationProblem(text);
  if (problem !== undefined) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

/** What Go's time.ParseDuration says of a text that is no duration. */
function durationProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return `invalid duration ${quoted}`;
  while (rest !== '') {
    const [whole = '', amount, unit = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (amount === undefined) return `invalid duration ${quoted}`;
    if (unit === '') return `missing unit in duration ${quoted}`;
    if (!UNITS.has(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(whole.length);
  }
  return undefined;
}
