/** Stands in a table for an object that is made when something asks for it, once. */
export abstract class DeferredObject<T> {
  abstract readonly namespace: string;
  abstract readonly name: string;
  #object: T | undefined;

  get object(): T {
    this.#object ??= this.make();
    return this.#object;
  }

  protected abstract make(): T;
}
