/**
 * The parts of one cluster and how they are wired: each component gets a connection of its own to the API
 * server, and knows of no other. Nothing runs before it is started.
 */
import { ProgramHooks } from '../apiserver/admission/hooks/hook.js';
import { hookPlugins } from './admission-hooks.js';
import { createApiServer } from '../apiserver/api-server.js';
import type { ApiServerOptions } from '../apiserver/server-options.js';
import { keepCustomServices } from '../apiserver/requests/custom-services.js';
import { keepRemoteServices } from '../apiserver/requests/remote-services.js';
import { keepKubernetesService } from '../apiserver/requests/kubernetes-service.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { createBus } from '../bus/bus.js';
import type { Bus } from '../bus/bus-types.js';
import { ClusterMetrics } from '../controls/cluster-metrics.js';
import { Controls, controlValidators } from '../controls/controls.js';
import { CONTROLLER_NAMES } from '../controllers/controller-manager.js';
import { rootCaPublisher } from '../controllers/namespace-defaults/root-ca-publisher.js';
import { serviceAccountController } from '../controllers/namespace-defaults/service-account-controller.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { Troubles } from '../kernel/troubles.js';
import { remotesBeside } from '../requests/discovery/remote-groups.js';
import { OfferedLoad } from '../offered-load/offered-load.js';
import { createKernel, type Kernel } from '../kernel/engine/kernel.js';
import { ImageScripts } from '../kubelet/scripts/image-scripts.js';
import { createScriptSource } from '../kubelet/scripts/script-source.js';
import type { ScriptSource } from '../kubelet/scripts/script-types.js';
import { MachineWatch } from '../machines/trail.js';
import { Metrics } from '../metrics/metrics.js';
import { AutoscalerReplica } from '../assembly/autoscaler-replica.js';
import { ClusterControllers, type ControllerParts } from '../assembly/cluster-controllers.js';
import { FaultPoints } from '../assembly/fault-points.js';
import { loadPicture } from '../transfer/import/load-picture.js';
import { CircleWatch } from '../observers/circle-watch.js';
import { clusterFencing } from '../assembly/fencing.js';
import { hostTime } from '../assembly/host-time.js';
import { createInitialObjects } from '../assembly/initial-objects.js';
import { InvariantMonitor } from '../observers/invariants/invariant-monitor.js';
import { ManagerReplicas } from '../assembly/manager-replicas.js';
import { NodeCensus } from '../observers/node-census.js';
import { NodeFleet, nodeSetups, type FleetMeans } from '../assembly/node-fleet.js';
import { isPoolDescription } from '../workload/node-groups.js';
import type { NodeDescription } from '../options/node-description.js';
import { NodeTruth } from '../observers/node-truth.js';
import type { ResolvedOptions } from './options.js';
import { PodCensus } from '../observers/pod-census.js';
import { exposeResourceMetrics } from '../observers/resource-metrics.js';
import { exposeSchedulerMetrics } from '../observers/scheduler-metrics.js';
import { SchedulerReplicas } from '../assembly/scheduler-replicas.js';
import { ClusterStages } from '../stages/cluster-stages.js';
import { resumedNodes } from '../transfer/import/resumed-nodes.js';

/** See the file header. */
export interface ClusterParts {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly census: PodCensus;
  readonly nodes: NodeCensus;
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly scheduler: SchedulerReplicas;
  readonly controllers: ClusterControllers;
  readonly images: ImageScripts;
  readonly scripts: ScriptSource;
  readonly fleet: NodeFleet;
  readonly faults: FaultInjector;
  readonly truth: NodeTruth;
  readonly invariants: InvariantMonitor;
  readonly machineWatch: MachineWatch;
  readonly controls: Controls;
  readonly hooks: ProgramHooks;
  readonly clusterMetrics: ClusterMetrics;
  readonly offeredLoad: OfferedLoad;
  readonly stages: ClusterStages;
}

/**
 * Builds the parts of a cluster.
 *
 * @param onWarning - told of what the API server warns of
 */
