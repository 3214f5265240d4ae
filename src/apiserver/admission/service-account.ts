/** ServiceAccount (plugin/pkg/admission/serviceaccount, v1.34), without tokens and their volumes. */
import type { Pod } from '../../api/objects.js';
import { forbidden, type ResourceNames } from '../api-errors.js';
import type { Shelf } from '../store.js';

/** Every namespace has it from the start: the controllers that make it and its tokens are not simulated. */
const DEFAULT_SERVICE_ACCOUNT = 'default';
/** Marks the image of a static pod, which acts as nobody. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** A pod can act only as an account that exists. @throws ApiError 403 */
export function guardServiceAccount(
  { metadata, spec }: Pod,
  podName: string,
  pods: ResourceNames,
  accounts: Shelf<'ServiceAccount'>,
): void {
  const account = spec.serviceAccountName ?? DEFAULT_SERVICE_ACCOUNT;
  if (account === DEFAULT_SERVICE_ACCOUNT || metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return;
  if (accounts.table.get(metadata.namespace, account) !== undefined) return;
  const lookUp = `error looking up service account ${metadata.namespace}/${account}`;
  throw forbidden(pods, podName, `${lookUp}: serviceaccount "${account}" not found`);
}
