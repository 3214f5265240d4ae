/** What processes of a container know of the network: servers of their own, and requests to others. */

/** A request by HTTP. */
export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Address of the one that asks. */
  readonly from: string;
}

/** Its answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the server is at it, simulated ms; Infinity = it never answers. @defaultValue 0 */
  readonly takesMs?: number;
}

/** Answers requests on a port. */
export type HttpHandler = (request: HttpRequest) => HttpResponse;

/** What comes of a request: an answer, or why there is none. */
export type FetchResult =
  | { readonly response: HttpResponse; readonly address: string }
  | { readonly problem: 'bad address' | 'refused' | 'unreachable'; readonly address: string };

/** What comes of a connection: a server that speaks HTTP, one that says nothing, or none. */
export type Connection = 'http' | 'silent' | 'refused';

/** The network as one container sees it. */
export interface Network {
  /** The container's own address. */
  readonly address: string;
  /**
   * Serves a port until its process ends; `undefined` = it takes connections and says nothing.
   *
   * @param certificate - of a server that speaks TLS, as PEM
   * @returns whether the port was free
   */
  listen(pid: number, port: number, handler: HttpHandler | undefined, certificate?: string): boolean;
  /** A process has ended. */
  release(pid: number): void;
  /** Addresses of a name; none = it is not known. */
  lookUp(host: string): readonly string[];
  /** Other records of a name, as `dig +short` shows them. */
  records(name: string, type: 'CNAME' | 'SRV' | 'PTR'): readonly string[];
  fetch(host: string, port: number, request: Omit<HttpRequest, 'from'>): FetchResult;
  /** What takes connections there, if anything does. */
  connect(host: string, port: number): Connection;
}

/** A network on which nothing is. */
export const NO_NETWORK: Network = {
  address: '',
  listen: () => true,
  release: () => undefined,
  lookUp: () => [],
  records: () => [],
  fetch: (address) => ({ problem: 'unreachable', address }),
  connect: () => 'refused',
};
