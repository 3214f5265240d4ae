import type { RemoteService } from '../../api/aggregation/remote-service.js';
import type { ServiceAddresses } from '../service-addresses.js';

/** Where servers behind APIServices are, and what is known of them. Types of Node's stay out of what users import. */
export interface RemoteMeans {
  readonly services: ServiceAddresses;
  /** The APIServices behind services, but for group versions that the API server serves itself. */
  readonly all: () => readonly RemoteService[];
  /** Of what each serves, by the name of its APIService. */
  readonly told: Map<string, readonly object[]>;
  /** Of the server, in PEM, by which they know the front proxy: set when it is there. */
  authority: string;
}
