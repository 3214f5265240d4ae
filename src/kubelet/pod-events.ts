/** What a kubelet tells of a pod's containers as Event objects, in upstream's words (v1.34). */
import type { Pod } from '../api/objects.js';
import type { EventRecorder, EventType } from '../bus/bus-types.js';
import { problemText, type ScriptProblem } from './container-script.js';
import { goDuration } from './go-duration.js';
import type { ContainerRecord } from './pod-plan.js';

/** See the file header. */
export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  pulling(pod: Pod, container: ContainerRecord): void {
    this.#tell(pod, container, 'Normal', 'Pulling', `Pulling image ${quotedImage(container)}`);
  }

  pulled(pod: Pod, container: ContainerRecord, pullMs: number, sizeBytes: number): void {
    const time = goDuration(pullMs);
    const taken = `in ${time} (${time} including waiting). Image size: ${sizeBytes} bytes.`;
    this.#tell(pod, container, 'Normal', 'Pulled', `Successfully pulled image ${quotedImage(container)} ${taken}`);
  }

  present(pod: Pod, container: ContainerRecord): void {
    const message = `Container image ${quotedImage(container)} already present on machine`;
    this.#tell(pod, container, 'Normal', 'Pulled', message);
  }

  created(pod: Pod, container: ContainerRecord): void {
    this.#tell(pod, container, 'Normal', 'Created', `Created container: ${container.spec.name}`);
  }

  started(pod: Pod, container: ContainerRecord): void {
    this.#tell(pod, container, 'Normal', 'Started', `Started container ${container.spec.name}`);
  }

  backOff(pod: Pod, container: ContainerRecord): void {
    const message = `Back-off restarting failed container ${container.spec.name} in pod ${fullName(pod)}`;
    this.#tell(pod, container, 'Warning', 'BackOff', message);
  }

  killing(pod: Pod, container: ContainerRecord): void {
    this.#tell(pod, container, 'Normal', 'Killing', `Stopping container ${container.spec.name}`);
  }

  /** About the pod as a whole, such as a rejection. */
  pod(pod: Pod, type: EventType, reason: string, message: string): void {
    this.#recorder.record(pod, type, reason, message);
  }

  invalidScript(pod: Pod, problem: ScriptProblem): void {
    this.#recorder.record(pod, 'Warning', 'InvalidScript', problemText(problem));
  }

  #tell(pod: Pod, { spec, role }: ContainerRecord, type: EventType, reason: string, message: string): void {
    const list = role === 'app' ? 'containers' : 'initContainers';
    this.#recorder.record(pod, type, reason, message, { fieldPath: `spec.${list}{${spec.name}}` });
  }
}

/** The text under `state.waiting` while a container waits for its next run. */
export function backOffMessage(pod: Pod, container: string, delayMs: number): string {
  return `back-off ${goDuration(delayMs)} restarting failed container=${container} pod=${fullName(pod)}`;
}

/** `name_namespace(uid)`, as kubelets name pods. */
function fullName({ metadata: { name, namespace = '', uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}

function quotedImage({ spec }: ContainerRecord): string {
  return JSON.stringify(spec.image ?? '');
}
