/**
 * Exact resource quantities: `500m`, `1.5Gi`, `1e3`. Arithmetic is on whole nano-units in a bigint, so
 * nothing is ever lost; hot paths ask the caches at the end, which answer in plain numbers.
 * Mirrors apimachinery's api/resource Quantity (v1.34): syntax, rounding, caps and canonical form.
 */

/** How a quantity is printed. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount; immutable. */
export interface Quantity {
  /** The amount in units of 10⁻⁹. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** A text that is no quantity. `message` is Kubernetes' text. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const FORMAT_TEXT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_TEXT = 'unable to parse numeric part of quantity';
const SUFFIX_TEXT = "unable to parse quantity's suffix";

/** No digit may follow the digits, so that none of them is tried twice: texts may be 100,000 digits long. */
const SYNTAX = /^([+-]?)(\d*)(?!\d)(?:\.(\d*)(?!\d))?([eEinumkKMGTP]*[-+]?\d*)$/;
const EXPONENT = /^[eE]([-+]?\d+)$/;

const NANO_DIGITS = 9;
const NANOS_PER_UNIT = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;
/** The largest amount with a binary suffix, and the largest that counts as a number, 2⁶³ − 1 units. */
const MAX_NANOS = 9_223_372_036_854_775_807n * NANOS_PER_UNIT;
/** Beyond these powers of ten everything is capped, or rounds up to one nano-unit. */
const EXPONENT_LIMIT = 64;

/** Powers of ten by suffix. */
export const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const LARGEST_EXPONENT = Math.max(...DECIMAL_EXPONENTS.values());
const DECIMAL_SUFFIXES: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_EXPONENTS].map(([text, power]) => [power, text]),
);
/** By power of 1024. */
export const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Nothing, in decimal form. */
export const ZERO_QUANTITY: Quantity = { nanos: 0n, format: 'DecimalSI' };

/**
 * Reads a quantity. Finer than nano is rounded away from zero; with a binary suffix, more than 2⁶³ − 1 is capped.
 *
 * @throws {@link QuantityError}
 */
export function parseQuantity(text: string | number): Quantity {
  const source = typeof text === 'number' ? String(text) : text.trim();
  const match = SYNTAX.exec(source);
  if (match === null || source === '') throw new QuantityError(FORMAT_TEXT);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const digits = whole + fraction;
  const { binaryPower, exponent, format } = interpretSuffix(suffix);
  if (digits === '') throw new QuantityError(source === sign + suffix ? FORMAT_TEXT : NUMERIC_TEXT);
  const unscaled = BigInt(digits) << BigInt(binaryPower);
  const scaled = scaledUp(unscaled, exponent - fraction.length + NANO_DIGITS);
  const nanos = format === 'BinarySI' ? capped(scaled) : scaled;
  const isBelowOne = nanos > 0n && nanos < NANOS_PER_UNIT;
  return {
    nanos: sign === '-' ? -nanos : nanos,
    format: format === 'BinarySI' && isBelowOne ? 'DecimalSI' : format,
  };
}

function interpretSuffix(suffix: string): { binaryPower: number; exponent: number; format: QuantityFormat } {
  const decimal = DECIMAL_EXPONENTS.get(suffix);
  if (decimal !== undefined) return { binaryPower: 0, exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { binaryPower: binary * 10, exponent: 0, format: 'BinarySI' };
  const power = EXPONENT.exec(suffix)?.[1];
  if (power === undefined) throw new QuantityError(SUFFIX_TEXT);
  return { binaryPower: 0, exponent: Number(power), format: 'DecimalExponent' };
}

/** `unscaled · 10^power`, rounded up. */
function scaledUp(unscaled: bigint, power: number): bigint {
  if (unscaled === 0n) return 0n;
  if (power >= 0) return unscaled * 10n ** BigInt(Math.min(power, EXPONENT_LIMIT));
  const digits = unscaled.toString().length;
  return -power > digits ? 1n : dividedUp(unscaled, 10n ** BigInt(-power));
}

function capped(nanos: bigint): bigint {
  return nanos > MAX_NANOS ? MAX_NANOS : nanos;
}

/** Division that rounds towards positive infinity; the divisor is positive. */
function dividedUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend > 0n && dividend % divisor !== 0n ? quotient + 1n : quotient;
}

/** Like {@link dividedUp} but away from zero, as upstream rounds. */
function dividedAway(dividend: bigint, divisor: bigint): bigint {
  return dividend < 0n ? -dividedUp(-dividend, divisor) : dividedUp(dividend, divisor);
}

/** The amount in thousandths, rounded away from zero: CPU in millicores. */
export function milliValue({ nanos }: Quantity): number {
  return Number(dividedAway(capped(nanos), NANOS_PER_MILLI));
}

/** The amount in whole units, rounded away from zero: memory in bytes. */
export function value({ nanos }: Quantity): number {
  return Number(dividedAway(capped(nanos), NANOS_PER_UNIT));
}

/** Whether the amount has no fraction. */
export function isWhole({ nanos }: Quantity): boolean {
  return nanos % NANOS_PER_UNIT === 0n;
}

/** Whether the amount is above zero. */
export function isPositive({ nanos }: Quantity): boolean {
  return nanos > 0n;
}

/** Whether the amount is below zero. */
export function isNegative({ nanos }: Quantity): boolean {
  return nanos < 0n;
}

/** Negative, zero or positive as `left` is less than, equal to or more than `right`. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  return left.nanos < right.nanos ? -1 : Number(left.nanos > right.nanos);
}

/** The exact sum, in the form of `left` (of `right` when `left` is zero). */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos + right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

