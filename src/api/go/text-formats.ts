/**
 * Formats of texts that a schema may demand; any other one is passed over. Mirrors kube-openapi's validation/strfmt
 * and apiserver/validation/formats.go of apiextensions (v1.34).
 */
import { isIPv4, isIPv6 } from 'node:net';
import { parseRequestUri } from './go-url.js';
import { daysIn } from '../values/calendar.js';

const HEX = '[0-9a-f]';
const uuid = (third: string, fourth: string): RegExp =>
  new RegExp(`^${HEX}{8}-?${HEX}{4}-?${third}-?${fourth}-?${HEX}{12}$`, 'i');
const ANY_PART = `${HEX}{4}`;
const VARIANT_PART = `[89ab]${HEX}{3}`;

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const LONGEST_HOSTNAME = 255;
const LONGEST_LABEL = 63;
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/;
const MAC =
  /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5,7}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5,7}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3})$/i;
const RGB_PART = '\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
const RGB = new RegExp(`^rgb\\(${RGB_PART},${RGB_PART},${RGB_PART}\\)$`);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
/** Any letter may stand before the parts of a second. */
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const NUMBERED = /(\d+)\s*([A-Za-zµ]+)/g;
/** Names of units; with the last one of each, words that begin so. */
const UNITS: readonly (readonly [bigint, ...string[]])[] = [
  [1n, 'ns', 'nano'],
  [1000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [1_000_000_000n, 's', 'sec'],
  [60_000_000_000n, 'm', 'min'],
  [3_600_000_000_000n, 'h', 'hr', 'hour'],
  [86_400_000_000_000n, 'd', 'day'],
  [604_800_000_000_000n, 'w', 'wk', 'week'],
];

/** Nanoseconds of a text such as `5 min` or `1d`, of which the parts that are read count; undefined where none is. */
export function wordedDuration(text: string): bigint | undefined {
  let ns: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(NUMBERED)) {
    const unit = word.toLowerCase();
    for (const [size, ...names] of UNITS) {
      for (const name of names) {
        const fits = name === names.at(-1) ? unit.startsWith(name) : unit === name;
        if (fits) ns = (ns ?? 0n) + BigInt(count) * size;
      }
    }
  }
  return ns;
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: (text) => typeof parseRequestUri(text) !== 'string',
  email: (text) => EMAIL.test(text),
  hostname: isHostname,
  ipv4: isLooseIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isCidr,
  mac: (text) => MAC.test(text),
  uuid: (text) => uuid(ANY_PART, ANY_PART).test(text),
  uuid3: (text) => uuid(`3${HEX}{3}`, ANY_PART).test(text),
  uuid4: (text) => uuid(`4${HEX}{3}`, VARIANT_PART).test(text),
  uuid5: (text) => uuid(`5${HEX}{3}`, VARIANT_PART).test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: (text) => RGB.test(text),
  byte: (text) => BASE64.test(text),
  password: () => true,
  date: isDate,
  duration: (text) => GO_DURATION.test(text) || wordedDuration(text) !== undefined,
  datetime: isDateTime,
};

/** Whether texts are held to a format. */
export function isCheckedFormat(format: string): boolean {
  return Object.hasOwn(CHECKS, format.replaceAll('-', ''));
}

/** Whether a text has a format; one that is not known is had by every text. */
export function hasFormat(format: string, text: string): boolean {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(CHECKS, name) ? CHECKS[name]?.(text) === true : true;
}

function isHostname(text: string): boolean {
  if (!HOSTNAME.test(text) || Buffer.byteLength(text) > LONGEST_HOSTNAME) return false;
  return text.split('.').every((part) => Buffer.byteLength(part) <= LONGEST_LABEL);
}

/** Numbers may begin with zeros. */
function isLooseIPv4(text: string): boolean {
  return isIPv4(text.replaceAll(/(^|\.)0+(?=\d)/g, '$1'));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  return year !== undefined && isDayOf(Number(year), Number(month), Number(day));
}

function isDateTime(text: string): boolean {
  const [, year, month, day, hour, minute, second] = DATE_TIME.exec(text) ?? [];
  if (year === undefined || !isDayOf(Number(year), Number(month), Number(day))) return false;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

function isDayOf(year: number, month: number, day: number): boolean {
  return day >= 1 && day <= daysIn(month, year);
}

function digitsOf(text: string): string {
  return text.replaceAll(/[\s-]/g, '');
}

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digits
    .split('')
    .reduce((all, digit, index) => all + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return digits.split('').reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

/** Luhn's sum. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|2[2-7]\d{14})$/.test(
      digits,
    )
  ) {
    return false;
  }
  const sum = digits
    .split('')
    .toReversed()
    .reduce((all, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return all + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}
