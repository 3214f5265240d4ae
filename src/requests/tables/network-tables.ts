/** Tables of services and what stands around them, of policies, rights and quotas (pkg/printers/internalversion, v1.34). */
import {
  age,
  count,
  firstOf,
  humanDuration,
  labelsText,
  list,
  nameOf,
  NONE,
  part,
  selectorText,
  text,
  UNSET,
  type Cell,
  type CellTime,
  type Fields,
} from './cells.js';
import type { KindTable } from './columns.js';

const SECOND_MS = 1000;
const MOST_ENDPOINTS = 3;
const MOST_METRICS = 2;

function named(columns: string, cells: (object: Fields, time: CellTime) => readonly Cell[]): KindTable {
  return {
    columns: `Name|${columns}${columns === '' ? '' : '|'}Age`,
    cells: (object, time) => [nameOf(object), ...cells(object, time), age(object, time)],
  };
}

const bindingTable: KindTable = {
  columns: 'Name|Role|Age|Users*|Groups*|ServiceAccounts*',
  cells: (binding, time) => {
    const { kind, name } = part(binding, 'roleRef');
    const subjects = list(binding, 'subjects');
    const namesOf = (wanted: string): string =>
      subjects
        .filter((each) => each['kind'] === wanted)
        .map((each) =>
          wanted === 'ServiceAccount' ? `${text(each['namespace'])}/${text(each['name'])}` : text(each['name']),
        )
        .join(', ');
    const shown = ['User', 'Group', 'ServiceAccount'].map(namesOf);
    return [nameOf(binding), `${text(kind)}/${text(name)}`, age(binding, time), ...shown];
  },
};

/** Of policies of admission. @param asked - the field in which one says what it asks for */
function policyTable(column: string, asked: string): KindTable {
  return named(`${column}:i|ParamKind`, (policy) => {
    const { kind, apiVersion } = part(policy, 'spec', 'paramKind');
    const shown = kind === undefined ? UNSET : `${text(apiVersion)}/${text(kind)}`;
    return [list(policy, 'spec', asked).length, shown];
  });
}

const policyBindingTable = named('PolicyName|ParamRef', (binding) => {
  const { namespace, name, selector } = part(binding, 'spec', 'paramRef');
  const place = text(namespace) === '' ? '*' : text(namespace);
  const isUnset = name === undefined && selector === undefined;
  return [text(part(binding, 'spec')['policyName']), isUnset ? UNSET : `${place}/${text(name, '*')}`];
});

const webhookTable = named('Webhooks:i', (configuration) => [list(configuration, 'webhooks').length]);

