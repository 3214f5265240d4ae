import type { Validators } from './admission/admission.js';
import type { AdmissionPlugin } from './admission/chain/admission-plugin.js';
import type { ApiServer } from './store/server-types.js';
import type { VersionedStore } from './store/store.js';

/** How a server is set up. */
export interface ApiServerOptions {
  /** Changes kept per kind, for watches that resume and lists at older versions. @defaultValue 16384 */
  readonly watchHistory?: number | undefined;
  /**
   * Whether pods need an account that exists, and get a volume for its token: admission by the plugin ServiceAccount.
   * Otherwise every namespace is taken to have the account `default`. @defaultValue false
   */
  readonly serviceAccounts?: boolean | undefined;
  /** What is wrong with objects of some kinds beyond what their descriptions say. @defaultValue nothing */
  readonly validators?: Validators | undefined;
  /** Makes plugins of admission, which come after those of the server itself and before ResourceQuota. @defaultValue none */
  readonly admission?: ((store: VersionedStore) => readonly AdmissionPlugin[]) | undefined;
  /** Versions that are served beyond those of every server; see optional-kinds.ts. @defaultValue none */
  readonly optionalVersions?: readonly string[] | undefined;
  /** Loads what is there before anything else. @defaultValue nothing */
  readonly load?: ((server: Pick<ApiServer, 'load' | 'endLoad'>) => void) | undefined;
  /** Told of what was wrong with a request that was served all the same, such as an unknown field. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}
