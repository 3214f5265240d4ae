/**
 * What the scheduler knows of claims, slices and classes: informers, what it has assumed, what is being allocated, and
 * which devices are taken. Mirrors dra_manager.go and allocateddevices.go (kube-scheduler v1.34).
 */
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../../api/objects/device-objects.js';
import { keyOf, nameKey, type KubeObject } from '../../../api/objects/objects.js';
import type { FrameworkHandle } from '../../framework/interface.js';
import { AssumeCache } from '../volumes/volume-binding/assume-cache.js';
import { deviceId, SliceIndex } from './device-pools.js';

type Answer = (error: Error | undefined, stored: KubeObject | undefined) => void;

/** What the plugin needs of the framework besides {@link FrameworkHandle}. */
export interface DeviceHandle extends FrameworkHandle {
  object?(kind: string, key: string): KubeObject | undefined;
  onChange?(kind: string, listener: (before: KubeObject | undefined, after: KubeObject | undefined) => void): void;
  /** As a PUT with the resourceVersion of the object. */
  update?(kind: string, object: KubeObject, answer: Answer): void;
  updateStatus?(kind: string, object: KubeObject, answer?: Answer): void;
  fetch?(kind: string, key: string, answer: Answer): void;
  /** A strategic merge patch of the status. */
  patchStatus?(kind: string, object: KubeObject, patch: object, answer?: Answer): void;
}

/** See the file header. */
export class ClaimTracker {
  readonly slices = new SliceIndex();
  readonly #handle: DeviceHandle;
  readonly #claims: AssumeCache<ResourceClaim>;
  /** Claims as they will be, by uid, from Reserve until that is written. */
  readonly #inFlight = new Map<string, ResourceClaim>();
  /** Devices of the claims in {@link ClaimTracker.#counted}. */
  readonly #devices = new Set<string>();
  readonly #counted = new Map<string, ResourceClaim>();

  constructor(handle: DeviceHandle) {
    this.#handle = handle;
    this.#claims = new AssumeCache((key) => handle.object?.('ResourceClaim', key) as ResourceClaim | undefined);
    handle.onChange?.('ResourceClaim', (before, after) => this.#count(keyOf((after ?? before) as ResourceClaim)));
    handle.onChange?.('ResourceSlice', (before, after) =>
      this.slices.replace(before as ResourceSlice | undefined, after as ResourceSlice | undefined),
    );
  }

  claim(namespace: string, name: string): ResourceClaim | undefined {
    return this.#claims.get(nameKey(namespace, name));
  }

  deviceClass(name: string): DeviceClass | undefined {
    return this.#handle.object?.('DeviceClass', name) as DeviceClass | undefined;
  }

  /** Whether a claim is being allocated. */
  isInFlight({ metadata }: ResourceClaim): boolean {
    return this.#inFlight.has(metadata.uid);
  }

  /** Notes that a claim is being allocated. */
  launch(claim: ResourceClaim): void {
    this.#inFlight.set(claim.metadata.uid, claim);
  }

  /** The claim is allocated, or will not be. @returns whether it was on its way */
  land({ metadata }: ResourceClaim): boolean {
    return this.#inFlight.delete(metadata.uid);
  }

  /** Devices that are allocated or about to be. */
  allocatedDevices(): ReadonlySet<string> {
    if (this.#inFlight.size === 0) return this.#devices;
    const all = new Set(this.#devices);
    for (const claim of this.#inFlight.values()) for (const id of devicesOf(claim)) all.add(id);
    return all;
  }

  /** Takes a claim as the API server has answered it, before its informer tells of it. */
  assume(claim: ResourceClaim): void {
    const known = this.#claims.get(keyOf(claim));
    if (known === undefined || Number(known.metadata.resourceVersion) > Number(claim.metadata.resourceVersion)) return;
    this.#claims.assume(claim);
    this.#count(keyOf(claim));
  }

  restore({ metadata: { namespace = '', name } }: ResourceClaim): void {
    const key = nameKey(namespace, name);
    this.#claims.restore(key);
    this.#count(key);
  }

  /** An allocation never changes: it comes and goes. */
  #count(key: string): void {
    const before = this.#counted.get(key);
    const latest = this.#claims.get(key);
    const isSame = before?.metadata.uid === latest?.metadata.uid;
    const isAllocated = latest?.status.allocation !== undefined;
    if (before !== undefined && !(isSame && isAllocated)) {
      for (const id of devicesOf(before)) this.#devices.delete(id);
      this.#counted.delete(key);
    }
    if (latest === undefined || !isAllocated || this.#counted.has(key)) return;
    for (const id of devicesOf(latest)) this.#devices.add(id);
    this.#counted.set(key, latest);
  }
}

/** Devices that a claim has to itself. */
function devicesOf({ status }: ResourceClaim): readonly string[] {
  const results = status.allocation?.devices?.results ?? [];
  return results.filter(({ adminAccess }) => adminAccess !== true).map(deviceId);
}
