import type { CycleState } from '../framework/cycle-state.js';
import type { BindPlugin, FrameworkHandle, StatusCallback } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus } from '../framework/status.js';

/** Posts the binding to the API server. Upstream: plugin DefaultBinder of kube-scheduler v1.34. */
export class DefaultBinder implements BindPlugin {
  readonly name = 'DefaultBinder';
  readonly #handle: FrameworkHandle;

  constructor(handle: FrameworkHandle) {
    this.#handle = handle;
  }

  bind(_state: CycleState, { pod }: PodInfo, nodeName: string, done: StatusCallback): void {
    const { name, namespace = '', uid } = pod.metadata;
    this.#handle.bind({ namespace, name, uid, nodeName }, (error) => {
      done(error === undefined ? undefined : createStatus(Code.Error, this.name, error.message));
    });
  }
}
