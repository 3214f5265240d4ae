/**
 * Webhooks: mutating ones one after the other, and again where another has changed the object since; validating ones
 * all at once (apiserver's pkg/admission/plugin/webhook, v1.34). A call has its request wait; what it answered is
 * remembered, as long as it would be asked the same, when the request is tried again.
 */
import { ApiError, type StatusReason } from '../../../api/errors/api-error.js';
import { webhookConditions } from '../../../api/admission/compiled-policy.js';
import type { StoredWebhook } from '../../../api/admission/admission-types.js';
import { applyPatch } from '../../../api/patches/patch.js';
import type { Draft, Kind, KindMap } from '../../../api/objects/objects.js';
import { badRequest } from '../../store/api-errors.js';
import { AdmissionPending } from '../../store/request-context.js';
import type { AdmissionPlugin } from '../chain/admission-plugin.js';
import type { Attributes } from '../chain/attributes.js';
import type { ServedForm } from '../chain/served-forms.js';
import { joinedFailures, judgeConditions } from './conditions.js';
import type {
  CallOutcome,
  Hook,
  HookAnswer,
  HookCaller,
  HookWait,
  PodOutcome,
  ProgramHooks,
  ReviewRequest,
} from './hook.js';
import { changedObject, changedPart, internalFailure } from './changed-object.js';
import { patchProblem } from './patch-problem.js';
import { isExempt, isSelected, matchedForm, mayMean } from './matching.js';
import { asKnown, encodedObject, keptForm, requestVariables, reviewedRequest } from './request-view.js';
import type { PolicyMeans } from './bound-policies.js';

/** What webhooks are asked with. */
export interface HookMeans extends PolicyMeans {
  readonly caller: HookCaller;
  readonly wait: HookWait;
  readonly program: ProgramHooks;
  /** Of hooks that say nothing else. */
  readonly latencyMs: number;
  /** Whether a call of the program itself is being applied, which cannot wait. */
  readonly cannotWait: (attributes: Attributes<Kind>) => boolean;
}

const CONFIGURATIONS = {
  mutating: 'MutatingWebhookConfiguration',
  validating: 'ValidatingWebhookConfiguration',
} as const;

/** The plugin of one phase. */
export function webhooks(phase: Hook['phase'], means: HookMeans): AdmissionPlugin {
  const { store, program } = means;
  const shelf = store.shelf(CONFIGURATIONS[phase]);
  const hooks = hookList(phase, means);
  const asked = (attributes: Attributes<Kind>): readonly AskedHook[] =>
    hooks().flatMap((hook) => askedHook(hook, attributes, means));
  const step = (attributes: Attributes<Kind>): void => {
    if (phase === 'mutating') mutate(hooks(), attributes, means);
    else validate(asked(attributes), attributes, means);
  };
  return {
    name: phase === 'mutating' ? 'MutatingAdmissionWebhook' : 'ValidatingAdmissionWebhook',
    sources: [shelf, program],
    mayWait: true,
    seesBelow: true,
    handles: (subject) => !isExempt(subject.resource) && hooks().some(({ webhook }) => mayMean(webhook.rules, subject)),
    ...(phase === 'mutating' ? { mutate: step } : { validate: step }),
  };
}

