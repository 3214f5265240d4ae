/** Audit logs of kube-apiserver, a line of JSON for each stage of a request: what users wrote, by its time. */
import { kindRegistry } from '../../api/kinds/registry.js';
import { createTimestamps } from '../../kernel/timestamps.js';
import { ImportError } from '../import/import-error.js';
import {
  CUT_LINE,
  drawnPrefix,
  fieldsOfLine,
  isFields,
  LeftOutTally,
  wholeLines,
  type DrawnPod,
  type HistoricRequest,
  type History,
} from './history.js';
import { nameIn, NamesDrawnThere } from './names-drawn-there.js';

type Mapping = Readonly<Record<string, unknown>>;

const STRATEGIC = 'application/strategic-merge-patch+json';
const METHODS: Readonly<Record<string, HistoricRequest['method']>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
/** Of its events, with a version. */
export const AUDIT_GROUP = 'audit.k8s.io/';
const UNIX = createTimestamps('1970-01-01T00:00:00Z');
const DEFAULT_SCHEDULER = 'default-scheduler';
/** What people write with: where a status comes from it, nothing writes it here. */
const BY_HAND = /^kubectl\//;
const UNWRITTEN = 'requests without their contents';
/** Parts of a control plane and of nodes: they have counterparts here. */
const PARTS = /^system:(?:node:|kube-|apiserver|serviceaccount:kube-system:)/;
/** The same by the programs that sent the requests, where all of them share one user: as client-go names them. */
const PROGRAMS =
  /^(?:kube-scheduler|kube-controller-manager|cloud-controller-manager|kube-apiserver|kube-proxy|kubelet)\//;
const GROUPS: ReadonlySet<string> = new Set(Object.values(kindRegistry).map(({ group }) => group));
const TRANSIENT: ReadonlySet<string> = new Set([
  'events',
  'leases',
  'tokenreviews',
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectreviews',
]);
/** A pod, and what is below it. */
const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)/;
const BOOKKEEPING: readonly string[] = ['resourceVersion', 'uid', 'managedFields', 'generation', 'creationTimestamp'];

/** A log, or a list of its events as it is sent to webhooks. `undefined` = it is neither. @throws ImportError that names the line */
export function parseAuditLog(text: string, name: string): History | undefined {
  const reader = new AuditReader();
  const end = text.indexOf('\n');
  const isOfLines = isOfAudit(jsonOf(end === -1 ? text : text.slice(0, end)));
  const whole = isOfLines ? undefined : eventsOfWhole(text);
  if (!isOfLines && whole === undefined) return undefined;
  const { lines, isCut } = isOfLines ? wholeLines(text) : { lines: [], isCut: false };
  for (const [index, event] of (whole ?? []).entries()) reader.read(event, `${name} items[${index}]`);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `${name}:${index + 1}`;
    const event = fieldsOfLine(line, place);
    for (const each of itemsOf(event) ?? [event]) reader.read(each, place);
  }
  reader.end();
  const leftOut = new Map(reader.tally.counts);
  if (isCut) leftOut.set(CUT_LINE, 1);
  // A watch that ends was asked for long before: the log begins when its first line was written.
  const first = Math.min(reader.firstMs, ...reader.found.slice(0, 1).map(({ at }) => at));
  const requests = reader.found
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, request }) => ({ atMs: Math.max(0, at - first), ...request }));
  const time = Number.isFinite(first) ? { time: UNIX.toTime(first) } : {};
  return { form: 'audit', ...time, requests, endMs: Math.max(0, reader.lastMs - first), leftOut };
}

/** Reads line by line; what the control plane did tells where its pods were. */
class AuditReader {
  readonly tally = new LeftOutTally();
  readonly found: { readonly at: number; readonly request: Omit<HistoricRequest, 'atMs'> }[] = [];
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = 0;
  /** By namespace and name. */
  readonly #nodes = new Map<string, string>();
  readonly #names = new NamesDrawnThere();
  /** Namespace and name, or what it begins with, of pods that are for schedulers which are not here. */
  readonly #forOthers = new Set<string>();
  /** The first line without what was sent. */
  #bare: { readonly place: string; readonly level: string } | undefined;

