/** What the store keeps of one kind. */
import type { Kind } from '../../api/objects/objects.js';
import type { Renewals } from '../../api/objects/renewals.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import type { KindTable } from './kind-table.js';
import type { WatchHub } from './watch-hub.js';
import type { WatchLog } from './watch-log.js';

/** Everything that is kept of one kind. */
export interface Shelf<K extends Kind> {
  readonly resource: ResourceKind<K>;
  readonly table: KindTable<K>;
  readonly log: WatchLog<K>;
  readonly hub: WatchHub<K>;
  /** Of objects that are renewed at regular times, by key. */
  readonly renewals: Map<string, Renewals>;
  /** Told when such an object is taken out, by key. */
  readonly onRenewedGone: Map<string, () => void>;
}