/** The tables by kind. */
export const NETWORK_TABLES: Readonly<Record<string, KindTable>> = {
  Service: {
    columns: 'Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector*',
    cells: (service, time) => {
      const spec = part(service, 'spec');
      const [address] = list(spec, 'clusterIPs') as readonly unknown[];
      const ports = list(spec, 'ports').map(({ port, nodePort, protocol }) => {
        const own = count(nodePort) > 0 ? `${count(port)}:${count(nodePort)}` : String(count(port));
        return `${own}/${text(protocol)}`;
      });
      return [
        nameOf(service),
        text(spec['type']),
        text(address ?? spec['clusterIP'], NONE) || NONE,
        externalAddress(service),
        ports.length === 0 ? NONE : ports.join(','),
        age(service, time),
        labelsText(part(spec, 'selector')),
      ];
    },
  },
  Endpoints: named('Endpoints', (endpoints) => [endpointsText(endpoints)]),
  EndpointSlice: named('AddressType|Ports|Endpoints', (slice) => {
    const ports = list(slice, 'ports').map(({ port, name }) => (port === undefined ? text(name, '*') : text(port)));
    const addresses = list(slice, 'endpoints').flatMap((each) =>
      (list(each, 'addresses') as readonly unknown[]).map((address) => text(address)),
    );
    return [
      text(slice['addressType']),
      ports.length === 0 ? UNSET : firstOf(ports, MOST_ENDPOINTS),
      addresses.length === 0 ? UNSET : firstOf(addresses, MOST_ENDPOINTS),
    ];
  }),
  Ingress: named('Class|Hosts|Address|Ports', (ingress) => {
    const spec = part(ingress, 'spec');
    const hosts = list(spec, 'rules').flatMap(({ host }) => (text(host) === '' ? [] : [text(host)]));
    const addresses = list(ingress, 'status', 'loadBalancer', 'ingress').map(
      ({ ip, hostname }) => text(ip) || text(hostname),
    );
    return [
      text(spec['ingressClassName'], NONE),
      hosts.length === 0 ? '*' : firstOf(hosts, MOST_ENDPOINTS),
      addresses.sort().join(','),
      list(spec, 'tls').length > 0 ? '80, 443' : '80',
    ];
  }),
  IngressClass: named('Controller|Parameters', (cls) => {
    const { controller, parameters } = part(cls, 'spec');
    const { kind, name, apiGroup } = (parameters ?? {}) as Fields;
    const group = apiGroup === undefined ? '' : `.${text(apiGroup)}`;
    return [text(controller), parameters === undefined ? NONE : `${text(kind)}${group}/${text(name)}`];
  }),
  NetworkPolicy: named('Pod-Selector', (policy) => [selectorText(part(policy, 'spec', 'podSelector'))]),
  ServiceCIDR: named('CIDRs', (cidr) => [
    (list(cidr, 'spec', 'cidrs') as readonly unknown[]).map((each) => text(each)).join(','),
  ]),
  IPAddress: named('ParentRef', (address) => {
    const { group, resource, namespace, name } = part(address, 'spec', 'parentRef');
    const kind = text(group) === '' ? text(resource) : `${text(resource)}.${text(group)}`;
    return [[kind, text(namespace), text(name)].filter((each) => each !== '').join('/')];
  }),
  PodDisruptionBudget: named('Min Available|Max Unavailable|Allowed Disruptions:i', (budget) => {
    const { minAvailable, maxUnavailable } = part(budget, 'spec');
    return [
      text(minAvailable, 'N/A'),
      text(maxUnavailable, 'N/A'),
      count(part(budget, 'status')['disruptionsAllowed']),
    ];
  }),
  HorizontalPodAutoscaler: named('Reference|Targets|MinPods|MaxPods|Replicas', (scaler) => {
    const spec = part(scaler, 'spec');
    const { kind, name } = part(spec, 'scaleTargetRef');
    return [
      `${text(kind)}/${text(name)}`,
      metricsText(scaler),
      text(spec['minReplicas'], UNSET),
      count(spec['maxReplicas']),
      count(part(scaler, 'status')['currentReplicas']),
    ];
  }),
  ResourceQuota: named('Request|Limit', (quota) => {
    const { hard = {}, used = {} } = part(quota, 'status') as Readonly<Record<string, Fields>>;
    const shown = (isLimit: boolean): string =>
      Object.keys(hard)
        .filter((name) => name.startsWith('limits.') === isLimit)
        .sort()
        .map((name) => `${name}: ${text(used[name], '0')}/${text(hard[name])}`)
        .join(', ');
    return [shown(false), shown(true)];
  }),
  RoleBinding: bindingTable,
  ClusterRoleBinding: bindingTable,
  CertificateSigningRequest: {
    columns: 'Name|Age|SignerName|Requestor|RequestedDuration|Condition',
    cells: (request, time) => {
      const { signerName, username, expirationSeconds } = part(request, 'spec');
      return [
        nameOf(request),
        age(request, time),
        text(signerName, NONE),
        text(username),
        expirationSeconds === undefined ? NONE : humanDuration(count(expirationSeconds) * SECOND_MS),
        requestCondition(request),
      ];
    },
  },
  MutatingWebhookConfiguration: webhookTable,
  ValidatingWebhookConfiguration: webhookTable,
  MutatingAdmissionPolicy: policyTable('Mutations', 'mutations'),
  MutatingAdmissionPolicyBinding: policyBindingTable,
  ValidatingAdmissionPolicy: policyTable('Validations', 'validations'),
  ValidatingAdmissionPolicyBinding: policyBindingTable,
  FlowSchema: {
    columns: 'Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL',
    cells: (schema, time) => {
      const spec = part(schema, 'spec');
      const dangling = list(schema, 'status', 'conditions').find(({ type }) => type === 'Dangling');
      return [
        nameOf(schema),
        text(part(spec, 'priorityLevelConfiguration')['name']),
        count(spec['matchingPrecedence']),
        text(part(spec, 'distinguisherMethod')['type'], NONE),
        age(schema, time),
        text(dangling?.['status'], '?'),
      ];
    },
  },
  PriorityLevelConfiguration: named('Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit', (level) => {
    const spec = part(level, 'spec');
    const { nominalConcurrencyShares: shares = NONE } = part(spec, 'limited');
    const queuing = part(spec, 'limited', 'limitResponse', 'queuing');
    const { queues = NONE, handSize = NONE, queueLengthLimit = NONE } = queuing;
    return [text(spec['type']), ...([shares, queues, handSize, queueLengthLimit] as readonly Cell[])];
  }),
  DeviceClass: named('', () => []),
  ResourceClaimTemplate: named('', () => []),
  ResourceClaim: named('State', (claim) => [claimState(claim)]),
  ResourceSlice: named('Node|Driver|Pool', (slice) => {
    const { nodeName, driver } = part(slice, 'spec');
    return [text(nodeName, UNSET), text(driver), text(part(slice, 'spec', 'pool')['name'])];
  }),
  APIService: named('Service|Available', (service) => {
    const { namespace, name } = part(service, 'spec', 'service');
    const available = list(service, 'status', 'conditions').find(({ type }) => type === 'Available');
    const state = text(available?.['status'], 'Unknown');
    const shown = state === 'True' ? state : `${state} (${text(available?.['reason'])})`;
    return [name === undefined ? 'Local' : `${text(namespace)}/${text(name)}`, shown];
  }),
};

