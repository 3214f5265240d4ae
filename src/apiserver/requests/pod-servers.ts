/** What the API server reaches of the network of pods: servers in their containers. */

/** A request to one. */
export interface ServerRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As bytes, a letter each. */
  readonly body: string;
}

/** Its answer. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As bytes, a letter each. */
  readonly body: string;
  /** How long the server is at it, simulated ms; Infinity = it never answers. @defaultValue 0 */
  readonly takesMs?: number;
}

/** A server that listens. */
export interface PodServer {
  /** Of one that speaks TLS, as PEM. */
  readonly certificate: string | undefined;
  ask(request: ServerRequest): ServerAnswer;
}

/** A place on the network of pods. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** See the file header. */
export interface PodServers {
  /** Whether what plays servers is loaded: before it, those are not there that an image starts by itself. */
  readonly isLoaded: boolean;
  /** Whether it need not be waited for. */
  readonly isAtHand: boolean;
  load(): Promise<void>;
  /** From now on a request starts such a server. */
  begin(): void;
  /** A ready endpoint behind a port of a service, by its number; `undefined` = there is none. */
  behind(namespace: string, service: string, port: number): ServerAddress | undefined;
  /** `undefined` = nothing listens there. */
  at(place: ServerAddress): PodServer | undefined;
}
