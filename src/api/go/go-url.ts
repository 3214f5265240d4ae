/**
 * URLs as Go's net/url reads them (go1.24): stricter with hosts and laxer with paths than those of browsers. The texts of
 * refusals are Go's.
 */
import { quoted } from './go-json.js';

/** A URL in its parts. What is escaped is so no longer in `host` and `path`. */
export interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** The path as it was written. */
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly fragment: string;
}

type Part = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment';

/** Why a text is no URL. */
class UrlProblem extends Error {
  override readonly name = 'UrlProblem';
}

const HEX = /^[0-9a-fA-F]{2}$/;
/** Letters that stay as they are, beside letters, digits and `-_.~`. */
const PLAIN: Readonly<Record<Part, string>> = {
  path: '$&+,/:;=@',
  host: `!$&'()*+,;=:[]<>"`,
  zone: `!$&'()*+,;=:[]<>"`,
  user: '$&+,;=',
  query: '',
  fragment: '!()*$&+,/:;=?@',
};
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const FIRST_BEYOND_ASCII = 0x80;
const LARGEST_ESCAPE = 3;

function isPlain(letter: string, part: Part): boolean {
  return /^[A-Za-z0-9\-_.~]$/.test(letter) || PLAIN[part].includes(letter);
}

function escapeProblem(text: string): UrlProblem {
  return new UrlProblem(`invalid URL escape ${quoted(text)}`);
}

/** @throws UrlProblem */
function unescaped(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone';
  if (!isHost && !text.includes('%')) return part === 'query' ? text.replaceAll('+', ' ') : text;
  const bytes: number[] = [];
  const input = Buffer.from(text, 'utf8');
  for (let index = 0; index < input.length; index += 1) {
    const byte = input[index] as number;
    const letter = String.fromCharCode(byte);
    if (letter === '%') {
      const digits = input.toString('latin1', index + 1, index + LARGEST_ESCAPE);
      if (!HEX.test(digits)) throw escapeProblem(input.toString('utf8', index, index + LARGEST_ESCAPE));
      const value = Number.parseInt(digits, 16);
      // Hosts escape what is beyond ASCII, and the mark before a zone; a zone may escape more.
      const isRefused =
        digits !== '25' &&
        (part === 'host'
          ? value < FIRST_BEYOND_ASCII
          : part === 'zone' && value !== 0x20 && !isPlain(String.fromCharCode(value), 'host'));
      if (isRefused) throw escapeProblem(`%${digits}`);
      bytes.push(value);
      index += 2;
    } else if (isHost && byte < FIRST_BEYOND_ASCII && !isPlain(letter, part)) {
      throw new UrlProblem(`invalid character ${quoted(letter)} in host name`);
    } else bytes.push(letter === '+' && part === 'query' ? 0x20 : byte);
  }
  return Buffer.from(bytes).toString('utf8');
}

function escaped(text: string, part: Part): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return isPlain(letter, part) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** What stands before a first colon, if that is a scheme. */
function schemeOf(text: string): string {
  const [, scheme, colon] = /^([A-Za-z0-9+\-.]*)(:?)/.exec(text) ?? [];
  if (scheme === '' && colon !== '') throw new UrlProblem('missing protocol scheme');
  return scheme !== undefined && colon !== '' && /^[A-Za-z]/.test(scheme) ? scheme : '';
}

function checkPort(text: string): void {
  if (text !== '' && !/^:\d*$/.test(text)) {
    throw new UrlProblem(`invalid port ${quoted(text)} after host`);
  }
}

function hostOf(text: string): string {
  if (!text.startsWith('[')) {
    const colon = text.lastIndexOf(':');
    if (colon !== -1) checkPort(text.slice(colon));
    return unescaped(text, 'host');
  }
  const end = text.lastIndexOf(']');
  if (end === -1) throw new UrlProblem("missing ']' in host");
  checkPort(text.slice(end + 1));
  const zone = text.slice(0, end).indexOf('%25');
  if (zone === -1) return unescaped(text, 'host');
  const [address, own, rest] = [text.slice(0, zone), text.slice(zone, end), text.slice(end)];
  return unescaped(address, 'host') + unescaped(own, 'zone') + unescaped(rest, 'host');
}

