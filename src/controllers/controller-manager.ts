/**
 * The controller manager: which controllers there are, and one connection with shared informers for
 * all of them. Each can be stopped and started by itself; stopping the manager is the crash of its
 * process, after which it lists everything anew. Mirrors kube-controller-manager v1.34.
 */
import type { Connection } from '../bus/bus-types.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { DEFAULT_CONTROLLER_SETTINGS, type ControllerSettings } from './runtime/controller-settings.js';
import { cronJobController } from './cron-job/cron-job-controller.js';
import { daemonSetController } from './daemon-set/daemon-set-controller.js';
import { attachDetachController } from './attach-detach/attach-detach-controller.js';
import { externalAttacher } from './attach-detach/external-attacher.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { disruptionController } from './disruption/disruption-controller.js';
import { endpointSliceController } from './endpoint-slice/endpoint-slice-controller.js';
import { endpointsController } from './endpoints/endpoints-controller.js';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring/endpoint-slice-mirroring-controller.js';
import { garbageCollector } from './garbage-collector/garbage-collector.js';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.js';
import { jobController } from './job/job-controller.js';
import { namespaceController } from './namespace/namespace-controller.js';
import { rootCaPublisher } from './namespace-defaults/root-ca-publisher.js';
import { serviceAccountController } from './namespace-defaults/service-account-controller.js';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.js';
import { claimProtection } from './persistent-volume-binder/claim-protection.js';
import { externalProvisioner } from './persistent-volume-binder/external-provisioner.js';
import { persistentVolumeBinder } from './persistent-volume-binder/persistent-volume-binder.js';
import { volumeProtection } from './persistent-volume-binder/volume-protection.js';
import { attributesClassProtection } from './persistent-volume-binder/attributes-class-protection.js';
import { ephemeralVolumeController } from './ephemeral-volume/ephemeral-volume-controller.js';
import { podGarbageCollector } from './pod-gc/pod-gc-controller.js';
import { replicaSetController, replicationController } from './replica-set/replica-set-controller.js';
import { resourceClaimController } from './resource-claim/resource-claim-controller.js';
import { resourceQuotaController } from './resource-quota/resource-quota-controller.js';
import { roleAggregationController } from './role-aggregation/role-aggregation-controller.js';
import { Controller, type ControllerHandle } from './runtime/controller.js';
import type { ControllerDefinition } from './runtime/controller-definition.js';
import type { MapOrder } from './runtime/map-order.js';
import { ttlController } from './ttl/ttl-controller.js';
import { NO_METRIC_APIS, type MetricApis } from './runtime/metric-apis.js';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.js';
import { statefulSetController } from './stateful-set/stateful-set-controller.js';
import { taintEvictionController } from './taint-eviction/taint-eviction-controller.js';
import { validatingAdmissionPolicyStatusController } from './validating-admission-policy-status/validating-admission-policy-status-controller.js';
import { expandController } from './volume-expansion/expand-controller.js';
import { externalResizer } from './volume-expansion/external-resizer.js';
import { assert } from '../kernel/assert.js';
import { Troubles } from '../kernel/troubles.js';
import { MachineWatch } from '../machines/trail.js';
import { Metrics } from '../metrics/metrics.js';

export type { ControllerHandle } from './runtime/controller.js';
export { RetryError } from './runtime/retry-error.js';
export {
  defineController,
  type ControllerContext,
  type ControllerDefinition,
} from './runtime/controller-definition.js';
export type { MetricApis, MetricObject, MetricValue, UsageSubject } from './runtime/metric-apis.js';
export { NOT_MEASURED, type UsageReading } from './runtime/usage-reading.js';

const BUILT_IN: readonly ControllerDefinition[] = [
  nodeLifecycleController,
  deploymentController,
  replicaSetController,
  statefulSetController,
  replicationController,
  daemonSetController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  garbageCollector,
  namespaceController,
  serviceAccountController,
  rootCaPublisher,
  disruptionController,
  persistentVolumeBinder,
  claimProtection,
  volumeProtection,
  attributesClassProtection,
  ephemeralVolumeController,
  externalProvisioner,
  attachDetachController,
  externalAttacher,
  expandController,
  externalResizer,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  podGarbageCollector,
  taintEvictionController,
  ttlController,
  resourceQuotaController,
  roleAggregationController,
  horizontalPodAutoscalerController,
  resourceClaimController,
  validatingAdmissionPolicyStatusController,
];

/** Names of the controllers that come with the program, in the order in which they start. */
export const CONTROLLER_NAMES: readonly string[] = BUILT_IN.map(({ name }) => name);

/** Those that upstream's manager does not have: they stand beside the CSI drivers. */
export const SIDECAR_NAMES: readonly string[] = [externalProvisioner, externalAttacher, externalResizer].map(
  ({ name }) => name,
);

