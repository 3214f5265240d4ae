import type { ApiServer } from '../apiserver/store/server-types.js';
import type { TokenQuestion } from '../kubelet/playing/cluster-view.js';
import { ISSUER } from '../requests/access/service-account-tokens.js';
import type { Requests } from '../requests/requests.js';

/** How kubelets get the tokens that they write into pods: bound to the pod, for its account. */
export function tokenIssuer(
  server: Pick<ApiServer, 'find'>,
  issue: Requests['issueToken'],
): (question: TokenQuestion) => string {
  return ({ pod, audience = ISSUER, expirationSeconds }) => {
    const { namespace = '', name, uid } = pod.metadata;
    const accountName = pod.spec.serviceAccountName ?? 'default';
    const uidOfAccount = server.find('ServiceAccount', { namespace, name: accountName })?.metadata.uid ?? '';
    const account = { name: accountName, uid: uidOfAccount };
    return issue({ namespace, account, audiences: [audience], expirationSeconds, bound: { kind: 'Pod', name, uid } });
  };
}
