/**
 * What tests want to be installed before they begin (pkg/dependency). Upstream's one dependency is its example driver
 * of devices: its machines have eight of them, and its class is there. Here they are there from the beginning.
 */
import type { NodeDevices } from '../../api/objects/device-objects.js';
import type { Dependency } from './load-config.js';

const DRIVER_METHOD = 'DRATestDriver';
/** Of dra-example-driver as upstream's manifests install it. */
const EXAMPLE_DEVICES: NodeDevices = { driver: 'gpu.example.com', count: 8 };
/** Asks for a gate that is off in 1.34 (DRAExtendedResource). */
const EXTENDED_RESOURCE = 'ExtendedResourceName';

/** Devices of each machine. */
export function devicesFor(dependencies: readonly Dependency[]): readonly NodeDevices[] {
  return dependencies.some(({ method }) => method === DRIVER_METHOD) ? [EXAMPLE_DEVICES] : [];
}

/** What of a dependency is not simulated, by its name. */
export function notSimulated({ method, params }: Dependency): string | undefined {
  if (method !== DRIVER_METHOD) return `dependency ${method}`;
  return EXTENDED_RESOURCE in params ? `${EXTENDED_RESOURCE} of dependency ${method}` : undefined;
}
