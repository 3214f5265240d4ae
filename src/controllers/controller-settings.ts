/** Settings of the controllers, under the names of kube-controller-manager's flags. */
export interface ControllerSettings {
  /** Terminated pods that may exist before pod garbage collection deletes some; 0 or less = all may. @defaultValue 12500 */
  readonly terminatedPodGCThreshold: number;
}

/** What a setting is when nothing is said. */
export const DEFAULT_CONTROLLER_SETTINGS: ControllerSettings = { terminatedPodGCThreshold: 12_500 };
