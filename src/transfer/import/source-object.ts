/** An object as it was written. */
export interface SourceObject {
  readonly value: Fields;
  /** Where it stands: `dump.yaml:12`. */
  readonly place: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
