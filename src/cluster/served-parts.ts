import type { Requests } from '../requests/requests.js';
import type { listen } from '../server/listen.js';
import type { ClusterParts } from './cluster-parts.js';
import { createNodeStreams } from './node-streams.js';

/** What of a cluster is served over the network. */
export function servedParts(parts: ClusterParts, requests: Requests): Parameters<typeof listen>[0] {
  return {
    clock: parts.kernel.clock,
    answer: (request, attempts) => requests.answer(request, attempts),
    metrics: () => parts.metrics.text(),
    nodes: createNodeStreams(parts),
    userOfToken: (token) => requests.userOfToken(token),
    secureTokens: (seal, read) => requests.secureTokens(seal, read),
  };
}
