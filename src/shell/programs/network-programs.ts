/** Programs that ask others over the network: `wget`, `nc`, `nslookup`, and of images `curl`, `dig`, `getent`. */
import type { FetchResult } from '../processes/network.js';
import type { Process, Program, Running } from '../processes/process.js';
import { makeProgram } from './make-program.js';

/** The parts of an address such as `http://web:8080/path`. */
function partsOf(
  url: string,
): { readonly scheme: string; readonly host: string; readonly port: number; readonly path: string } | undefined {
  const match = /^(?:(https?):\/\/)?(\[[^\]]+\]|[^/:?]+)(?::(\d+))?([/?].*)?$/.exec(url);
  if (match === null) return undefined;
  const [, scheme = 'http', host = '', port, path = '/'] = match;
  const number = port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port);
  return {
    scheme,
    host: host.replaceAll(/^\[|\]$/g, ''),
    port: number,
    path: path.startsWith('/') ? path : `/${path}`,
  };
}

/** Asks, and follows to where it is sent. */
function fetchUrl(process: Process, url: string, method = 'GET', body = '', most = 10): FetchResult | undefined {
  const parts = partsOf(url);
  if (parts === undefined) return undefined;
  const { host, port, path } = parts;
  const result = process.table.network.fetch(host, port, { method, path, headers: { Host: host }, body });
  if ('problem' in result || most === 0) return result;
  const { status, headers } = result.response;
  const location = headers?.['Location'];
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return result;
  return fetchUrl(
    process,
    location.startsWith('/') ? `http://${host}:${port}${location}` : location,
    method,
    body,
    most - 1,
  );
}

const UNREACHABLE_MS = 127_000;

const wget = makeProgram({
  name: 'wget',
  letters: 'qO:T:t:Scsd:',
  long: {
    'no-check-certificate': 'c',
    timeout: 'T',
    tries: 't',
    spider: 's',
    quiet: 'q',
    'post-data': 'd',
    header: 'c',
  },
  *run(process, { has, value, operands }) {
    for (const url of operands) {
      const parts = partsOf(url);
      const result = fetchUrl(process, url, value('d') === undefined ? 'GET' : 'POST', value('d'));
      if (parts === undefined || result === undefined) {
        process.complain(`wget: bad address '${url}'\n`);
        return 1;
      }
      if ('problem' in result) return yield* tellProblem(process, result, parts, Number(value('T') ?? '0') * 1000);
      const { status, body } = result.response;
      if (!has('q')) process.complain(`Connecting to ${parts.host}:${parts.port} (${result.address}:${parts.port})\n`);
      if (status >= 400) {
        process.complain(`wget: server returned error: HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? ''}\n`);
        return 1;
      }
      if (has('s')) continue;
      const target = value('O') ?? (parts.path.split('/').at(-1) || 'index.html');
      if (target === '-') process.print(body);
      else process.tree.write(process.path(target), body, process.user, process.umask);
    }
    return 0;
  },
});

