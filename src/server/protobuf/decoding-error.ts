/** Bytes that are not the message that they are said to be. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
}
