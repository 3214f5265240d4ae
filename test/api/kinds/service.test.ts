import test from 'ava';
import type { Service } from '../../../src/api/objects/objects.js';
import { serviceKind } from '../../../src/api/kinds/network/service.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const PORTS = [{ port: 80 }];

/** The refusal of a service, without the words that all have. */
function answer(spec: object): string {
  return answerOf(() => created('Service', { metadata: { name: 's' }, spec })).replace('Service "s" is invalid: ', '');
}

function change(before: object, after: object): object | string {
  const stored = created('Service', { metadata: { name: 's' }, spec: before });
  let spec: object | undefined;
  const refusal = answerOf(() => {
    spec = updated('Service', { metadata: stored.metadata, spec: after }, stored).spec;
  });
  return spec ?? refusal.replace('Service "s" is invalid: ', '');
}

test('services › an external name is a name, and has no address', (t) => {
  t.is(answer({ type: 'ExternalName', externalName: 'db.example.com.' }), 'accepted');
  t.is(answer({ type: 'ExternalName' }), 'spec.externalName: Required value');
  t.regex(
    answer({ type: 'ExternalName', externalName: 'a_b' }),
    /^spec\.externalName: Invalid value: "a_b": a lowercase RFC 1123 subdomain/,
  );
  t.is(
    answer({
      type: 'ExternalName',
      externalName: 'a',
      clusterIP: '10.96.0.1',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    }),
    '[spec.clusterIPs: Forbidden: may not be set for ExternalName services, spec.ipFamilies: Forbidden: may not be set for ExternalName services, spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services]',
  );
});

