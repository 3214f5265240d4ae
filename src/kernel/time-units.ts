/** A second in milliseconds, the unit of every time and duration in the program. */
export const SECOND_MS = 1000;
/** A minute in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;
/** The longest time that may be asked for: some 7,900 years, nearly as long as timestamps go. */
export const LONGEST_DURATION_MS = 250_000_000_000_000;
/** What is said of a longer one. */
export const LONGEST_TEXT = `at most ${LONGEST_DURATION_MS} ms, which are 7,900 years`;
