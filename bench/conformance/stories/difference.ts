/** Something that a replay has otherwise than its recording. */
export interface Difference {
  /** Actions that had been sent. */
  readonly step: number;
  /** Line of the recording where it shows, if it is one of the recording's. */
  readonly line: number | undefined;
  /** What differs, of which object. */
  readonly what: string;
  readonly recorded: unknown;
  readonly ours: unknown;
}
