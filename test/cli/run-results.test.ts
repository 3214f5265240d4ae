import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { kubeloom } from './command.js';
import { MAIN } from './main-file.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-results-'));
const SMALL = ['run', '--nodes', '10', '--pods', '40'];

interface Received {
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

async function receiver(
  status: number,
): Promise<{ readonly url: string; readonly received: Received[]; readonly server: Server }> {
  const received: Received[] = [];
  const take = async (request: IncomingMessage): Promise<void> => {
    const { url: path, headers } = request;
    received.push({ path, type: headers['content-type'], body: JSON.parse(await textOf(request)) });
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, server };
}

test('kubeloom run › writes summary, JUnit and OpenMetrics', async (t) => {
  const [summary, junit, metrics] = ['summary.json', 'junit.xml', 'metrics.txt'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { status, stderr } = await kubeloom(
    ...SMALL,
    ...['--summary', summary, '--junit', junit, '--openmetrics', metrics],
    ...['--threshold', 'unschedulable: count==0'],
  );
  t.is(status, 0, stderr);
  const { schema, passed, checks, thresholds, marks } = JSON.parse(readFileSync(summary, 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  t.like({ schema, passed }, { schema: 'kubeloom.dev/run-summary', passed: true });
  t.deepEqual(checks, [{ name: 'every workload is up and updated', ok: true, problem: null, atMs: null }]);
  t.deepEqual(thresholds, [{ metric: 'unschedulable', expression: 'count==0', ok: true, value: 0 }]);
  t.deepEqual(
    (marks as readonly { readonly text: string }[]).map((mark) => mark.text.replace(/ \(.*/, '')),
    ['nodes', 'pods ready', 'rolling update'],
  );
  t.regex(readFileSync(junit, 'utf8'), /<testsuites .*tests="2" failures="0"/);
  t.regex(readFileSync(metrics, 'utf8'), /# EOF\n$/);
});

test('kubeloom scenario --junit › expectations and thresholds are cases; a failed one is there as well', async (t) => {
  const junit = join(folder, 'scenario.xml');
  const scenario = 'examples/scenarios/force-deletion.yaml';
  const { status } = await kubeloom('scenario', scenario, '--junit', junit, '--threshold', 'violations: count==0');
  t.is(status, 1);
  const text = readFileSync(junit, 'utf8');
  t.regex(text, /classname="kubeloom\.scenario\.checks"/);
  t.regex(text, /<failure message="threshold failed: violations: count==0 \(it was [1-9]/);
});

test('kubeloom run --otlp › a receiver is sent the run as JSON', async (t) => {
  const { url, received, server } = await receiver(200);
  const { status, stderr } = await kubeloom(...SMALL, '--otlp', url);
  server.close();
  t.is(status, 0, stderr);
  t.true(received.length > 0);
  for (const each of received) t.like(each, { path: '/v1/metrics', type: 'application/json' });
  t.regex(JSON.stringify(received), /kubeloom_pods_scheduled/);
});

test('kubeloom run --otlp › a receiver that refuses, or is not there, is told of in one line', async (t) => {
  const { url, server } = await receiver(503);
  const refused = await kubeloom(...SMALL, '--otlp', url);
  server.close();
  t.is(refused.status, 2);
  t.regex(refused.stderr, /^kubeloom: --otlp: http:\/\/127\.0\.0\.1:\d+\/v1\/metrics answered 503: \{\}$/m);
  const absent = await kubeloom(...SMALL, '--otlp', url);
  t.is(absent.status, 2);
  t.regex(absent.stderr, /^kubeloom: --otlp: cannot send to .*ECONNREFUSED/m);
});

test('places that cannot be written are told of before anything runs', async (t) => {
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { status, stderr, stdout } = await kubeloom(...SMALL, ...args);
    t.deepEqual([status, stdout], [2, '']);
    return stderr;
  };
  t.is(
    await refusal('--summary', '/no/such/run.json'),
    'kubeloom: --summary: cannot write /no/such/run.json: no such folder\n',
  );
  const beneath = join(MAIN, 'run.html');
  t.is(await refusal('--report', beneath), `kubeloom: --report: cannot write ${beneath}: ${MAIN} is no directory\n`);
  t.is(await refusal('--junit', folder), `kubeloom: --junit: cannot write ${folder}: it is a directory\n`);
  t.is(
    await refusal('--otlp', 'collector'),
    'kubeloom: --otlp must be a URL such as http://localhost:4318, got "collector"\n',
  );
  t.false(existsSync('/no'));
});