  read(event: Mapping, place: string): void {
    const received = timeOf(event, 'requestReceivedTimestamp', place);
    const written = event['stageTimestamp'] === undefined ? received : timeOf(event, 'stageTimestamp', place);
    this.firstMs = Math.min(this.firstMs, written);
    this.lastMs = Math.max(this.lastMs, received);
    this.#noteBinding(event);
    this.#noteScheduler(event);
    this.#names.see(event);
    const request = requestOf(event, this.tally, (key) => this.#isForOthers(key));
    if (this.tally.counts.has(UNWRITTEN)) this.#bare ??= { place, level: String(event['level']) };
    if (request === undefined) return;
    const drawn = this.#drawnPod(request.path);
    const entry = { at: received, request: drawn === undefined ? request : { ...request, drawn } };
    this.found.push(entry);
    const { body } = request;
    if (body !== undefined)
      this.#names.await(event, body, (named) => (entry.request = { ...entry.request, body: named }));
  }

  /** @throws ImportError where a log tells of nothing what it was */
  end(): void {
    const bare = this.#bare;
    if (bare === undefined || this.found.some(({ request }) => request.method !== 'DELETE')) return;
    const levels = `the policy must log at level Request or RequestResponse, got ${bare.level}`;
    throw new ImportError(bare.place, 'requestObject', `is missing, as of all that users wrote: ${levels}`);
  }

  #noteScheduler({ verb, objectRef, requestObject, responseObject }: Mapping): void {
    if (verb !== 'create' || !isFields(objectRef) || objectRef['resource'] !== 'pods') return;
    if (objectRef['subresource'] !== undefined || !isFields(requestObject)) return;
    const { spec, metadata } = requestObject;
    if (!isFields(spec) || !isFields(metadata)) return;
    const { schedulerName = DEFAULT_SCHEDULER } = spec;
    if (schedulerName === DEFAULT_SCHEDULER) return;
    const name = metadata['name'] ?? nameIn(responseObject) ?? metadata['generateName'];
    this.#forOthers.add(`${String(objectRef['namespace'])}/${String(name)}`);
  }

  #isForOthers(key: string): boolean {
    return this.#forOthers.has(key) || this.#forOthers.has(drawnPrefix(key) ?? key);
  }

  #noteBinding({ objectRef, requestObject }: Mapping): void {
    if (!isFields(objectRef) || objectRef['subresource'] !== 'binding' || !isFields(requestObject)) return;
    const { target } = requestObject;
    if (!isFields(target)) return;
    this.#nodes.set(`${String(objectRef['namespace'])}/${String(objectRef['name'])}`, String(target['name']));
  }

  #drawnPod(path: string): DrawnPod | undefined {
    const [, namespace, name] = POD.exec(path) ?? [];
    const prefix = name === undefined ? undefined : drawnPrefix(name);
    if (prefix === undefined) return undefined;
    const node = this.#nodes.get(`${namespace}/${name}`);
    return { prefix, ...(node === undefined ? {} : { node }) };
  }
}

/** Of a list of events, as API servers send them to webhooks. */
function itemsOf(value: unknown): readonly Mapping[] | undefined {
  const items: unknown = isFields(value) && value['kind'] === 'EventList' ? value['items'] : value;
  return Array.isArray(items) && items.every(isFields) ? items : undefined;
}

/** Of a text that is one list, on however many lines. */
function eventsOfWhole(text: string): readonly Mapping[] | undefined {
  const items = itemsOf(jsonOf(text));
  return items?.some(isOfAudit) === true ? items : undefined;
}

