/** How go-spew prints a `resource.Quantity` that ParseQuantity has read from text (k8s.io/apimachinery, v1.34). */
import { BINARY_SUFFIXES, DECIMAL_EXPONENTS, isKeptText, knownQuantity, plainQuantity } from '../values/quantity.js';

/** Decimal digits that surely fit into an int64. */
const INT64_DIGITS = 18;
/** Those of a binary quantity, of which each power of 1024 takes three. */
const BINARY_DIGITS = 14;
const NANO_SCALE = 9;
const WORD_BITS = 64n;
const WORD_MASK = (1n << WORD_BITS) - 1n;

const CANONICAL = /^(-?)(\d+)(.*)$/;
const EXPONENT = /^[eE]([-+]?\d+)$/;

/** The fields of the structure. */
interface GoQuantity {
  readonly amount: bigint;
  readonly scale: number;
  readonly format: string;
  /** The text that was read; only some texts are kept. */
  readonly text: string;
  /** Whether the amount is kept as a number of any length, and not as an int64. */
  readonly isLong: boolean;
}

/** Prints a quantity; one that is absent was written as `0` and read again. */
export function printQuantity(value: unknown): string {
  const isGiven = typeof value === 'string' || typeof value === 'number';
  const { amount, scale, format, text, isLong } = read(isGiven ? plainQuantity(value) : '0');
  const shown = isGiven && isKeptText(String(value)) ? String(value) : text;
  const [short, long] = isLong
    ? ['{value:(int64)0 scale:(resource.Scale)0}', printDecimal(amount, scale)]
    : [`{value:(int64)${amount} scale:(resource.Scale)${scale}}`, '<nil>'];
  return (
    `{i:(resource.int64Amount)${short} d:(resource.infDecAmount){Dec:(*inf.Dec)${long}} ` +
    `s:(string)${shown} Format:(resource.Format)${format}}`
  );
}

/** Clients read what the server has written, which is the canonical text: a whole number and a suffix. */
function read(text: string): GoQuantity {
  if (text === '0') return { amount: 0n, scale: 0, format: 'DecimalSI', text, isLong: false };
  const [, sign, digits = '0', suffix = ''] = CANONICAL.exec(text) ?? [];
  const power = BINARY_SUFFIXES.indexOf(suffix);
  const quantity = power > 0 ? readBinary(text, digits, power) : readDecimal(text, digits, suffix);
  return sign === '-' ? { ...quantity, amount: -quantity.amount } : quantity;
}

function readDecimal(text: string, digits: string, suffix: string): GoQuantity {
  const exponent = EXPONENT.exec(suffix)?.[1];
  const scale = exponent === undefined ? (DECIMAL_EXPONENTS.get(suffix) ?? 0) : Number(exponent);
  const format = exponent === undefined ? 'DecimalSI' : 'DecimalExponent';
  if (digits.length > INT64_DIGITS || scale < -NANO_SCALE) return readLong(text, format);
  const isKept = scale % 3 === 0 && !digits.endsWith('000');
  return { amount: BigInt(digits), scale, format, text: isKept ? text : '', isLong: false };
}

function readBinary(text: string, digits: string, power: number): GoQuantity {
  if (digits.length + 3 * power > BINARY_DIGITS) return readLong(text, 'BinarySI');
  const amount = BigInt(digits);
  const isKept = (amount & 7n) !== 0n;
  return {
    amount: amount << BigInt(10 * power),
    scale: 0,
    format: 'BinarySI',
    text: isKept ? text : '',
    isLong: false,
  };
}

/** The sign is left to the caller. */
function readLong(text: string, format: string): GoQuantity {
  const { nanos } = knownQuantity(text);
  return { amount: nanos < 0n ? -nanos : nanos, scale: NANO_SCALE, format, text: '', isLong: true };
}

function printDecimal(amount: bigint, scale: number): string {
  const words: bigint[] = [];
  for (let rest = amount < 0n ? -amount : amount; rest > 0n; rest >>= WORD_BITS) words.push(rest & WORD_MASK);
  return `{unscaled:(big.Int){neg:(bool)${amount < 0n} abs:(big.nat)[${words.join(' ')}]} scale:(inf.Scale)${scale}}`;
}