export function createParts(options: ResolvedOptions, onWarning: (warning: string) => void): ClusterParts {
  const { from } = options;
  const epoch = options.epoch ?? from?.time;
  const kernel = createKernel({ seed: options.seed, speed: options.speed, epoch, salt: from?.digest });
  const hooks = new ProgramHooks();
  const isRealTime = options.speed !== undefined;
  const admission = hookPlugins(kernel, options.webhooks, {
    program: hooks,
    hasMutatingPolicies: options.features.hasMutatingPolicies,
    server: () => server,
    isRealTime,
    pods: () => fleet.servers,
  });
  const server: ApiServer = createServer(kernel, options, {
    validators: controlValidators(() => faults),
    onWarning,
    admission,
  });
  const bus = createBus(kernel, server, options.latency === undefined ? {} : { latency: options.latency });
  const { lookout } = bus;
  const census = new PodCensus(lookout);
  const nodes = new NodeCensus(server, lookout);
  const metrics = new Metrics();
  const machineWatch = new MachineWatch(kernel.clock);
  const site = { kernel, bus, server, metrics, machineWatch };
  const scheduler = createSchedulers(site, options);
  const storage = new Troubles<string>();
  const clusterMetrics = new ClusterMetrics({
    clock: kernel.clock,
    server: () => server,
    lookout,
    fleet: () => fleet,
    offeredLoad: () => offeredLoad,
    hasMetricsServer: !options.without.includes('metrics-server'),
  });
  const { managers, controllers } = createControllers(site, { storage, metricApis: clusterMetrics }, options);
  const images = new ImageScripts();
  const stages = new ClusterStages({
    kernel,
    server,
    lookout,
    faults: () => faults,
    controllers: () => controllers,
    onFailure: onWarning,
  });
  const { hints } = stages;
  const scripts = createScriptSource({ kernel, profile: options.runtime, rules: options.scripts, images, hints });
  const offeredLoad = new OfferedLoad({ clock: kernel.clock, lookout, machine: (node) => fleet.kubelet(node) });
  const fleet: NodeFleet = createFleet(site, { scripts, requestWork: offeredLoad }, options);
  exposeResourceMetrics(metrics, fleet);
  exposeSchedulerMetrics(metrics, scheduler);
  const pools = new Troubles<string>();
  let autoscaler: AutoscalerReplica | undefined;
  const replicas = {
    'kube-scheduler': scheduler,
    'kube-controller-manager': managers,
    'cluster-autoscaler': { start: () => autoscaler?.start(), stop: () => autoscaler?.stop() },
  };
  const points = { kernel, bus, fleet, storage, pools, controllers, server, replicas };
  const faults = new FaultInjector(new FaultPoints(points));
  const truth = new NodeTruth({ lookout, clock: kernel.clock, fleet, metrics });
  kernel.clock.observeInstants(new CircleWatch(server, lookout));
  const invariants = createMonitor({ ...site, fleet, truth, controllers, scheduler }, options);
  if (options.fencing !== undefined) {
    controllers.add(clusterFencing(options.fencing, { clock: kernel.clock, faults, fleet }));
  }
  const watching = { census, nodes, metrics, truth, invariants, machineWatch, clusterMetrics, offeredLoad };
  const { services } = options.webhooks;
  const beside = { scheduler, invariants, clusterMetrics, offeredLoad, services };
  const controlled = { kernel, server, lookout, faults, fleet, ...beside };
  const onAutoscaled = (): void => {
    const {
      clusterAutoscaler,
      schedulerConfig: configuration,
      schedulerPlugins: registry,
      controllerManager,
    } = options;
    if (autoscaler !== undefined || clusterAutoscaler === undefined) return;
    autoscaler = new AutoscalerReplica({
      ...site,
      settings: controllerManager,
      storage,
      metricApis: clusterMetrics,
      autoscaler: clusterAutoscaler,
      cloud: controls.pools,
      scheduler: { configuration, registry },
    });
    controllers.startBeside(autoscaler.definition, autoscaler);
  };
  const controls: Controls = new Controls({ ...controlled, poolTroubles: pools, onAutoscaled }, options.speed);
  return {
    kernel,
    server,
    stages,
    hooks,
    bus,
    scheduler,
    controllers,
    images,
    scripts,
    fleet,
    faults,
    controls,
    ...watching,
  };
}

/** Starts what the cluster is to have, and the machines that it is taken over with. */
export function startParts(parts: ClusterParts, options: ResolvedOptions): void {
  const { without, from, controllerManager } = options;
  const { scheduler, controllers, fleet, server } = parts;
  if (!without.includes('kube-scheduler')) scheduler.start();
  if (without.includes('kube-controller-manager')) controllers.startSidecars();
  else controllers.start();
  parts.stages.add(options.stages);
  if (from === undefined) return;
  fleet.add(resumedNodes(server, { state: from.state, attachRecords: controllerManager.attachRecords }));
}

