/** What the server fills into objects on which nothing acts (defaults.go of each group, v1.34). */
import { defaultedDefinition } from '../../custom/definition.js';
import type { ResourceList } from '../../objects/kube-object.js';
import type { Draft, PodTemplateSpec } from '../../objects/objects.js';
import type { PlainKind } from '../../objects/plain-kinds.js';
import { canonicalResourceList } from '../rules/resource-lists.js';
import { defaultedTemplate } from '../pod/pod-spec-defaults.js';

type Fields = Readonly<Record<string, unknown>>;
type Filling = (draft: Draft) => Draft;

const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** The target of an autoscaler that names none. */
const DEFAULT_CPU_METRIC = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const WEBHOOK_TIMEOUT_SECONDS = 10;

/** By kind; a kind without an entry defaults nothing. */
export const PLAIN_DEFAULTS: Readonly<Partial<Record<PlainKind, Filling>>> = {
  ClusterRoleBinding: fillBinding,
  RoleBinding: fillBinding,
  CustomResourceDefinition: defaultedDefinition,
  FlowSchema: inSpec((spec) => ({ ...spec, matchingPrecedence: spec['matchingPrecedence'] || 1000 })),
  PriorityLevelConfiguration: inSpec(filledLevel),
  HorizontalPodAutoscaler: inSpec((spec) => ({
    minReplicas: 1,
    ...spec,
    ...(listOf(spec['metrics']).length === 0 ? { metrics: [DEFAULT_CPU_METRIC] } : {}),
    ...(spec['behavior'] === undefined ? {} : { behavior: filledBehavior(fieldsOf(spec['behavior']) ?? {}) }),
  })),
  IngressClass: inSpec((spec) => {
    const parameters = fieldsOf(spec['parameters']);
    return parameters === undefined ? spec : { ...spec, parameters: { scope: 'Cluster', ...parameters } };
  }),
  LimitRange: inSpec((spec) =>
    spec['limits'] === undefined
      ? spec
      : { ...spec, limits: listOf(spec['limits']).map((limit) => filledLimit(withCanonical(limit, AMOUNTS))) },
  ),
  MutatingAdmissionPolicy: inSpec(filledPolicy),
  MutatingAdmissionPolicyBinding: inSpec(filledPolicyBinding),
  MutatingWebhookConfiguration: (draft) => ({
    ...draft,
    webhooks: listOf(draft['webhooks']).map((each) => ({ reinvocationPolicy: 'Never', ...filledWebhook(each) })),
  }),
  NetworkPolicy: inSpec((given) => {
    const spec = { ...given, ...withPorts(given, 'ingress'), ...withPorts(given, 'egress') };
    if (lengthOf(spec['policyTypes']) > 0) return spec;
    return { ...spec, policyTypes: lengthOf(spec['egress']) > 0 ? ['Ingress', 'Egress'] : ['Ingress'] };
  }),
  PodTemplate: (draft) => ({
    ...draft,
    template: defaultedTemplate((fieldsOf(draft['template']) ?? {}) as PodTemplateSpec),
  }),
  ResourceQuota: inSpec((spec) => withCanonical(spec, ['hard'])),
  ValidatingAdmissionPolicy: inSpec(filledPolicy),
  ValidatingAdmissionPolicyBinding: inSpec(filledPolicyBinding),
  ValidatingWebhookConfiguration: (draft) => ({
    ...draft,
    webhooks: listOf(draft['webhooks']).map(filledWebhook),
  }),
  VolumeAttributesClass: (draft) => draft,
  APIService: inSpec((spec) => {
    const service = fieldsOf(spec['service']);
    return service === undefined ? spec : { ...spec, service: { ...service, port: service['port'] ?? 443 } };
  }),
};

function filledPolicy(spec: Fields): Fields {
  const match = fieldsOf(spec['matchConstraints']);
  return { failurePolicy: 'Fail', ...spec, ...(match === undefined ? {} : { matchConstraints: filledMatch(match) }) };
}

function filledPolicyBinding(spec: Fields): Fields {
  const match = fieldsOf(spec['matchResources']);
  return match === undefined ? spec : { ...spec, matchResources: filledMatch(match) };
}

