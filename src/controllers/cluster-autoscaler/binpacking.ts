/**
 * How many nodes of a group pods need: first fit, the largest first. Mirrors cluster-autoscaler v1.34
 * `estimator/binpacking_estimator.go`, with upstream's limits but for real time.
 */
import type { Pod } from '../../api/objects/objects.js';
import type { Placement } from './autoscaler-seams.js';
import { amountsOf } from './node-capacity.js';
import type { TemplateNode, TemplateNodes } from './template-nodes.js';

/** Of PodTopologySpread. */
const SPREAD_REASON = "node(s) didn't match pod topology spread constraints";
const HOSTNAME = 'kubernetes.io/hostname';

/** How many nodes are needed, and for which pods. */
export interface Estimate {
  readonly nodeCount: number;
  readonly pods: readonly Pod[];
}

/** What an estimate is about. */
export interface EstimateRequest {
  readonly template: TemplateNode;
  /** Pods that could go to such a node, alike in each group. */
  readonly groups: readonly (readonly Pod[])[];
  /** How many nodes there may be more. */
  readonly mostNodes: number;
}

/** See the file header. Leaves the picture as it was. */
export function estimate(placement: Placement, templates: TemplateNodes, request: EstimateRequest): Estimate {
  placement.fork();
  try {
    return new Packing(placement, templates, request).run();
  } finally {
    placement.revert();
  }
}

class Packing {
  readonly #placement: Placement;
  readonly #templates: TemplateNodes;
  readonly #request: EstimateRequest;
  readonly #added = new Set<string>();
  readonly #used = new Set<string>();
  readonly #scheduled: Pod[] = [];
  #last: string | undefined;
  #mayAdd = true;

  constructor(placement: Placement, templates: TemplateNodes, request: EstimateRequest) {
    this.#placement = placement;
    this.#templates = templates;
    this.#request = request;
  }

  run(): Estimate {
    for (const pods of this.#ordered()) {
      const left = this.#fill(pods);
      if (this.#mayAdd) this.#grow(left);
    }
    return { nodeCount: this.#used.size, pods: this.#scheduled };
  }

  /** Groups whose pods ask for more come first. */
  #ordered(): readonly (readonly Pod[])[] {
    const { groups, template } = this.#request;
    const { cpuMillis, memoryBytes } = amountsOf(template.node.status.allocatable ?? {});
    const scored = groups.map((pods) => {
      const [first] = pods;
      const asked = first === undefined ? { cpuMillis: 0, memoryBytes: 0 } : this.#placement.requestsOf(first);
      const score =
        (cpuMillis > 0 ? asked.cpuMillis / cpuMillis : 0) + (memoryBytes > 0 ? asked.memoryBytes / memoryBytes : 0);
      return { pods, score };
    });
    return scored.sort((one, other) => other.score - one.score).map(({ pods }) => pods);
  }

  /** Puts pods on nodes that were added before, as long as that goes. @returns the others */
  #fill(pods: readonly Pod[]): readonly Pod[] {
    let index = 0;
    for (; index < pods.length; index += 1) {
      const pod = pods[index] as Pod;
      const node =
        this.#added.size === 0 ? undefined : this.#placement.scheduleAnywhere(pod, (name) => this.#added.has(name));
      if (node === undefined) break;
      this.#note(pod, node);
    }
    return pods.slice(index);
  }

  #grow(pods: readonly Pod[]): void {
    for (const pod of pods) {
      if (this.#fitsLast(pod)) continue;
      // A node that is empty would not take it, and no new one either.
      if (this.#last !== undefined && !this.#used.has(this.#last)) return;
      if (this.#added.size >= this.#request.mostNodes) {
        this.#mayAdd = false;
        return;
      }
      const copy = this.#templates.copyOf(this.#request.template);
      const { name } = copy.node.metadata;
      this.#placement.addNode(copy.node, copy.pods);
      this.#added.add(name);
      this.#last = name;
      if (this.#placement.schedule(pod, name) !== undefined) return;
      this.#note(pod, name);
    }
  }

  #fitsLast(pod: Pod): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    const rejection = this.#placement.schedule(pod, last);
    if (rejection === undefined) {
      this.#note(pod, last);
      return true;
    }
    const spreadsOverNodes = (pod.spec.topologySpreadConstraints ?? []).some(
      ({ topologyKey }) => topologyKey === HOSTNAME,
    );
    if (!spreadsOverNodes || !rejection.reasons.includes(SPREAD_REASON)) return false;
    const other = this.#placement.scheduleAnywhere(pod, (name) => name !== last);
    if (other === undefined) return false;
    this.#note(pod, other);
    return true;
  }

  #note(pod: Pod, node: string): void {
    this.#used.add(node);
    this.#scheduled.push(pod);
  }
}
