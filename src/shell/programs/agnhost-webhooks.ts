/**
 * `agnhost webhook` and `agnhost crd-conversion-webhook`: what upstream's tests ask about objects, and have convert
 * custom ones. Reviews of the versions v1 and v1beta1 differ in nothing that is answered here.
 */
import type { HttpHandler, HttpResponse } from '../processes/network.js';
import type { Process, Running } from '../processes/process.js';
import { barePath, listen, serve } from './servers.js';

type Fields = Readonly<Record<string, unknown>>;
type Flags = ReadonlyMap<string, string>;

/** The `request` of a review, as far as it is looked at. */
interface Reviewed {
  readonly uid: string;
  readonly name?: string;
  readonly operation?: string;
  readonly object?: ReviewedObject | null;
  readonly oldObject?: ReviewedObject | null;
}

interface ReviewedObject {
  readonly metadata?: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly containers?: readonly Named[]; readonly initContainers?: readonly Named[] };
  readonly stdin?: boolean;
  readonly container?: string;
}

interface Named {
  readonly name: string;
}

interface Verdict {
  readonly allowed: boolean;
  readonly status?: { readonly message?: string; readonly reason?: string };
  readonly patch?: readonly object[];
  /** Simulated ms. */
  readonly takesMs?: number;
}

type Judge = (request: Reviewed, flags: Flags) => Verdict;

const LABEL = 'webhook-e2e-test';
const DISALLOWED = 'webhook-disallow';
const ALLOWED: Verdict = { allowed: true };

function denied(message: string): Verdict {
  return { allowed: false, status: { message } };
}

function patched(patch: readonly object[]): Verdict {
  return patch.length === 0 ? ALLOWED : { allowed: true, patch };
}

function add(path: string, value: unknown): object {
  return { op: 'add', path, value };
}

const JUDGES: Readonly<Record<string, Judge>> = {
  '/always-deny': () => denied('this webhook denies all requests'),
  '/always-allow-delay-5s': () => ({
    allowed: true,
    status: { message: 'this webhook allows all requests' },
    takesMs: 5000,
  }),
  '/add-label': ({ object }) => {
    const labels = object?.metadata?.labels ?? {};
    if (labels['added-label'] === 'yes') return ALLOWED;
    if (Object.keys(labels).length === 0) return patched([add('/metadata/labels', { 'added-label': 'yes' })]);
    return patched([add('/metadata/labels/added-label', 'yes')]);
  },
  '/pods': judgePod,
  '/pods/attach': ({ name, object }) => {
    const isMeant = name === 'to-be-attached-pod' && object?.stdin === true && object.container === 'container1';
    return isMeant ? denied("attaching to pod 'to-be-attached-pod' is not allowed") : ALLOWED;
  },
  '/mutating-pods': ({ object }) => {
    const name = 'webhook-added-init-container';
    const isMeant = object?.metadata?.name === 'webhook-to-be-mutated' && !hasName(object.spec?.initContainers, name);
    return patched(
      isMeant ? [add('/spec/initContainers', [{ image: 'webhook-added-image', name, resources: {} }])] : [],
    );
  },
  '/mutating-pods-sidecar': ({ object }, flags) => {
    const image = flags.get('sidecar-image') ?? '';
    if (image === '') return denied('No image specified by the sidecar-image parameter');
    const name = 'webhook-added-sidecar';
    if (hasName(object?.spec?.containers, name)) return ALLOWED;
    return patched([add('/spec/containers/-', { image, name, resources: {} })]);
  },
  '/configmaps': (request) =>
    judgeData(request, 'the configmap contains unwanted key and value', 'the configmap cannot be deleted'),
  '/mutating-configmaps': ({ object }) => patched(nextStage(object)),
  '/custom-resource': (request) =>
    judgeData(request, 'the custom resource contains unwanted data', 'the custom resource cannot be deleted'),
  '/mutating-custom-resource': ({ object }) => patched(nextStage(object)),
  '/crd': ({ object }) =>
    object?.metadata?.labels?.[LABEL] === DISALLOWED ? denied('the crd contains unwanted label') : ALLOWED,
};

function judgePod({ object }: Reviewed): Verdict {
  const label = object?.metadata?.labels?.[LABEL];
  const isDisallowed = label === DISALLOWED;
  const containers = (object?.spec?.containers ?? []).filter(({ name }) => name.includes(DISALLOWED));
  const problems = [
    ...(isDisallowed ? ['the pod contains unwanted label;'] : []),
    ...containers.map(() => 'the pod contains unwanted container name;'),
  ];
  if (label === 'wait-forever') return { allowed: false, takesMs: Infinity };
  return problems.length === 0 ? ALLOWED : denied(problems.join(' '));
}

function hasName(containers: readonly Named[] | undefined, name: string): boolean {
  return (containers ?? []).some((each) => each.name === name);
}

