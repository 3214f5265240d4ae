/** JSON values as Go prints them with `%v`: maps by name, without quotes, whole numbers as such. */
export function printGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => printGo(item)).join(' ')}]`;
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).sort();
  return `map[${names.map((name) => `${name}:${printGo(fields[name])}`).join(' ')}]`;
}

/** From here on a number of JSON is no int64 any more. */
const INTEGERS = 2 ** 63;
/** Powers of ten between which Go writes a float64 without an exponent. */
const [LEAST_POWER, MOST_POWER] = [-4, 21];

function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < INTEGERS) return String(value);
  const [digits = '', power = '0'] = value.toExponential().split('e');
  if (Number(power) >= LEAST_POWER && Number(power) < MOST_POWER) return String(value);
  const sign = power.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${power.slice(1).padStart(2, '0')}`;
}
