/** A cluster that cannot be recorded, or a file that cannot be written. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}
