/** `agnhost`, the image of Kubernetes' own tests: one program with many others in it. */
import type { HttpHandler } from '../processes/network.js';
import type { Process, Program, Running } from '../processes/process.js';
import { conversionWebhook, webhook } from './agnhost-webhooks.js';
import { mounttest } from './mounttest.js';
import { goLogTime, netexec } from './netexec.js';
import { barePath, fileServer, listen, queryOf, serve } from './servers.js';

type Flags = ReadonlyMap<string, string>;
type Command = (process: Process, flags: Flags, args: readonly string[]) => Running;

/** Flags as Go programs take them: `--name=value`, `--name value`, `--name`. */
function readFlags(args: readonly string[]): Flags {
  const flags = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const match = /^--?([\w-]+)(?:=([^]*))?$/.exec(args[index] ?? '');
    if (match === null) continue;
    const [, name = '', value] = match;
    const next = args[index + 1];
    if (value !== undefined) flags.set(name, value);
    else if (next === undefined || /^--?[a-z]/.test(next)) flags.set(name, 'true');
    else {
      flags.set(name, next);
      index += 1;
    }
  }
  return flags;
}

/** Goes on until the kernel ends it, as a Go program without a handler for signals does on SIGTERM. */
const GO_ENDED = 2;

function* pause(process: Process): Running {
  process.print('Paused\nSignals registered\n');
  let message = '';
  const code = yield* serve(process, {
    onTerm: GO_ENDED,
    onSignal(signal) {
      message = `exiting because of signal "${signal === 2 ? 'interrupt' : 'terminated'}"\n`;
    },
  });
  const path = process.environment.get('TERMINATION_MESSAGE_PATH') ?? '/dev/termination-log';
  try {
    process.tree.write(process.path(path), message, process.user);
  } catch {
    // As upstream's: a message that cannot be written is left out.
  }
  process.print(message);
  return code;
}

function* liveness(process: Process): Running {
  const startedMs = process.nowMs;
  listen(process, 8080, ({ path }) => {
    const seconds = (process.nowMs - startedMs) / 1000;
    if (barePath(path) === '/started') return { status: 200, body: `${seconds}s` };
    if (barePath(path) === '/redirect') {
      return { status: 302, headers: { Location: queryOf(path).get('loc') ?? '' }, body: '' };
    }
    if (barePath(path) !== '/healthz') return { status: 404, body: '404 page not found\n' };
    return seconds > 10 ? { status: 500, body: `error: ${seconds}` } : { status: 200, body: 'ok' };
  });
  return yield* serve(process, { onTerm: GO_ENDED });
}

function* testWebserver(process: Process, flags: Flags): Running {
  listen(process, Number(flags.get('port') ?? 80), fileServer(process, '/'));
  return yield* serve(process, { onTerm: GO_ENDED });
}

const HOSTNAME_LINGER_MS = 60_000;

function* serveHostname(process: Process, flags: Flags): Running {
  const log = (text: string): void => process.complain(`${goLogTime(process)} ${text}\n`);
  const port = Number(flags.get('port') ?? 9376);
  listen(process, port, ({ from }) => {
    log(`HTTP request from ${from}:40000`);
    return { status: 200, body: process.table.hostname };
  });
  log(`Serving on port ${port}.`);
  return yield* serve(process, {
    onTerm: 0,
    delayMs: HOSTNAME_LINGER_MS,
    onSignal() {
      log('Shutting down after receiving signal: terminated.');
      log('Awaiting pod deletion.');
    },
  });
}

const WORDS = 'bcdfghjklmnpqrstvwxz2456789';

function* logsGenerator(process: Process, flags: Flags): Running {
  const total = Number(flags.get('log-lines-total') ?? flags.get('t') ?? 0);
  const [, digits = '0', unit = 's'] =
    /^([\d.]+)(ms|s|m|h)$/.exec(flags.get('run-duration') ?? flags.get('d') ?? '') ?? [];
  const durationMs = Number(digits) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit] ?? 1000);
  if (total <= 0 || durationMs <= 0) {
    process.complain(`Invalid total number of lines: ${total}\n`);
    return 255;
  }
  const random = (count: number): number => process.table.random() % count;
  const startedMs = process.nowMs;
  for (let line = 0; line < total; line += 1) {
    const name = Array.from({ length: 3 + random(2) }, () => WORDS.charAt(random(WORDS.length))).join('');
    const method = ['GET', 'POST', 'PUT'][random(3)] ?? 'GET';
    const namespace = ['kube-system', 'default', 'ns'][random(3)] ?? 'ns';
    const [, month = '', day = '', time = ''] =
      /^\d+-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)/.exec(process.table.toTime(process.nowMs)) ?? [];
    const fraction = String((process.nowMs % 1000) * 1000).padStart(6, '0');
    process.complain(
      `I${month}${day} ${time}.${fraction}       1 logs_generator.go:76] ${line} ${method} /api/v1/namespaces/${namespace}/pods/${name} ${200 + random(400)}\n`,
    );
    yield* process.sleep(startedMs + ((line + 1) * durationMs) / total - process.nowMs);
  }
  return 0;
}

function* entrypointTester(process: Process): Running {
  process.print(`[${process.args.join(' ')}]\n`);
  return yield* ended(0);
}

function* ended(status: number): Running {
  return status;
}

