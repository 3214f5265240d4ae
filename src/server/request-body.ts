import { ApiError } from '../api/errors/api-error.js';
import type { RequestBody } from '../requests/api-request.js';
import { decodeObject } from './protobuf/decode-object.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * Brackets within brackets of JSON. Go lets them nest 10,000 deep; no object of Kubernetes
 * comes near this, and what reads them here recurs.
 */
const DEEPEST = 500;

/**
 * The body of a request as the engine takes it: text, or what a protobuf message says. `undefined` = there is none.
 *
 * @throws ApiError 400, 415
 */
export function requestBody(bytes: Uint8Array, contentType: string | undefined): RequestBody | undefined {
  if (bytes.length === 0) return undefined;
  const [type = ''] = (contentType ?? '').split(';');
  const media = type.trim().toLowerCase();
  if (media === PROTOBUF) return { value: decodeObject(bytes) };
  // In YAML a bracket may be part of a text that no quotes enclose.
  if (!media.endsWith('yaml')) checkDepth(bytes);
  return { text: new TextDecoder().decode(bytes) };
}

const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, QUOTE, BACKSLASH] = ['[', ']', '{', '}', '"', '\\'].map(
  (each) => each.charCodeAt(0),
);

/** @throws ApiError 400 for a body that is nested so deeply that to read it would be a danger */
function checkDepth(bytes: Uint8Array): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > DEEPEST) throw new ApiError(400, 'BadRequest', `exceeded max depth of ${DEEPEST}`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
}
