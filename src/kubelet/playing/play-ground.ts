/** What the machines of a cluster share for their containers that compute. */
import type { PodNetwork } from '../network/pod-network.js';
import type { PortAnswer } from '../containers/played-program.js';
import { NO_VIEW, type ClusterView } from './cluster-view.js';
import type { Affinities } from './container-network.js';
import { Listeners, type Listener } from './listeners.js';
import type { LastingDirectories } from './volume-directories.js';

/** See the file header. */
export interface PlayGround {
  readonly listeners: Listeners;
  readonly lasting: LastingDirectories;
  readonly affinities: Affinities;
  readonly view: ClusterView;
  /** A container of this cluster has been played: what plays them is there. */
  isLoaded: boolean;
  readonly canReach: (node: string, other: string) => boolean;
  /** Starts the server of a pod with that address, if it has one that nothing has asked for yet. */
  readonly wake: (address: string) => void;
}

export function createPlayGround(network: PodNetwork, view: ClusterView = NO_VIEW): PlayGround {
  return {
    listeners: new Listeners(),
    lasting: new Map(),
    affinities: new Map(),
    view,
    isLoaded: false,
    canReach: (node, other) => network.canReach(node, other),
    wake(address) {
      for (const { current } of network.podAt(address)?.slots ?? []) {
        if (current?.exit === undefined) current?.program?.wake();
      }
    },
  };
}

/** The server at an address; `undefined` = nothing listens there. */
export function listenerAt({ listeners, wake }: PlayGround, address: string, port: number): Listener | undefined {
  const found = listeners.at(address, port);
  if (found !== undefined) return found;
  wake(address);
  return listeners.at(address, port);
}

/** Asks a server as a kubelet does; `undefined` = nothing listens there. */
export function askServer(
  ground: PlayGround,
  from: string,
  host: string,
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): PortAnswer | undefined {
  const listener = listenerAt(ground, host, port);
  if (listener === undefined) return undefined;
  const request = { method: 'GET', path, headers: { 'User-Agent': 'kube-probe/1.34', ...headers }, body: '', from };
  return listener.handler?.(request) ?? { status: 200, body: '' };
}
