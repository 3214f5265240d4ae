/** A cluster that was disposed is asked for a change. */
export class DisposedError extends Error {
  override readonly name = 'DisposedError';

  constructor() {
    super('the cluster is disposed: nothing can be changed in it');
  }
}
