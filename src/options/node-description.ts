import type { NodeDevices } from '../api/objects/device-objects.js';
import type { Draft } from '../api/objects/objects.js';
import type { ClientLimits } from '../bus/client-limits.js';
import {
  KubeletConfigurationError,
  resolveKubeletConfiguration,
  type KubeletConfiguration,
  type KubeletSettings,
} from '../kubelet/configuration/kubelet-configuration.js';
import type { NodeGroup, NodeRecord } from '../workload/node-groups.js';
import { OptionError } from './option-error.js';

/** A group of equal nodes, or one node in detail. */
export type NodeDescription = (NodeGroup | NodeRecord) & NodeExtras;

/** What only the kubelets of some nodes are told. */
export interface NodeExtras {
  /** Field by field over the cluster's `kubelet`. */
  readonly kubelet?: KubeletConfiguration | undefined;
  /** Manifests of pods that each of the nodes runs by itself. @defaultValue none */
  readonly staticPods?: readonly Draft[] | undefined;
  /** What each of the nodes has for claims: GPUs and the like. @defaultValue none */
  readonly devices?: readonly NodeDevices[] | undefined;
}

/**
 * What a kubelet goes by: the cluster's configuration, and over it the node's own.
 *
 * @throws OptionError that names the field, what it got and what is allowed
 */
export function kubeletSettings(
  common: KubeletConfiguration,
  own: KubeletConfiguration | undefined,
  path: string,
  clientLimits: ClientLimits,
): KubeletSettings {
  try {
    if (own !== undefined) resolveKubeletConfiguration(own, path, clientLimits);
    return resolveKubeletConfiguration({ ...common, ...own }, path, clientLimits);
  } catch (error) {
    throw error instanceof KubeletConfigurationError ? OptionError.of(path, error) : error;
  }
}
