/** A second in milliseconds, the unit of every time and duration in the program. */
export const SECOND_MS = 1000;
/** A minute in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;