function isOfAudit(value: unknown): boolean {
  if (!isFields(value) || !String(value['apiVersion']).startsWith(AUDIT_GROUP)) return false;
  return value['kind'] === 'Event' || value['kind'] === 'EventList';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function timeOf(event: Mapping, field: string, place: string): number {
  const at = UNIX.toMs(String(event[field]));
  if (Number.isNaN(at)) throw new ImportError(place, field, `must be a time, got ${String(event[field])}`);
  return at;
}

function requestOf(
  event: Mapping,
  tally: LeftOutTally,
  isForOthers: (pod: string) => boolean,
): Omit<HistoricRequest, 'atMs'> | undefined {
  const { verb, stage, requestURI, user, userAgent, objectRef, requestObject, responseStatus } = event;
  const method = METHODS[String(verb)];
  if (stage !== 'ResponseComplete' || method === undefined || typeof requestURI !== 'string') return undefined;
  const {
    resource,
    subresource,
    namespace,
    name: of,
    apiGroup = '',
  } = (isFields(objectRef) ? objectRef : {}) as Readonly<Record<string, string | undefined>>;
  const name = isFields(user) ? String(user['username']) : '';
  const code = isFields(responseStatus) ? Number(responseStatus['code']) : 0;
  const url = new URL(requestURI, 'http://kubernetes');
  // Nodes come and go from outside, whatever says so: kubelets that register, autoscalers, clouds.
  const isOfFleet = resource === 'nodes' && subresource === undefined && (verb === 'create' || verb === 'delete');
  const isByPart =
    !isOfFleet &&
    (PARTS.test(name) ||
      PROGRAMS.test(String(userAgent)) ||
      (subresource === 'binding' && !isForOthers(`${namespace}/${of}`)));
  const cause = isByPart
    ? 'requests of the control plane and of nodes'
    : code >= 400
      ? 'requests that were refused'
      : TRANSIENT.has(String(resource)) || isToldAnew(subresource, apiGroup, String(userAgent))
        ? `${String(resource)}${subresource === undefined ? '' : `/${subresource}`}`
        : url.searchParams.has('dryRun')
          ? 'dry runs'
          : method !== 'DELETE' && (typeof requestObject !== 'object' || requestObject === null)
            ? UNWRITTEN
            : undefined;
  if (cause !== undefined) {
    tally.add(cause);
    return undefined;
  }
  const path = `${url.pathname}${url.search}`;
  if (method === 'DELETE') {
    return { method, path, status: code, ...(isFields(requestObject) ? { body: requestObject } : {}) };
  }
  const sent = requestObject as Mapping | readonly unknown[];
  const body = isFields(sent) ? withDrawnName(withoutBookkeeping(sent), event['responseObject']) : sent;
  if (method !== 'PATCH') return { method, path, body, status: code };
  const type = patchType(url, body, apiGroup);
  const answer = event['responseObject'];
  const isGuessed = type === STRATEGIC && isFields(answer) && isFields(body) && isOpenToGuess(body);
  return {
    method,
    path,
    body,
    status: code,
    headers: { 'content-type': type },
    ...(isGuessed ? { answer } : {}),
  };
}

/** What an operator says of its own objects nothing says here. */
function isToldAnew(subresource: string | undefined, group: string, program: string): boolean {
  return subresource === 'token' || (subresource === 'status' && !isCustom(group) && !BY_HAND.test(program));
}

/** Whether a definition has brought the kinds of a group. */
function isCustom(group: string): boolean {
  return group !== '' && !GROUPS.has(group);
}

/** Logs do not tell the type of a patch: an apply has its manager and says so, a list is a JSON patch. */
function patchType(url: URL, body: object, group: string): string {
  if (Array.isArray(body)) return 'application/json-patch+json';
  const isApply = url.searchParams.has('fieldManager') && 'apiVersion' in body && 'kind' in body && 'metadata' in body;
  const isByClient = JSON.stringify(body).includes('kubectl.kubernetes.io/last-applied-configuration');
  if (isApply && !isByClient) return 'application/apply-patch+yaml';
  return isCustom(group) ? 'application/merge-patch+json' : STRATEGIC;
}

/** What only a strategic patch says. */
const DIRECTIVE = /^\$(?:patch|retainKeys|setElementOrder|deleteFromPrimitiveList)/;

/** Whether a patch has a list, and nothing that tells how it is merged. */
function isOpenToGuess(body: Mapping): boolean {
  let hasList = false;
  const isOpen = (value: unknown): boolean => {
    if (Array.isArray(value)) {
      hasList = true;
      return value.every(isOpen);
    }
    return !isFields(value) || Object.entries(value).every(([field, each]) => !DIRECTIVE.test(field) && isOpen(each));
  };
  return isOpen(body) && hasList;
}

/** Later requests are for the name that was drawn there, which the answer tells. */
function withDrawnName(object: Mapping, answer: unknown): Mapping {
  const { metadata } = object;
  const name = nameIn(answer);
  if (name === undefined || !isFields(metadata) || metadata['generateName'] === undefined) return object;
  return metadata['name'] === undefined ? { ...object, metadata: { ...metadata, name } } : object;
}

function withoutBookkeeping(object: Mapping): Mapping {
  const { metadata } = object;
  if (!isFields(metadata)) return object;
  return {
    ...object,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([field]) => !BOOKKEEPING.includes(field))),
  };
}
