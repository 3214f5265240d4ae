import { createHash, generateKeyPairSync, randomUUID, sign, verify, type KeyObject } from 'node:crypto';
import type { PublishedKey, TokenSeal } from '../requests/access/service-account-tokens.js';

/** Tokens of which it is remembered that they are signed: each of their requests asks. */
const MOST_REMEMBERED = 1000;

/**
 * Signs tokens under a new key that nothing outside of this server knows, and publishes the other half of it, as
 * kube-apiserver does with a key of ECDSA.
 *
 * @param address - where the server is, as clients reach it
 */
export function createTokenSeal(address: () => string): TokenSeal {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const signed = new Set<string>();
  return {
    header: { alg: 'ES256', kid: keyId },
    sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: ENCODING }).toString('base64url'),
    isSigned(text, signature) {
      const token = createHash('sha256').update(`${text}.${signature}`).digest('base64url');
      if (signed.has(token)) return true;
      const bytes = Buffer.from(signature, 'base64url');
      if (!verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: ENCODING }, bytes)) return false;
      if (signed.size >= MOST_REMEMBERED) signed.clear();
      signed.add(token);
      return true;
    },
    newId: () => randomUUID(),
    published: { address, keys: [publishedKey(publicKey, keyId)] },
  };
}

/** Both halves of a signature beside each other, as JSON web tokens have it. */
const ENCODING = 'ieee-p1363';

function publishedKey(key: KeyObject, keyId: string): PublishedKey {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: keyId, crv, alg: 'ES256', x, y };
}
