import test from 'ava';
import type { Container, core, Pod } from '../../../src/api/objects/objects.js';
import type { Answer } from '../../../src/kubelet/probes/probe-answers.js';
import {
  noticeMessage,
  noticeReason,
  portFault,
  refusalMs,
  type ProbeNotice,
} from '../../../src/kubelet/probes/probe-outcome.js';
import { probeSettings } from '../../../src/kubelet/probes/probe-settings.js';
import type { ProbeScript } from '../../../src/kubelet/scripts/script-types.js';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u1' },
  spec: { containers: [] },
  status: { phase: 'Running' },
} as unknown as Pod;

interface Case {
  readonly probe: core.Probe;
  readonly answer?: Answer;
  readonly outcome?: ProbeNotice['outcome'];
  readonly script?: ProbeScript;
  readonly container?: Partial<Container>;
  readonly address?: string;
}

/** The event that one attempt causes. */
function told({
  probe,
  answer = 'failing',
  outcome = 'failed',
  script,
  container,
  address = '10.0.0.5',
}: Case): string {
  const owner: Container = { name: 'c', ...container, readinessProbe: probe };
  const settings = probeSettings(owner, 'readiness');
  if (settings === undefined) throw new Error('the container has a probe');
  const notice: ProbeNotice = { kind: 'readiness', settings, outcome, answer, script, atMs: 1000 };
  return `${noticeReason(notice)}: ${noticeMessage(notice, { pod: POD, container: owner, address })}`;
}

const EXEC: core.Probe = { exec: { command: ['cat', '/tmp/healthy'] } };
const HTTP: core.Probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' } };
const TCP: core.Probe = { tcpSocket: { port: 5432 } };
const GRPC: core.Probe = { grpc: { port: 50_051, service: '' } };
const TIMEOUT: ProbeScript = { isTimeout: true };

for (const [what, given, text] of [
  ['4.7 › an exec probe that exits with another code than 0', { probe: EXEC }, 'Unhealthy: Readiness probe failed: '],
  [
    '4.9 › an exec probe that gives no answer in time',
    { probe: { ...EXEC, timeoutSeconds: 90 }, script: TIMEOUT },
    'Unhealthy: Readiness probe failed: command timed out: "cat /tmp/healthy" timed out after 1m30s',
  ],
  [
    '4.9 › an httpGet probe that is answered with an error',
    { probe: HTTP },
    'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 500',
  ],
  [
    '4.9 › an httpGet probe that gets no answer in time',
    { probe: HTTP, script: TIMEOUT },
    'Unhealthy: Readiness probe failed: Get "http://10.0.0.5:8080/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  ],
  [
    '4.9 › an httpGet probe of an application that is not up',
    { probe: HTTP, answer: 'down' },
    'Unhealthy: Readiness probe failed: Get "http://10.0.0.5:8080/healthz": dial tcp 10.0.0.5:8080: connect: connection refused',
  ],
  [
    '4.9 › a tcpSocket probe that is refused',
    { probe: TCP },
    'Unhealthy: Readiness probe failed: dial tcp 10.0.0.5:5432: connect: connection refused',
  ],
  [
    '4.9 › a tcpSocket probe that gets no answer in time',
    { probe: TCP, script: TIMEOUT },
    'Unhealthy: Readiness probe failed: dial tcp 10.0.0.5:5432: i/o timeout',
  ],
  [
    '4.9 › a grpc probe of a service that does not serve',
    { probe: GRPC },
    'Unhealthy: Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
  ],
  [
    '4.9 › a grpc probe that gets no answer in time',
    { probe: GRPC, script: TIMEOUT },
    'Unhealthy: Readiness probe failed: timeout: health rpc did not complete within 1s',
  ],
  [
    '4.9 › a grpc probe of an application that is not up',
    { probe: { ...GRPC, timeoutSeconds: 3 }, answer: 'down' },
    'Unhealthy: Readiness probe failed: timeout: failed to connect service "10.0.0.5:50051" within 3s: context deadline exceeded',
  ],
  [
    '4.9 › an httpGet probe that is redirected to another host is a success with a warning',
    { probe: HTTP, answer: 'ok', outcome: 'warning', script: { redirectBody: 'gone' } },
    'ProbeWarning: Readiness probe warning: Probe terminated redirects, Response body: gone',
  ],
  [
    '4.8 › a probe that names no port of the container errs',
    { probe: { httpGet: { path: '/', port: 'web' } }, outcome: 'errored' },
    'Unhealthy: Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "web": invalid syntax',
  ],
  [
    '4.8 › an exec probe that cannot be run errs',
    {
      probe: EXEC,
      outcome: 'errored',
      script: { isError: true, output: 'rpc error: code = Canceled desc = context canceled' },
    },
    'Unhealthy: Readiness probe errored and resulted in unknown state: rpc error: code = Canceled desc = context canceled',
  ],
  [
    'a failing probe says what its script says',
    { probe: HTTP, script: { output: 'HTTP probe failed with statuscode: 503' } },
    'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
  ],
] as const satisfies readonly (readonly [string, Case, string])[]) {
  test(what, (t) => t.is(told(given), text));
}

test('4.8 › an exec probe whose command is missing tells so in the words of the runtime', (t) => {
  const text = told({ probe: EXEC, outcome: 'errored', script: { isError: true } });
  const id = /failed to start exec "([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  t.is(
    text,
    'Unhealthy: Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in ' +
      `container: failed to start exec "${id}": OCI runtime exec failed: exec failed: unable to start container process: ` +
      'exec: "cat": executable file not found in $PATH: unknown',
  );
});

