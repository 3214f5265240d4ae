/** The door `kubeloom/scheduler`: configurations, plugins of your own, and explanations of decisions. */
export type { ClientConnection } from '../scheduler/config/configuration.js';
export type {
  AttemptExplanation,
  NodeScoreExplanation,
  PluginScoreExplanation,
  PodExplanation,
  PodFocus,
  RejectionGroup,
  TieBreak,
  VerdictExplanation,
} from '../scheduler/explain/explanation.js';
export type { NodeExplanation } from '../scheduler/explain/explain-node.js';
export type { PreemptionCandidate, PreemptionExplanation } from '../scheduler/framework/interface.js';
export type { SchedulerConfiguration, SchedulerProfile } from '../scheduler/config/configuration.js';
export { SchedulerConfigError } from '../scheduler/config/scheduler-config-error.js';
export type { CycleState } from '../scheduler/framework/cycle-state.js';
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
} from '../scheduler/framework/interface.js';
export type { Stopwatch } from '../scheduler/scheduler.js';
export type { NodeInfo } from '../scheduler/framework/node-info.js';
export type { PodInfo } from '../scheduler/framework/pod-info.js';
export { Code, type Status } from '../scheduler/framework/status.js';
export { createStatus, explainNode, parseSchedulerConfig } from './scheduler-calls.js';