/** The exact difference, in the form of `left` (of `right` when `left` is zero). */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos - right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

/** The quantity rounded away from zero to thousandths: the finest that a resource list keeps. */
function roundedToMilli(quantity: Quantity): Quantity {
  const nanos = dividedAway(quantity.nanos, NANOS_PER_MILLI) * NANOS_PER_MILLI;
  return nanos === quantity.nanos ? quantity : { nanos, format: quantity.format };
}

/**
 * The text of a quantity as it was read where Go keeps it, else the canonical one: no fraction, the largest suffix that loses nothing. Binary quantities print as
 * decimal when they are below 1024 or not whole.
 */
export function formatQuantity(quantity: Quantity): string {
  return keptTexts.get(quantity) ?? canonicalText(quantity);
}

/** Of quantities that were read from a text that Go keeps although it is not canonical: `5.`. */
const keptTexts = new WeakMap<Quantity, string>();

function canonicalText({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  if (format === 'BinarySI' && nanos % NANOS_PER_UNIT === 0n) {
    const units = nanos / NANOS_PER_UNIT;
    if (units >= 1024n || units <= -1024n) return formatBinary(units);
  }
  let mantissa = nanos;
  let exponent = -NANO_DIGITS;
  const largest = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : LARGEST_EXPONENT;
  while (mantissa % 1000n === 0n && exponent < largest) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (format !== 'DecimalExponent') return `${mantissa}${DECIMAL_SUFFIXES.get(exponent) ?? ''}`;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}

function formatBinary(units: bigint): string {
  let mantissa = units;
  let step = 0;
  while (mantissa % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    mantissa /= 1024n;
    step += 1;
  }
  return `${mantissa}${BINARY_SUFFIXES[step] ?? ''}`;
}

/** Clusters use few distinct texts; a cache that outgrows this was fed with something else. */
const CACHE_LIMIT = 65_536;

/** A text that was read, with what was asked of it so far. */
interface Reading {
  readonly quantity: Quantity;
  cpuMillis: number | undefined;
  whole: number | undefined;
  canonical: string | undefined;
}

const readings = new Map<string | number, Reading>();

function readingOf(text: string | number): Reading {
  let reading = readings.get(text);
  if (reading === undefined) {
    const quantity = parseQuantity(text);
    reading = { quantity, cpuMillis: undefined, whole: undefined, canonical: undefined };
    const trimmed = String(text).trim();
    if (isKeptText(trimmed) && canonicalText(quantity) !== trimmed) keptTexts.set(quantity, trimmed);
    if (readings.size >= CACHE_LIMIT) readings.clear();
    readings.set(text, reading);
  }
  return reading;
}

/** {@link milliValue} of a text, remembered. @throws {@link QuantityError} */
export function cpuMillis(text: string | number): number {
  const reading = readingOf(text);
  return (reading.cpuMillis ??= milliValue(reading.quantity));
}

/** {@link value} of a text, remembered. @throws {@link QuantityError} */
export function wholeValue(text: string | number): number {
  const reading = readingOf(text);
  return (reading.whole ??= value(reading.quantity));
}

/** {@link parseQuantity}, remembered: for texts that come again and again. @throws {@link QuantityError} */
export function knownQuantity(text: string | number): Quantity {
  return readingOf(text).quantity;
}

/**
 * The canonical text of a quantity's text, rounded up to thousandths as resource lists are, or the text itself where
 * Go takes it for canonical: `01`, `+1`, `5.` and `1.500` stay as they are. Remembered. @throws {@link QuantityError}
 */
export function canonicalQuantity(text: string | number): string {
  const reading = readingOf(text);
  return (reading.canonical ??= isKeptText(String(text)) ? String(text).trim() : plainQuantity(text));
}

/** The canonical text of a quantity's text, rounded up to thousandths, whatever Go keeps. @throws {@link QuantityError} */
export function plainQuantity(text: string | number): string {
  return canonicalText(roundedToMilli(readingOf(text).quantity));
}

/** {@link canonicalQuantity} of a field of its own, which is not rounded to thousandths. @throws {@link QuantityError} */
export function exactQuantity(text: string | number): string {
  return isKeptText(String(text)) ? String(text).trim() : canonicalText(readingOf(text).quantity);
}

/** Digits of which Go is sure that they fit into an int64; of binary quantities powers of two take some of them. */
const SURE_DIGITS = 18;
const SURE_BINARY_DIGITS = 14;

/** Whether Go keeps a quantity's text: by its digits it looks canonical (`ParseQuantity`). */
export function isKeptText(text: string): boolean {
  const [, , digits = '', fraction = '', suffix = ''] = SYNTAX.exec(text.trim()) ?? [];
  const whole = digits.replace(/^0+/, '') || '0';
  const power = BINARY_SUFFIXES.indexOf(suffix, 1);
  if (power > 0) {
    const isSure = whole.length + 3 * power <= SURE_BINARY_DIGITS;
    return fraction === '' && isSure && (Number(whole) & 7) !== 0;
  }
  const exponent = EXPONENT.exec(suffix)?.[1];
  const scale = (exponent === undefined ? (DECIMAL_EXPONENTS.get(suffix) ?? 0) : Number(exponent)) - fraction.length;
  const shifted = whole + fraction;
  const isSure = shifted.length <= SURE_DIGITS && scale >= -3;
  return isSure && scale % 3 === 0 && !shifted.startsWith('0') && !shifted.endsWith('000');
}