/** What a controller manager is made of. */
export interface ControllerManagerOptions {
  readonly kernel: Kernel;
  /** The manager's own way to the API server; it is disposed with the manager. */
  readonly connection: Connection;
  /** Names of the built-in controllers to run. @defaultValue all of {@link CONTROLLER_NAMES} */
  readonly controllers?: readonly string[] | undefined;
  /** @defaultValue a registry of its own */
  readonly metrics?: Metrics | undefined;
  /** @defaultValue those of upstream, but no limit on requests */
  readonly settings?: Partial<ControllerSettings> | undefined;
  /** What goes wrong with the storage behind CSI drivers. @defaultValue nothing */
  readonly storage?: Troubles<string> | undefined;
  /** The APIs of metrics. @defaultValue none is served */
  readonly metricApis?: MetricApis | undefined;
  /** Told of the steps of the controllers' machines. @defaultValue a watch of its own */
  readonly machineWatch?: MachineWatch | undefined;
  /** @internal orders that upstream leaves to chance. @defaultValue the order of arrival */
  readonly mapOrder?: MapOrder | undefined;
  /** Controllers of the user's own, which run beside the built-in ones. */
  readonly definitions?: readonly ControllerDefinition[] | undefined;
}

/** See the file header. */
export interface ControllerManager {
  /** Starts the process, which waits until it leads. */
  stand(): void;
  /** Starts every controller. */
  start(): void;
  /** Stops every controller and empties the caches, as a crash of the process. */
  stop(): void;
  /** Stops for good and closes the connection. */
  dispose(): void;
  /** One controller by its name. */
  controller(name: string): ControllerHandle;
  /** Names of its controllers, in the order in which they start. */
  readonly names: readonly string[];
}

/** A manager with the process around it, which can be told to end in good order. */
export interface ControllerProcess extends ControllerManager {
  /** Takes up no more work; once the work under way has ended, stops. */
  drain(): void;
}

/** Builds a manager; nothing runs before `start`. */
export function createControllerManager(options: ControllerManagerOptions): ControllerProcess {
  return new WiredManager(options.connection, createControllers(options));
}

function createControllers(options: ControllerManagerOptions): ReadonlyMap<string, Controller> {
  const { kernel, connection, controllers: names = CONTROLLER_NAMES, definitions = [], mapOrder } = options;
  const { metrics = new Metrics(), storage = new Troubles<string>(), metricApis = NO_METRIC_APIS } = options;
  const { machineWatch = new MachineWatch(kernel.clock) } = options;
  const settings = { ...DEFAULT_CONTROLLER_SETTINGS, kubeAPIQPS: -1, ...options.settings };
  const means = { connection, metrics, settings, storage, metricApis, mapOrder, machineWatch };
  const controllers = new Map<string, Controller>();
  for (const definition of [...names.map(builtIn), ...definitions]) {
    const { name } = definition;
    assert(!controllers.has(name), `controller ${name} must be there once`);
    controllers.set(
      name,
      new Controller(definition, {
        ...means,
        kernel: kernel.at(controllerPart(connection.link.party, name)),
        holdsClock: definitions.includes(definition) && definition.holdsClock !== false,
      }),
    );
  }
  return controllers;
}

class WiredManager implements ControllerProcess {
  readonly names: readonly string[];
  readonly #connection: Connection;
  readonly #controllers: ReadonlyMap<string, Controller>;

  constructor(connection: Connection, controllers: ReadonlyMap<string, Controller>) {
    this.#connection = connection;
    this.#controllers = controllers;
    this.names = [...controllers.keys()];
  }

  stand(): void {
    for (const controller of this.#controllers.values()) controller.stand();
  }

  start(): void {
    for (const controller of this.#controllers.values()) controller.start();
  }

  stop(): void {
    for (const controller of this.#controllers.values()) controller.stop();
    this.#connection.informers.stop();
  }

  drain(): void {
    let busy = this.#controllers.size;
    const ended = (): void => {
      busy -= 1;
      if (busy === 0) this.stop();
    };
    for (const controller of this.#controllers.values()) controller.end(ended);
  }

  dispose(): void {
    for (const controller of this.#controllers.values()) controller.dispose();
    this.#connection.informers.stop();
    this.#connection.dispose();
  }

  controller(name: string): ControllerHandle {
    const controller = this.#controllers.get(name);
    assert(controller !== undefined, `controller must be one of ${this.names.join(', ')}, got ${name}`);
    return controller;
  }
}

/** A controller as a part of the party that its manager is; parts may have clocks of their own. */
export function controllerPart(party: string, name: string): string {
  return `${party}/${name}`;
}

function builtIn(name: string): ControllerDefinition {
  const definition = BUILT_IN.find((candidate) => candidate.name === name);
  assert(definition !== undefined, `controller must be one of ${CONTROLLER_NAMES.join(', ')}, got ${name}`);
  return definition;
}