/** Starts the kubelets of nodes; those of groups that are autoscaled are those of pools. @throws NodeGroupError */
export function addNodes({ fleet, controls }: ClusterParts, nodes: readonly NodeDescription[]): void {
  const setups = nodeSetups(nodes);
  const pools = nodes.filter(isPoolDescription);
  fleet.add(pools.length === 0 ? setups : nodeSetups(nodes.filter((node) => !isPoolDescription(node))));
  controls.pools.found(pools);
}

/** What most parts are made with. */
type Site = Pick<ClusterParts, 'kernel' | 'server' | 'bus' | 'metrics' | 'machineWatch'>;

/** The API server with the objects that are there from the start. */
function createServer(
  kernel: Kernel,
  options: ResolvedOptions,
  means: Pick<ApiServerOptions, 'validators' | 'onWarning' | 'admission'>,
): ApiServer {
  const { watchHistory, controllers: chosen = CONTROLLER_NAMES } = options;
  const serviceAccounts = chosen.includes(serviceAccountController.name);
  const { from } = options;
  const load =
    from === undefined
      ? undefined
      : (target: Pick<ApiServer, 'load' | 'endLoad'>) => loadPicture(target, from, kernel.timestamps);
  const { versions: optionalVersions } = options.features;
  const server = createApiServer(kernel, { watchHistory, serviceAccounts, load, optionalVersions, ...means });
  server.beginsAs = 'kube-apiserver';
  keepKubernetesService(kernel, server);
  const rolesSince = kernel.timestamps.toTime(kernel.clock.now());
  createInitialObjects(server, {
    ...options,
    serviceAccounts,
    rootCas: chosen.includes(rootCaPublisher.name),
    rolesSince,
  });
  keepCustomServices(kernel, server);
  keepRemoteServices(kernel, server);
  server.beginsAs = undefined;
  server.watchesSince = server.version;
  return server;
}

function createSchedulers({ kernel, bus, server }: Site, options: ResolvedOptions): SchedulerReplicas {
  return new SchedulerReplicas({ kernel, bus, server }, options.schedulers, {
    ...options.scheduler,
    namesTaints: options.from?.namesTaints ?? true,
    limit: options.schedulerLimit,
    workers: options.workers,
    hostTime,
    configuration: options.schedulerConfig,
    registry: options.schedulerPlugins,
    stopwatch: options.stopwatch,
  });
}

function createControllers(
  site: Site,
  beside: Pick<ControllerParts, 'storage' | 'metricApis'>,
  { controllers: names, controllerManagers, controllerManager, without }: ResolvedOptions,
): { readonly managers: ManagerReplicas; readonly controllers: ClusterControllers } {
  const hasMetricsServer = !without.includes('metrics-server');
  const staleApis = (): readonly string[] =>
    remotesBeside(site.server, hasMetricsServer).flatMap(({ group, version, isAvailable }) =>
      isAvailable ? [] : [`${group}/${version}`],
    );
  const settings = { ...controllerManager, staleApis };
  const means = { ...site, settings, ...beside };
  const managers = new ManagerReplicas({ ...means, controllers: names }, controllerManagers);
  return { managers, controllers: new ClusterControllers(means, managers) };
}

function createFleet(
  site: Site,
  beside: Pick<FleetMeans, 'scripts' | 'requestWork'>,
  options: ResolvedOptions,
): NodeFleet {
  const { runtime, kubelet: configuration, clientLimits, controllerManager } = options;
  const { attachRecords } = controllerManager;
  return new NodeFleet({ ...site, ...beside, runtime, configuration, clientLimits, attachRecords });
}

function createMonitor(
  parts: Site & Pick<ClusterParts, 'fleet' | 'truth' | 'controllers' | 'scheduler'>,
  { seed, controllerManager: settings, invariants }: ResolvedOptions,
): InvariantMonitor {
  const { kernel, server, bus, fleet, truth, controllers, scheduler } = parts;
  const { clock, timestamps } = kernel;
  const { lookout } = bus;
  const clockRightSinceMs = (party: string): number | undefined => kernel.clockRightSinceMs(party);
  const clocks = { clock, timestamps, clockRightSinceMs };
  const watched = { seed, server, bus, ...clocks, fleet, truth, lookout, controllers, scheduler, settings };
  return new InvariantMonitor(watched, invariants);
}

/** Ends all parts, those that others depend on last. */
export async function disposeParts(parts: ClusterParts): Promise<void> {
  parts.server.close();
  parts.invariants.dispose();
  parts.truth.dispose();
  parts.fleet.dispose();
  parts.controllers.dispose();
  await parts.scheduler.dispose();
  parts.bus.dispose();
}