function hostOfAuthority(authority: string): string {
  const at = authority.lastIndexOf('@');
  const host = hostOf(authority.slice(at + 1));
  if (at === -1) return host;
  const user = authority.slice(0, at);
  if (!USER.test(user)) throw new UrlProblem('net/url: invalid userinfo');
  unescaped(user, 'user');
  return host;
}

function partsOf(text: string, isRequest: boolean): GoUrl {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new UrlProblem('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlProblem('empty url');
  const none = { scheme: '', host: '', path: '', rawPath: '', rawQuery: '', fragment: '' };
  if (text === '*') return { ...none, path: '*', rawPath: '*' };
  const stated = schemeOf(text);
  const scheme = stated.toLowerCase();
  const whole = stated === '' ? text : text.slice(stated.length + 1);
  const mark = whole.indexOf('?');
  const before = mark === -1 ? whole : whole.slice(0, mark);
  const rawQuery = mark === -1 ? '' : whole.slice(mark + 1);
  const start = { ...none, scheme, rawQuery };
  if (!before.startsWith('/')) {
    if (scheme !== '') return start;
    if (isRequest) throw new UrlProblem('invalid URI for request');
    if (before.split('/', 1)[0]?.includes(':') === true) {
      throw new UrlProblem('first path segment in URL cannot contain colon');
    }
  }
  const hasHost = before.startsWith('//') && (scheme !== '' || (!isRequest && !before.startsWith('///')));
  if (!hasHost) return { ...start, path: unescaped(before, 'path'), rawPath: before };
  const slash = before.indexOf('/', 2);
  const authority = slash === -1 ? before.slice(2) : before.slice(2, slash);
  const rawPath = slash === -1 ? '' : before.slice(slash);
  return { ...start, host: hostOfAuthority(authority), path: unescaped(rawPath, 'path'), rawPath };
}

function parsed(text: string, isRequest: boolean): GoUrl | string {
  const hash = isRequest ? -1 : text.indexOf('#');
  const own = hash === -1 ? text : text.slice(0, hash);
  let failing = own;
  try {
    const url = partsOf(own, isRequest);
    if (hash === -1) return url;
    failing = text;
    return { ...url, fragment: unescaped(text.slice(hash + 1), 'fragment') };
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return `parse ${quoted(failing)}: ${error.message}`;
  }
}

/** As `ParseRequestURI` reads it: absolute, and with nothing that begins with `#`. @returns the text of a refusal otherwise */
export function parseRequestUri(text: string): GoUrl | string {
  return parsed(text, true);
}

/** As `Parse` reads it. @returns the text of a refusal otherwise */
export function parseGoUrl(text: string): GoUrl | string {
  return parsed(text, false);
}

/** The path as it was written where it may be written so, and escaped otherwise. */
export function escapedPathOf({ path, rawPath }: GoUrl): string {
  const isValid = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/.test(rawPath);
  return isValid || path === '*' ? rawPath : escaped(path, 'path');
}

/** Name or address without port and brackets, and the port. */
export function splitHost({ host }: GoUrl): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon !== -1 && /^:\d*$/.test(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const isBracketed = name.startsWith('[') && name.endsWith(']');
  return { name: isBracketed ? name.slice(1, -1) : name, port: hasPort ? host.slice(colon + 1) : '' };
}

/** Names and values of the query; parts that cannot be read are left out. */
export function queryOf({ rawQuery }: GoUrl): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>();
  for (const part of rawQuery.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const sign = part.indexOf('=');
    try {
      const name = unescaped(sign === -1 ? part : part.slice(0, sign), 'query');
      const value = sign === -1 ? '' : unescaped(part.slice(sign + 1), 'query');
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    } catch (error) {
      if (!(error instanceof UrlProblem)) throw error;
    }
  }
  return values;
}
