import { USER } from '../../store/server-types.js';
import type { RequestContext, RequestUser } from '../../store/request-context.js';

const AUTHENTICATED = 'system:authenticated';
const MANAGER = 'kube-controller-manager';

/** Of calls of the program itself, and of the API server's own writes. */
const MASTER: RequestUser = { name: 'admin', uid: 'admin', groups: ['system:masters', AUTHENTICATED] };

/** In whose name a component of the cluster makes its requests, as kubeadm sets it up. @param party - of its link */
export function componentUser(party: string): RequestUser {
  if (party === USER) return MASTER;
  const [component = '', part] = party.split('/', 2);
  if (component === 'kubelet' && part !== undefined) {
    return { name: `system:node:${part}`, groups: ['system:nodes', AUTHENTICATED] };
  }
  if (!component.startsWith(MANAGER) || part === undefined) {
    return { name: `system:${component}`, groups: [AUTHENTICATED] };
  }
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', AUTHENTICATED];
  return { name: `system:serviceaccount:kube-system:${part}`, groups };
}

/** What admission knows of a component's request. @param onWarning - told of what is not quite right with it */
export function componentContext(party: string, onWarning?: (text: string) => void): RequestContext {
  return { user: componentUser(party), isDryRun: false, warn: (text) => onWarning?.(text) };
}
