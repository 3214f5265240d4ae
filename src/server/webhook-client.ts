/**
 * Asks webhooks over HTTPS, as kube-apiserver does (apiserver's pkg/util/webhook and client-go's rest, v1.34): the
 * authority of `caBundle`, or the host's own, names of services that are given addresses, and failures in Go's words.
 */
import { checkReview, patchShapeProblem, readReview } from './review-answer.js';
import type { StoredWebhook } from '../api/admission/admission-types.js';
import type { PodServers } from '../apiserver/requests/pod-servers.js';
import { certificateProblem } from './trusted-certificate.js';
import { addressOf, type ServiceAddresses } from './service-addresses.js';
import { posted } from './webhook-post.js';
import type {
  CallOutcome,
  Hook,
  HookAnswer,
  HookCaller,
  PodOutcome,
  ReviewRequest,
} from '../apiserver/admission/hooks/hook.js';

type ClientConfig = StoredWebhook['clientConfig'];

/** What a client is made with. */
export interface WebhookClientMeans {
  readonly services: ServiceAddresses;
  /** Whether a service is there at all. */
  readonly hasService: (namespace: string, name: string) => boolean;
  /** Containers of the cluster that may serve one. */
  readonly pods: () => PodServers;
  /** For uids of reviews. */
  readonly uid: () => string;
}

/** See the file header. */
export class WebhookClient implements HookCaller {
  readonly #means: WebhookClientMeans;

  constructor(means: WebhookClientMeans) {
    this.#means = means;
  }

  #review({ admissionReviewVersions = ['v1'] }: StoredWebhook, request: ReviewRequest): Review {
    const version = admissionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1';
    const apiVersion = `admission.k8s.io/${version}`;
    const uid = this.#means.uid();
    return { uid, apiVersion, body: { kind: 'AdmissionReview', apiVersion, request: { uid, ...request } } };
  }

  callPod(webhook: StoredWebhook, request: ReviewRequest, phase: Hook['phase']): PodOutcome | undefined {
    const { uid, apiVersion, body } = this.#review(webhook, request);
    const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
    const asked = this.postToPod(clientConfig, body, timeoutSeconds);
    if (asked === undefined) return undefined;
    const { takesMs, answer } = asked;
    if ('problem' in answer) return { takesMs, outcome: { failure: `failed to call webhook: ${answer.problem}` } };
    return { takesMs, outcome: verified(answer.review, { uid, apiVersion, phase }) };
  }

  async call(webhook: StoredWebhook, request: ReviewRequest, phase: Hook['phase']): Promise<CallOutcome> {
    const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
    const { uid, apiVersion, body } = this.#review(webhook, request);
    try {
      const review = await this.post(clientConfig, body, timeoutSeconds);
      return verified(review, { uid, apiVersion, phase });
    } catch (error) {
      return { failure: `failed to call webhook: ${(error as Error).message}` };
    }
  }

  /** Posts a review and reads its answer. @throws Error in Go's words */
  async post(config: ClientConfig, body: object, timeoutSeconds: number): Promise<Fields> {
    const { url, servername, shown } = this.#target(config, timeoutSeconds);
    const failed = (why: string): Error => new Error(`Post ${JSON.stringify(shown)}: ${why}`);
    const reply = await posted(url, {
      text: JSON.stringify(body),
      timeoutMs: timeoutSeconds * 1000,
      servername,
      ca: config.caBundle,
    }).catch((error: unknown) => {
      throw failed((error as Error).message);
    });
    return readReview(reply);
  }

  /** Posts a review to a server in a container; `undefined` = none is behind its service. */
  postToPod({ service, caBundle }: ClientConfig, body: object, timeoutSeconds: number): PodAnswer | undefined {
    if (service === undefined) return undefined;
    const { namespace, name, path = ROOT, port = HTTPS_PORT } = service;
    const { services, pods } = this.#means;
    if (addressOf(services, { namespace, name, port }) !== undefined) return undefined;
    const place = pods().behind(namespace, name, port);
    if (place === undefined) return undefined;
    const query = `?timeout=${timeoutSeconds}s`;
    const host = `${name}.${namespace}.svc`;
    const failed = (why: string): PodAnswer => ({
      takesMs: 0,
      answer: { problem: `Post ${JSON.stringify(`https://${host}:${port}${path}${query}`)}: ${why}` },
    });
    const server = pods().at(place);
    if (server === undefined) return failed(`dial tcp ${place.address}:${place.port}: connect: connection refused`);
    if (server.certificate === undefined) return failed('http: server gave HTTP response to HTTPS client');
    const problem = certificateProblem(server.certificate, caBundle, host);
    if (problem !== undefined) return failed(problem);
    const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
    const bytes = Buffer.from(JSON.stringify(body)).toString('latin1');
    const {
      status,
      body: text,
      headers: answered = {},
      takesMs = 0,
    } = server.ask({ method: 'POST', path: path + query, headers, body: bytes });
    if (takesMs > timeoutSeconds * 1000) {
      return { ...failed('context deadline exceeded'), takesMs: timeoutSeconds * 1000 };
    }
    try {
      const contentType = answered['content-type'];
      const review = readReview({ status, text: Buffer.from(text, 'latin1').toString('utf8'), contentType });
      return { takesMs, answer: { review } };
    } catch (error) {
      return { takesMs, answer: { problem: (error as Error).message } };
    }
  }

  #target(
    { url, service }: ClientConfig,
    timeoutSeconds: number,
  ): { readonly url: URL; readonly servername: string | undefined; readonly shown: string } {
    const query = `?timeout=${timeoutSeconds}s`;
    if (service === undefined) {
      const target = new URL(url ?? '');
      target.search = query;
      return {
        url: target,
        servername: undefined,
        shown: `${url}${/^https:\/\/[^/]*$/.test(url ?? '') ? ROOT : ''}${query}`,
      };
    }
    const { namespace, name, path = ROOT, port = HTTPS_PORT } = service;
    const host = `${name}.${namespace}.svc`;
    const shown = `https://${host}:${port}${path}${query}`;
    const { services, hasService } = this.#means;
    const address = addressOf(services, { namespace, name, port });
    if (address === undefined) {
      const why = hasService(namespace, name)
        ? `no endpoints available for service ${JSON.stringify(name)}`
        : `service ${JSON.stringify(name)} not found`;
      throw new Error(`Post ${JSON.stringify(shown)}: ${why}`);
    }
    return { url: new URL(`${path}${query}`, address), servername: host, shown };
  }
}

