/** What a kubelet tells of a pod and its containers as Event objects, in upstream's words (v1.34). */
import type { Pod, StringMap } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { EventRecorder, EventType } from '../../bus/bus-types.js';
import type { ContainerRecord } from '../containers/container-record.js';
import { RecentMap } from '../../kernel/recent-map.js';
import { goDuration } from '../../api/go/go-duration.js';
import { podFullName } from '../../api/pods/pod-name.js';
import { problemText } from '../scripts/script-annotations.js';
import type { ScriptProblem } from '../scripts/script-types.js';

/** What is said of each run of a container: one text for all containers that share a spec, as those of a template do. */
interface ContainerTexts {
  readonly fieldPath: string;
  readonly created: string;
  readonly started: string;
}

const SPECS_REMEMBERED = 512;
const textsOfSpecs = {
  app: new RecentMap<object, ContainerTexts>(SPECS_REMEMBERED),
  init: new RecentMap<object, ContainerTexts>(SPECS_REMEMBERED),
  ephemeral: new RecentMap<object, ContainerTexts>(SPECS_REMEMBERED),
};

const LISTS = { app: 'containers', init: 'initContainers', ephemeral: 'ephemeralContainers' };

function textsOf({ spec, role }: ContainerRecord): ContainerTexts {
  const list = role === 'sidecar' ? 'init' : role;
  const known = textsOfSpecs[list];
  let texts = known.get(spec);
  if (texts === undefined) {
    const { name } = spec;
    texts = {
      fieldPath: `spec.${LISTS[list]}{${name}}`,
      created: `Created container: ${name}`,
      started: `Started container ${name}`,
    };
    known.set(spec, texts);
  }
  return texts;
}

/** See the file header. */
export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  pulling(pod: Pod, container: ContainerRecord): void {
    this.container(pod, container, 'Normal', 'Pulling', `Pulling image ${quotedImage(container)}`);
  }

  /** @param totalMs - from the kubelet's order on, with the time that other pulls took before it */
  pulled(pod: Pod, container: ContainerRecord, pullMs: number, totalMs: number, sizeBytes: number): void {
    const taken = `in ${goDuration(pullMs)} (${goDuration(totalMs)} including waiting). Image size: ${sizeBytes} bytes.`;
    this.container(pod, container, 'Normal', 'Pulled', `Successfully pulled image ${quotedImage(container)} ${taken}`);
  }

  present(pod: Pod, container: ContainerRecord): void {
    const message = `Container image ${quotedImage(container)} already present on machine`;
    this.container(pod, container, 'Normal', 'Pulled', message);
  }

  pullFailed(pod: Pod, container: ContainerRecord, error: string): void {
    const message = `Failed to pull image ${quotedImage(container)}: ${error}`;
    this.container(pod, container, 'Warning', 'Failed', message);
  }

  pullBackOff(pod: Pod, container: ContainerRecord): void {
    this.container(pod, container, 'Normal', 'BackOff', pullBackOffText(container));
  }

  pullSecretsMissing(pod: Pod, names: readonly string[]): void {
    const list = `Unable to retrieve some image pull secrets (${names.join(', ')})`;
    this.pod(
      pod,
      'Warning',
      'FailedToRetrieveImagePullSecret',
      `${list}; attempting to pull the image may not succeed.`,
    );
  }

  /** A container could not be started; `error` is a reason, or the runtime's words. */
  failed(pod: Pod, container: ContainerRecord, error: string): void {
    this.container(pod, container, 'Warning', 'Failed', `Error: ${error}`);
  }

  created(pod: Pod, container: ContainerRecord): void {
    this.container(pod, container, 'Normal', 'Created', textsOf(container).created);
  }

  started(pod: Pod, container: ContainerRecord): void {
    this.container(pod, container, 'Normal', 'Started', textsOf(container).started);
  }

  restartBackOff(pod: Pod, container: ContainerRecord): void {
    const message = `Back-off restarting failed container ${container.spec.name} in pod ${podFullName(pod)}`;
    this.container(pod, container, 'Warning', 'BackOff', message);
  }

  /** About one container. */
  container(pod: Pod, container: ContainerRecord, type: EventType, reason: string, message: string): void {
    this.#recorder.record(pod, type, reason, message, { fieldPath: textsOf(container).fieldPath });
  }

  /** About the pod as a whole, such as a rejection. */
  pod(pod: Pod, type: EventType, reason: string, message: string): void {
    this.#recorder.record(pod, type, reason, message);
  }

  /** About a claim of the pod. */
  claim(claim: PersistentVolumeClaim, type: EventType, reason: string, message: string): void {
    this.#recorder.record(claim, type, reason, message);
  }

  /** The annotations are of the event alone. */
  evicted(pod: Pod, message: string, annotations: StringMap): void {
    this.#recorder.record(pod, 'Warning', 'Evicted', message, { annotations });
  }

  invalidScript(pod: Pod, problem: ScriptProblem): void {
    this.#recorder.record(pod, 'Warning', 'InvalidScript', problemText(problem));
  }
}

/** The text under `state.waiting` while a container waits for its next run. */
export function restartBackOffText(pod: Pod, { spec }: ContainerRecord, delayMs: number): string {
  return `back-off ${goDuration(delayMs)} restarting failed container=${spec.name} pod=${podFullName(pod)}`;
}

/** What a kubelet says of an image that it will pull again, but not yet. */
export function pullBackOffText(container: ContainerRecord): string {
  return `Back-off pulling image ${quotedImage(container)}`;
}

/** The image of a container in quotes. */
export function quotedImage({ spec }: ContainerRecord): string {
  return JSON.stringify(spec.image ?? '');
}
