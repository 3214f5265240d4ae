/** The public door of kubeloom: everything that a user may import, by name. */
export {
  ApiError,
  type StatusBody,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from './api/errors/api-error.js';
export { isPodReady } from './api/objects/conditions.js';
export type { ConfigMap, RuntimeClass, Secret, ServiceAccount } from './api/objects/config-objects.js';
export { compileLabelSelector } from './api/selectors/labels.js';
export { cpuMillis, wholeValue } from './api/values/quantity.js';
export type {
  AnyObject,
  Container,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Draft,
  EndpointSlice,
  EventRecord,
  Job,
  Kind,
  KindMap,
  KubeObject,
  Lease,
  Namespace,
  Node,
  ObjectMeta,
  ObjectName,
  Pod,
  PodCondition,
  PodPhase,
  PriorityClass,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
} from './api/objects/objects.js';
export { keyOf, parseKey } from './api/objects/objects.js';
export type {
  DeleteOptions,
  ListOptions,
  Patch,
  PropagationPolicy,
  ScalableKind,
  Selection,
  WatchEvent,
} from './apiserver/store/server-types.js';
export {
  LinkDownError,
  type EventRecorder,
  type Informer,
  type InformerHandler,
  type Latency,
  type PromisedClient,
} from './bus/bus-types.js';
export type { Applied, ApplyOptions } from './cluster/apply.js';
export type { AddedController } from './assembly/cluster-controllers.js';
export { BudgetWatch } from './laboratory/scene/budget-watch.js';
export type { ClientLimits, ConfiguredLimit } from './bus/client-limits.js';
export type { ClusterStats } from './observers/cluster-stats.js';
export { createCluster, type Cluster } from './cluster/cluster.js';
export type { TimedEvent } from './observers/timed-events.js';
export { FORCE_WARNING, type ClusterDeleteOptions, type TimedWarning } from './cluster/delete-options.js';
export { DrainError, type DrainEvent } from './cluster/drain/drain.js';
export type { DrainOptions } from './cluster/drain/drain-options.js';
export type { Duration } from './options/durations.js';
export { hostCluster, type HostedCluster } from './hosted/host.js';
export type { HostedRunOptions, HostedTruth } from './hosted/host-protocol.js';
export type { FencingOptions } from './options/fencing-options.js';
export type { HostedController } from './hosted/hosted-controllers.js';
export type { HostedInvariants, HostedMetrics } from './hosted/hosted-readings.js';
export type { HostedFault, HostedFaults } from './hosted/hosted-faults.js';
export type { ObjectRef } from './options/object-ref.js';
export type { RunOptions, RunResult } from './cluster/observed-run.js';
export { OptionError } from './options/option-error.js';
export type { ClusterOptions, NodeDescription, SchedulerSettings } from './cluster/options.js';
export type { Finding, Invariant, World, Write, WriteChecks } from './observers/invariants/invariant.js';
export { INVARIANTS } from './observers/invariants/invariants.js';
export type { InvariantMonitor, InvariantViolation } from './observers/invariants/invariant-monitor.js';
export type { NodeTruth, ViolationCounts } from './observers/node-truth.js';
export type { ProcessSet, SafetyViolation, VolumeMount } from './observers/safety-violation.js';
export type { NodeCounts } from './observers/node-census.js';
export type { PodCounts, StartupQuantiles } from './observers/pod-census.js';
export type { RunGoal } from './options/run-goal.js';
export {
  runScene,
  type SceneOptions,
  type ScenePlan,
  type SceneResult,
  type SceneStage,
} from './laboratory/scene/run-scene.js';
export { foundText, parseFound, type FoundFile } from './laboratory/fuzz/found-file.js';
export { parseBase, type PlanBase } from './laboratory/fuzz/plan-base.js';
export type { PlanBounds, PlanDocument, PlannedAction } from './laboratory/fuzz/plan-document.js';
export type { Exercise, PlanOutcome } from './laboratory/fuzz/plan-outcome.js';
export { playPlan, type PlayOptions } from './laboratory/fuzz/play-plan.js';
export { parseBounds } from './laboratory/fuzz/read-bounds.js';
export { search, type Discovery, type SearchOptions, type SearchSummary } from './laboratory/fuzz/search.js';
export { parseScenario, type FileReader } from './laboratory/scenario/read-scenario.js';
export {
  runScenario,
  type ScenarioEntry,
  type ScenarioOptions,
  type ScenarioResult,
} from './laboratory/scenario/run-scenario.js';
export type { Verdict } from './laboratory/scenario/expectation-watch.js';
export type { Expectation, Scenario, ScenarioAction } from './laboratory/scenario/scenario.js';
export { ScenarioError } from './laboratory/scenario/scenario-error.js';
export { parseScriptFile, ScriptFileError } from './options/script-file.js';
export type { TimelineEntry, TimelineSelection } from './observers/timeline.js';
export type { UnschedulableGroup } from './observers/unschedulable.js';
export {
  defineController,
  RetryError,
  type ControllerContext,
  type ControllerDefinition,
  type ControllerHandle,
} from './controllers/controller-manager.js';
export type { FencingAction } from './controllers/fencing/fencing-settings.js';
export type { ControllerManagerSettings } from './options/node-monitor-options.js';
export type { ControllerSettings } from './controllers/runtime/controller-settings.js';
export type { ClientConnection } from './scheduler/config/configuration.js';
export type { Fault, FaultVerb, LinkTarget, PartitionTarget, PartyTarget, VolumeChoice } from './faults/fault.js';
export type { FaultCount } from './faults/fault-tally.js';
export { FAULT_VERBS } from './faults/read-fault.js';
export { FaultError } from './faults/fault-error.js';
export type { FaultHandle, FaultInjector } from './faults/fault-injector.js';
export { InvariantError } from './kernel/assert.js';
export { StandstillError } from './kernel/engine/standstill.js';
export type { RunEnd } from './kernel/engine/clock.js';
export type { Distribution } from './kernel/distribution.js';
export type { RandomStream } from './kernel/random.js';
export type { ProcessFact } from './kubelet/containers/process-facts.js';
export type { KubeletConfiguration } from './kubelet/configuration/kubelet-configuration.js';
export type { RuntimeProfile } from './kubelet/scripts/runtime-profile.js';
export type { ImageBehaviour } from './kubelet/scripts/image-scripts.js';
export { ScriptError } from './kubelet/scripts/script-error.js';
export type { ScriptInput } from './kubelet/scripts/script-input.js';
export { parseScriptRules, type ParsedScriptRule, type ScriptRule } from './kubelet/scripts/script-rules.js';
export type { ContainerScript } from './kubelet/scripts/script-types.js';
export type {
  AttemptExplanation,
  NodeScoreExplanation,
  PluginScoreExplanation,
  PodExplanation,
  PodFocus,
  RejectionGroup,
  TieBreak,
  VerdictExplanation,
} from './scheduler/explain/explanation.js';
export { explainNode, type NodeExplanation } from './scheduler/explain/explain-node.js';
export type { PreemptionCandidate, PreemptionExplanation } from './scheduler/framework/interface.js';
export type { SchedulerConfiguration, SchedulerProfile } from './scheduler/config/configuration.js';
export { parseSchedulerConfig } from './scheduler/config/parse-scheduler-config.js';
export { SchedulerConfigError } from './scheduler/config/scheduler-config-error.js';
export type { CycleState } from './scheduler/framework/cycle-state.js';
export type {
  AnyPlugin,
  BindPlugin,
  FilterPlugin,
  FrameworkHandle,
  PermitPlugin,
  Plugin,
  PluginFactory,
  PostBindPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
} from './scheduler/framework/interface.js';
export type { Stopwatch } from './scheduler/scheduler.js';
export type { NodeInfo } from './scheduler/framework/node-info.js';
export type { PodInfo } from './scheduler/framework/pod-info.js';
export { Code, createStatus, type Status } from './scheduler/framework/status.js';
export { ArrivalError, type ArrivalProgress, type Arrivals, type TimedDraft } from './workload/arrivals.js';
export { defaultScene, type ImageUpdate, type Scene, type SceneSize } from './workload/default-scene.js';
export { validateFields, type FieldValidation } from './workload/field-validation.js';
export {
  classify,
  ManifestError,
  parseManifests,
  type IgnoredObject,
  type ManifestDocument,
  type SimulatedObject,
} from './workload/manifest.js';
export { buildNodes, NodeGroupError, type NodeGroup, type NodeRecord } from './workload/node-groups.js';
export { SchedulerPerfError } from './workload/scheduler-perf/perf-error.js';
export {
  parseSchedulerPerf,
  type PerfPlan,
  type PerfWorkload,
  type TemplateFiles,
} from './workload/scheduler-perf/scheduler-perf.js';
export { parseOpenb, TraceError, type OpenbOptions, type OpenbTrace } from './workload/openb.js';