function* tellProblem(
  process: Process,
  { problem, address }: Extract<FetchResult, { problem: string }>,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Running {
  if (problem === 'bad address') process.complain(`wget: bad address '${host}'\n`);
  else if (problem === 'refused')
    process.complain(`wget: can't connect to remote host (${address}): Connection refused\n`);
  else {
    yield* process.sleep(timeoutMs > 0 ? timeoutMs : UNREACHABLE_MS);
    process.complain(
      timeoutMs > 0
        ? 'wget: download timed out\n'
        : `wget: can't connect to remote host (${address}:${port}): Operation timed out\n`,
    );
  }
  return 1;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  412: 'Precondition Failed',
  417: 'Expectation Failed',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const curl = makeProgram({
  name: 'curl',
  letters: 'qsSfkLvig46o:m:X:d:H:w:I',
  long: {
    'connect-timeout': 'm',
    'max-time': 'm',
    silent: 's',
    'show-error': 'S',
    fail: 'f',
    insecure: 'k',
    location: 'L',
    output: 'o',
    request: 'X',
    data: 'd',
    header: 'H',
    'write-out': 'w',
    globoff: 'g',
  },
  *run(process, { has, value, operands }) {
    for (const url of operands) {
      const parts = partsOf(url);
      const body = value('d');
      const method = value('X') ?? (body === undefined ? 'GET' : 'POST');
      const result = fetchUrl(process, url, method, body, has('L') ? 10 : 0);
      if (parts === undefined || result === undefined) {
        process.complain('curl: (3) URL rejected\n');
        return 3;
      }
      if ('problem' in result) {
        if (result.problem === 'bad address') {
          process.complain(`curl: (6) Could not resolve host: ${parts.host}\n`);
          return 6;
        }
        if (result.problem === 'unreachable') {
          yield* process.sleep(Number(value('m') ?? 127) * 1000);
          process.complain('curl: (28) Connection timed out\n');
          return 28;
        }
        process.complain(`curl: (7) Failed to connect to ${parts.host} port ${parts.port}: Connection refused\n`);
        return 7;
      }
      const { status, body: text } = result.response;
      if (has('f') && status >= 400) {
        process.complain(`curl: (22) The requested URL returned error: ${status}\n`);
        return 22;
      }
      const target = value('o');
      if (target === undefined) process.print(text);
      else process.openFile(target, 'write').write(text);
      const format = value('w');
      if (format !== undefined)
        process.print(format.replaceAll('%{http_code}', String(status)).replaceAll(String.raw`\n`, '\n'));
    }
    return 0;
  },
});

const REQUEST_LINE = /^(GET|HEAD|POST|PUT|DELETE) (\S+) HTTP\/1\.[01]\r?\n/;

/** What a server by HTTP says to what comes in: an answer to a request, and of anything else that it is none. */
function spoken(process: Process, host: string, port: number, said: string): string {
  if (said === '') return '';
  const [, method = '', path = ''] = REQUEST_LINE.exec(said) ?? [];
  const plain = 'Content-Type: text/plain; charset=utf-8';
  if (method === '') return `HTTP/1.1 400 Bad Request\r\n${plain}\r\nConnection: close\r\n\r\n400 Bad Request`;
  const result = process.table.network.fetch(host, port, { method, path, headers: { Host: host }, body: '' });
  if ('problem' in result) return '';
  const { status, headers = {}, body } = result.response;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? 'OK'}\r\n${lines.join('')}\r\n${method === 'HEAD' ? '' : body}`;
}

const nc = makeProgram({
  name: 'nc',
  letters: 'zvw:ulnt',
  *run(process, { has, value, operands }) {
    const [host = '', port = '0'] = operands;
    if (has('l')) {
      process.table.network.listen(process.pid, Number(operands.at(-1)), undefined);
      yield { isReady: () => false };
    }
    const addresses = process.table.network.lookUp(host);
    if (addresses.length === 0) {
      process.complain(`nc: bad address '${host}'\n`);
      return 1;
    }
    const connection = has('u') ? 'refused' : process.table.network.connect(host, Number(port));
    if (connection !== 'refused') {
      if (has('v')) process.complain(`${host} (${addresses[0] ?? ''}:${port}) open\n`);
      if (!has('z') && connection === 'http')
        process.print(spoken(process, host, Number(port), yield* process.readAll(0)));
      return 0;
    }
    const waits = Number(value('w') ?? '0');
    if (waits > 0 && !has('z')) yield* process.sleep(waits * 1000);
    process.complain(`nc: ${host} (${addresses[0] ?? ''}:${port}): Connection refused\n`);
    return 1;
  },
});

const nslookup = makeProgram({
  name: 'nslookup',
  letters: '',
  run(process, { operands }) {
    const [host = ''] = operands;
    const addresses = process.table.network.lookUp(host);
    if (addresses.length === 0) {
      process.print(`** server can't find ${host}: NXDOMAIN\n`);
      return 1;
    }
    process.print(`Name:\t${host}\n${addresses.map((address) => `Address: ${address}\n`).join('')}`);
    return 0;
  },
});

const getent = makeProgram({
  name: 'getent',
  letters: '',
  run(process, { operands: [database = '', host = ''] }) {
    if (!/^a?hosts(?:v4)?$/.test(database)) {
      process.complain(`Unknown database: ${database}\n`);
      return 1;
    }
    const addresses = process.table.network.lookUp(host);
    for (const address of addresses) process.print(`${address.padEnd(15)} ${host}\n`);
    return addresses.length === 0 ? 2 : 0;
  },
});

const RECORD_SECONDS = 30;

/** A name that is not there has an answer without records. */
const dig: Program = function* dig(process, args) {
  const words = args.slice(1).filter((word) => !/^[+@]/.test(word));
  const [name = '', type = 'A'] = words;
  const { network } = process.table;
  const isOther = type === 'CNAME' || type === 'SRV' || type === 'PTR';
  const found = isOther ? network.records(name, type) : type === 'A' ? network.lookUp(name.replace(/\.$/, '')) : [];
  yield* process.spend(1);
  for (const data of found) {
    const isShort = args.includes('+short');
    process.print(isShort ? `${data}\n` : `${name.replace(/\.?$/, '.')}\t${RECORD_SECONDS}\tIN\t${type}\t${data}\n`);
  }
  return 0;
};

export const NETWORK_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['wget', wget],
  ['nc', nc],
  ['nslookup', nslookup],
];

/** Programs of images that have more than BusyBox. */
export const OTHER_NETWORK_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['curl', curl],
  ['dig', dig],
  ['getent', getent],
];