test('services › those that are reached from outside have an address', (t) => {
  for (const type of ['NodePort', 'LoadBalancer']) {
    t.is(
      answer({ type, ports: PORTS, clusterIP: 'None' }),
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for ${type} services`,
    );
  }
  t.is(
    answer({ type: 'LoadBalancer', ports: [{ port: 10_250 }] }),
    'spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet',
  );
});

test('services › node ports belong to services that have them, each once for a protocol', (t) => {
  t.is(
    answer({ ports: [{ port: 80, nodePort: 30_001 }] }),
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  );
  const twins = (protocol: string): string =>
    answer({
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, nodePort: 30_001 },
        { name: 'b', port: 54, nodePort: 30_001, protocol },
      ],
    });
  t.is(twins('TCP'), 'spec.ports[1].nodePort: Duplicate value: 30001');
  t.is(twins('UDP'), 'accepted');
});

test('services › sessions stick for up to a day, where they stick at all', (t) => {
  const sticky = (sessionAffinityConfig: object): string =>
    answer({ ports: PORTS, sessionAffinity: 'ClientIP', sessionAffinityConfig });
  const field = 'spec.sessionAffinityConfig';
  t.is(answer({ ports: PORTS, sessionAffinity: 'ClientIP' }), 'accepted');
  t.is(sticky({}), 'accepted');
  for (const timeoutSeconds of [0, 86_401]) {
    t.is(
      sticky({ clientIP: { timeoutSeconds } }),
      `${field}.clientIP.timeoutSeconds: Invalid value: ${timeoutSeconds}: must be greater than 0 and less than 86400`,
    );
  }
  t.is(sticky({ clientIP: { timeoutSeconds: 86_400 } }), 'accepted');
  t.is(answer({ ports: PORTS, sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } }), 'accepted');
});

test('services › what only load balancers have is refused elsewhere', (t) => {
  t.is(
    answer({ ports: PORTS, allocateLoadBalancerNodePorts: false, loadBalancerClass: 'a.b/c' }),
    "[spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer', spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer']",
  );
  t.is(
    answer({ ports: PORTS, externalTrafficPolicy: 'Local' }),
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  );
  t.is(answer({ ports: PORTS, externalTrafficPolicy: 'Local', externalIPs: ['1.2.3.4'] }), 'accepted');
  t.is(
    answer({ type: 'NodePort', ports: PORTS, externalTrafficPolicy: 'Far' }),
    'spec.externalTrafficPolicy: Unsupported value: "Far": supported values: "Cluster", "Local"',
  );
  t.is(
    answer({ type: 'NodePort', ports: PORTS, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_002 }),
    "spec.healthCheckNodePort: Invalid value: 30002: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  );
});

test('services › an address never changes, unless the service becomes a name', (t) => {
  const before = { ports: PORTS, clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'] };
  t.is(
    change(before, { ports: PORTS, clusterIP: 'None' }),
    'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
  );
  t.like(change(before, { ports: PORTS }), { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'] });
  const named = change(before, { ...before, type: 'ExternalName', externalName: 'a.b' });
  t.false('clusterIP' in (named as object));
  t.false('clusterIPs' in (named as object));
});

test('services › an update that does not repeat node ports keeps them by the names of the ports', (t) => {
  const before = {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 80, nodePort: 30_001 },
      { name: 'b', port: 81, nodePort: 30_002 },
    ],
  };
  const kept = change(before, {
    type: 'NodePort',
    ports: [
      { name: 'b', port: 8081 },
      { name: 'c', port: 80 },
    ],
  });
  t.deepEqual(
    (kept as { ports: { name: string; nodePort?: number }[] }).ports.map(({ name, nodePort }) => [name, nodePort]),
    [
      ['b', 30_002],
      ['c', undefined],
    ],
  );
});

test('services › what a former type allocated goes with it, unless the client means it', (t) => {
  const before = {
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 30_003,
    ports: [{ port: 80, nodePort: 30_001 }],
  };
  const stored = created('Service', { metadata: { name: 's' }, spec: before });
  t.deepEqual(change(before, { ...stored.spec, type: 'ClusterIP' }), {
    type: 'ClusterIP',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
  });
  t.is(
    change(before, { ...stored.spec, type: 'ClusterIP', ports: [{ port: 80, nodePort: 30_009 }] }),
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  );
});

/** What is wrong with an address outside of the cluster. */
function outside(address: string): string {
  const text = answer({ ports: PORTS, externalIPs: ['8.8.8.8', address] });
  return text.replace(`spec.externalIPs[1]: Invalid value: "${address}": `, '');
}

test('services › addresses from outside are addresses that others can send to', (t) => {
  t.is(outside('2001:db8::1'), 'accepted');
  t.is(outside('1.2.3'), 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  t.is(outside('0.0.0.0'), 'may not be unspecified (0.0.0.0)');
  t.is(outside('127.0.0.1'), 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  t.is(outside('fe80::1'), 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  t.is(outside('224.0.0.1'), 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
});

function among(...loadBalancerSourceRanges: string[]): string {
  return answer({ type: 'LoadBalancer', ports: PORTS, loadBalancerSourceRanges });
}

test('services › a load balancer may let in some ranges only', (t) => {
  t.is(among(' 10.0.0.0/8 ', '2001:db8::/64'), 'accepted');
  const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  for (const range of ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/8', 'x/8', '10.0.0.0/-1']) {
    t.is(among(range), `spec.LoadBalancerSourceRanges[0]: Invalid value: "${range}": ${why}`);
  }
  t.is(
    answer({ ports: PORTS, loadBalancerSourceRanges: ['10.0.0.0/8'] }),
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  );
});

test('services › addresses of a load balancer are virtual unless they say otherwise, and go with it', (t) => {
  const stored = created('Service', { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: PORTS } });
  const ingress = [{ ip: '203.0.113.1' }, { hostname: 'x.y' }, { ip: '203.0.113.2', ipMode: 'Proxy' }];
  const balanced = {
    ...stored,
    ...serviceKind.applyDefaults({ ...stored, status: { loadBalancer: { ingress } } }),
  } as Service;
  t.deepEqual(balanced.status, {
    loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }, ...ingress.slice(1)] },
  });
  const plain = { ...balanced, spec: { ...stored.spec, type: 'ClusterIP' } } as Service;
  t.deepEqual(serviceKind.prepareForUpdate(plain, balanced).status, { loadBalancer: {} });
  t.deepEqual(serviceKind.prepareForUpdate(balanced, balanced).status, balanced.status);
});
