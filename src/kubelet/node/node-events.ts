/** What a kubelet tells of its node as Event objects, in upstream's words (v1.34). */
import type { Node } from '../../api/objects/objects.js';
import type { EventRecorder, EventType } from '../../bus/bus-types.js';
import { PRESSURES, type NodeHealth, type Pressure } from '../configuration/node-conditions.js';

/** Told by one process of a kubelet: a new one knows nothing of what was told before. */
export class NodeEvents {
  readonly #recorder: EventRecorder;
  readonly #node: { readonly kind: 'Node'; readonly apiVersion: ''; readonly metadata: { name: string; uid: string } };
  #told: readonly Pressure[] | undefined;
  #wasReady: boolean | undefined;

  constructor(recorder: EventRecorder, name: string) {
    this.#recorder = recorder;
    // Upstream has no object at hand, and refers to its node by the name in place of its uid.
    this.#node = { kind: 'Node', apiVersion: '', metadata: { name, uid: name } };
  }

  tell(type: EventType, reason: string, message: string): void {
    this.#recorder.record(this.#node, type, reason, message);
  }

  /**
   * A new process knows nothing of its node; the kernel's log it reads from the beginning, as upstream does.
   *
   * @param systemOoms - what the log tells of shortages of memory
   */
  begin(systemOoms: readonly string[]): void {
    this.#told = undefined;
    this.#wasReady = undefined;
    this.tell('Normal', 'Starting', 'Starting kubelet.');
    for (const message of systemOoms) this.systemOom(message);
    this.tell('Normal', 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
  }

  /** The process has told all that the API shows of its node. */
  resume({ conditions = [] }: Node['status']): void {
    const shown = (type: string): boolean => conditions.some((each) => each.type === type && each.status === 'True');
    this.#told = PRESSURES.map(({ type }) => type).filter(shown);
    this.#wasReady = shown('Ready');
  }

  /** The API shows the node so: a difference to that is told. */
  readyIsShownAs(isReady: boolean | undefined): void {
    this.#wasReady = isReady;
  }

  /** Tells what is not as it was when it was told last. */
  health({ pressures, problems }: NodeHealth): void {
    for (const { type, present, absent } of PRESSURES) {
      const isPresent = pressures.includes(type);
      if (this.#told?.includes(type) !== isPresent) this.#status((isPresent ? present : absent).event);
    }
    this.#told = pressures;
    const isReady = problems.length === 0;
    if (this.#wasReady !== undefined && this.#wasReady !== isReady)
      this.#status(isReady ? 'NodeReady' : 'NodeNotReady');
    this.#wasReady = isReady;
  }

  systemOom(message: string): void {
    this.tell('Warning', 'SystemOOM', message);
  }

  rebooted(bootId: string): void {
    this.tell('Warning', 'Rebooted', `Node ${this.#node.metadata.name} has been rebooted, boot id: ${bootId}`);
  }

  #status(event: string): void {
    this.tell('Normal', event, `Node ${this.#node.metadata.name} status is now: ${event}`);
  }
}
