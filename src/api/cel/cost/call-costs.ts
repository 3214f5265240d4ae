/**
 * What calls of functions have cost. Mirrors cel-go v0.26 interpreter/runtimecost.go and
 * apiserver/pkg/cel/library/cost.go (v1.34).
 */
import { CelOptional, type CelMap, type CelValue } from '../values.js';
import { LETTER_COST, PATTERN_COST } from './amounts.js';
import { CHECK_COST, isNominal, selectorCost } from './call-estimates.js';
import { exactly } from './amounts.js';

/** What a call has cost. @param kind - see `overloadKind` */
export function callCost(kind: string, args: readonly CelValue[], result: CelValue): number {
  if (isNominal(kind)) return 1;
  const [first = null, second = null] = args;
  switch (kind) {
    case 'check':
      return CHECK_COST;
    case 'fieldSelector':
    case 'labelSelector':
      return Number(selectorCost(exactly(sizeOf(second))).max);
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return traversal(first);
    case 'url':
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'jsonpatch.escapeKey':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'ip':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
    case 'startsWith':
    case 'endsWith':
    case 'text_to_bytes':
    case 'bytes_to_text':
    case 'strings.quote':
    case 'format':
      return letters(sizeOf(first));
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return letters(sizeOf(first) * 2);
    case 'join':
      return letters(sizeOf(result) * 2);
    case 'find':
    case 'findAll':
    case 'matches_member':
      return letters(1 + sizeOf(first)) * Math.ceil(sizeOf(second) * PATTERN_COST);
    case 'containsIP':
    case 'containsCIDR':
      return letters(2) + (kind === 'containsCIDR' ? letters(1) + 1 : 0);
    case 'containsIP_text':
    case 'containsCIDR_text':
      return letters(2) + (kind === 'containsCIDR_text' ? letters(1) + 1 : 0) + letters(sizeOf(second));
    case 'validate':
      return letters(1 + sizeOf(second)) * FORMAT_COST;
    case 'sets.contains':
    case 'sets.intersects':
      return 1 + sizeOf(first) * sizeOf(second);
    case 'sets.equivalent':
      return 1 + sizeOf(first) * sizeOf(second) * 2;
    case 'in_list':
      return sizeOf(second);
    case 'same':
    case 'compared':
      return letters(Math.min(sizeOf(first), sizeOf(second)));
    case 'add_text':
      return letters(sizeOf(first) + sizeOf(second));
    case 'contains':
      return letters(sizeOf(first)) * letters(sizeOf(second));
    default:
      return 1;
  }
}

/** Patterns of formats are about 30 letters long. */
const FORMAT_COST = 30 * PATTERN_COST;

function letters(size: number): number {
  return Math.ceil(size * LETTER_COST);
}

function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return lettersIn(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Map) return value.size;
  return value instanceof CelOptional && value.value !== undefined ? sizeOf(value.value) : 1;
}

function lettersIn(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) count -= 1;
  }
  return count;
}

/** Of going through a value with all that it holds. */
function traversal(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * LETTER_COST);
  if (value instanceof Uint8Array) return Math.floor(value.length * LETTER_COST);
  if (Array.isArray(value))
    return (value as readonly CelValue[]).reduce<number>((sum, each) => sum + traversal(each), 0);
  if (!(value instanceof Map)) return 1;
  let sum = 0;
  for (const [key, each] of value as CelMap) sum += traversal(key) + traversal(each);
  return sum;
}
