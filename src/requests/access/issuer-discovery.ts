/**
 * What relying parties need to judge tokens of service accounts by themselves: the issuer's configuration as OpenID
 * Connect has it, and its keys (pkg/routes/openidmetadata.go, v1.34). A cluster that is not served publishes neither.
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { ApiAnswer, ApiRequest } from '../api-request.js';
import { acceptClauses } from '../negotiation.js';
import { methodNotAllowed } from '../status-answer.js';
import { ISSUER, type PublishedKeys } from './service-account-tokens.js';

const KEYS_PATH = 'openid/v1/jwks';
const CONFIGURATION_PATH = '.well-known/openid-configuration';
const KEPT = 'public, max-age=3600';

/** Answers such a path; undefined for any other. @throws ApiError 405, 406 */
export function issuerAnswer(
  request: ApiRequest,
  parts: readonly string[],
  published: PublishedKeys | undefined,
): ApiAnswer | undefined {
  if (published === undefined) return undefined;
  const path = parts.join('/');
  if (path === KEYS_PATH) return document(request, 'application/jwk-set+json', { keys: published.keys });
  if (path !== CONFIGURATION_PATH) return undefined;
  const configuration = {
    issuer: ISSUER,
    jwks_uri: `${published.address()}/${KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(published.keys.map(({ alg }) => alg))],
  };
  return document(request, 'application/json', configuration);
}

function document({ method, headers }: ApiRequest, type: string, value: object): ApiAnswer {
  if (method !== 'GET') throw methodNotAllowed();
  const isAccepted = acceptClauses(headers['accept']).some((clause) =>
    ['*/*', 'application/*', type].includes(clause.type),
  );
  if (!isAccepted)
    throw new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${type}`, {});
  const answered = { 'content-type': type, 'cache-control': KEPT };
  return { type: 'text', status: 200, headers: answered, text: JSON.stringify(value) };
}
