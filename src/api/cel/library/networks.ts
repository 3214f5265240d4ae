/** Addresses, networks and URLs (apiserver/pkg/cel/library/ip.go, cidr.go and urls.go, v1.34). */
import { isIPv4, isIPv6 } from 'node:net';
import { once } from '../../../kernel/once.js';
import { escapedPathOf, parseGoUrl, parseRequestUri, queryOf, splitHost, type GoUrl } from '../../go/go-url.js';
import { CelError, type CelOpaque } from '../values.js';
import { functionTable } from './function-table.js';

const V4_BITS = 32;
const V6_BITS = 128;

class CelIp implements CelOpaque {
  readonly celType = 'net.IP';
  readonly bits: number;
  readonly number: bigint;

  constructor(bits: number, number: bigint) {
    this.bits = bits;
    this.number = number;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelIp && other.bits === this.bits && other.number === this.number;
  }

  toString(): string {
    return this.bits === V4_BITS ? v4Text(this.number) : v6Text(this.number);
  }
}

class CelCidr implements CelOpaque {
  readonly celType = 'net.CIDR';
  readonly ip: CelIp;
  readonly length: number;

  constructor(ip: CelIp, length: number) {
    this.ip = ip;
    this.length = length;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelCidr && other.length === this.length && other.ip.isSame(this.ip);
  }

  /** The first address of the network. */
  get masked(): CelIp {
    const free = BigInt(this.ip.bits - this.length);
    return new CelIp(this.ip.bits, (this.ip.number >> free) << free);
  }

  has(ip: CelIp): boolean {
    return ip.bits === this.ip.bits && new CelCidr(ip, this.length).masked.number === this.masked.number;
  }

  toString(): string {
    return `${this.ip.toString()}/${this.length}`;
  }
}

function v4Text(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 0xffn)).join('.');
}

/** By RFC 5952: the first of the longest rows of zeros, if of two at least, is left out. */
function v6Text(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => Number((number >> BigInt(112 - index * 16)) & 0xffffn));
  let best = { from: -1, length: 1 };
  for (let from = 0; from < groups.length; from += 1) {
    let length = 0;
    while (groups[from + length] === 0) length += 1;
    if (length > best.length) best = { from, length };
  }
  const texts = groups.map((group) => group.toString(16));
  if (best.from === -1) return texts.join(':');
  return `${texts.slice(0, best.from).join(':')}::${texts.slice(best.from + best.length).join(':')}`;
}

