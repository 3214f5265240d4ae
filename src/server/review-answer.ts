/** What a webhook answered, read as client-go reads it, which tells what is wrong with it in its own words (v1.34). */

/** An answer as it came. */
export interface ReviewReply {
  readonly status: number;
  readonly text: string;
  /** Absent or empty = not said. */
  readonly contentType?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const GROUP = 'admission.k8s.io';
const SCHEME = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';

/** The review within an answer. @throws Error in Go's words */
export function readReview(reply: ReviewReply): Fields {
  const { status, text, contentType = '' } = reply;
  if (status < 200 || status > 206) throw new Error(refusedText(reply));
  if (text === '') throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  return parsed(text);
}

/** Whether a review of admission and its fields are of their types. @param asked - the version that was sent @throws Error in Go's words */
export function checkReview(review: Fields, asked: string): void {
  checkType(review, asked);
  checkFields(review);
}

function parsed(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (/^\s*[[{]/.test(text)) throw unparsed('unexpected end of JSON input');
    // A text without marks is read as YAML there: lines of fields, or one text.
    if (/^\w+: /.test(text)) return {};
    throw misread('string');
  }
  const type = jsonType(value);
  if (type !== 'object' && type !== 'null') throw misread(type);
  for (const field of ['kind', 'apiVersion']) {
    const own = jsonType((value as Fields | null)?.[field]);
    if (own !== 'null' && own !== 'string') {
      throw unparsed(`json: cannot unmarshal ${own} into Go struct field .${field} of type string`);
    }
  }
  return (value ?? {}) as Fields;
}

function unparsed(why: string): Error {
  return new Error(`couldn't get version/kind; json parse error: ${why}`);
}

function misread(type: string): Error {
  return unparsed(`json: cannot unmarshal ${type} into Go value of type ${TYPE_META}`);
}

function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** What does not say its type is of the one that was asked for. */
function checkType({ kind, apiVersion }: Fields, asked: string): void {
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || kind === '' || apiVersion === '') return;
  const [group, version = ''] = apiVersion.split('/');
  if (kind !== 'AdmissionReview' || group !== GROUP || !['v1', 'v1beta1'].includes(version)) {
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${SCHEME}"`,
    );
  }
  if (apiVersion === asked) return;
  const wanted = asked.split('/')[1] ?? '';
  throw new Error(`converting (${version}.AdmissionReview) to (${wanted}.AdmissionReview): unknown conversion`);
}

/** Of each field its type in JSON and in Go; of lists and maps also that of what they hold. */
const RESPONSE: Readonly<Record<string, readonly [json: string, go: string, held?: string]>> = {
  uid: ['string', 'types.UID'],
  allowed: ['bool', 'bool'],
  status: ['object', 'v1.Status'],
  patch: ['string', '[]uint8'],
  patchType: ['string', 'v1.PatchType'],
  auditAnnotations: ['object', 'map[string]string', 'string'],
  warnings: ['array', '[]string', 'string'],
};
const STATUS: typeof RESPONSE = {
  status: ['string', 'string'],
  message: ['string', 'string'],
  reason: ['string', 'v1.StatusReason'],
  code: ['number', 'int32'],
};

function checkFields({ response }: Fields): void {
  const type = jsonType(response);
  if (type === 'null') return;
  if (type !== 'object') throw mismatch(type, 'AdmissionReview.response', 'v1.AdmissionResponse');
  checkStruct(response as Fields, RESPONSE, 'AdmissionResponse.response');
  const { status, patch } = response as Fields;
  if (jsonType(status) === 'object') checkStruct(status as Fields, STATUS, 'Status.response.status');
  if (typeof patch !== 'string') return;
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(patch);
  if (wrong !== null) throw new Error(`illegal base64 data at input byte ${wrong.index}`);
}

function checkStruct(value: Fields, types: typeof RESPONSE, place: string): void {
  for (const [name, own] of Object.entries(value)) {
    const [json, go, held] = types[name] ?? [];
    const type = jsonType(own);
    if (json === undefined || go === undefined || type === 'null') continue;
    if (type !== json) throw mismatch(type, `${place}.${name}`, go);
    if (held === undefined) continue;
    const wrong = Object.values(own as Fields)
      .map(jsonType)
      .find((each) => each !== held && each !== 'null');
    if (wrong !== undefined) throw mismatch(wrong, `${place}.${name}`, held);
  }
}

function mismatch(type: string, place: string, go: string): Error {
  return new Error(`json: cannot unmarshal ${type} into Go struct field ${place} of type ${go}`);
}

const REFUSED: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
/** Refusals that the server gives the reason of. */
const REASONED: ReadonlySet<number> = new Set([403, 406, 415]);

/** What is told of a status that is none of success; a Status says it itself. */
function refusedText({ status, text, contentType = '' }: ReviewReply): string {
  const stated = statusMessage(text);
  if (stated !== undefined) return stated;
  const isText = contentType === '' || contentType.startsWith('text/');
  const why = isText && text.trim() !== '' ? text.trim() : 'unknown';
  if (REASONED.has(status)) return why;
  const known = REFUSED[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(why)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function statusMessage(text: string): string | undefined {
  try {
    const { kind, status, message } = JSON.parse(text) as Fields;
    return kind === 'Status' && status === 'Failure' && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Why a decoded patch is none. */
export function patchShapeProblem(patch: unknown): string | undefined {
  if (!Array.isArray(patch)) return patch === null ? undefined : misshapen(patch, 'Patch');
  const wrong = (patch as readonly unknown[]).find((each) => !['object', 'null'].includes(jsonType(each)));
  return wrong === undefined ? undefined : misshapen(wrong, 'Operation');
}

function misshapen(value: unknown, type: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go value of type jsonpatch.${type}`;
}
