import type { RandomStream } from './random.js';

/** Letters of generated names: no vowels and no look-alikes, as Kubernetes' own. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Where every identifier of a cluster comes from. */
export interface IdSource {
  /** A version 4 UUID. */
  uid(): string;
  /** Five characters for `generateName`. */
  nameSuffix(): string;
}

/** 16 bits as four hex digits. */
const hex4 = (bits: number): string => `${BYTES[bits >>> 8]}${BYTES[bits & 0xff]}`;

/** Deterministic identifiers out of one random stream each. */
export function createIdSource(uids: RandomStream, suffixes: RandomStream): IdSource {
  return {
    uid() {
      const [a, b, c, d] = [uids.bits(), uids.bits(), uids.bits(), uids.bits()];
      const version = 0x4000 | (b & 0x0fff);
      const variant = 0x8000 | (c & 0x3fff);
      return `${hex4(a >>> 16)}${hex4(a & 0xffff)}-${hex4(b >>> 16)}-${hex4(version)}-${hex4(variant)}-${hex4(c >>> 16)}${hex4(d >>> 16)}${hex4(d & 0xffff)}`;
    },
    nameSuffix() {
      let suffix = '';
      for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
        suffix += SUFFIX_ALPHABET.charAt(suffixes.int(0, SUFFIX_ALPHABET.length - 1));
      }
      return suffix;
    },
  };
}
