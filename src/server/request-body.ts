import type { RequestBody } from '../requests/api-request.js';

/** The body of a request as the engine takes it: text, as long as it is one. `undefined` = there is none. */
export function requestBody(bytes: Uint8Array, _contentType: string | undefined): RequestBody | undefined {
  if (bytes.length === 0) return undefined;
  return { text: new TextDecoder().decode(bytes) };
}
