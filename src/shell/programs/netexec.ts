/** `agnhost netexec`: a server that answers, echoes, asks others and ends when it is told to. */
import type { HttpRequest, HttpResponse } from '../processes/network.js';
import type { Process, Running } from '../processes/process.js';
import { barePath, listen, queryOf, serve } from './servers.js';

const USUAL_PORT = 8080;
const USUAL_UDP_PORT = 8081;

/** A server that has been asked to end. */
interface End {
  code: number;
  atMs: number;
}

export function* netexec(process: Process, flags: ReadonlyMap<string, string>): Running {
  const port = Number(flags.get('http-port') ?? USUAL_PORT);
  const udpPort = Number(flags.get('udp-port') ?? USUAL_UDP_PORT);
  const override = flags.get('http-override') ?? '';
  const end: End = { code: 0, atMs: Infinity };
  let isEnding = false;
  const log = (text: string): void => process.complain(`${goLogTime(process)} ${text}\n`);
  listen(process, port, (request) => {
    const asked = override === '' ? request : { ...request, method: 'GET', path: override };
    return answer(process, asked, { port, isEnding, end, log });
  });
  if (udpPort > 0) log(`Started UDP server on port  ${udpPort}`);
  log(`Started HTTP server on port ${port}`);
  const delaySeconds = Number(flags.get('delay-shutdown') ?? '0');
  return yield* serve(process, {
    onTerm: 0,
    delayMs: delaySeconds * 1000,
    onSignal() {
      isEnding = true;
      if (delaySeconds > 0) log(`Sleeping ${delaySeconds} seconds before terminating...`);
    },
    hasEnded: () => (process.nowMs >= end.atMs ? end.code : undefined),
    nextMs: () => end.atMs,
  });
}

/** What the answers depend on. */
interface NetexecState {
  readonly port: number;
  readonly isEnding: boolean;
  readonly end: End;
  readonly log: (text: string) => void;
}

function ok(body: string): HttpResponse {
  return { status: 200, body };
}

function answer(process: Process, request: HttpRequest, { port, isEnding, end, log }: NetexecState): HttpResponse {
  const query = queryOf(request.path);
  const get = (name: string): string => query.get(name) ?? new URLSearchParams(request.body).get(name) ?? '';
  const path = barePath(request.path);
  switch (path) {
    case '/clientip':
      log('GET /clientip');
      return ok(`${request.from}:40000`);
    case '/serverport':
      log('GET /serverport');
      return ok(String(port));
    case '/header': {
      const key = get('key');
      log(key === '' ? 'GET /header' : `GET /header?key=${key}`);
      const all = Object.entries(request.headers);
      if (key !== '') return ok(all.find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1] ?? '');
      return ok(JSON.stringify(Object.fromEntries(all.map(([name, value]) => [name, [value]]))));
    }
    case '/echo': {
      const [message, code] = [get('msg'), get('code')];
      log(`GET /echo?msg=${message}&code=${code}`);
      return { status: code === '' ? 200 : Number(code), body: message };
    }
    case '/exit': {
      const [code, timeout, wait] = [get('code'), get('timeout'), get('wait')];
      log(`GET /exit?code=${code}&timeout=${timeout}&wait=${wait}`);
      end.code = Number(code) || 0;
      end.atMs = process.nowMs + secondsOf(wait) * 1000;
      return ok('');
    }
    case '/shutdown':
      log('GET /shutdown');
      end.atMs = process.nowMs;
      return ok('');
    case '/healthz':
      log('GET /healthz');
      return ok('');
    case '/readyz':
      log('GET /readyz');
      return isEnding ? { status: 503, body: 'shutting down' } : ok('ok');
    case '/hostname':
    case '/hostName':
      log(`GET ${path}`);
      return ok(process.table.hostname);
    case '/redirect': {
      const code = get('code');
      log(`GET /redirect?location=${get('location')}&code=${code}`);
      return { status: code === '' ? 302 : Number(code), headers: { Location: get('location') }, body: '' };
    }
    case '/dial':
      return dial(process, get, log);
    default:
      log('GET /');
      return ok(`NOW: ${process.table.toTime(process.nowMs)}`);
  }
}

function dial(process: Process, get: (name: string) => string, log: NetexecState['log']): HttpResponse {
  const [host, port, request, protocol] = [get('host'), get('port'), get('request'), get('protocol')];
  const tries = Number(get('tries') || 1);
  log(`GET /dial?host=${host}&protocol=${protocol}&port=${port}&request=${request}&tries=${get('tries')}`);
  if (request === '') return { status: 400, body: 'request parameter not specified. <nil>\n' };
  const responses: string[] = [];
  const errors: string[] = [];
  for (let count = 0; count < Math.min(tries, 1000); count += 1) {
    const result = process.table.network.fetch(host, Number(port), {
      method: 'GET',
      path: `/${request}`,
      headers: {},
      body: '',
    });
    if ('problem' in result)
      errors.push(`Get "http://${host}:${port}/${request}": dial tcp ${host}:${port}: connect: connection refused`);
    else responses.push(result.response.body);
  }
  const output = { ...(errors.length > 0 ? { errors } : {}), ...(responses.length > 0 ? { responses } : {}) };
  return { status: 200, body: JSON.stringify(output) };
}

function secondsOf(text: string): number {
  const [, digits = '0', unit = 's'] = /^([\d.]+)(ms|s|m|h)?$/.exec(text) ?? [];
  return Number(digits) * ({ ms: 0.001, s: 1, m: 60, h: 3600 }[unit] ?? 1);
}

/** As Go's log package begins a line. */
export function goLogTime(process: Process): string {
  const [, date = '', time = ''] = /^(\S+)T(\d\d:\d\d:\d\d)/.exec(process.table.toTime(process.nowMs)) ?? [];
  return `${date.replaceAll('-', '/')} ${time}`;
}
