/**
 * What calls of functions cost at most. Mirrors functionCost of cel-go v0.26 checker/cost.go, its ext/sets.go, and
 * apiserver/pkg/cel/library/cost.go (v1.34).
 */
import { DYN, type CelType } from '../types.js';
import {
  exactly,
  LARGEST,
  LETTER_COST,
  LIST_COST,
  PATTERN_COST,
  product,
  STRUCT_COST,
  sum,
  timesFactor,
  union,
  UNKNOWN_SIZE,
  type Amount,
  type SizeOf,
} from './amounts.js';
import type { CostNode } from './cost-tree.js';

/** What a function is given. */
export interface Operand {
  readonly path: readonly string[];
  readonly type: CelType;
  /** As far as the expression itself tells it. */
  readonly size: Amount | undefined;
  readonly node: CostNode;
}

/** What a call costs, and how large its result is where that is known. */
export interface CallEstimate {
  readonly cost: Amount;
  readonly size?: Amount;
}

/** What one check of access costs: no more than two fit into an expression. */
export const CHECK_COST = 350_000;
/** Of the pattern of a named format, about. */
const FORMAT_PATTERN_COST = 128 * PATTERN_COST;
const FORMAT_NAME_LENGTH = 64n;
const TEXT_KINDS: ReadonlySet<string> = new Set(['string', 'bytes']);

/** Ways to call a function that cost something of their own, by kinds of cel-go's; the name of the function for all others. */
export function overloadKind(name: string, params: readonly CelType[], isMember: boolean): string {
  const { form, name: type } = params[0] ?? DYN;
  switch (name) {
    case '_&&_':
    case '_||_':
      return 'logical';
    case '_?_:_':
      return 'conditional';
    case '_+_':
      if (form === 'list') return 'add_list';
      return TEXT_KINDS.has(type) ? 'add_text' : name;
    case '_[_]':
      return form === 'list' || form === 'map' ? `index_${form}` : name;
    case '@in':
      return params[1]?.form === 'list' ? 'in_list' : name;
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return TEXT_KINDS.has(type) && params[1]?.name === type ? 'compared' : name;
    case '_==_':
      return 'same';
    case '_!=_':
      return 'compared';
    case 'matches':
      return isMember ? 'matches_member' : name;
    case 'ip':
      return type === 'net.CIDR' ? 'cidr_ip' : name;
    case 'containsIP':
    case 'containsCIDR':
      return params[1]?.name === 'string' ? `${name}_text` : name;
    case 'bytes':
      return type === 'string' ? 'text_to_bytes' : name;
    case 'string':
      return type === 'bytes' ? 'bytes_to_text' : name;
    default:
      return name;
  }
}

/** What a call costs, without what it is given. @param sizeOf - of paths */
export function callEstimate(
  kind: string,
  target: Operand | undefined,
  args: readonly Operand[],
  sizeOf: SizeOf,
): CallEstimate {
  return libraryEstimate(kind, target, args, sizeOf) ?? languageEstimate(kind, target, args);
}

const NOMINAL: ReadonlySet<string> = new Set(
  (
    'serviceAccount path group resource subresource namespace name allowed reason error errored cidr_ip masked ' +
    'prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named ' +
    'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme ' +
    'getHostname getHost getPort getEscapedPath getQuery'
  ).split(' '),
);

/** Functions that cost the same whatever they are given. */
export function isNominal(kind: string): boolean {
  return NOMINAL.has(kind);
}

function letters(size: Amount, times = 1): Amount {
  return timesFactor(size, times * LETTER_COST);
}

