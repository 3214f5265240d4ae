/** Servers of containers that compute, as the API server reaches them: for its proxy, and for webhooks in pods. */
import type { PodServer, PodServers, ServerAddress } from '../apiserver/requests/pod-servers.js';
import type { RandomStream } from '../kernel/random.js';
import { listenerAt, type PlayGround } from '../kubelet/playing/play-ground.js';
import { arePlayersLoaded, loadPlayers } from '../kubelet/playing/players.js';

/** From where the API server asks, as pods see it. */
const CONTROL_PLANE_ADDRESS = '192.0.2.1';

/** See the file header. */
export class FleetServers implements PodServers {
  readonly #ground: PlayGround;
  readonly #random: RandomStream;

  /** @param random - draws one of several endpoints */
  constructor(ground: PlayGround, random: RandomStream) {
    this.#ground = ground;
    this.#random = random;
  }

  get isLoaded(): boolean {
    return this.#ground.isLoaded;
  }

  get isAtHand(): boolean {
    return arePlayersLoaded();
  }

  load(): Promise<void> {
    return loadPlayers();
  }

  begin(): void {
    this.#ground.isLoaded = true;
  }

  behind(namespace: string, name: string, port: number): ServerAddress | undefined {
    const { view } = this.#ground;
    const service = view.service(namespace, name);
    const endpoints = service === undefined ? [] : view.endpoints(service, port);
    return endpoints.length < 2 ? endpoints[0] : endpoints[this.#random.bits() % endpoints.length];
  }

  at({ address, port }: ServerAddress): PodServer | undefined {
    const listener = listenerAt(this.#ground, address, port);
    const { handler, certificate } = listener ?? {};
    if (handler === undefined) return undefined;
    return { certificate, ask: (request) => handler({ ...request, from: CONTROL_PLANE_ADDRESS }) };
  }
}
