/** Webhooks and policies of one cluster: how they are reached, what their calls take, and functions in their place. */
import type { AdmissionPlugin } from '../apiserver/admission/chain/admission-plugin.js';
import { conversions } from './conversions.js';
import type {
  ConversionFunction,
  Hook,
  HookAnswer,
  ProgramHooks,
  ReviewRequest,
} from '../apiserver/admission/hooks/hook.js';
import { mutatingPolicies } from '../apiserver/admission/hooks/mutating-policies.js';
import { validatingPolicies } from '../apiserver/admission/hooks/validating-policies.js';
import { webhooks, type HookMeans } from '../apiserver/admission/hooks/webhooks.js';
import type { NamedExpression, OperationRule, RequestMatch, StoredWebhook } from '../api/admission/admission-types.js';
import { latencyMsOf, type ResolvedWebhooks } from './webhook-options.js';
import { webhookRules } from '../api/kinds/plain/validation/webhooks.js';
import type { PlainObject } from '../api/objects/plain-kinds.js';
import type { PodServers } from '../apiserver/requests/pod-servers.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { USER } from '../apiserver/store/server-types.js';
import type { VersionedStore } from '../apiserver/store/store.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { verdictOn } from '../requests/access/authorizer.js';
import type { Duration } from '../options/durations.js';
import { checkValue, FUNCTION, MAPPING, type Check } from '../options/option-checks.js';
import { OptionError, refuseUnknown } from '../options/option-error.js';
import { WebhookClient } from '../server/webhook-client.js';

/** Which requests a function is asked about; everything may be left out. */
export interface HookOptions extends Omit<RequestMatch, 'resourceRules' | 'excludeResourceRules'> {
  /** As a webhook's in a configuration. @defaultValue every request but reads */
  readonly rules?: readonly OperationRule[];
  readonly matchConditions?: readonly NamedExpression[];
  /** What becomes of a request where the function throws or takes too long. @defaultValue Fail */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Of a mutating one. @defaultValue Never */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /** In simulated time. 1..30 @defaultValue 10 */
  readonly timeoutSeconds?: number;
  /** What an answer takes in simulated time; calls of the program itself do not wait. @defaultValue that of the option `webhooks` */
  readonly latency?: Duration;
}

/** Answers a review as a webhook does, at once or later; nothing at all lets the request through. */
export type HookFunction = (
  request: ReviewRequest,
) => HookAnswer | undefined | void | PromiseLike<HookAnswer | undefined | void>;

/**
 * Functions in the place of webhooks.
 *
 * @example
 * ```ts
 * cluster.admission.validating('no-latest', { rules: [{ operations: ['CREATE'], resources: ['pods'] }] }, ({ object }) => {
 *   const { spec } = object as Pod;
 *   const isBad = spec.containers.some(({ image }) => image?.endsWith(':latest'));
 *   return { allowed: !isBad, status: { message: 'images must have a version' } };
 * });
 * ```
 */
export interface ClusterAdmission {
  /** Asked in the order of names among the stored configurations; it may answer with a patch or with the whole object. @returns what takes it away */
  mutating(name: string, options: HookOptions, handle: HookFunction): () => void;
  /** Asked about what is about to be stored. @returns what takes it away */
  validating(name: string, options: HookOptions, handle: HookFunction): () => void;
  /**
   * Stands in for the webhook that converts the objects of a definition with the strategy Webhook.
   *
   * @param definition - its name, such as `widgets.shop.example.com`
   * @returns what takes it away
   */
  conversion(definition: string, convert: ConversionFunction): () => void;
}

const HOOK_OPTIONS = [
  'rules',
  'namespaceSelector',
  'objectSelector',
  'matchPolicy',
  'matchConditions',
  'failurePolicy',
  'reinvocationPolicy',
  'timeoutSeconds',
  'latency',
];
const EVERYTHING: OperationRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
const NAME: Check = ['a name', (value) => typeof value === 'string' && value !== ''];