function libraryEstimate(
  kind: string,
  target: Operand | undefined,
  args: readonly Operand[],
  sizeOf: SizeOf,
): CallEstimate | undefined {
  if (NOMINAL.has(kind)) return { cost: exactly(1) };
  const sizeIn = (operand: Operand): Amount => operand.size ?? known(operand.path, sizeOf);
  const [first, second] = args;
  const own = target === undefined ? undefined : sizeIn(target);
  const given = first === undefined ? undefined : sizeIn(first);
  switch (kind) {
    case 'check':
      return { cost: exactly(CHECK_COST) };
    case 'sets.contains':
    case 'sets.intersects':
    case 'sets.equivalent': {
      if (given === undefined || second === undefined) return undefined;
      const steps = product(given, sizeIn(second));
      return { cost: sum(timesFactor(steps, kind === 'sets.equivalent' ? 2 : 1), exactly(1)) };
    }
    case 'fieldSelector':
    case 'labelSelector':
      return given === undefined || args.length !== 1 ? undefined : { cost: selectorCost(given) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target === undefined || own === undefined ? undefined : { cost: traversal(target, own, sizeOf) };
    case 'url':
    case 'jsonpatch.escapeKey':
      return given === undefined ? undefined : { cost: letters(given), size: given };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return own === undefined ? undefined : { cost: letters(own), size: own };
    case 'replace':
      if (own === undefined || given === undefined || second === undefined) return undefined;
      return { cost: letters(own, 2), size: replacedSize(own, given, sizeIn(second)) };
    case 'split':
      return own === undefined ? undefined : { cost: letters(own, 2), size: { min: 0n, max: splitLimit(second, own) } };
    case 'join':
      return target === undefined || own === undefined ? undefined : joined(target, own, given, sizeOf);
    case 'find':
    case 'findAll': {
      if (own === undefined || given === undefined) return undefined;
      const cost = product(letters(sum(own, exactly(1))), timesFactor(given, PATTERN_COST));
      return { cost, size: { min: 0n, max: own.max } };
    }
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'ip':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return given === undefined ? undefined : { cost: letters(given) };
    case 'ip.isCanonical':
      return given === undefined ? undefined : { cost: letters(given, 2) };
    case 'containsIP':
    case 'containsIP_text':
    case 'containsCIDR':
    case 'containsCIDR_text':
      return given === undefined ? undefined : { cost: contained(kind, given) };
    case 'validate':
      return given === undefined ? undefined : { cost: timesFactor(letters(given), FORMAT_PATTERN_COST) };
    case 'same':
      return sameEstimate(first, second);
    default:
      return undefined;
  }
}

function known(path: readonly string[], sizeOf: SizeOf): Amount {
  return (path.length === 0 ? undefined : sizeOf(path)) ?? UNKNOWN_SIZE;
}

/** Of reading a selector: a list of requirements, each of at least two letters. */
export function selectorCost(length: Amount): Amount {
  const requirements = timesFactor(timesFactor(length, 0.5), LIST_COST + STRUCT_COST);
  return sum(exactly(LIST_COST), letters(length), requirements);
}

/** Of going through a list once, its texts included. */
function traversal(target: Operand, size: Amount, sizeOf: SizeOf): Amount {
  const [item] = target.type.params;
  if (item === undefined) return letters(size);
  const isText = item.form === 'plain' && TEXT_KINDS.has(item.name);
  const each = isText ? sum(exactly(1), letters(itemSize(target, sizeOf))) : exactly(1);
  return product(size, each);
}

function itemSize({ path }: Operand, sizeOf: SizeOf): Amount {
  return path.length === 0 ? UNKNOWN_SIZE : known([...path, '@items'], sizeOf);
}

function quotient(a: bigint, b: bigint): bigint {
  return BigInt(Math.ceil(Number(a) / Number(b)));
}

/** How long a text can become: the longest and the shortest that replacing can make of it. */
function replacedSize(size: Amount, what: Amount, by: Amount): Amount {
  const most = { count: 0n, kept: 0n };
  if (what.min === 0n) {
    most.count = size.max < LARGEST ? size.max + 1n : size.max;
    most.kept = size.max;
  } else if (by.max <= what.min) most.kept = size.max;
  else most.count = quotient(size.max, what.min);
  const least = { count: 0n, kept: 0n };
  if (what.max === 0n) {
    least.count = size.min < LARGEST ? size.min + 1n : size.min;
    least.kept = size.min;
  } else if (what.max <= by.min) least.kept = size.min;
  else least.count = quotient(size.min, what.max);
  return sum(product({ min: least.count, max: most.count }, by), { min: least.kept, max: most.kept });
}

function splitLimit(limit: Operand | undefined, size: Amount): bigint {
  const node = limit?.node;
  if (node?.kind !== 'literal' || typeof node.value !== 'bigint') return size.max;
  return BigInt.asUintN(64, node.value);
}

function lessOne(amount: bigint): bigint {
  return amount > 0n ? amount - 1n : 0n;
}

function joined(target: Operand, count: Amount, separator: Amount | undefined, sizeOf: SizeOf): CallEstimate {
  const [item] = target.type.params;
  let size = item === undefined ? { min: 0n, max: 0n } : product(count, itemSize(target, sizeOf));
  if (separator !== undefined) {
    size = sum(size, product(separator, { min: lessOne(count.min), max: lessOne(count.max) }));
  }
  return { cost: letters(size), size };
}

/** Addresses have 4 or 16 bytes. */
const ADDRESS: Amount = { min: 4n, max: 16n };

function contained(kind: string, size: Amount): Amount {
  const compared = letters(sum(ADDRESS, ADDRESS));
  const masked = kind.startsWith('containsCIDR') ? sum(letters(ADDRESS), exactly(1)) : exactly(0);
  const read = kind.endsWith('_text') ? letters(size) : exactly(0);
  return sum(compared, masked, read);
}

const CHEAP: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

/** Of comparing two values of a type of a library. */
function sameEstimate(first: Operand | undefined, second: Operand | undefined): CallEstimate | undefined {
  if (first === undefined || second === undefined) return undefined;
  const { form, name } = first.type;
  if (form !== 'opaque' || second.type.form !== 'opaque' || second.type.name !== name) return undefined;
  if (CHEAP.has(name)) return { cost: exactly(1) };
  if (name === 'kubernetes.NamedFormat') return { cost: letters({ min: 1n, max: FORMAT_NAME_LENGTH }) };
  if (name !== 'kubernetes.URL') return undefined;
  const size = second.size === undefined ? exactly(1) : union(second.size, second.size);
  return { cost: letters({ min: 1n, max: size.max }) };
}

function languageEstimate(kind: string, target: Operand | undefined, args: readonly Operand[]): CallEstimate {
  const [first, second] = args;
  const one = first?.size ?? UNKNOWN_SIZE;
  const two = second?.size ?? UNKNOWN_SIZE;
  const own = target?.size ?? UNKNOWN_SIZE;
  switch (kind) {
    case 'format':
      return { cost: letters(own) };
    case 'text_to_bytes':
      return { cost: letters(one), size: { min: one.min, max: wrapped(one.max * 4n) } };
    case 'bytes_to_text':
      return { cost: letters(one), size: { min: one.min / 4n, max: one.max } };
    case 'strings.quote':
      return { cost: letters(one), size: { min: one.min + 2n, max: wrapped(one.max * 2n + 2n) } };
    case 'startsWith':
    case 'endsWith':
      return { cost: letters(one) };
    case 'in_list':
      return { cost: timesFactor(two, 1) };
    case 'matches_member':
      return { cost: product(letters(sum(own, exactly(1))), timesFactor(one, PATTERN_COST)) };
    case 'contains':
      return { cost: product(letters(own), letters(one)) };
    case 'add_text':
      return { cost: letters(sum(one, two)), size: sum(one, two) };
    case 'add_list':
      return { cost: exactly(1), size: sum(one, two) };
    case 'same':
    case 'compared': {
      const max = one.max < two.max ? one.max : two.max;
      return { cost: letters({ min: max > 0n ? 1n : 0n, max }) };
    }
    default:
      return { cost: exactly(1) };
  }
}

/** As numbers of Go go round. */
function wrapped(amount: bigint): bigint {
  return BigInt.asUintN(64, amount);
}
