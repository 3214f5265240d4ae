/**
 * Nodes and pods in the simplest form, and a snapshot of them built from nothing for each attempt. What
 * depends on history is kept here in its own words: the scan order, the order of the pods on a node, and
 * what a node knows of images.
 */
import type { Node, Pod } from '../../../src/api/objects/objects.js';
import { zoneKeyOf } from '../../../src/api/objects/node-zone.js';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { hostPortsOf, type HostPort } from '../../../src/api/pods/host-ports.js';
import type { ImageStates } from '../../../src/scheduler/framework/node-info.js';

interface ImageState {
  readonly sizeBytes: number;
  readonly nodes: Set<string>;
}

/** See the file header. */
export class PlainNodes {
  readonly #nodes = new Map<string, Node>();
  readonly #zones = new Map<string, string[]>();
  readonly #pods = new Map<string, Pod[]>();
  /** Host ports in use by node; a port taken twice is freed by the first that leaves. */
  readonly #ports = new Map<string, Set<string>>();
  readonly #images = new Map<string, ImageState>();
  readonly #frozen = new Map<string, ImageStates>();
  /** Nodes that something has happened to since the last snapshot. */
  readonly #changed = new Set<string>();
  /** The scan order of the last snapshot. */
  #order: readonly string[] = [];

  setNode(node: Node): void {
    const { name } = node.metadata;
    const previous = this.#nodes.get(name);
    if (previous !== undefined) this.#takeImages(previous);
    if (previous === undefined || zoneKeyOf(previous) !== zoneKeyOf(node)) {
      if (previous !== undefined) this.#leaveZone(previous);
      const zone = this.#zones.get(zoneKeyOf(node));
      if (zone === undefined) this.#zones.set(zoneKeyOf(node), [name]);
      else zone.push(name);
    }
    this.#nodes.set(name, node);
    this.#giveImages(node);
    this.#changed.add(name);
  }

  removeNode(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    this.#takeImages(node);
    this.#leaveZone(node);
    this.#nodes.delete(name);
  }

  placePod(pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? '';
    this.#pods.set(nodeName, [...this.#podsOn(nodeName), pod]);
    for (const port of hostPortsOf(pod.spec)) this.#portsOf(nodeName).add(textOf(port));
    this.#changed.add(nodeName);
  }

  /** The last pod takes the place of the one that goes. */
  displacePod(pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? '';
    const pods = [...this.#podsOn(nodeName)];
    const index = pods.findIndex(({ metadata }) => metadata.uid === pod.metadata.uid);
    const last = pods.pop();
    if (index < pods.length && last !== undefined) pods[index] = last;
    this.#pods.set(nodeName, pods);
    for (const port of hostPortsOf(pod.spec)) this.#portsOf(nodeName).delete(textOf(port));
    this.#changed.add(nodeName);
  }

  /** A snapshot of all nodes, with nothing in it that an earlier one has left. */
  snapshot(): CacheSnapshot {
    this.freeze();
    const cache = new SchedulerCache();
    for (const name of this.#order) cache.setNode(this.#nodes.get(name) as Node);
    for (const pods of this.#pods.values()) for (const pod of pods) cache.addPod(pod);
    const snapshot = new CacheSnapshot();
    cache.updateSnapshot(snapshot);
    snapshot.reorder(this.#order);
    for (const info of snapshot.nodes) {
      info.imageStates = this.#frozen.get(info.name) ?? new Map();
      const ports = this.#portsOf(info.name);
      for (const port of info.pods.flatMap(({ shape }) => shape.hostPorts)) {
        if (!ports.has(textOf(port))) info.usedPorts.remove(port);
      }
    }
    return snapshot;
  }

  /** The order changes with the set of nodes only; a node counts its images' nodes when it has changed itself. */
  freeze(): void {
    if (this.#order.length !== this.#nodes.size || this.#order.some((name) => !this.#nodes.has(name))) {
      this.#order = this.#roundRobin();
    }
    for (const name of this.#changed) {
      const node = this.#nodes.get(name);
      if (node !== undefined) this.#frozen.set(name, this.#summaryOf(node));
    }
    this.#changed.clear();
  }

  #roundRobin(): readonly string[] {
    const names: string[] = [];
    for (let round = 0; names.length < this.#nodes.size; round += 1) {
      for (const zone of this.#zones.values()) names.push(...zone.slice(round, round + 1));
    }
    return names;
  }

  #summaryOf(node: Node): ImageStates {
    return new Map(
      imagesOf(node).map(([image]) => {
        const { sizeBytes = 0, nodes = new Set() } = this.#images.get(image) ?? {};
        return [image, { sizeBytes, nodeCount: nodes.size }];
      }),
    );
  }

  /** The first node that has an image says how large it is. */
  #giveImages(node: Node): void {
    for (const [image, sizeBytes] of imagesOf(node)) {
      const state = this.#images.get(image) ?? { sizeBytes, nodes: new Set() };
      state.nodes.add(node.metadata.name);
      this.#images.set(image, state);
    }
  }

  #takeImages(node: Node): void {
    for (const [image] of imagesOf(node)) {
      const state = this.#images.get(image);
      state?.nodes.delete(node.metadata.name);
      if (state?.nodes.size === 0) this.#images.delete(image);
    }
  }

  #leaveZone(node: Node): void {
    const key = zoneKeyOf(node);
    const names = (this.#zones.get(key) ?? []).filter((name) => name !== node.metadata.name);
    if (names.length === 0) this.#zones.delete(key);
    else this.#zones.set(key, names);
  }

  #portsOf(nodeName: string): Set<string> {
    let ports = this.#ports.get(nodeName);
    if (ports === undefined) {
      ports = new Set();
      this.#ports.set(nodeName, ports);
    }
    return ports;
  }

  #podsOn(nodeName: string): readonly Pod[] {
    return this.#pods.get(nodeName) ?? [];
  }
}

function textOf({ ip, protocol, port }: HostPort): string {
  return `${protocol}/${ip}:${port}`;
}

/** Names of images with the size that the node reports first. */
function imagesOf({ status }: Node): [string, number][] {
  const sizes = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of status.images ?? []) {
    for (const name of names) if (!sizes.has(name)) sizes.set(name, sizeBytes);
  }
  return [...sizes];
}
