import test from 'ava';
import type { Service } from '../../src/api/objects/objects.js';
import type { ApiServer } from '../../src/apiserver/store/server-types.js';
import { createFixture, refusal } from './fixtures.js';

type Ports = readonly { readonly nodePort?: number }[];

function create(server: ApiServer, name: string, spec: object): Service['spec'] {
  return server.create('Service', { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } }).spec;
}

function families({ ipFamilies, ipFamilyPolicy }: Service['spec']): unknown[] {
  return [ipFamilies, ipFamilyPolicy];
}

function nodePorts({ ports = [] }: { readonly ports?: Ports }): (number | undefined)[] {
  return ports.map(({ nodePort }) => nodePort);
}

test('services › a node port of 30086 to 32767 comes with each port, one number for all protocols of it', (t) => {
  const { server } = createFixture();
  const ports = [
    { name: 'tcp', port: 53 },
    { name: 'udp', port: 53, protocol: 'UDP' },
    { name: 'web', port: 80 },
  ];
  const [tcp = 0, udp = 0, web = 0] = nodePorts(create(server, 'a', { type: 'NodePort', ports }));
  t.is(tcp, udp);
  t.not(tcp, web);
  for (const port of [tcp, web]) t.true(port >= 30_086 && port <= 32_767, String(port));
});

test('services › a node port that is asked for must be free and of the range', (t) => {
  const { server } = createFixture();
  const ask = (name: string, nodePort: number): (number | undefined)[] =>
    nodePorts(create(server, name, { type: 'NodePort', ports: [{ port: 80, nodePort }] }));
  t.deepEqual(ask('a', 30_000), [30_000]);
  t.is(
    refusal(t, () => ask('b', 30_000)).message,
    'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated',
  );
  t.is(
    refusal(t, () => ask('b', 29_999)).message,
    'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 29999: provided port is not in the valid range. The range of valid ports is 30000-32767',
  );
  server.delete('Service', { name: 'a' });
  t.deepEqual(ask('b', 30_000), [30_000]);
});

test('services › a load balancer waits for its address with node ports, and a health port if it keeps traffic local', (t) => {
  const { server } = createFixture();
  const { spec, status } = server.create('Service', {
    metadata: { name: 'a' },
    spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] },
  });
  const [nodePort] = nodePorts(spec);
  t.truthy(nodePort);
  t.truthy(spec.healthCheckNodePort);
  t.not(spec.healthCheckNodePort, nodePort);
  t.deepEqual(status, { loadBalancer: {} });
  t.deepEqual(nodePorts(create(server, 'b', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false })), [
    undefined,
  ]);
});

test('services › an external name has no address, and gets one when it becomes a service', (t) => {
  const { server } = createFixture();
  t.is(create(server, 'a', { type: 'ExternalName', externalName: 'a.b', ports: [] }).clusterIP, undefined);
  const { spec } = server.patch(
    'Service',
    { name: 'a' },
    { type: 'merge', body: { spec: { type: 'ClusterIP', ports: [{ port: 80 }] } } },
  );
  t.regex(spec.clusterIP ?? '', /^10\.\d+\.\d+\.\d+$/);
  t.deepEqual(spec.clusterIPs, [spec.clusterIP ?? '']);
});

test('services › an address out of the range is refused', (t) => {
  const { server } = createFixture();
  t.is(
    refusal(t, () => create(server, 'a', { clusterIP: '10.112.0.1' })).message,
    'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.112.0.1"]: failed to allocate IP 10.112.0.1: the provided IP (10.112.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
  );
});

test('services › a change of type takes and gives back', (t) => {
  const { server } = createFixture();
  const asType = (type: string): Service['spec'] =>
    server.patch('Service', { name: 'a' }, { type: 'merge', body: { spec: { type } } }).spec;
  const { clusterIP } = create(server, 'a', {});
  const open = asType('NodePort');
  const [nodePort = 0] = nodePorts(open);
  t.true(nodePort > 0);
  t.is(open.clusterIP, clusterIP);
  t.deepEqual(nodePorts(asType('ClusterIP')), [undefined]);
  t.deepEqual(nodePorts(create(server, 'b', { type: 'NodePort', ports: [{ port: 80, nodePort }] })), [nodePort]);
});