function v4Number(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function groupsOf(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}

function v6Number(text: string): bigint {
  const tail = /(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  const v4 = tail === undefined ? undefined : v4Number(tail);
  const plain =
    v4 === undefined || tail === undefined
      ? text
      : `${text.slice(0, -tail.length)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  const [left = '', right] = plain.split('::');
  const before = groupsOf(left);
  const after = groupsOf(right ?? '');
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** What Go's netip finds wrong with a text that is no address. */
function addressProblem(text: string): string {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '%') return 'missing IPv6 address';
  if (first === undefined) return 'unable to parse IP';
  return first === '.' ? v4Problem(text) : v6Problem(text);
}

function at(rest: string): string {
  return ` (at ${JSON.stringify(rest)})`;
}

function v4Problem(text: string): string {
  let digits = '';
  let dots = 0;
  for (const [index, letter] of Array.from(text).entries()) {
    const rest = text.slice(index);
    if (/\d/.test(letter)) {
      if (digits === '0') return 'IPv4 field has octet with leading zero';
      digits += letter;
      if (Number(digits) > 255) return 'IPv4 field has value >255';
    } else if (letter !== '.') return `unexpected character${at(rest)}`;
    else if (digits === '' || index === text.length - 1) return `IPv4 field must have at least one digit${at(rest)}`;
    else if (dots === 3) return 'IPv4 address too long';
    else {
      dots += 1;
      digits = '';
    }
  }
  return 'IPv4 address too short';
}

function v6Problem(text: string): string {
  let rest = text.startsWith('::') ? text.slice(2) : text;
  let hasGap = rest !== text;
  let groups = 0;
  while (rest !== '' && groups < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) return `each group must have 4 or fewer digits${at(rest)}`;
    if (digits === '') return `each colon-separated field must have at least one digit${at(rest)}`;
    const after = rest.slice(digits.length);
    groups += 1;
    if (after === '') {
      rest = '';
      break;
    }
    if (!after.startsWith(':')) return `unexpected character, want colon${at(after)}`;
    if (after === ':') return `colon must be followed by more characters${at(after)}`;
    rest = after.slice(1);
    if (!rest.startsWith(':')) continue;
    if (hasGap) return `multiple :: in address${at(rest)}`;
    hasGap = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return `trailing garbage after address${at(rest)}`;
  return 'address string too short';
}

const MAPPED = 0xffffn;

function readIp(text: string): CelIp | string {
  const quoted = JSON.stringify(text);
  if (isIPv4(text)) return new CelIp(V4_BITS, v4Number(text));
  if (!isIPv6(text)) {
    return `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): ${addressProblem(text)}`;
  }
  if (text.includes('%')) return `IP address ${quoted} with zone value is not allowed`;
  const number = v6Number(text);
  return number >> 32n === MAPPED ? `IPv4-mapped IPv6 address ${quoted} is not allowed` : new CelIp(V6_BITS, number);
}

function readAddress(text: string): CelIp {
  const found = readIp(text);
  if (typeof found === 'string') throw new CelError(found);
  return found;
}

function readCidr(text: string): CelCidr | string {
  const quoted = JSON.stringify(text);
  const failed = (why: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${quoted}): ${why}`;
  const slash = text.lastIndexOf('/');
  if (slash === -1) return failed("no '/'");
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  const found = readIp(address);
  if (typeof found === 'string') {
    if (found.startsWith('IPv4-mapped')) return `IPv4-mapped IPv6 address ${quoted} is not allowed`;
    return failed(`ParseAddr(${JSON.stringify(address)}): ${addressProblem(address)}`);
  }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return failed(`bad bits after slash: ${JSON.stringify(bits)}`);
  return Number(bits) > found.bits ? failed('prefix length out of range') : new CelCidr(found, Number(bits));
}

function readNetwork(text: string): CelCidr {
  const found = readCidr(text);
  // As upstream tells it, which wraps it twice.
  if (typeof found === 'string')
    throw new CelError(`network address parse error during conversion from string: ${found}`);
  return found;
}

const wellKnown = once(() => ({
  v4LinkLocal: readNetwork('169.254.0.0/16'),
  v6LinkLocal: readNetwork('fe80::/10'),
  v4Multicast: readNetwork('224.0.0.0/4'),
  v6Multicast: readNetwork('ff00::/8'),
  v4Loopback: readNetwork('127.0.0.0/8'),
  v4LocalMulticast: readNetwork('224.0.0.0/24'),
  v6LocalMulticast: readNetwork('ff02::/16'),
  v6MulticastScope: readNetwork('ff0f::/16').masked.number >> 112n,
}));

function isLinkLocalMulticast(a: CelIp): boolean {
  if (a.bits === V4_BITS) return wellKnown().v4LocalMulticast.has(a);
  return ((a.number >> 112n) & wellKnown().v6MulticastScope) === wellKnown().v6LocalMulticast.ip.number >> 112n;
}

function isLoopback(a: CelIp): boolean {
  return wellKnown().v4Loopback.has(a) || (a.bits === V6_BITS && a.number === 1n);
}

function isLinkLocal(a: CelIp): boolean {
  return wellKnown().v4LinkLocal.has(a) || wellKnown().v6LinkLocal.has(a);
}

function isGlobalUnicast(a: CelIp): boolean {
  const isBroadcast = a.bits === V4_BITS && a.number === 0xffff_ffffn;
  const isMulticast = wellKnown().v4Multicast.has(a) || wellKnown().v6Multicast.has(a);
  return a.number !== 0n && !isBroadcast && !isLoopback(a) && !isMulticast && !isLinkLocal(a);
}

function containsCidr(a: CelCidr, b: CelCidr): boolean {
  return a.length <= b.length && a.has(b.masked);
}

class CelUrl implements CelOpaque {
  readonly celType = 'kubernetes.URL';
  readonly parts: GoUrl;

  constructor(parts: GoUrl) {
    this.parts = parts;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelUrl && other.toString() === this.toString();
  }

  toString(): string {
    const { scheme, host, rawQuery, fragment } = this.parts;
    return `${scheme}://${host}${escapedPathOf(this.parts)}?${rawQuery}#${fragment}`;
  }
}

/** It must be one of a request; what begins with `#` is no part of its path or query. */
function readUrl(text: string): CelUrl {
  const asked = parseRequestUri(text);
  const found = typeof asked === 'string' ? asked : parseGoUrl(text);
  if (typeof found === 'string') throw new CelError(`URL parse error during conversion from string: ${found}`);
  return new CelUrl(found);
}

const U = 'kubernetes.URL';

export const NETWORK_FUNCTIONS = functionTable({
  'ip(string) -> net.IP': readAddress,
  'isIP(string) -> bool': (a: string) => typeof readIp(a) !== 'string',
  'ip.isCanonical(string) -> bool': (a: string) => readAddress(a).toString() === a,
  'net.IP::family() -> int': ({ bits }: CelIp) => (bits === V4_BITS ? 4n : 6n),
  'net.IP::isUnspecified() -> bool': ({ number }: CelIp) => number === 0n,
  'net.IP::isLoopback() -> bool': isLoopback,
  'net.IP::isLinkLocalMulticast() -> bool': isLinkLocalMulticast,
  'net.IP::isLinkLocalUnicast() -> bool': isLinkLocal,
  'net.IP::isGlobalUnicast() -> bool': isGlobalUnicast,
  'string(net.IP) -> string': String,
  'cidr(string) -> net.CIDR': readNetwork,
  'isCIDR(string) -> bool': (a: string) => typeof readCidr(a) !== 'string',
  'net.CIDR::containsIP(string) -> bool': (a: CelCidr, b: string) => a.has(readAddress(b)),
  'net.CIDR::containsIP(net.IP) -> bool': (a: CelCidr, b: CelIp) => a.has(b),
  'net.CIDR::containsCIDR(string) -> bool': (a: CelCidr, b: string) => containsCidr(a, readNetwork(b)),
  'net.CIDR::containsCIDR(net.CIDR) -> bool': containsCidr,
  'net.CIDR::ip() -> net.IP': (a: CelCidr) => a.ip,
  'net.CIDR::prefixLength() -> int': ({ length }: CelCidr) => BigInt(length),
  'net.CIDR::masked() -> net.CIDR': (a: CelCidr) => new CelCidr(a.masked, a.length),
  'string(net.CIDR) -> string': String,
  [`url(string) -> ${U}`]: readUrl,
  'isURL(string) -> bool': (a: string) => typeof parseRequestUri(a) !== 'string',
  [`${U}::getScheme() -> string`]: ({ parts }: CelUrl) => parts.scheme,
  [`${U}::getHost() -> string`]: ({ parts }: CelUrl) => parts.host,
  [`${U}::getHostname() -> string`]: ({ parts }: CelUrl) => splitHost(parts).name,
  [`${U}::getPort() -> string`]: ({ parts }: CelUrl) => splitHost(parts).port,
  [`${U}::getEscapedPath() -> string`]: ({ parts }: CelUrl) => escapedPathOf(parts),
  [`${U}::getQuery() -> map(string, list(string))`]: ({ parts }: CelUrl) => queryOf(parts),
});
