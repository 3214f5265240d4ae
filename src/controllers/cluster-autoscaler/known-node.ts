import type { Node } from '../../api/objects/objects.js';
import type { Amounts, CloudMachine } from './autoscaler-seams.js';
import type { NodeReadiness } from './node-readiness.js';

/** A node with what is computed of it once. */
export interface KnownNode extends NodeReadiness {
  readonly node: Node;
  readonly name: string;
  readonly createdMs: number;
  readonly capacity: Amounts;
  /** It is marked as one that is being removed, and seconds since 1970 at which it was. */
  readonly isToBeDeleted: boolean;
  readonly markedAt: number | undefined;
  /** It is marked as one that is not needed at present. */
  readonly isCandidate: boolean;
  readonly machine: CloudMachine;
  /** Its place in the roster. */
  slot: number;
}
