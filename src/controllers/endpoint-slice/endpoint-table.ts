import type { discovery } from '../../api/objects/objects.js';
import { EndpointBook } from './endpoint-book.js';
import { endpointKey } from './endpoints.js';

/** A pod as an endpoint. */
export interface PodEndpoint {
  readonly ports: discovery.EndpointPort[];
  /** Equal for equal ports. */
  readonly portsKey: string;
  readonly endpoint: discovery.Endpoint;
}

/** The endpoints of a service in one family of addresses, by their ports. */
export class EndpointTable {
  /** By the key of their ports. */
  readonly books = new Map<string, EndpointBook>();
  /** By key of the pod. */
  readonly #places = new Map<string, { readonly book: EndpointBook; readonly key: string }>();

  /**
   * What a pod is to the service now.
   *
   * @param order - number of the pod in order of arrival
   * @param found - absent when it is no endpoint
   */
  set(podKey: string, order: number, found: PodEndpoint | undefined): void {
    const place = this.#places.get(podKey);
    if (found === undefined) {
      this.#places.delete(podKey);
      place?.book.unwant(place.key);
      return;
    }
    let book = this.books.get(found.portsKey);
    if (book === undefined) this.books.set(found.portsKey, (book = new EndpointBook(found.ports)));
    const key = endpointKey(found.endpoint);
    if (place !== undefined && (place.book !== book || place.key !== key)) place.book.unwant(place.key);
    this.#places.set(podKey, { book, key });
    book.want(key, found.endpoint, order);
  }
}
