/** Validation of APIServices (kube-aggregator/pkg/apis/apiregistration/validation, v1.34). */
import { invalid, invalidEach, notSupported, required } from '../../../errors/field-errors.js';
import { quoted } from '../../../go/go-json.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { dns1035Label, dns1123Subdomain, pathSegmentName } from '../../../values/names.js';
import { specOf, statusOf, type PlainRules } from './plain-rules.js';

interface ServiceSpec {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly caBundle: string;
  readonly insecureSkipTLSVerify: boolean;
  readonly service: { readonly namespace?: string; readonly name?: string; readonly port?: number };
}

interface ServiceStatus {
  readonly conditions: readonly { readonly status?: string }[];
}

const CONDITION_STATUSES = ['True', 'False', 'Unknown'];
const MOST_GROUP_PRIORITY = 20_000;
const MOST_VERSION_PRIORITY = 1000;
const MOST_PORT = 65_535;

/** Of APIServices. */
export const apiServiceRules: PlainRules = {
  prepareForCreate: availableWhereLocal,
  validate: validateService,
  validateStatusChange: (next) =>
    (statusOf<ServiceStatus>(next).conditions ?? []).flatMap(({ status = '' }, index) =>
      CONDITION_STATUSES.includes(status)
        ? []
        : [notSupported(`status.conditions[${index}].status`, status, CONDITION_STATUSES)],
    ),
};

/** One of what the API server itself serves is there at once. */
function availableWhereLocal({ status: _status, ...service }: PlainObject): PlainObject {
  if (specOf<ServiceSpec>(service).service !== undefined) return service;
  return { ...service, status: { conditions: [localCondition(service.metadata.creationTimestamp)] } };
}

/** @param lastTransitionTime - as Kubernetes writes times */
export function localCondition(lastTransitionTime: string): object {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime,
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function validateService(object: PlainObject): readonly FieldError[] {
  const spec = specOf<ServiceSpec>(object);
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const { name, generateName = '' } = object.metadata;
  const errors: FieldError[] = [];
  const needed = `${version}.${group}`;
  for (const [field, text] of [
    ['metadata.generateName', generateName],
    ['metadata.name', name],
  ] as const) {
    if (text === '' || text === needed || pathSegmentName(text).length > 0) continue;
    errors.push(invalid(field, text, `must be \`spec.version+"."+spec.group\`: ${quoted(needed)}`));
  }
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') errors.push(...invalidEach('spec.group', group, dns1123Subdomain(group)));
  errors.push(...invalidEach('spec.version', version, dns1035Label(version)));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > MOST_GROUP_PRIORITY) {
    errors.push(invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000'));
  }
  if (versionPriority <= 0 || versionPriority > MOST_VERSION_PRIORITY) {
    errors.push(invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000'));
  }
  return [...errors, ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec, spec.service))];
}

function validateLocal({ caBundle = '', insecureSkipTLSVerify = false }: Partial<ServiceSpec>): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (caBundle !== '') {
    const bytes = Buffer.from(caBundle, 'base64').length;
    errors.push(invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'));
  }
  if (insecureSkipTLSVerify) {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'));
  }
  return errors;
}

function validateRemote(
  { caBundle = '', insecureSkipTLSVerify = false }: Partial<ServiceSpec>,
  { namespace = '', name = '', port = 0 }: ServiceSpec['service'],
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (namespace === '') errors.push(required('spec.service.namespace'));
  if (name === '') errors.push(required('spec.service.name'));
  if (port < 1 || port > MOST_PORT) {
    errors.push(invalid('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  if (insecureSkipTLSVerify && caBundle !== '') {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return errors;
}
