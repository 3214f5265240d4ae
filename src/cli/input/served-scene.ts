/** The cluster that `kubeloom serve` serves, and `kubeloom replay` plays again: equal flags give equal clusters. */
import type { Cluster, Component } from '../../index.js';
import { interruption } from './interruption.js';
import type { RunPlan } from './run-plan.js';
import { UsageError } from './usage-error.js';
import { createSceneCluster, type SceneFlags } from './scene-options.js';

/** The options that say what is served. */
export interface ServedSceneFlags extends Omit<SceneFlags, 'realtime'> {
  readonly without?: string;
  readonly speed?: number;
  readonly virtual?: true;
  readonly webhookService?: readonly string[];
}

/** How time passes once the nodes are there. */
export function servedClock({ speed = 1, virtual }: ServedSceneFlags): Parameters<Cluster['keepClock']>[0] {
  return virtual === true ? { mode: 'Virtual' } : { mode: 'RealTime', speed };
}

const COMPONENTS: readonly string[] = [
  'kube-scheduler',
  'kube-controller-manager',
  'metrics-server',
] satisfies Component[];

function componentsOf(without: string): readonly Component[] {
  const words = without.split(',');
  const other = words.find((word) => !COMPONENTS.includes(word));
  if (other === undefined) return words as readonly Component[];
  throw new UsageError(`--without must be among ${COMPONENTS.join(', ')}, got ${JSON.stringify(other)}`);
}

const HIGHEST_PORT = 65_535;

/** Addresses of webhooks by their services, each as `NAMESPACE/NAME[:PORT]=URL`. */
function servicesOf(stated: readonly string[]): Readonly<Record<string, string>> {
  const entries = stated.map((each): readonly [string, string] => {
    const [, service, port = '1', address = ''] = /^([^/\s=]+\/[^/\s:=]+(?::(\d+))?)=(https:\/\/\S+)$/.exec(each) ?? [];
    const isPort = Number(port) >= 1 && Number(port) <= HIGHEST_PORT;
    if (service !== undefined && isPort && URL.canParse(address)) return [service, address];
    const form =
      'NAMESPACE/NAME=URL or NAMESPACE/NAME:PORT=URL with a port of 1 to 65535 and a URL such as https://127.0.0.1:9443';
    throw new UsageError(`--webhook-service must be ${form}, got ${JSON.stringify(each)}`);
  });
  return Object.fromEntries(entries);
}

/**
 * @param epoch - the timestamp of simulated time 0
 * @param realtime - absent = virtual time
 */
export function createServedCluster(
  { without, webhookService, speed: _speed, virtual: _virtual, ...flags }: ServedSceneFlags,
  plan: RunPlan,
  { epoch, realtime }: { readonly epoch: string; readonly realtime?: number },
): Cluster {
  return createSceneCluster({ ...flags, ...(realtime === undefined ? {} : { realtime }) }, plan, {
    // A cluster that was taken over goes on from its own time.
    ...(plan.from?.time === undefined ? { epoch } : {}),
    ...(without === undefined ? {} : { without: componentsOf(without) }),
    ...(webhookService === undefined ? {} : { webhooks: { services: servicesOf(webhookService) } }),
  });
}

/** Nodes first, as a cluster has them before it takes requests; then what is to run on them. */
export async function bringUpServed(cluster: Cluster, { scene }: RunPlan): Promise<void> {
  await cluster.run({
    until: () => cluster.nodesAreReady,
    limit: '10m',
    signal: interruption.signal,
  });
  if (interruption.isRaised) return;
  cluster.apply(scene.objects ?? [], { validate: 'ignore' });
  if (scene.arrivals !== undefined) cluster.submit(scene.arrivals);
}
