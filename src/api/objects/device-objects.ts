/**
 * The objects of dynamic resource allocation as the API server stores them (resource.k8s.io/v1, v1.34), with the fields
 * that features read which are on by default.
 */
import type * as core from 'kubernetes-types/core/v1.js';
import type { KubeObject, StringMap } from './kube-object.js';

/** One value of one type. */
export interface DeviceAttribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
}

/** What a driver says of a device; names without a domain are of the driver's. */
export interface Device {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
}

/** Devices that are published together. */
export interface ResourcePool {
  readonly name: string;
  readonly generation: number;
  readonly resourceSliceCount: number;
}

/** Some devices of a pool. */
export interface ResourceSlice extends KubeObject {
  readonly spec: {
    readonly driver: string;
    readonly pool: ResourcePool;
    readonly nodeName?: string;
    readonly nodeSelector?: core.NodeSelector;
    readonly allNodes?: boolean;
    readonly devices?: readonly Device[];
  };
}

/** What a device must answer with true. */
export interface DeviceSelector {
  readonly cel?: { readonly expression: string };
}

/** What is handed to a driver as it is. */
export interface DeviceConfiguration {
  readonly opaque?: { readonly driver: string; readonly parameters: unknown };
}

/** Devices that admins and vendors call by a name. */
export interface DeviceClass extends KubeObject {
  readonly spec: {
    readonly selectors?: readonly DeviceSelector[];
    readonly config?: readonly DeviceConfiguration[];
    readonly extendedResourceName?: string;
  };
}

/** So many devices of a class. */
export interface ExactDeviceRequest {
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
}

/** One of several ways to meet a request. */
export type DeviceSubRequest = Omit<ExactDeviceRequest, 'adminAccess'> & { readonly name: string };

/** A taint of a device that is put up with. */
export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** What a claim asks for under one name. */
export interface DeviceRequest {
  readonly name: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
}

/** What the devices of several requests must have in common. */
export interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

/** Configuration of some requests; of all where none is named. */
export interface DeviceClaimConfiguration extends DeviceConfiguration {
  readonly requests?: readonly string[];
}

/** What a claim asks for. */
export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly config?: readonly DeviceClaimConfiguration[];
}

/** The spec of a claim, and of those that a template makes. */
export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
}

/** A device that a request got. */
export interface DeviceRequestAllocationResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: boolean;
}

/** Where a configuration of an allocation comes from. */
export interface DeviceAllocationConfiguration extends DeviceClaimConfiguration {
  readonly source: string;
}

/** What a claim got. */
export interface AllocationResult {
  readonly devices?: {
    readonly results?: readonly DeviceRequestAllocationResult[];
    readonly config?: readonly DeviceAllocationConfiguration[];
  };
  readonly nodeSelector?: core.NodeSelector;
}

/** What uses a claim. */
export interface ConsumerReference {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

/** What a driver says of a device that is allocated. */
export interface AllocatedDeviceStatus {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly conditions?: readonly object[];
  readonly data?: unknown;
  readonly networkData?: {
    readonly interfaceName?: string;
    readonly ips?: readonly string[];
    readonly hardwareAddress?: string;
  };
}

/** What has become of a claim. */
export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly reservedFor?: readonly ConsumerReference[];
  readonly devices?: readonly AllocatedDeviceStatus[];
}

/** A request for devices. */
export interface ResourceClaim extends KubeObject {
  readonly spec: ResourceClaimSpec;
  readonly status: ResourceClaimStatus;
}

/** What claims are made of, one a pod. */
export interface ResourceClaimTemplate extends KubeObject {
  readonly spec: {
    readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap };
    readonly spec: ResourceClaimSpec;
  };
}

/** The value of an attribute; a version is said to be one. */
export type DeviceValue = string | number | boolean | { readonly version: string };

/** Equal devices of a machine. */
export interface NodeDevices {
  /** A domain such as `gpu.example.com`; a DeviceClass of this name is there from the first such machine on. */
  readonly driver: string;
  /** How many, 1..1024. */
  readonly count: number;
  /** Names are this and a number. @defaultValue the first word of the driver and a hyphen: `gpu-` */
  readonly namePrefix?: string;
  /** By name; the values of a list go to the devices in turn. */
  readonly attributes?: Readonly<Record<string, DeviceValue | readonly DeviceValue[]>>;
  /** Quantities by name; those of a list go to the devices in turn. */
  readonly capacity?: Readonly<Record<string, string | readonly string[]>>;
}

/** These kinds by name. */
export interface DeviceKindMap {
  DeviceClass: DeviceClass;
  ResourceClaim: ResourceClaim;
  ResourceClaimTemplate: ResourceClaimTemplate;
  ResourceSlice: ResourceSlice;
}

/** Kept while a claim is allocated. */
export const CLAIM_FINALIZER = 'resource.kubernetes.io/delete-protection';
/** Most devices of a slice. */
export const MOST_DEVICES = 128;
/** Most devices of an allocation. */
export const MOST_RESULTS = 32;