function* grpcHealthChecking(process: Process, flags: Flags): Running {
  const startedMs = process.nowMs;
  const failsAfterMs = Number(flags.get('delay-unhealthy-sec') ?? -1) * 1000;
  let isServing = true;
  listen(process, Number(flags.get('port') ?? 5000), () => {
    const isHealthy = isServing && (failsAfterMs < 0 || process.nowMs - startedMs < failsAfterMs);
    return { status: isHealthy ? 200 : 503, body: isHealthy ? 'SERVING' : 'NOT_SERVING' };
  });
  listen(process, Number(flags.get('http-port') ?? 8080), ({ path }) => {
    if (barePath(path) === '/make-not-serving') isServing = false;
    if (barePath(path) === '/make-serving') isServing = true;
    return { status: 200, body: '' };
  });
  return yield* serve(process, { onTerm: GO_ENDED });
}

/** The certificate that is in the image: of localhost, and signed by nothing that a client trusts. */
const LOCALHOST = 'localhost.crt';

function* porter(process: Process, flags: Flags): Running {
  const isJson = flags.get('json-response') === 'true';
  for (const [name, value] of process.environment) {
    const [, tls, port] = /^SERVE_(TLS_)?PORT_(\d+)$/.exec(name) ?? [];
    if (port === undefined) continue;
    const file = process.environment.get('CERT_FILE') ?? '';
    const certificate = file === '' ? LOCALHOST : process.tree.read(file, process.user);
    const answer: HttpHandler = ({ method }) =>
      isJson
        ? {
            status: 200,
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ Method: method, Body: value }),
          }
        : { status: 200, body: value };
    listen(process, Number(port), answer, tls === undefined ? undefined : certificate);
  }
  return yield* serve(process, { onTerm: GO_ENDED });
}

/** The server of `nettest`, which others write to; it looks for no peers of its own. */
function* nettest(process: Process, flags: Flags): Running {
  const received: Record<string, number> = {};
  const errors: string[] = [];
  let isOver = false;
  const hostname = process.table.hostname;
  listen(process, Number(flags.get('port') ?? 8080), ({ path, body }) => {
    switch (barePath(path)) {
      case '/read': {
        const state = { Hostname: hostname, Sent: null, Received: received, Errors: errors, Log: null };
        return { status: 200, body: JSON.stringify({ ...state, StillContactingPeers: false }, undefined, '\t') };
      }
      case '/write': {
        const source = sourceOf(body);
        if (source === '') errors.push(`${hostname}: Got request with no source`);
        else received[source] = (received[source] ?? 0) + 1;
        return { status: 200, body: `${JSON.stringify({ Hostname: hostname })}\n` };
      }
      case '/quit':
        isOver = true;
        return { status: 200, body: '' };
      case '/status':
        return { status: 200, body: 'fail' };
      default:
        return { status: 404, body: '404 page not found\n' };
    }
  });
  return yield* serve(process, { onTerm: GO_ENDED, hasEnded: () => (isOver ? 0 : undefined) });
}

function sourceOf(body: string): string {
  try {
    const { Source: source } = JSON.parse(body) as { readonly Source?: unknown };
    return typeof source === 'string' ? source : '';
  } catch {
    return '';
  }
}

function* connect(process: Process, flags: Flags, args: readonly string[]): Running {
  const [, host = '', port = '0'] =
    /^\[?(.+?)\]?:(\d+)$/.exec(args.find((arg) => !arg.startsWith('-') && arg.includes(':')) ?? '') ?? [];
  const { network } = process.table;
  if (network.lookUp(host).length === 0) process.complain('DNS\n');
  else if (network.connect(host, Number(port)) !== 'refused') return 0;
  else process.complain('REFUSED\n');
  return yield* ended(1);
}

function* dnsSuffix(process: Process): Running {
  const lines = process.tree.read('/etc/resolv.conf', process.user).split('\n');
  process.print((lines.find((line) => line.startsWith('search '))?.slice(7) ?? '').split(' ').join(','));
  return yield* ended(0);
}

function* dnsServers(process: Process): Running {
  const lines = process.tree.read('/etc/resolv.conf', process.user).split('\n');
  const servers = lines.filter((line) => line.startsWith('nameserver ')).map((line) => line.slice(11));
  process.print(servers.join(','));
  return yield* ended(0);
}

function* etcHosts(process: Process): Running {
  process.print(process.tree.read('/etc/hosts', process.user));
  return yield* ended(0);
}

const COMMANDS: Readonly<Record<string, Command>> = {
  pause,
  mounttest,
  netexec,
  liveness,
  'test-webserver': testWebserver,
  'serve-hostname': serveHostname,
  'logs-generator': logsGenerator,
  'entrypoint-tester': entrypointTester,
  'grpc-health-checking': grpcHealthChecking,
  porter,
  nettest,
  connect,
  'dns-suffix': dnsSuffix,
  'dns-server-list': dnsServers,
  'etc-hosts': etcHosts,
  webhook,
  'crd-conversion-webhook': conversionWebhook,
};

export const agnhost: Program = function* agnhostProgram(process, args) {
  const [, name = '', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.complain(`Error: unknown command ${JSON.stringify(name)} for "app"\n`);
    return 1;
  }
  return yield* command(process, readFlags(rest), rest);
};

/** `nnp` of the image nonewprivs, which is root's and keeps its rights where the kernel lets it. */
export const nonewprivs: Program = function* tells(process) {
  const isBound = process.tree.read('/proc/self/status', process.user).includes('NoNewPrivs:\t1');
  process.print(`Effective uid: ${isBound ? process.user.uid : 0}\n`);
  return yield* ended(0);
};
