/** The processes of one pod on one machine. */
export interface ProcessSet {
  /** `namespace/name`: the identity. */
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
  /** Containers with running processes; none while all of them wait to be started again. */
  readonly containers: readonly string[];
}

/** A volume that is mounted for a pod on one machine. */
export interface VolumeMount {
  /** Name of the PersistentVolume. */
  readonly volume: string;
  /** `namespace/name`. */
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
}

/** Something that Kubernetes promises not to happen, and that has happened. */
export interface SafetyViolation {
  /** Simulated time, ms. */
  readonly atMs: number;
  /**
   * `UnconfirmedDeletion`: an object was removed while its processes ran, or could start again.
   * `SplitBrain`: two process sets of one identity run at once.
   */
  readonly type: 'UnconfirmedDeletion' | 'SplitBrain';
  /** `namespace/name`. */
  readonly pod: string;
  /** The party that removed the object, such as `user` or `kube-controller-manager`. */
  readonly by: string;
  /** The process sets; of a split brain the older one first. */
  readonly instances: readonly ProcessSet[];
  /** The same in words. */
  readonly text: string;
}
