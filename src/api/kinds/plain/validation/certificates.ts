/**
 * Validation of requests for certificates (pkg/apis/certificates/validation, v1.34). What is asked for is taken for a
 * request by its frame; its content and its signature are not looked at.
 */
import type * as certificates from 'kubernetes-types/certificates/v1.js';
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  notSupported,
  required,
  tooLong,
} from '../../../errors/field-errors.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { isSameJson } from '../../../values/canonical-json.js';
import { dns1123Label, dns1123Subdomain } from '../../../values/names.js';
import { specOf, statusOf, type PlainRules } from './plain-rules.js';

type Spec = certificates.CertificateSigningRequestSpec;
type Status = certificates.CertificateSigningRequestStatus;
type Condition = Partial<certificates.CertificateSigningRequestCondition>;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const SHORTEST_SECONDS = 600;
const LONGEST_SIGNER = 571;
const LONGEST_PATH = 253;
/** Conditions that hold once they are there. */
const FINAL_TYPES = ['Approved', 'Denied', 'Failed'] as const;
const APPROVALS = ['Approved', 'Denied'] as const;
const ALL_STATUSES = ['False', 'True', 'Unknown'];
/** A block of PEM, with the headers in its content. */
const BLOCK = /-----BEGIN ([^\n]*?)-----\r?\n([^-]*)-----END \1-----/g;
const FRAME = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n/;

/** Of CertificateSigningRequests. */
export const signingRequestRules: PlainRules = {
  // What was asked for stays.
  prepareForUpdate: (next, { spec = {} }) => (next.spec === spec ? next : { ...next, spec }),
  validate: (object) => validateRequest(object),
  validateChange: (next, previous) => validateUpdate(next, previous, 'spec'),
  validateStatusChange: (next, previous) => [
    ...validateRequest(next),
    ...validateCertificate(next, previous),
    ...validateUpdate(next, previous, 'status'),
  ],
};

/** What an approval may not do. */
export function validateApproval(next: PlainObject, previous: PlainObject): FieldError[] {
  return [...validateRequest(next), ...validateUpdate(next, previous, 'approval')];
}

function validateRequest(object: PlainObject): FieldError[] {
  const { request = '', usages = [], signerName = '', expirationSeconds } = specOf<Spec>(object);
  const errors: FieldError[] = [];
  const [, frame = ''] = FRAME.exec(Buffer.from(request, 'base64').toString('latin1')) ?? [];
  if (frame !== 'CERTIFICATE REQUEST') {
    errors.push(invalid('spec.request', request === '' ? null : request, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  if (usages.length === 0) errors.push(required('spec.usages'));
  for (const [index, usage] of usages.entries()) {
    if (!USAGES.includes(usage)) errors.push(notSupported(`spec.usages[${index}]`, usage, USAGES));
  }
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) errors.push(duplicate(`spec.usages[${index}]`, usage));
  }
  if (signerName === LEGACY_SIGNER) {
    const text = 'the legacy signerName is not allowed via this API version';
    errors.push(invalid('spec.signerName', signerName, text));
  } else errors.push(...validateSigner(signerName, 'spec.signerName'));
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    const text = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalid('spec.expirationSeconds', expirationSeconds, text));
  }
  return [...errors, ...validateConditions(conditionsOf(object))];
}

/** Blocks of certificates without headers, whose content is not looked at; what was there already may be anything. */
function validateCertificate(next: PlainObject, previous: PlainObject): FieldError[] {
  const { certificate = '' } = statusOf<Status>(next);
  const { certificate: before = '' } = statusOf<Status>(previous);
  if (certificate === '' || certificate === before || certificateProblem(before) !== undefined) return [];
  const problem = certificateProblem(certificate);
  return problem === undefined ? [] : [invalid('status.certificate', '<certificate data>', problem)];
}

function certificateProblem(certificate: string): string | undefined {
  if (certificate === '') return undefined;
  const blocks = [...Buffer.from(certificate, 'base64').toString('latin1').matchAll(BLOCK)];
  for (const [, type = '', content = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (content.includes(':')) return 'no PEM block headers are permitted';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

/** A domain and a path below it. */
function validateSigner(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const [domain = '', path, ...rest] = name.split('/');
  if (path === undefined || rest.length > 0) {
    return [invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  const labels = domain.split('.');
  const errors = labels.flatMap((label) => invalidEach(field, label, dns1123Label(label)));
  if (labels.length < 2)
    errors.push(invalid(field, domain, 'should be a domain with at least two segments separated by dots'));
  for (const problem of dns1123Subdomain(path)) {
    errors.push(invalid(field, path, `validating label ${JSON.stringify(path)}: ${problem}`));
  }
  if (path.length > LONGEST_PATH) errors.push(tooLong(field, LONGEST_PATH));
  if (name.length > LONGEST_SIGNER) errors.push(tooLong(field, LONGEST_SIGNER));
  return errors;
}

function conditionsOf(object: PlainObject): readonly Condition[] {
  return statusOf<Status>(object).conditions ?? [];
}

function validateConditions(conditions: readonly Condition[]): FieldError[] {
  const field = 'status.conditions';
  const seen = new Set<string>();
  return conditions.flatMap(({ type = '', status = '' }, index) => {
    const own = `${field}[${index}]`;
    const allowed = FINAL_TYPES.some((each) => each === type) ? ['True'] : ALL_STATUSES;
    const errors = type === '' ? [required(`${own}.type`)] : [];
    if (status === '') errors.push(required(`${own}.status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${own}.status`, status, allowed));
    const opposite = APPROVALS.find((each) => each !== type);
    if (APPROVALS.some((each) => each === type) && opposite !== undefined && seen.has(opposite)) {
      errors.push(invalid(field, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) errors.push(duplicate(`${own}.type`, type));
    seen.add(type);
    return errors;
  });
}

function conditionsOfType(object: PlainObject, wanted: string): readonly Condition[] {
  return conditionsOf(object).filter(({ type }) => type === wanted);
}

function validateUpdate(next: PlainObject, previous: PlainObject, part: 'spec' | 'status' | 'approval'): FieldError[] {
  const field = 'status.conditions';
  const errors = FINAL_TYPES.flatMap((type) =>
    conditionsOfType(next, type).length < conditionsOfType(previous, type).length
      ? [forbidden(field, `updates may not remove a condition of type ${JSON.stringify(type)}`)]
      : [],
  );
  for (const type of part === 'approval' ? [] : APPROVALS) {
    const [after, before] = [conditionsOfType(next, type), conditionsOfType(previous, type)];
    if (after.length > before.length) {
      errors.push(forbidden(field, `updates may not add a condition of type ${JSON.stringify(type)}`));
    } else if (after.length === before.length && !isSameJson(after, before)) {
      errors.push(forbidden(field, `updates may not modify a condition of type ${JSON.stringify(type)}`));
    }
  }
  const [{ certificate = '' }, { certificate: before = '' }] = [statusOf<Status>(next), statusOf<Status>(previous)];
  if (certificate === before) return errors;
  if (part !== 'status') errors.push(forbidden('status.certificate', 'updates may not set certificate content'));
  else if (before !== '') {
    errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  }
  return errors;
}
