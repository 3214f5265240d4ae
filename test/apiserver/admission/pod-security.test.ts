/** Which pods a namespace's labels refuse and warn of; texts as kube-apiserver 1.34.2 answers. */
import test, { type ExecutionContext } from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createRequests } from '../../../src/requests/requests.js';
import { createFixture, podDraft, refusal, type Fixture } from '../fixtures.js';

const PREFIX = 'pod-security.kubernetes.io/';

function label(server: ApiServer, labels: Readonly<Record<string, string>>): void {
  const named = Object.fromEntries(Object.entries(labels).map(([name, value]) => [PREFIX + name, value]));
  server.patch('Namespace', { name: 'default' }, { type: 'merge', body: { metadata: { labels: named } } });
}

function refusedText(t: ExecutionContext, server: ApiServer, spec: object, metadata: object = {}): string {
  const { code, message } = refusal(t, () => server.create('Pod', podDraft('p', spec, metadata)));
  t.is(code, 403);
  return message.replace('pods "p" is forbidden: violates PodSecurity ', '');
}

/** The warnings with which a request is answered. */
function warningsOf({ server, kernel }: Fixture, method: string, path: string, body: Draft): readonly string[] {
  const request = {
    method,
    path,
    query: new URLSearchParams(),
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    body: { text: JSON.stringify(body) },
  };
  const answer = createRequests({ server, kernel }).answer(request);
  const { warning = [] } = answer.type === 'stream' ? {} : answer.headers;
  return (typeof warning === 'string' ? [warning] : warning).map((each) => JSON.parse(each.slice(6)) as string);
}

const SAFE = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'c',
      image: 'x',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};

function of(securityContext: object, fields: object = {}): object {
  return { containers: [{ name: 'c', image: 'x', securityContext, ...fields }] };
}

const PODS = '/api/v1/namespaces/default/pods';

test('restricted › a plain pod breaks four rules', (t) => {
  const { server } = createFixture();
  label(server, { enforce: 'restricted' });
  t.is(
    refusedText(t, server, {}),
    '"restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
  t.is(server.create('Pod', podDraft('safe', SAFE)).metadata.name, 'safe');
});

test('baseline › each rule has its words', (t) => {
  const { server } = createFixture();
  label(server, { enforce: 'baseline' });
  const cases: readonly (readonly [spec: object, text: string])[] = [
    [of({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
    [{ hostNetwork: true, hostPID: true }, 'host namespaces (hostNetwork=true, hostPID=true)'],
    [{ volumes: [{ name: 'v', hostPath: { path: '/' } }] }, 'hostPath volumes (volume "v")'],
    [of({}, { ports: [{ containerPort: 80, hostPort: 80 }] }), 'hostPort (container "c" uses hostPort 80)'],
    [
      of({}, { livenessProbe: { tcpSocket: { host: '10.0.0.9', port: 1 } } }),
      'probe or lifecycle host (container "c" uses probe or lifecycle host "10.0.0.9")',
    ],
    [
      of({ capabilities: { add: ['SYS_TIME', 'NET_RAW', 'KILL'] } }),
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
    ],
    [
      of({ seLinuxOptions: { type: 'spc_t', user: 'u' } }),
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    ],
    [{ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }, 'forbidden sysctls (kernel.msgmax)'],
  ];
  for (const [spec, text] of cases) t.is(refusedText(t, server, spec), `"baseline:latest": ${text}`);
  t.is(server.create('Pod', podDraft('plain')).metadata.name, 'plain');
});

test('rules are those of the version', (t) => {
  const { server } = createFixture();
  label(server, { enforce: 'baseline', 'enforce-version': 'v1.33' });
  const probe = { livenessProbe: { httpGet: { host: '10.0.0.9', port: 1 } } };
  server.create('Pod', podDraft('by-older-rules', { containers: [{ name: 'c', image: 'x', ...probe }] }));
  label(server, { enforce: 'restricted', 'enforce-version': 'v1.18' });
  t.is(
    refusedText(t, server, {
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
      ...{ securityContext: { runAsUser: 0 } },
    }),
    '"restricted:v1.18": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'restricted volume types (volume "v" uses restricted volume type "hostPath"), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  );
});

test('a level that is warned of lets pods and templates in with a warning', (t) => {
  const fixture = createFixture();
  label(fixture.server, { warn: 'restricted', 'warn-version': 'v1.22' });
  const warning =
    'would violate PodSecurity "restricted:v1.22": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';
  t.deepEqual(warningsOf(fixture, 'POST', PODS, podDraft('p')), [warning]);
  const template = { metadata: { labels: { a: 'b' } }, spec: podDraft('t')['spec'] };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  t.deepEqual(warningsOf(fixture, 'POST', path, { metadata: { name: 'd' }, spec }), [warning]);
  t.deepEqual(warningsOf(fixture, 'POST', PODS, podDraft('safe', SAFE)), []);
});

test('an enforced level is warned of in templates, too', (t) => {
  const fixture = createFixture();
  label(fixture.server, { enforce: 'baseline' });
  const spec = { restartPolicy: 'Never', hostNetwork: true, containers: [{ name: 'c', image: 'x' }] };
  const body = { metadata: { name: 'j' }, spec: { template: { spec } } };
  t.deepEqual(warningsOf(fixture, 'POST', '/apis/batch/v1/namespaces/default/jobs', body), [
    'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  ]);
});

test('a stricter level warns of the pods that are there', (t) => {
  const fixture = createFixture();
  const { server } = fixture;
  for (const name of ['b', 'a', 'c']) server.create('Pod', podDraft(name));
  server.create('Pod', podDraft('safe', SAFE));
  server.create('Pod', podDraft('host', { ...SAFE, hostNetwork: true }));
  const body = { metadata: { labels: { [`${PREFIX}enforce`]: 'restricted' } } };
  t.deepEqual(warningsOf(fixture, 'PATCH', '/api/v1/namespaces/default', body), [
    'existing pods in namespace "default" violate the new PodSecurity enforce level "restricted:latest"',
    'a (and 2 other pods): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
    'host: host namespaces',
  ]);
  t.deepEqual(warningsOf(fixture, 'PATCH', '/api/v1/namespaces/default', body), []);
});

test('labels that cannot be read are refused', (t) => {
  const { server } = createFixture();
  const { code, message } = refusal(t, () => label(server, { enforce: 'strict', 'warn-version': '1.2' }));
  t.is(code, 422);
  t.is(
    message,
    'Namespace "default" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, ' +
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
  );
});

test('what an update leaves as it was is not looked at again', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  label(server, { enforce: 'restricted' });
  const labelled = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
  t.deepEqual(server.patch('Pod', { name: 'p' }, labelled).metadata.labels, { a: 'b' });
  const image = { type: 'json', body: [{ op: 'replace', path: '/spec/containers/0/image', value: 'y' }] } as const;
  t.regex(refusal(t, () => server.patch('Pod', { name: 'p' }, image)).message, /violates PodSecurity/);
});
