/** sprig's encodings and digests. */
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { toText } from '../casts.js';
import { fixed, type FunctionTable } from '../functions.js';
import { FunctionError } from '../template-error.js';
import { isList, isNil, Moment, plainOf, sortedEntries, valueOf, type Value } from '../values.js';
import { printedMoment } from '../moments.js';

export const ENCODING_FUNCTIONS: FunctionTable = {
  b64enc: fixed(['string'], (text) => Buffer.from(text).toString('base64')),
  b64dec: fixed(['string'], (text) => Buffer.from(text, 'base64').toString()),
  b32enc: fixed(['string'], base32),
  sha1sum: fixed(['string'], (text) => digest('sha1', text)),
  sha256sum: fixed(['string'], (text) => digest('sha256', text)),
  sha512sum: fixed(['string'], (text) => digest('sha512', text)),
  md5sum: fixed(['string'], (text) => digest('md5', text)),
  adler32sum: fixed(['string'], adler32),
  toJson: fixed(['any'], (value) => jsonText(value)),
  mustToJson: fixed(['any'], (value) => jsonText(value)),
  toRawJson: fixed(['any'], (value) => jsonText(value, false)),
  toPrettyJson: fixed(['any'], (value) => JSON.stringify(JSON.parse(jsonText(value)), undefined, 2)),
  fromJson: fixed(['string'], (text) => fromJson(text)),
  mustFromJson: fixed(['string'], (text) => fromJson(text)),
  fromYaml: fixed(['string'], (text) => valueOf(parse(text), 'yaml')),
  base: fixed(['string'], (path) => path.replace(/\/+$/, '').split('/').at(-1) ?? ''),
  dir: fixed(['string'], (path) => (path.includes('/') ? path.replace(/\/[^/]*$/, '') || '/' : '.')),
  ext: fixed(['string'], (path) => /\.[^./]*$/.exec(path)?.[0] ?? ''),
  urlJoin: fixed(
    ['dict'],
    (parts) => `${toText(parts.get('scheme'))}://${toText(parts.get('host'))}${toText(parts.get('path') ?? '')}`,
  ),
};

function digest(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of Buffer.from(text)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const encoded = groups.map((group) => BASE_32[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '').join('');
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}

function fromJson(text: string): Value {
  try {
    return valueOf(JSON.parse(text), 'json');
  } catch {
    throw new FunctionError(`invalid JSON: ${text.slice(0, 40)}`);
  }
}

/** `encoding/json`: keys in order, and unless raw `<`, `>` and `&` escaped. */
function jsonText(value: Value, isEscaped = true): string {
  if (isNil(value)) return 'null';
  if (value instanceof Map) {
    const entries = sortedEntries(value).map(
      ([key, each]) => `${jsonText(key, isEscaped)}:${jsonText(each, isEscaped)}`,
    );
    return `{${entries.join(',')}}`;
  }
  if (isList(value)) return `[${value.map((each) => jsonText(each, isEscaped)).join(',')}]`;
  const text = JSON.stringify(value instanceof Moment ? printedMoment(value) : plainOf(value));
  return isEscaped ? text.replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`) : text;
}
