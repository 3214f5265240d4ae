import type { Readable } from 'node:stream';
import { ApiError } from '../api/errors/api-error.js';

/** Bytes that the body of a request may have, as upstream's `MaxRequestBodyBytes`. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/**
 * Reads the body of a request.
 *
 * @throws ApiError 413 for one that is too long: what is left of it has not been read then; Error when it breaks off
 */
export async function readBody(request: Readable, declaredBytes: number): Promise<Uint8Array> {
  if (declaredBytes > BODY_LIMIT_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Buffer)) throw new TypeError('a body must come as bytes');
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${BODY_LIMIT_BYTES}`;
  return new ApiError(413, 'RequestEntityTooLarge', message, {});
}