function refused(reason: string): Verdict {
  return { allowed: false, status: { reason } };
}

/** Whether an object with certain data may be stored, and another be deleted. */
function judgeData({ operation, object, oldObject }: Reviewed, unwanted: string, kept: string): Verdict {
  const isDelete = operation === 'DELETE';
  const value = (isDelete ? oldObject : object)?.data?.[LABEL];
  if (!isDelete) return value === DISALLOWED ? refused(unwanted) : ALLOWED;
  return value === 'webhook-nondeletable' ? refused(`${kept} because it contains unwanted key and value`) : ALLOWED;
}

/** Each of two webhooks in a row adds a stage of its own. */
function nextStage(object: ReviewedObject | null | undefined): readonly object[] {
  const data = object?.data ?? {};
  if (data['mutation-stage-1'] === 'yes') return [add('/data/mutation-stage-2', 'yes')];
  return data['mutation-start'] === 'yes' ? [add('/data/mutation-stage-1', 'yes')] : [];
}

export function* webhook(process: Process, flags: Flags): Running {
  const answer: HttpHandler = ({ path, body }) => {
    const judge = JUDGES[barePath(path)];
    if (barePath(path) === '/readyz') return { status: 200, body: 'ok' };
    if (judge === undefined) return notFound();
    return reviewed(body, 'AdmissionReview', ({ request }) => {
      const { patch, takesMs, ...verdict } = judge(request as Reviewed, flags);
      const changes =
        patch === undefined
          ? {}
          : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
      return { response: { uid: (request as Reviewed).uid, ...verdict, ...changes }, takesMs };
    });
  };
  listen(process, Number(flags.get('port') ?? HTTPS_PORT), answer, certificateOf(process, flags));
  return yield* serve(process, { onTerm: GO_ENDED });
}

const HTTPS_PORT = 443;
const GO_ENDED = 2;

function notFound(): HttpResponse {
  return { status: 404, body: '404 page not found\n' };
}

function certificateOf(process: Process, flags: Flags): string {
  return process.tree.read(flags.get('tls-cert-file') ?? '', process.user);
}

/** An answer in the form of its review. */
function reviewed(
  body: string,
  kind: string,
  answer: (review: Fields) => { readonly response: object; readonly takesMs?: number | undefined },
): HttpResponse {
  const review = JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as Fields;
  if (review['kind'] !== kind)
    return { status: 400, body: `Unsupported group version kind: ${String(review['kind'])}` };
  const { response, takesMs } = answer(review);
  const text = JSON.stringify({ kind, apiVersion: review['apiVersion'], response });
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from(text).toString('latin1'),
    ...(takesMs === undefined ? {} : { takesMs }),
  };
}

export function* conversionWebhook(process: Process, flags: Flags): Running {
  listen(process, Number(flags.get('port') ?? HTTPS_PORT), answerConversion, certificateOf(process, flags));
  return yield* serve(process, { onTerm: GO_ENDED });
}

const answerConversion: HttpHandler = ({ path, body }) => {
  if (barePath(path) === '/readyz') return { status: 200, body: 'ok' };
  if (barePath(path) !== '/crdconvert') return notFound();
  return reviewed(body, 'ConversionReview', ({ request }) => ({ response: converted(request as Conversion) }));
};

interface Conversion {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Converted[];
}

interface Converted {
  readonly apiVersion: string;
  readonly hostPort?: string;
  readonly host?: string;
  readonly port?: string;
}

function converted({ uid, desiredAPIVersion, objects }: Conversion): object {
  const convertedObjects: object[] = [];
  for (const object of objects) {
    const made = convertedObject(object, desiredAPIVersion);
    if (typeof made === 'string') return { uid, result: { status: 'Failure', message: made } };
    convertedObjects.push({ ...made, apiVersion: desiredAPIVersion });
  }
  return { uid, convertedObjects, result: { status: 'Success' } };
}

const [ONE, TWO] = ['stable.example.com/v1', 'stable.example.com/v2'];

/** `hostPort` of the one version is `host` and `port` of the other. */
function convertedObject(object: Converted, to: string): object | string {
  const { apiVersion: from } = object;
  if (from === to) return `conversion from a version to itself should not call the webhook: ${to}`;
  if (from === ONE && to === TWO) {
    const { hostPort, ...others } = object;
    if (hostPort === undefined) return others;
    const [host, port, ...more] = hostPort.split(':');
    if (port === undefined || more.length > 0) return `invalid hostPort value \`${hostPort}\``;
    return { ...others, host, port };
  }
  if (from === TWO && to === ONE) {
    const { host, port, ...others } = object;
    return host === undefined && port === undefined ? others : { ...others, hostPort: `${host ?? ''}:${port ?? ''}` };
  }
  return `unexpected conversion version ${JSON.stringify(from === ONE || from === TWO ? to : from)}`;
}
