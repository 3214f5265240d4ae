import type { Pod } from '../../src/api/objects/objects.js';
import { PodInfo } from '../../src/scheduler/framework/pod-info.js';
import { Nominator } from '../../src/scheduler/queue/nominator.js';

/** Nominations, set as the recording says. */
export class Nominations extends Nominator {
  constructor() {
    super(undefined);
  }

  nominate(pod: Pod, nodeName: string): void {
    this.add(new PodInfo(pod), nodeName);
  }

  forget({ metadata }: Pod): void {
    this.delete(metadata.uid);
  }
}
