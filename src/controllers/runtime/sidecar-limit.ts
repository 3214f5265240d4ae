import type { ConfiguredLimit } from '../../bus/client-limits.js';
import type { ControllerSettings } from './controller-settings.js';

/**
 * `--kube-api-qps` and `--kube-api-burst` of external-provisioner, external-attacher and external-resizer, unless they
 * are told otherwise ("Command line options" in the README of each, kubernetes-csi).
 */
const SIDECAR_LIMIT: ConfiguredLimit = { qps: 5, burst: 10 };

/** The limit of a CSI driver's sidecar; there is none where the manager's controllers have none. */
export function sidecarLimit({ kubeAPIQPS, kubeAPIBurst }: ControllerSettings): ConfiguredLimit {
  return kubeAPIQPS < 0 ? { qps: kubeAPIQPS, burst: kubeAPIBurst } : SIDECAR_LIMIT;
}
