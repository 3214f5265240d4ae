import type { RandomStream } from './random.js';

/** Letters of generated names: no vowels and no look-alikes, as Kubernetes' own. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

const UID_LENGTH = 36;
/** Where the 32 hex digits of a UUID stand between its dashes. */
const DIGIT_PLACES = Array.from({ length: UID_LENGTH }, (_, place) => place).filter(
  (place) => ![8, 13, 18, 23].includes(place),
);
const HEX_DIGITS = Buffer.from('0123456789abcdef');

/** Where every identifier of a cluster comes from. */
export interface IdSource {
  /** A version 4 UUID. */
  uid(): string;
  /** Five characters for `generateName`. */
  nameSuffix(): string;
}

/** Deterministic identifiers out of one random stream each. */
export function createIdSource(uids: RandomStream, suffixes: RandomStream): IdSource {
  // Written in place and copied out whole: joined pieces would stay in memory as a tree of pieces.
  const text = Buffer.alloc(UID_LENGTH, '-');
  return {
    uid() {
      for (let word = 0; word < 4; word += 1) {
        const bits = uids.bits();
        for (let digit = 0; digit < 8; digit += 1) {
          text[DIGIT_PLACES[word * 8 + digit] ?? 0] = HEX_DIGITS[(bits >>> (28 - 4 * digit)) & 15] ?? 0;
        }
      }
      text[14] = HEX_DIGITS[4] ?? 0;
      text[19] = HEX_DIGITS[8 | ((text[19] ?? 0) & 3)] ?? 0;
      return text.toString('latin1');
    },
    nameSuffix: () => nameSuffix(suffixes),
  };
}

/** Five characters out of a stream, as generated names end with. */
export function nameSuffix(random: RandomStream): string {
  let suffix = '';
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    suffix += SUFFIX_ALPHABET.charAt(random.int(0, SUFFIX_ALPHABET.length - 1));
  }
  return suffix;
}
