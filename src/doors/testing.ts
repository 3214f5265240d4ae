/** The door `kubeloom/testing`: the search for faults that break promises, scenarios, and the promises themselves. */
export { BudgetWatch } from '../laboratory/scene/budget-watch.js';
export type { Finding, Invariant, World, Write, WriteChecks } from '../observers/invariants/invariant.js';
export { INVARIANTS } from '../observers/invariants/invariants.js';
export type { InvariantMonitor, InvariantViolation } from '../observers/invariants/invariant-monitor.js';
export type { FoundFile } from '../laboratory/fuzz/found-file.js';
export type { PlanBase } from '../laboratory/fuzz/plan-base.js';
export type { PlanBounds, PlanDocument, PlannedAction } from '../laboratory/fuzz/plan-document.js';
export type { Exercise, PlanOutcome } from '../laboratory/fuzz/plan-outcome.js';
export { playPlan, type PlayOptions } from '../laboratory/fuzz/play-plan.js';
export { search, type Discovery, type SearchOptions, type SearchSummary } from '../laboratory/fuzz/search.js';
export type { FileReader } from '../laboratory/scenario/read-scenario.js';
export {
  runScenario,
  type ScenarioEntry,
  type ScenarioOptions,
  type ScenarioResult,
} from '../laboratory/scenario/run-scenario.js';
export type { Verdict } from '../laboratory/scenario/expectation-watch.js';
export type { Expectation, Scenario, ScenarioAction } from '../laboratory/scenario/scenario.js';
export { ScenarioError } from '../laboratory/scenario/scenario-error.js';
export { eventually, EventuallyError, type EventuallyOptions, type Passing } from '../testing/eventually.js';
export { fakeWebhook, type FakeWebhook, type WebhookReview } from '../testing/fake-webhook.js';
export type { OperatorBounds, OperatorTrouble, PlannedStep } from '../testing/operator-plan.js';
export type {
  OperatorAccess,
  OperatorFunction,
  OperatorProgram,
  OperatorSubject,
  RemoteOperator,
} from '../testing/operator-subject.js';
export {
  startOperator,
  type OperatorPace,
  type OperatorRunOptions,
  type RunningOperator,
} from '../testing/running-operator.js';
export {
  playSteps,
  searchOperator,
  type OperatorAction,
  type OperatorExpectation,
  type OperatorFind,
  type OperatorPlay,
  type OperatorSearchOptions,
  type OperatorViolation,
} from '../testing/search-operator.js';
export { testCluster, withCluster, type TestScope } from '../testing/test-cluster.js';
export { foundText, parseBase, parseBounds, parseFound, parseScenario } from './testing-calls.js';