test('a URL names the probe’s own host, its scheme, a port by its name, and the path as Go writes it', (t) => {
  const ports = [{ name: 'web', containerPort: 8443 }];
  const url = (action: core.HTTPGetAction, address?: string): string | undefined =>
    /Get "([^"]*)"/.exec(
      told({
        probe: { httpGet: action },
        answer: 'down',
        container: { ports },
        ...(address === undefined ? {} : { address }),
      }),
    )?.[1];
  t.is(url({ port: 'web', scheme: 'HTTPS', path: '/' }), 'https://10.0.0.5:8443/');
  t.is(url({ port: 80, host: 'example.com', path: 'a b%20c?x=1' }), 'http://example.com:80/a%20b%20c?x=1');
  t.is(url({ port: 80, path: '/' }, 'fd00::5'), 'http://[fd00::5]:80/');
});

test('a command is shown with the values of the container’s own variables', (t) => {
  const container = {
    env: [
      { name: 'DIR', value: '/data' },
      { name: 'SECRET', valueFrom: {} },
    ],
  };
  const probe = { exec: { command: ['sh', '-c', 'ls $(DIR) "$(SECRET)" $(NONE) $$(DIR)'] } };
  t.is(
    told({ probe, container, script: TIMEOUT }),
    String.raw`Unhealthy: Readiness probe failed: command timed out: "sh -c ls /data \"\" $(NONE) $(DIR)" timed out after 1s`,
  );
});

test('a port may be a number, the name of a port of the container, or a number as text', (t) => {
  const container = { ports: [{ name: 'web', containerPort: 80 }] };
  t.is(portFault({ tcpSocket: { port: 80 } }, container), undefined);
  t.is(portFault({ tcpSocket: { port: 'web' } }, container), undefined);
  t.is(portFault({ tcpSocket: { port: '8080' } }, container), undefined);
  t.is(portFault({ tcpSocket: { port: '70000' } }, container), 'invalid port number: 70000');
  t.is(portFault({ tcpSocket: { port: 'www' } }, container), 'strconv.Atoi: parsing "www": invalid syntax');
  t.is(portFault({ grpc: { port: 80 } }, container), undefined);
});

/** How long an attempt with a timeout of four seconds takes. */
function taken(probe: core.Probe, answer: Answer, script?: ProbeScript): number {
  const settings = probeSettings({ name: 'c', livenessProbe: { ...probe, timeoutSeconds: 4 } }, 'liveness');
  return settings === undefined ? Number.NaN : refusalMs(settings, answer, script);
}

test('only attempts without an answer take time: the probe’s timeout', (t) => {
  t.is(taken(HTTP, 'failing'), 0);
  t.is(taken(HTTP, 'failing', TIMEOUT), 4000);
  t.is(taken(HTTP, 'down', TIMEOUT), 0);
  t.is(taken(GRPC, 'down'), 4000);
});
