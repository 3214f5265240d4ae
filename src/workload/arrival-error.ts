/** Arrivals that cannot be: a user's mistake. The message names the arrival, the field, what it got and what is allowed. */
export class ArrivalError extends Error {
  override readonly name = 'ArrivalError';
}
