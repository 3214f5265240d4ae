/**
 * Conversion webhooks of one cluster: functions of the program and servers in containers answer at once, servers over
 * the network have the request wait. What these answered is kept for a moment, since a request that had to wait is made
 * anew; a later request asks anew, as the webhook may be another one by then.
 */
import type { AskConversion, ConversionOutcome, ConversionRequest } from '../api/custom/conversion.js';
import type { StoredWebhook } from '../api/admission/admission-types.js';
import type { ConversionFunction, ProgramHooks } from '../apiserver/admission/hooks/hook.js';
import { AdmissionPending } from '../apiserver/store/request-context.js';
import type { EngineClock } from '../kernel/engine/clock.js';
import type { WebhookClient } from '../server/webhook-client.js';

const TIMEOUT_SECONDS = 30;
/** Answers over the network that are kept. */
const MOST_KEPT = 4096;
/** How long, where time passes while a webhook works; else time stands still until the request has all its answers. */
const KEPT_MS = 10_000;
const NO_UID = '00000000-0000-0000-0000-000000000000';

interface ConversionMeans {
  readonly client: WebhookClient;
  readonly program: ProgramHooks;
  readonly clock: Pick<EngineClock, 'hold' | 'now'>;
  /** Whether time passes while a webhook works. */
  readonly isRealTime: boolean;
}

interface StoredConversion {
  readonly clientConfig?: StoredWebhook['clientConfig'];
  readonly conversionReviewVersions?: readonly string[];
}

/** What asks them. */
export function conversions({ client, program, clock, isRealTime }: ConversionMeans): AskConversion {
  const kept = new Map<string, { readonly outcome: ConversionOutcome; readonly atMs: number }>();
  const later = (key: string, work: Promise<ConversionOutcome>): never => {
    const settled = work.then((outcome) => {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(key, { outcome, atMs: clock.now() });
    });
    if (!isRealTime) clock.hold(settled);
    throw new AdmissionPending(settled);
  };
  return (request) => {
    const { definition, object, desiredAPIVersion } = request;
    const { name, uid } = definition.metadata;
    const own = program.conversion(name);
    const now = own === undefined ? undefined : called(own, request);
    if (now !== undefined && !(now instanceof Promise)) return now;
    const { clientConfig = {}, conversionReviewVersions: versions = [] } = (definition.spec.conversion?.webhook ??
      {}) as StoredConversion;
    const version = versions.find((each) => each === 'v1' || each === 'v1beta1');
    if (now === undefined && version === undefined) return { problem: 'no supported conversion review versions' };
    const review = reviewOf(request, version ?? 'v1');
    const inPod = now === undefined ? client.postToPod(clientConfig, review, TIMEOUT_SECONDS) : undefined;
    if (inPod !== undefined) {
      const { answer } = inPod;
      return 'problem' in answer ? answer : outcomeOf(answer.review, review);
    }
    const key = JSON.stringify([uid, clientConfig, desiredAPIVersion, object]);
    const known = kept.get(key);
    const isFresh = known !== undefined && clock.now() - known.atMs <= (isRealTime ? KEPT_MS : 0);
    if (!isFresh) return later(key, now ?? asked(client, clientConfig, review));
    // A webhook that has failed is asked again by the next request.
    if ('problem' in known.outcome) kept.delete(key);
    return known.outcome;
  };
}

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

function reviewOf({ object, desiredAPIVersion }: ConversionRequest, version: string): Review {
  const { uid } = (object['metadata'] ?? {}) as { readonly uid?: string };
  const request = { uid: uid ?? NO_UID, desiredAPIVersion, objects: [object] };
  return { kind: 'ConversionReview', apiVersion: `apiextensions.k8s.io/${version}`, request };
}

async function asked(
  client: WebhookClient,
  config: StoredWebhook['clientConfig'],
  review: Review,
): Promise<ConversionOutcome> {
  try {
    return outcomeOf(await client.post(config, review, TIMEOUT_SECONDS), review);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The answer within a review. */
function outcomeOf(answer: unknown, { apiVersion, request }: Review): ConversionOutcome {
  const {
    kind = '',
    apiVersion: version = '',
    response,
  } = (answer ?? {}) as {
    readonly kind?: string;
    readonly apiVersion?: string;
    readonly response?: {
      readonly uid?: string;
      readonly result?: { readonly status?: string; readonly message?: string };
      readonly convertedObjects?: unknown;
    };
  };
  const isV1 = apiVersion.endsWith('/v1');
  const unread = isV1 ? reviewProblem(apiVersion, { kind, version }) : undefined;
  if (unread !== undefined) return { problem: unread };
  if (response === undefined) return { problem: 'no response provided' };
  const { uid = '', result: { status = '', message = '' } = {}, convertedObjects } = response;
  if (isV1 && uid !== request.uid) {
    return { problem: `expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}` };
  }
  if (status === 'Success') return { convertedObjects };
  return { problem: message === '' ? `response.result.status was '${status}', not 'Success'` : message };
}

const OLDER = 'apiextensions.k8s.io/v1beta1';

/** Why an answer is no review of the version that was asked. */
function reviewProblem(
  apiVersion: string,
  { kind, version }: { readonly kind: string; readonly version: string },
): string | undefined {
  if (kind === 'ConversionReview') {
    if (version === apiVersion) return undefined;
    if (version === OLDER) return `converting (v1beta1.${kind}) to (v1.${kind}): unknown conversion`;
  }
  if (kind !== '' && version !== '') {
    const scheme = 'in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"';
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} ${scheme}`;
  }
  const shown = version === '' ? '/' : version;
  return `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${shown}, Kind=${kind}`;
}

function failed(error: unknown): ConversionOutcome {
  return { problem: error instanceof Error ? error.message : String(error) };
}

/** What a function of the program makes of an object; what it throws is a call that failed. */
function called(
  convert: ConversionFunction,
  { object, desiredAPIVersion }: ConversionRequest,
): ConversionOutcome | Promise<ConversionOutcome> {
  try {
    const answer = convert(object, desiredAPIVersion);
    if (!('then' in answer)) return { convertedObjects: [{ ...answer, apiVersion: desiredAPIVersion }] };
    return Promise.resolve(answer).then(
      (made) => ({ convertedObjects: [{ ...made, apiVersion: desiredAPIVersion }] }),
      failed,
    );
  } catch (error) {
    return failed(error);
  }
}
