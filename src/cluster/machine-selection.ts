import type { MachineKind } from '../machines/trail.js';

/** Which machines are meant; every field that is given must fit. */
export interface MachineSelection {
  /** Absent = all three. */
  readonly machine?: MachineKind | undefined;
  /** A node, a controller, or a pod as `namespace/name`, or `name` in the namespace `default`. */
  readonly name?: string | undefined;
  /** The process in which it lives, such as `kubelet/node-0` or `kube-controller-manager`. */
  readonly by?: string | undefined;
}
