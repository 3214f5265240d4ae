import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { TokenSeal } from '../requests/access/service-account-tokens.js';

const KEY_BYTES = 32;

/** Signs tokens under a new key that nothing outside of this server knows. */
export function createTokenSeal(): TokenSeal {
  const key = randomBytes(KEY_BYTES);
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    sign,
    isSigned(text, signature) {
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    newId: () => randomUUID(),
  };
}
