import type { RemoteService } from '../../api/aggregation/remote-service.js';

/** Where servers behind APIServices are, and what is known of them. Types of Node's stay out of what users import. */
export interface RemoteMeans {
  /** Addresses of services: `namespace/name`, or with its port, to a URL. */
  readonly services: ReadonlyMap<string, string>;
  /** The APIServices that there are. */
  readonly all: () => readonly RemoteService[];
  /** Of what each serves, by the name of its APIService. */
  readonly told: Map<string, readonly object[]>;
  /** Of the server, in PEM, by which they know the front proxy: set when it is there. */
  authority: string;
}
