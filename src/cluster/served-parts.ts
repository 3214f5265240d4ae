import type { Requests } from '../requests/requests.js';
import type { listen } from '../server/listen.js';
import { resolveListenOptions, type ListenOptions } from '../server/listen-options.js';
import type { ClusterParts } from './cluster-parts.js';
import { createNodeStreams } from './node-streams.js';
import { RemoteParty } from './remote/remote-party.js';

/** What of a cluster is served over the network. */
export function servedParts(
  parts: ClusterParts,
  requests: Requests,
  options: ListenOptions,
): Parameters<typeof listen>[0] {
  const { kernel, server, bus } = parts;
  const { party } = resolveListenOptions(options);
  const { remotes } = parts.controls;
  return {
    way: party === undefined ? undefined : new RemoteParty({ clock: kernel.clock, server, link: bus.outerLink(party) }),
    clock: parts.kernel.clock,
    answer: (request, attempts) => requests.answer(request, attempts),
    metrics: () => parts.metrics.text(),
    nodes: createNodeStreams(parts),
    remotes: remotes.services.size === 0 ? undefined : remotes,
    userOfToken: (token) => requests.userOfToken(token),
    secureTokens: (seal, read) => requests.secureTokens(seal, read),
  };
}
