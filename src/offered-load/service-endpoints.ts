/**
 * Which pods the requests to a service go to, by its EndpointSlices: those that are ready; while there is none, those
 * that end and still serve. Mirrors kube-proxy v1.34 pkg/proxy/topology.go, without hints about zones.
 */
import type { EndpointSlice } from '../api/objects/objects.js';

/** A pod, or an address behind which there is none. */
export interface EndpointPod {
  /** The pod's uid, or the address. */
  readonly uid: string;
  readonly name: string;
  readonly node: string | undefined;
}

/** What changed by a slice. */
export interface EndpointChange {
  readonly added: readonly EndpointPod[];
  readonly removed: readonly EndpointPod[];
}

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** How many entries of slices name it: dual-stack services have two for each pod. */
interface Known {
  readonly pod: EndpointPod;
  ready: number;
  ending: number;
}

/** See the file header. */
export class ServiceEndpoints {
  readonly #slices = new Map<string, readonly Endpoint[]>();
  readonly #known = new Map<string, Known>();
  #ready = 0;

  /** The pods that requests go to. */
  get all(): readonly EndpointPod[] {
    return [...this.#known.values()].filter((known) => takesRequests(known, this.#ready > 0)).map(({ pod }) => pod);
  }

  /** @param endpoints - what is in the slice from now on; empty when it is gone */
  change(slice: string, endpoints: readonly Endpoint[]): EndpointChange {
    const before = this.#slices.get(slice) ?? [];
    const touched = new Map<string, boolean>();
    const hadReady = this.#ready > 0;
    for (const each of before) this.#count(each, -1, touched, hadReady);
    for (const each of endpoints) this.#count(each, 1, touched, hadReady);
    if (endpoints.length === 0) this.#slices.delete(slice);
    else this.#slices.set(slice, endpoints);
    // Whether any is ready decides about all of them.
    if (this.#ready > 0 !== hadReady) {
      for (const [uid, known] of this.#known) if (!touched.has(uid)) touched.set(uid, takesRequests(known, hadReady));
    }
    return this.#changes(touched);
  }

  #changes(touched: ReadonlyMap<string, boolean>): EndpointChange {
    const [added, removed]: [EndpointPod[], EndpointPod[]] = [[], []];
    for (const [uid, took] of touched) {
      const known = this.#known.get(uid);
      if (known === undefined) continue;
      const takes = takesRequests(known, this.#ready > 0);
      if (takes && !took) added.push(known.pod);
      if (took && !takes) removed.push(known.pod);
      if (known.ready === 0 && known.ending === 0) this.#known.delete(uid);
    }
    return { added, removed };
  }

  #count(endpoint: Endpoint, sign: 1 | -1, touched: Map<string, boolean>, hadReady: boolean): void {
    const { targetRef, addresses, nodeName: node, conditions = {} } = endpoint;
    const isPod = targetRef?.kind === 'Pod' && targetRef.uid !== undefined;
    const uid = isPod ? (targetRef.uid ?? '') : (addresses?.[0] ?? '');
    let known = this.#known.get(uid);
    if (known === undefined) {
      known = { pod: { uid, name: isPod ? (targetRef.name ?? '') : '', node }, ready: 0, ending: 0 };
      this.#known.set(uid, known);
    }
    if (!touched.has(uid)) touched.set(uid, takesRequests(known, hadReady));
    if (conditions.ready !== false) {
      if (known.ready === 0) this.#ready += 1;
      known.ready += sign;
      if (known.ready === 0) this.#ready -= 1;
    } else if (conditions.serving === true && conditions.terminating === true) known.ending += sign;
  }
}

function takesRequests({ ready, ending }: Known, isAnyReady: boolean): boolean {
  return isAnyReady ? ready > 0 : ending > 0;
}