const DEFAULT_TIMEOUT_SECONDS = 10;
const HTTPS_PORT = 443;
/** Of a webhook that does not say its path. */
const ROOT = '/';

type Fields = Readonly<Record<string, unknown>>;

/** A review that is asked for. */
interface Review {
  readonly uid: string;
  readonly apiVersion: string;
  readonly body: object;
}

/** What came of a review that a server in a container was sent. */
export interface PodAnswer {
  /** Simulated ms. */
  readonly takesMs: number;
  readonly answer: { readonly review: unknown } | { readonly problem: string };
}

function invalidAnswer(why: string): CallOutcome {
  return { failure: `received invalid webhook response: ${why}` };
}

function undecodable(why: string): string {
  return `received undecodable patch in webhook response: ${why}`;
}

/** The answer within a review. @see VerifyAdmissionResponse of apiserver's webhook/request */
function verified(
  review: unknown,
  { uid, apiVersion, phase }: { readonly uid: string; readonly apiVersion: string; readonly phase: Hook['phase'] },
): CallOutcome {
  try {
    checkReview((review ?? {}) as Fields, apiVersion);
  } catch (error) {
    return { failure: `failed to call webhook: ${(error as Error).message}` };
  }
  const {
    kind,
    apiVersion: version,
    response,
  } = (review ?? {}) as {
    readonly kind?: string;
    readonly apiVersion?: string;
    readonly response?: Readonly<Record<string, unknown>> | null;
  };
  if (response === undefined || response === null) return invalidAnswer('webhook response was absent');
  const isV1 = apiVersion.endsWith('/v1');
  if (isV1 && response['uid'] !== uid) {
    return invalidAnswer(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  }
  if (isV1 && (version !== apiVersion || kind !== 'AdmissionReview')) {
    return invalidAnswer(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${version ?? '/'}, Kind=${kind ?? ''}`,
    );
  }
  const { patch, patchType } = response;
  const hasPatch = typeof patch === 'string' && patch !== '';
  if (isV1 && hasPatch && phase === 'validating')
    return invalidAnswer('validating webhook may not return response.patch');
  if (isV1 && hasPatch && patchType === undefined) {
    return invalidAnswer('webhook returned response.patch but not response.patchType');
  }
  if (isV1 && !hasPatch && patchType !== undefined) {
    return invalidAnswer('webhook returned response.patchType but not response.patch');
  }
  if (hasPatch && patchType !== undefined && patchType !== 'JSONPatch') {
    return invalidAnswer(
      `invalid value of response.patchType=${JSON.stringify(patchType)}: only "JSONPatch" is supported`,
    );
  }
  const { allowed, status, warnings } = response;
  const answer: Record<string, unknown> = { allowed: allowed === true };
  if (status !== undefined) answer['status'] = status;
  if (Array.isArray(warnings)) answer['warnings'] = warnings;
  if (hasPatch) {
    try {
      answer['patch'] = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown;
    } catch (error) {
      return { failure: undecodable((error as Error).message) };
    }
    const problem = patchShapeProblem(answer['patch']);
    if (problem !== undefined) return { failure: undecodable(problem) };
  }
  return { answer: answer as unknown as HookAnswer };
}
