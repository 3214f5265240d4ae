/**
 * Logarithm, exponential and cosine out of plus, minus, times and divide alone. ECMAScript leaves the last bits of
 * `Math.log`, `Math.exp`, `Math.cos` and `Math.pow` to the engine, and V8 has changed them between versions; what is
 * drawn or scored by these here is the same everywhere. The methods are those of any textbook: the argument is brought
 * near 0 by exact steps, and a series is summed there from its smallest term. Against `Math` of today they are off by
 * at most two units in the last place (see the test).
 */

/** ln 2 in two parts: the first one has so few digits that whole multiples of it are exact. */
const LN2_HIGH = 0.693147180369123816490173339844;
const LN2_LOW = 1.90821492927058770002e-10;
/** Below it a mantissa is taken twice and the exponent one less, so that the logarithm is taken near 1. */
const HALF_ROOT = Math.SQRT1_2;
/** Terms of the series of the logarithm: for the largest argument, 0.0295, the next one is below 2^-58. */
const LOG_TERMS = 11;
/** Terms of the other series: for an argument of 0.35 the next one is below 2^-60. */
const EXP_TERMS = 14;
/** For an eighth of a turn, 0.79, the next term is below 2^-60. */
const CIRCLE_TERMS = 9;
/** Beyond these the result is Infinity, or 0. */
const LARGEST_EXPONENT = 709.782712893384;
const SMALLEST_EXPONENT = -745.1332191019412;
const EXPONENT_BIAS = 1023;
const SUBNORMAL_SCALE = 2 ** 54;

const doubles = new Float64Array(1);
const words = new Uint32Array(doubles.buffer);
/** Which of the two words of a double has its exponent. */
const HIGH = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;
const FRACTION_BITS = 20;
const FRACTION_MASK = 0xf_ffff;

/** The natural logarithm; NaN below 0. */
export function naturalLog(value: number): number {
  if (!(value > 0)) return value === 0 ? -Infinity : Number.NaN;
  if (value === Infinity) return value;
  const isSubnormal = value < 2 ** -1022;
  doubles[0] = isSubnormal ? value * SUBNORMAL_SCALE : value;
  const high = words[HIGH] as number;
  let exponent = (high >>> FRACTION_BITS) - (EXPONENT_BIAS - 1) - (isSubnormal ? 54 : 0);
  words[HIGH] = (high & FRACTION_MASK) | ((EXPONENT_BIAS - 1) << FRACTION_BITS);
  let mantissa = doubles[0];
  if (mantissa < HALF_ROOT) {
    mantissa *= 2;
    exponent -= 1;
  }
  // ln(1 + f) = 2 artanh(s) with s = f / (2 + f), written so that f, which is exact, bears the weight.
  const excess = mantissa - 1;
  const quotient = excess / (2 + excess);
  const square = quotient * quotient;
  let series = 0;
  for (let term = LOG_TERMS; term >= 1; term -= 1) series = square * (series + 2 / (2 * term + 1));
  const half = 0.5 * excess * excess;
  return exponent * LN2_HIGH - (half - (quotient * (half + series) + exponent * LN2_LOW) - excess);
}

/** e to that power. */
export function powerOfE(power: number): number {
  if (Number.isNaN(power)) return power;
  if (power > LARGEST_EXPONENT) return Infinity;
  if (power < SMALLEST_EXPONENT) return 0;
  const doublings = Math.round(power / (LN2_HIGH + LN2_LOW));
  const high = power - doublings * LN2_HIGH;
  const low = doublings * LN2_LOW;
  const rest = high - low;
  let series = 0;
  for (let term = EXP_TERMS; term >= 2; term -= 1) series = (rest / term) * (1 + series);
  // What the subtraction above has lost is put back last.
  const lost = high - rest - low;
  const near = 1 + (rest + (rest * series + lost));
  // Twice half the way: a power of two alone could lie beyond what a number can be.
  const first = doublings >> 1;
  return near * powerOfTwo(first) * powerOfTwo(doublings - first);
}

/** The cosine of an angle in whole turns, 0..1. */
export function cosineOfTurns(turns: number): number {
  // A fraction of a turn is folded exactly: to half of it, to a quarter, to an eighth.
  const half = turns <= 0.5 ? turns : 1 - turns;
  const isLeft = half > 0.25;
  const quarter = isLeft ? 0.5 - half : half;
  const value = quarter <= 0.125 ? cosineSeries(quarter) : sineSeries(0.25 - quarter);
  return isLeft ? -value : value;
}

/** Of at most an eighth of a turn. */
function cosineSeries(turns: number): number {
  const angle = 2 * Math.PI * turns;
  const square = angle * angle;
  let series = 0;
  for (let term = CIRCLE_TERMS; term >= 2; term -= 1) series = (square / ((2 * term - 1) * (2 * term))) * (1 - series);
  return 1 - 0.5 * square * (1 - series);
}

function sineSeries(turns: number): number {
  const angle = 2 * Math.PI * turns;
  const square = angle * angle;
  let series = 0;
  for (let term = CIRCLE_TERMS; term >= 1; term -= 1) series = (square / (2 * term * (2 * term + 1))) * (1 - series);
  return angle - angle * series;
}

/** Of a whole exponent in -1022..1023. */
function powerOfTwo(exponent: number): number {
  doubles[0] = 1;
  words[HIGH] = (exponent + EXPONENT_BIAS) << FRACTION_BITS;
  return doubles[0];
}
