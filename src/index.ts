/**
 * The public door of kubeloom. What belongs to one subject also has a door of its own (`kubeloom/scheduler`,
 * `kubeloom/faults`, `kubeloom/testing`); everything is here as well.
 */
export * from './doors/scheduler.js';
export * from './doors/faults.js';
export * from './doors/testing.js';

export {
  ApiError,
  type StatusBody,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from './api/errors/api-error.js';
export { KINDS } from './api/kinds/known-kind.js';
export type { ConfigMap, RuntimeClass, Secret, ServiceAccount } from './api/objects/config-objects.js';
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
export type {
  DeleteOptions,
  ListOptions,
  Patch,
  PropagationPolicy,
  ScalableKind,
  Selection,
  ObjectEvent as WatchEvent,
} from './apiserver/store/server-types.js';
export type { AddedController } from './assembly/cluster-controllers.js';
export {
  LinkDownError,
  type EventRecorder,
  type Informer,
  type InformerHandler,
  type Latency,
  type PromisedClient,
} from './bus/bus-types.js';
export type { ClientLimits, ConfiguredLimit } from './bus/client-limits.js';
export type { ClusterAnswer, ClusterRequest } from './cluster/api-call.js';
export type { Applied, ApplyOptions } from './cluster/apply.js';
export type { Listening } from './server/listen.js';
export type { RecordedRequest, RequestReplay } from './server/recording.js';
export { checkListenOptions, ListenError, type ListenOptions } from './server/listen-options.js';
export { createCluster, type Cluster } from './cluster/cluster.js';
export type { LoadRate, ServiceLoad } from './cluster/service-load.js';
export type { LoadState } from './offered-load/offered-load.js';
export type { CustomMetric, ExternalMetric, MetricAmount } from './controls/cluster-metrics.js';
export { FORCE_WARNING, type ClusterDeleteOptions } from './cluster/delete-options.js';
export type { DrainOptions } from './cluster/drain/drain-options.js';
export { DrainError, type DrainEvent } from './cluster/drain/drain.js';
export type { RunOptions, RunResult } from './cluster/observed-run.js';
export type { MachineSelection } from './cluster/machine-selection.js';
export type { Machines } from './cluster/machines.js';
export type { ExecOptions, ExecResult, LogsOptions } from './cluster/containers.js';
export type { ClusterOptions, Component, SchedulerSettings } from './cluster/options.js';
export type { ClusterAdmission, HookFunction, HookOptions } from './cluster/admission-hooks.js';
export type { FeatureGates, RuntimeConfig } from './options/feature-options.js';
export type { WebhookOptions } from './cluster/webhook-options.js';
export type { ConversionFunction, HookAnswer, ReviewRequest } from './apiserver/admission/hooks/hook.js';
export {
  defineController,
  RetryError,
  type ControllerContext,
  type ControllerDefinition,
  type ControllerHandle,
} from './controllers/controller-manager.js';
export type { ControllerSettings } from './controllers/runtime/controller-settings.js';
export type { HostedRunOptions, HostedTruth, Present } from './hosted/host-protocol.js';
export { hostCluster, hostFork, takePresent, type HostedCluster } from './hosted/host.js';
export type { HostedController } from './hosted/hosted-controllers.js';
export type { HostedMeasurement } from './hosted/hosted-measurement.js';
export type { HostedFault, HostedFaults } from './hosted/hosted-faults.js';
export type { HostedInvariants, HostedMetrics } from './hosted/hosted-readings.js';
export {
  buildNodes,
  classify,
  compileLabelSelector,
  cpuMillis,
  defaultScene,
  durationMs,
  isPlainKind,
  isPodReady,
  keyOf,
  parseKey,
  parseLabelSelector,
  parseManifests,
  parseOpenb,
  parseSchedulerPerf,
  parseScriptFile,
  parseStages,
  parseScriptRules,
  readCluster,
  saveCluster,
  takeoverText,
  validateFields,
  wholeValue,
} from './doors/calls.js';
export { InvariantError } from './kernel/assert.js';
export type { Distribution } from './kernel/distribution.js';
export type { RunEnd } from './kernel/engine/clock.js';
export { StandstillError } from './kernel/engine/standstill.js';
export type { RandomStream } from './kernel/random.js';
export type { KubeletConfiguration } from './kubelet/configuration/kubelet-configuration.js';
export type { ProcessFact } from './kubelet/containers/process-facts.js';
export type { ImageBehaviour } from './kubelet/scripts/image-scripts.js';
export type { RuntimeProfile } from './kubelet/scripts/runtime-profile.js';
export { ScriptError } from './kubelet/scripts/script-error.js';
export type { ScriptInput } from './kubelet/scripts/script-input.js';
export type { ParsedScriptRule, ScriptRule } from './kubelet/scripts/script-rules.js';
export type { ContainerScript } from './kubelet/scripts/script-types.js';
export {
  runScene,
  type SceneOptions,
  type ScenePlan,
  type SceneResult,
  type SceneStage,
} from './laboratory/scene/run-scene.js';
export { compareVariants, type CompareOptions, type CompareResult, type Comparison } from './experiments/compare.js';
export type { ComparedValue, Verdict } from './experiments/verdict.js';
export { comparePage } from './experiments/compare-page.js';
export type { Effect } from './experiments/effect.js';
export type { ExplainedMove, MovedPod } from './experiments/placements.js';
export { recordCluster, type RecordOptions, type RecordResult } from './recording/record-cluster.js';
export { RecordError } from './recording/record-error.js';
export { playHistory, type HistoryOptions, type HistoryResult } from './experiments/play-history.js';
export { readHistory } from './doors/sweep-calls.js';
export type { HistoricRequest, History } from './transfer/history/history.js';
export { VariantError } from './experiments/read-variant.js';
export { QueueError } from './sweep/executors/queue-error.js';
export { serveQueue, type WorkerOptions } from './sweep/executors/queue-worker.js';
export { SweepError } from './sweep/plan/read-plan.js';
export { readSweepPlan, sweepJob, sweepMatrix } from './doors/sweep-calls.js';
export type { SweepPlan, SweepVariant } from './sweep/plan/sweep-plan.js';
export type { PrintedSweep } from './sweep/printed-shards.js';
export type { MetricAggregate, VariantAggregate } from './sweep/results/aggregate.js';
export { searchParts, type PartSearchOptions } from './sweep/fuzz/search-parts.js';
export type { Shard } from './sweep/shard.js';
export type { Mismatch, SweepRow } from './sweep/results/row.js';
export { runSweep, type SweepOptions, type SweepResult } from './sweep/sweep.js';
export { METRIC_NAMES, METRICS, type MetricDescription, type MetricName } from './measurements/metric-catalogue.js';
export type { MetricHistogram, MetricReading, MetricValues, Tags } from './measurements/metric-store.js';
export type {
  MarkKind,
  Measurement,
  MeasurementOptions,
  MeasurementReading,
  RunMark,
  SeriesReading,
} from './measurements/measurement.js';
export type { ZoneNodes } from './measurements/node-use.js';
export type { PodMoment } from './measurements/pod-course.js';
export type { PodStoryline } from './measurements/pod-metrics.js';
export type { SeriesColumn, SeriesSpread } from './measurements/run-series.js';
export {
  arrivals,
  comparisonPage,
  differencesOf,
  junitText,
  openLivePage,
  openMetricsText,
  otlpRequests,
  otlpUrl,
  parseThreshold,
  parseThresholds,
  runBurner,
  runLoadTests,
  runPage,
  summarize,
  thresholdText,
} from './doors/report-calls.js';
export type {
  AbortingThreshold,
  Threshold,
  ThresholdMap,
  ThresholdResult,
  ThresholdText,
} from './measurements/thresholds.js';
export type { LoadTestOptions, LoadTestsResult } from './load/clusterloader2/run-load-tests.js';
export type { StepResult } from './load/clusterloader2/load-test.js';
export type { BurnerOptions, BurnerResult } from './load/kube-burner/run-burner.js';
export type { BurnerHook, HookCall } from './load/kube-burner/job-hooks.js';
export type { LoadStanding } from './load/player/load-progress.js';
export type { LivePage, LivePageOptions } from './live/live-server.js';
export { LoadError } from './load/input/load-error.js';
export { AbortedError } from './load/player/aborted-error.js';
export type { MachineKind, MachineReading, MachineStep } from './machines/trail.js';
export type { ClusterStats } from './observers/cluster-stats.js';
export type { NodeCounts } from './observers/node-census.js';
export type { NodeTruth, ViolationCounts } from './observers/node-truth.js';
export type { PodCounts, StartupQuantiles } from './observers/pod-census.js';
export type { ProcessSet, SafetyViolation, VolumeMount } from './observers/safety-violation.js';
export type { TimedEvent } from './observers/timed-events.js';
export type { TimelineEntry, TimelineOptions, TimelineSelection } from './observers/timeline.js';
export type { UnschedulableGroup } from './observers/unschedulable.js';
export type { TimedWarning } from './observers/warnings.js';
export type { Difference } from './report/page/comparison-page.js';
export {
  SUMMARY_VERSION,
  type HostUse,
  type RunCheck,
  type RunIdentity,
  type RunSummary,
} from './report/run-summary.js';
export type { Duration } from './options/durations.js';
export type { NodeDescription } from './options/node-description.js';
export type { ControllerManagerSettings } from './options/node-monitor-options.js';
export type { ObjectRef } from './options/object-ref.js';
export { OptionError } from './options/option-error.js';
export { DisposedError } from './cluster/disposed-error.js';
export type { RunGoal } from './options/run-goal.js';
export { ScriptFileError } from './options/script-file.js';
export { StageFileError } from './stages/stage-files.js';
export { ImportError } from './transfer/import/import-error.js';
export type { ClusterPicture } from './transfer/import/picture.js';
export type { ClusterExport, SavedState } from './transfer/saved-state.js';
export { ArrivalError } from './workload/arrival-error.js';
export type { Arrival, ArrivalClock, ArrivalOptions, ArrivalProcess } from './workload/arrival-process.js';
export type { ArrivalProgress, Arrivals, TimedDraft } from './workload/arrivals.js';
export type { ImageUpdate, Scene, SceneSize } from './workload/default-scene.js';
export type { FieldValidation } from './workload/field-validation.js';
export {
  ManifestError,
  type CustomNames,
  type IgnoredObject,
  type ManifestDocument,
  type SimulatedObject,
} from './workload/manifest.js';
export { NodeGroupError, type NodeGroup, type NodeRecord } from './workload/node-groups.js';
export { TraceError, type OpenbOptions, type OpenbTrace } from './workload/openb.js';
export { SchedulerPerfError } from './workload/scheduler-perf/perf-error.js';
export type { PerfPlan, PerfWorkload, TemplateFiles } from './workload/scheduler-perf/scheduler-perf.js';