function externalAddress(service: Fields): string {
  const spec = part(service, 'spec');
  const own = (list(spec, 'externalIPs') as readonly unknown[]).map((each) => text(each));
  switch (spec['type']) {
    case 'ExternalName':
      return text(spec['externalName']);
    case 'LoadBalancer': {
      const given = list(service, 'status', 'loadBalancer', 'ingress').map(
        ({ ip, hostname }) => text(ip) || text(hostname),
      );
      const all = [...new Set(given)].sort().concat(own);
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return own.length === 0 ? NONE : own.join(',');
  }
}

function endpointsText(endpoints: Fields): string {
  const shown: string[] = [];
  let all = 0;
  for (const subset of list(endpoints, 'subsets')) {
    const addresses = list(subset, 'addresses').map(({ ip }) => text(ip));
    const ports = list(subset, 'ports');
    const suffixes = ports.length === 0 ? [''] : ports.map(({ port }) => `:${count(port)}`);
    for (const suffix of suffixes) {
      all += addresses.length;
      const isBracketed = (ip: string): boolean => suffix !== '' && ip.includes(':');
      shown.push(...addresses.map((ip) => (isBracketed(ip) ? `[${ip}]${suffix}` : `${ip}${suffix}`)));
    }
  }
  if (all === 0) return list(endpoints, 'subsets').length === 0 ? NONE : '';
  return firstOf(shown, MOST_ENDPOINTS);
}

function metricsText(scaler: Fields): string {
  const metrics = list(scaler, 'spec', 'metrics');
  if (metrics.length === 0) return NONE;
  const current = list(scaler, 'status', 'currentMetrics');
  return firstOf(
    metrics.map((metric, index) => metricText(metric, current[index] ?? {})),
    MOST_METRICS,
    ', ',
  );
}

const METRIC_SOURCES: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metricText(metric: Fields, status: Fields): string {
  const source = METRIC_SOURCES[text(metric['type'])];
  if (source === undefined) return '<unknown type>';
  const { averageValue, value, averageUtilization } = part(metric, source, 'target');
  const current = part(status, source, 'current');
  if (source === 'resource' || source === 'containerResource') {
    const name = text(part(metric, source)['name']);
    if (averageValue !== undefined)
      return `${name}: ${text(current['averageValue'], '<unknown>')}/${text(averageValue)}`;
    const target = averageUtilization === undefined ? '<auto>' : `${count(averageUtilization)}%`;
    const used = current['averageUtilization'];
    return `${name}: ${used === undefined ? '<unknown>' : `${count(used)}%`}/${target}`;
  }
  if (averageValue === undefined) return `${text(current['value'], '<unknown>')}/${text(value)}`;
  const suffix = source === 'pods' ? '' : ' (avg)';
  return `${text(current['averageValue'], '<unknown>')}/${text(averageValue)}${suffix}`;
}

function requestCondition(request: Fields): string {
  const conditions = list(request, 'status', 'conditions').map(({ type }) => text(type));
  const word = ['Denied', 'Approved'].find((each) => conditions.includes(each)) ?? 'Pending';
  const words = [word, ...(conditions.includes('Failed') ? ['Failed'] : [])];
  if (text(part(request, 'status')['certificate']) !== '') words.push('Issued');
  return words.join(',');
}

function claimState(claim: Fields): string {
  const status = part(claim, 'status');
  const states = [
    ...(part(claim, 'metadata')['deletionTimestamp'] === undefined ? [] : ['deleted']),
    ...(status['allocation'] === undefined ? ['pending'] : ['allocated']),
    ...(list(status, 'reservedFor').length === 0 ? [] : ['reserved']),
  ];
  return states.join(',');
}