/** See {@link ClusterAdmission}. */
export function clusterAdmission(program: ProgramHooks): ClusterAdmission {
  const add =
    (phase: Hook['phase']): ClusterAdmission['mutating'] =>
    (name, options, handle) => {
      checkValue('name', name, NAME);
      checkValue('options', options, MAPPING);
      checkValue('handle', handle, FUNCTION);
      return program.add({ ...hookOf(name, options), phase, configuration: name, handle });
    };
  return {
    mutating: add('mutating'),
    validating: add('validating'),
    conversion(definition, convert) {
      checkValue('definition', definition, NAME);
      checkValue('convert', convert, FUNCTION);
      return program.convert(definition, convert);
    },
  };
}

/** @throws OptionError */
function hookOf(name: string, options: HookOptions): Pick<Hook, 'webhook' | 'latencyMs'> {
  refuseUnknown('', options, HOOK_OPTIONS);
  const { latency, rules, ...others } = options;
  if (rules !== undefined && !Array.isArray(rules)) throw new OptionError('rules', 'a list of rules', rules);
  const webhook: StoredWebhook = {
    ...others,
    name,
    rules: (rules ?? [{}]).map((rule: OperationRule): OperationRule => ({ ...EVERYTHING, ...rule })),
    clientConfig: { url: 'https://program' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const judged = { webhooks: [{ ...webhook, name: 'function.of.program' }] } as unknown as PlainObject;
  const [problem] = webhookRules.validate?.(judged) ?? [];
  if (problem !== undefined) {
    throw new OptionError(problem.field.replace('webhooks[0].', ''), problem.detail, undefined);
  }
  return { webhook, ...(latency === undefined ? {} : { latencyMs: latencyMsOf('latency', latency) }) };
}

/** The plugins of a cluster's admission that ask webhooks and policies. */
export function hookPlugins(
  kernel: Kernel,
  { services, latencyMs }: ResolvedWebhooks,
  {
    program,
    server,
    isRealTime,
    pods,
    hasMutatingPolicies,
  }: {
    readonly program: ProgramHooks;
    readonly server: () => ApiServer;
    readonly isRealTime: boolean;
    readonly pods: () => PodServers;
    readonly hasMutatingPolicies: boolean;
  },
): (store: VersionedStore) => readonly AdmissionPlugin[] {
  const { clock } = kernel;
  return (store) => {
    const hasService = (namespace: string, name: string): boolean => store.shelf('Service').table.has(namespace, name);
    const client = new WebhookClient({ services, hasService, pods, uid: () => kernel.ids.uid() });
    store.convertBy(conversions({ client, program, clock, isRealTime }));
    const means: HookMeans = {
      store,
      program,
      latencyMs,
      authorize: (user) => (question) => {
        const { serviceAccount, verb, path = '' } = question;
        const { group = '', resource = '', subresource = '', namespace = '', name = '' } = question;
        const asked = { verb, path, group, resource, subresource, namespace, name };
        const own = serviceAccount === undefined ? user : accountUser(serviceAccount);
        const { allowed, reason } = verdictOn(server(), own, asked);
        return { isAllowed: allowed, reason };
      },
      caller: client,
      wait: async (work, takesMs, isWithin = false) => {
        if ((isRealTime && !isWithin) || takesMs === 0) {
          if (!isRealTime) clock.hold(work);
          return work;
        }
        const begun = work.then((value) => ({ value, passed: passedIn(clock, takesMs) }));
        clock.hold(begun);
        const { value, passed } = await begun;
        await passed;
        return value;
      },
      cannotWait: ({ context }) => context.attempts === undefined && store.origin.by === USER,
    };
    return [
      ...(hasMutatingPolicies ? [mutatingPolicies(means)] : []),
      webhooks('mutating', means),
      validatingPolicies(means),
      webhooks('validating', means),
    ];
  };
}

function accountUser(name: string): { readonly name: string; readonly groups: readonly string[] } {
  const [, , namespace = ''] = name.split(':');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name, groups };
}

function passedIn(clock: Kernel['clock'], delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, () => {
      resolve();
      clock.settle();
    });
  });
}
