/**
 * Something that a controller could not do now and may manage later, beside what the API refuses: its
 * key comes back after the back-off. Any other error that a reconcile throws is a bug and ends the run.
 */
export class RetryError extends Error {
  override readonly name: string = 'RetryError';
}