function filledLevel(spec: Fields): Fields {
  const [limited, exempt] = [fieldsOf(spec['limited']), fieldsOf(spec['exempt'])];
  const response = fieldsOf(limited?.['limitResponse']);
  const queuing = fieldsOf(response?.['queuing']);
  const filledQueues = queuing && {
    queuing: {
      ...queuing,
      queues: queuing['queues'] || 64,
      handSize: queuing['handSize'] || 8,
      queueLengthLimit: queuing['queueLengthLimit'] || 50,
    },
  };
  return {
    ...spec,
    ...(limited && {
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        ...limited,
        ...(response && { limitResponse: { ...response, ...filledQueues } }),
      },
    }),
    ...(exempt && { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt } }),
  };
}

/** How fast an autoscaler acts that says so in part. */
function filledBehavior({ scaleUp, scaleDown, ...rest }: Fields): Fields {
  const doubled = { type: 'Percent', value: 100, periodSeconds: 15 };
  const added = { type: 'Pods', value: 4, periodSeconds: 15 };
  return {
    ...rest,
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [added, doubled],
      ...withoutTolerance(fieldsOf(scaleUp)),
    },
    scaleDown: { selectPolicy: 'Max', policies: [doubled], ...withoutTolerance(fieldsOf(scaleDown)) },
  };
}

/** The feature gate HPAConfigurableTolerance is off in v1.34: the field is dropped. */
function withoutTolerance({ tolerance: _dropped, ...rules }: Fields = {}): Fields {
  return rules;
}

function inSpec(fill: (spec: Fields) => Fields): Filling {
  return (draft) => {
    // A spec that is not stated is one of which nothing is said.
    const spec = draft['spec'] === undefined ? {} : fieldsOf(draft['spec']);
    return spec === undefined ? draft : { ...draft, spec: fill(spec) };
  };
}

/** Ports of a policy's rules are of TCP where they do not say. */
function withPorts(spec: Fields, direction: 'ingress' | 'egress'): Fields {
  if (lengthOf(spec[direction]) === 0) return {};
  const rules = listOf(spec[direction]).map((rule) =>
    lengthOf(rule['ports']) === 0
      ? rule
      : { ...rule, ports: listOf(rule['ports']).map((port) => ({ ...port, protocol: port['protocol'] ?? 'TCP' })) },
  );
  return { [direction]: rules };
}

function fillBinding(draft: Draft): Draft {
  const roleRef = fieldsOf(draft['roleRef']);
  return {
    ...draft,
    roleRef: { ...roleRef, apiGroup: roleRef?.['apiGroup'] || RBAC_GROUP },
    ...(draft['subjects'] === undefined ? {} : { subjects: listOf(draft['subjects']).map(filledSubject) }),
  };
}

function filledSubject(subject: Fields): Fields {
  const isPerson = subject['kind'] === 'User' || subject['kind'] === 'Group';
  return isPerson ? { ...subject, apiGroup: subject['apiGroup'] || RBAC_GROUP } : subject;
}

const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** Lists of resources in canonical texts. */
function withCanonical(fields: Fields, names: readonly string[]): Fields {
  return names.reduce((all, name) => {
    const list = fieldsOf(all[name]);
    return list === undefined ? all : { ...all, [name]: canonicalResourceList(list as ResourceList) };
  }, fields);
}

/** A largest amount is the default of the limit, that one of the request, and the least one of the rest. */
function filledLimit(limit: Fields): Fields {
  if (limit['type'] !== 'Container') return limit;
  const { max = {}, min = {}, default: fallback = {}, defaultRequest = {} } = limit as Readonly<Record<string, Fields>>;
  const limits = { ...max, ...fallback };
  const requests = { ...min, ...limits, ...defaultRequest };
  return {
    ...limit,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}

function filledWebhook(webhook: Fields): Fields {
  const clientConfig = fieldsOf(webhook['clientConfig']);
  const service = fieldsOf(clientConfig?.['service']);
  return {
    failurePolicy: 'Fail',
    timeoutSeconds: WEBHOOK_TIMEOUT_SECONDS,
    ...filledMatch(webhook),
    ...(service === undefined ? {} : { clientConfig: { ...clientConfig, service: { port: 443, ...service } } }),
    ...(webhook['rules'] === undefined ? {} : { rules: listOf(webhook['rules']).map(filledRule) }),
  };
}

function filledMatch(match: Fields): Fields {
  const rules = ['resourceRules', 'excludeResourceRules'].flatMap((name) =>
    match[name] === undefined ? [] : [[name, listOf(match[name]).map(filledRule)] as const],
  );
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...match,
    ...Object.fromEntries(rules),
  };
}

function filledRule(rule: Fields): Fields {
  return { scope: '*', ...rule };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
