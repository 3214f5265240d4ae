/**
 * The drivers of a node's devices, as far as they talk to the API: once the node is registered they publish slices of
 * what the machine has, which go with the node. Whatever a pod is to have, they prepare at once (pods/pod-devices.ts).
 */
import { isApiError } from '../../api/errors/api-error.js';
import { slicesOf } from '../../api/devices/node-devices.js';
import type { NodeDevices, ResourceSlice } from '../../api/objects/device-objects.js';
import type { Draft } from '../../api/objects/objects.js';
import type { NodeContext } from '../node/node-context.js';

const RETRY_MS = 5000;

/** See the file header. */
export class DevicePublisher {
  readonly #context: NodeContext;
  readonly #devices: readonly NodeDevices[];
  /** The node that the slices belong to. */
  #nodeUid: string | undefined;

  constructor(context: NodeContext, devices: readonly NodeDevices[]) {
    this.#context = context;
    this.#devices = devices;
  }

  /** The node is there, for the first time or again: what is not published of it is published now. */
  nodeRegistered(uid: string): void {
    this.#nodeUid = uid;
    const { nodeName, client } = this.#context;
    client.list('ResourceSlice', { fieldSelector: `spec.nodeName=${nodeName}` }, (error, list) => {
      if (this.#nodeUid !== uid) return;
      if (list === undefined || error !== undefined) {
        this.#later(() => this.nodeRegistered(uid), uid);
        return;
      }
      const published = new Set(list.items.filter((slice) => belongsTo(slice, uid)).map(({ spec }) => spec.driver));
      const lacking = this.#devices.filter(({ driver }) => !published.has(driver));
      this.#publish(slicesOf(nodeName, uid, lacking), uid);
    });
  }

  /** Nothing more is published. */
  stop(): void {
    this.#nodeUid = undefined;
  }

  #publish([slice, ...rest]: readonly Draft[], uid: string): void {
    if (slice === undefined || this.#nodeUid !== uid) return;
    this.#context.client.create('ResourceSlice', slice, (error) => {
      if (error === undefined || isApiError(error, 'Invalid')) this.#publish(rest, uid);
      else this.#later(() => this.#publish([slice, ...rest], uid), uid);
    });
  }

  #later(act: () => void, uid: string): void {
    this.#context.kernel.clock.schedule(RETRY_MS, () => {
      if (this.#nodeUid === uid) act();
    });
  }
}

function belongsTo({ metadata }: ResourceSlice, nodeUid: string): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === nodeUid) === true;
}