/** The hooks in their order, worked out anew when one of them has changed. */
function hookList(phase: Hook['phase'], { store, program }: HookMeans): () => readonly Hook[] {
  const { table } = store.shelf(CONFIGURATIONS[phase]);
  let known: { readonly revisions: string; readonly hooks: readonly Hook[] } | undefined;
  return () => {
    const revisions = `${table.revision} ${program.table.revision}`;
    if (known?.revisions !== revisions) {
      const stored = table.sorted().flatMap((object) => {
        const { webhooks: list = [] } = object as unknown as { readonly webhooks?: readonly StoredWebhook[] };
        return list.map((webhook): Hook => ({ phase, configuration: object.metadata.name, webhook }));
      });
      const own = program.all.filter((each) => each.phase === phase);
      const hooks = [...stored, ...own].toSorted((a, b) => compareNames(a.configuration, b.configuration));
      known = { revisions, hooks };
    }
    return known.hooks;
  };
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A hook that a request concerns, with what it is asked. */
interface AskedHook {
  readonly hook: Hook;
  /** In which it is shown the objects. */
  readonly form: ServedForm;
  readonly request: ReviewRequest;
}

/** Nothing where a hook is not asked about a request. @throws ApiError */
function askedHook(hook: Hook, attributes: Attributes<Kind>, means: HookMeans): readonly AskedHook[] {
  const { webhook } = hook;
  const form = matchedForm(webhook.rules, attributes, webhook.matchPolicy);
  if (form === undefined || !isSelected(webhook, attributes, means.store)) return [];
  if ((webhook.matchConditions ?? []).length > 0) {
    const variables = requestVariables(attributes, form, means);
    const verdict = judgeConditions(webhookConditions(webhook.matchConditions), variables);
    if ('failures' in verdict) {
      if (webhook.failurePolicy === 'Ignore') return [];
      throw attributes.refusal(joinedFailures(verdict.failures));
    }
    if (!verdict.isMet) return [];
  }
  const hasEffects = webhook.sideEffects === 'Some' || webhook.sideEffects === 'Unknown';
  if (attributes.isDryRun && hasEffects) {
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  }
  return [{ hook, form, request: reviewedRequest(attributes, form) }];
}

/** What hooks of the first phase have made of an object, by the hook: whether it is to be asked again shows from that. */
const made = new WeakMap<Attributes<Kind>, Map<Hook, object | undefined>>();

function mutate(hooks: readonly Hook[], attributes: Attributes<Kind>, means: HookMeans): void {
  const results = made.get(attributes) ?? new Map<Hook, object | undefined>();
  made.set(attributes, results);
  for (const hook of hooks) {
    if (attributes.isReinvoked) {
      const isNeeded = hook.webhook.reinvocationPolicy === 'IfNeeded' && results.has(hook);
      if (!isNeeded || results.get(hook) === attributes.object) continue;
    }
    const [asked] = askedHook(hook, attributes, means);
    if (asked === undefined) continue;
    const answer = answered([asked], attributes, means)[0];
    if (answer !== undefined) {
      judge(hook, answer, attributes);
      change(asked, answer, attributes);
    }
    results.set(hook, attributes.object);
  }
}

function validate(asked: readonly AskedHook[], attributes: Attributes<Kind>, means: HookMeans): void {
  const answers = answered(asked, attributes, means);
  for (const [index, { hook }] of asked.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    // A review of v1beta1 may bring one along, which is not looked at.
    if (hook.handle !== undefined && answer.patch !== undefined) {
      throw callFailed(hook, 'received invalid webhook response: validating webhook may not return response.patch');
    }
    judge(hook, answer, attributes);
  }
}

/** What hooks answered; undefined for one that failed and may. @throws AdmissionPending as long as one has not answered */
function answered(
  asked: readonly AskedHook[],
  attributes: Attributes<Kind>,
  means: HookMeans,
): readonly (HookAnswer | undefined)[] {
  const outcomes = asked.map((each) => outcomeOf(each, attributes, means));
  const waiting = outcomes.filter((each) => each instanceof Promise);
  if (waiting.length > 0) throw new AdmissionPending(Promise.all(waiting));
  return asked.map(({ hook }, index) => {
    const outcome = outcomes[index] as CallOutcome;
    if ('answer' in outcome) return outcome.answer;
    if (hook.webhook.failurePolicy === 'Ignore') return undefined;
    throw callFailed(hook, outcome.failure);
  });
}

function callFailed({ webhook }: Hook, why: string): ApiError {
  return internalFailure(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** What was kept of a call, and what it was asked. */
interface Kept {
  readonly asked: string;
  outcome: CallOutcome | undefined;
  readonly settled: Promise<unknown>;
}

function outcomeOf(
  { hook, request }: AskedHook,
  attributes: Attributes<Kind>,
  means: HookMeans,
): CallOutcome | Promise<unknown> {
  if (hook.handle !== undefined && means.cannotWait(attributes)) {
    const now = handled(hook, request);
    if (now instanceof Promise) throw new AdmissionPending(now);
    return now;
  }
  const ofPod = hook.handle === undefined ? podOutcome(hook, request, attributes, means) : undefined;
  if (ofPod !== undefined && ofPod.takesMs === 0) return ofPod.outcome;
  const { memory } = attributes.attempts;
  const key = `${hook.phase} ${attributes.isReinvoked} ${hook.configuration} ${hook.webhook.name}`;
  const asked = JSON.stringify(request);
  const known = memory.get(key) as Kept | undefined;
  if (known?.asked === asked) return known.outcome ?? known.settled;
  const call = ofPod === undefined ? called(hook, request, means) : Promise.resolve(ofPod.outcome);
  const timeoutMs = timeoutMsOf(hook);
  const latencyMs = ofPod?.takesMs ?? hook.latencyMs ?? means.latencyMs;
  const isLate = latencyMs > timeoutMs;
  const kept: Kept = {
    asked,
    outcome: undefined,
    settled: means.wait(call, Math.min(latencyMs, timeoutMs), ofPod !== undefined).then((outcome) => {
      kept.outcome = isLate ? { failure: 'failed to call webhook: context deadline exceeded' } : outcome;
    }),
  };
  memory.set(key, kept);
  return kept.settled;
}

function timeoutMsOf({ webhook }: Hook): number {
  return (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
}

function called(hook: Hook, request: ReviewRequest, means: HookMeans): Promise<CallOutcome> {
  if (hook.handle === undefined) return means.caller.call(hook.webhook, request, hook.phase);
  return Promise.resolve(handled(hook, request));
}

/** What a webhook in a pod answered to this, asked once for all attempts of a request. */
function podOutcome(
  hook: Hook,
  request: ReviewRequest,
  { context: { attempts }, isReinvoked }: Attributes<Kind>,
  means: HookMeans,
): PodOutcome | undefined {
  const key = `pod ${hook.phase} ${isReinvoked} ${hook.configuration} ${hook.webhook.name}`;
  const asked = JSON.stringify(request);
  const known = attempts?.memory.get(key) as { readonly asked: string; readonly answer: PodOutcome } | undefined;
  if (known?.asked === asked) return known.answer;
  const found = means.caller.callPod(hook.webhook, request, hook.phase);
  if (found === undefined) return undefined;
  const answer = { ...found, takesMs: found.takesMs + (hook.latencyMs ?? means.latencyMs) };
  attempts?.memory.set(key, { asked, answer });
  return answer;
}

function failedCall(error: unknown): CallOutcome {
  return { failure: `failed to call webhook: ${error instanceof Error ? error.message : String(error)}` };
}

function answerOf(answer: HookAnswer | undefined | void): CallOutcome {
  return { answer: answer ?? { allowed: true } };
}

/** What a function of the program answers; a failure of it is one of the call. */
function handled({ handle }: Hook, request: ReviewRequest): CallOutcome | Promise<CallOutcome> {
  try {
    const answer = handle?.(request);
    if (answer === undefined || !isPromise(answer)) return answerOf(answer);
    return Promise.resolve(answer).then(answerOf, failedCall);
  } catch (error) {
    return failedCall(error);
  }
}

function isPromise(answer: object): answer is PromiseLike<HookAnswer | undefined | void> {
  return 'then' in answer;
}

/** @throws ApiError for a refusal */
function judge({ webhook }: Hook, answer: HookAnswer, { context }: Attributes<Kind>): void {
  for (const warning of answer.warnings ?? []) context.warn(warning);
  if (answer.allowed) return;
  const { code = 0, reason = '', message = '', details } = answer.status ?? {};
  const denied = `admission webhook ${JSON.stringify(webhook.name)} denied the request`;
  const why = message === '' ? reason : message;
  const text = why === '' ? `${denied} without explanation` : `${denied}: ${why}`;
  throw new ApiError(code < 400 ? 400 : code, (reason === '' ? undefined : reason) as StatusReason, text, details);
}

/** Makes what a hook asks for of the object. @throws ApiError for what cannot be made */
function change({ hook: { webhook }, form }: AskedHook, answer: HookAnswer, attributes: Attributes<Kind>): void {
  const { object } = attributes;
  if (answer.object === undefined && (answer.patch ?? []).length === 0) return;
  if (object === undefined) {
    const what = `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object`;
    throw internalFailure(`${what}, which is not supported for this operation`);
  }
  const shown = encodedObject(attributes, asKnown(attributes, object), form);
  let next: Draft;
  try {
    next =
      answer.object === undefined
        ? applyPatch(shown as Draft, { type: 'json', body: answer.patch })
        : (answer.object as Draft);
  } catch (error) {
    if (error instanceof ApiError) throw internalFailure(patchProblem(shown ?? object, answer.patch ?? []));
    throw error;
  }
  if ((next as object) === shown) return;
  if (attributes.below !== undefined) {
    attributes.object = changedPart(next, attributes.below) as unknown as KindMap[Kind];
    return;
  }
  attributes.object = changedObject(keptForm(attributes, next, form), object, attributes);
  if (!attributes.isReinvoked) attributes.mustReinvoke = true;
}