test('services › a refused update and an undone transaction claim nothing', (t) => {
  const { server } = createFixture();
  create(server, 'a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
  const patch = { type: 'merge', body: { spec: { ports: [{ port: 0, nodePort: 30_002 }] } } } as const;
  t.is(refusal(t, () => server.patch('Service', { name: 'a' }, patch)).code, 422);
  t.throws(() =>
    server.transaction(() => {
      create(server, 'b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_003 }] });
      throw new Error('undone');
    }),
  );
  const ports = [
    { name: 'x', port: 80, nodePort: 30_002 },
    { name: 'y', port: 81, nodePort: 30_003 },
  ];
  t.deepEqual(nodePorts(create(server, 'c', { type: 'NodePort', ports })), [30_002, 30_003]);
  t.deepEqual(nodePorts(server.get('Service', { name: 'a' }).spec), [30_001]);
});

test('services › the same seed gives the same ports and addresses', (t) => {
  const given = [1, 2].map(() => {
    const { server } = createFixture();
    const { clusterIP, ports = [] } = create(server, 'a', { type: 'NodePort' });
    return [clusterIP, ...nodePorts({ ports })];
  });
  t.deepEqual(given[0], given[1]);
});

test('8.10 › services are selected by address and type, secrets by type', (t) => {
  const { server } = createFixture();
  create(server, 'a', { clusterIP: '10.96.0.9' });
  create(server, 'b', { type: 'NodePort' });
  for (const type of ['Opaque', 'example.com/x'])
    server.create('Secret', { metadata: { name: type.toLowerCase().replace('/', '.') }, type });
  const named = (kind: 'Service' | 'Secret', fieldSelector: string): string[] =>
    server.list(kind, { fieldSelector }).items.map(({ metadata }) => metadata.name);
  t.deepEqual(named('Service', 'spec.clusterIP=10.96.0.9'), ['a']);
  t.deepEqual(named('Service', 'spec.type!=ClusterIP'), ['b']);
  t.deepEqual(named('Secret', 'type=Opaque'), ['opaque']);
  t.is(
    refusal(t, () => server.list('ConfigMap', { fieldSelector: 'data.a=b' })).message,
    '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
});

test('services › a cluster of one family refuses what needs two, and the family that it has not', (t) => {
  const { server } = createFixture();
  const why = (spec: object): string =>
    refusal(t, () => create(server, 'a', spec)).message.replace('Service "a" is invalid: ', '');
  t.is(
    why({ ipFamilyPolicy: 'RequireDualStack' }),
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  );
  t.is(why({ ipFamilies: ['IPv6'] }), 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster');
  t.is(
    why({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }),
    'spec.ipFamilies[1]: Invalid value: "IPv6": not configured on this cluster',
  );
  t.is(
    why({ ipFamilies: ['IPv4', 'IPv6'] }),
    `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
  );
  t.is(
    why({ clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] }),
    'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
  );
  t.is(
    why({ clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ipFamilies: ['IPv6'] }),
    'spec.clusterIPs[0]: Invalid value: "10.96.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`',
  );
  t.is(
    why({ ipFamilies: ['IPv5', 'IPv5'], ipFamilyPolicy: 'Both' }),
    '[spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6", spec.ipFamilies[1]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6", spec.ipFamilies[1]: Duplicate value: "IPv5", spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"]',
  );
  t.is(
    why({ clusterIPs: ['10.96.0.9'] }),
    'spec.clusterIPs: Invalid value: ["10.96.0.9"]: must be empty when `clusterIP` is not specified',
  );
  t.is(
    why({ clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.8'] }),
    'spec.clusterIPs: Invalid value: ["10.96.0.8"]: first value must match `clusterIP`',
  );
  t.is(
    why({ clusterIP: 'nonsense' }),
    'spec.clusterIPs[0]: Invalid value: "nonsense": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  );
});

test('services › PreferDualStack takes the one family that there is; a headless service without a selector has both', (t) => {
  const { server } = createFixture();
  t.deepEqual(families(create(server, 'a', { ipFamilyPolicy: 'PreferDualStack' })), [['IPv4'], 'PreferDualStack']);
  t.deepEqual(families(create(server, 'b', { clusterIP: 'None', selector: { a: 'b' } })), [['IPv4'], 'SingleStack']);
  t.deepEqual(families(create(server, 'c', { clusterIP: 'None' })), [['IPv4', 'IPv6'], 'RequireDualStack']);
  t.deepEqual(families(create(server, 'd', { clusterIP: 'None', ipFamilies: ['IPv6'] })), [
    ['IPv6', 'IPv4'],
    'RequireDualStack',
  ]);
  t.deepEqual(families(create(server, 'e', { clusterIP: 'None', ipFamilyPolicy: 'SingleStack' })), [
    ['IPv4'],
    'SingleStack',
  ]);
});

test('services › an update may not ask for the second family either, and a second one goes with SingleStack only', (t) => {
  const { server } = createFixture();
  const patch = (name: string, spec: object): Service['spec'] =>
    server.patch('Service', { name }, { type: 'merge', body: { spec } }).spec;
  create(server, 'a', {});
  t.is(
    refusal(t, () => patch('a', { ipFamilyPolicy: 'RequireDualStack' })).message,
    'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  );
  create(server, 'c', { clusterIP: 'None' });
  t.is(
    refusal(t, () => patch('c', { ipFamilies: ['IPv4'] })).message,
    `Service "c" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
  );
  t.deepEqual(patch('c', { ipFamilyPolicy: 'SingleStack' }).ipFamilies, ['IPv4']);
});
