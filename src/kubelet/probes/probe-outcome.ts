/** What a kubelet says of an attempt that failed, in upstream's words for each kind of handler (v1.34). */
import type { Container, core, Pod } from '../../api/objects/objects.js';
import { goDuration } from '../../api/go/go-duration.js';
import { hexDigest } from '../images/image-store.js';
import type { ProbeScript } from '../scripts/script-types.js';
import type { Answer } from './probe-answers.js';
import type { ProbeKind, ProbeSettings } from './probe-settings.js';

/** What an attempt tells. */
export interface ProbeNotice {
  readonly kind: ProbeKind;
  readonly settings: ProbeSettings;
  /** `errored`: it could not be made, and does not count. `warning`: a success that is worth a word. */
  readonly outcome: 'failed' | 'errored' | 'warning';
  readonly answer: Answer;
  readonly script: ProbeScript | undefined;
  /** When the attempt was over. */
  readonly atMs: number;
}

/** The container that was probed. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  /** The pod's address. */
  readonly address: string;
}

/** Events are about probes by these names. */
const NAMES: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', readiness: 'Readiness', liveness: 'Liveness' };

const LARGEST_PORT = 65_535;

/** Reason of the event that tells of an attempt. */
export function noticeReason({ outcome }: ProbeNotice): string {
  return outcome === 'warning' ? 'ProbeWarning' : 'Unhealthy';
}

/** Message of the event that tells of an attempt. */
export function noticeMessage(notice: ProbeNotice, target: ProbeTarget): string {
  const name = NAMES[notice.kind];
  switch (notice.outcome) {
    case 'failed':
      return `${name} probe failed: ${failureOutput(notice, target)}`;
    case 'errored':
      return `${name} probe errored and resulted in unknown state: ${errorText(notice, target)}`;
    case 'warning':
      return `${name} probe warning: Probe terminated redirects, Response body: ${notice.script?.redirectBody ?? ''}`;
  }
}

/** How long a failing attempt takes: its timeout when no answer comes, otherwise no time at all. */
export function refusalMs({ spec, timeoutMs }: ProbeSettings, answer: Answer, script: ProbeScript | undefined): number {
  const isUnanswered = answer === 'down' ? spec.grpc !== undefined : script?.isTimeout === true;
  return isUnanswered ? timeoutMs : 0;
}

/** What is wrong with the port that a probe names, in Go's words; `undefined` when nothing is. */
export function portFault({ httpGet, tcpSocket }: core.Probe, container: Pick<Container, 'ports'>): string | undefined {
  const port = (httpGet ?? tcpSocket)?.port;
  if (port === undefined) return undefined;
  const number = portNumber(port, container);
  if (Number.isNaN(number)) return `strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`;
  return number > 0 && number <= LARGEST_PORT ? undefined : `invalid port number: ${number}`;
}

/** A port by its name, or a number that is written as text. */
export function portNumber(port: number | string, { ports = [] }: Pick<Container, 'ports'>): number {
  if (typeof port === 'number') return port;
  const named = ports.find(({ name }) => name === port);
  if (named !== undefined) return named.containerPort;
  return /^[+-]?\d+$/.test(port) ? Number(port) : Number.NaN;
}

function failureOutput({ settings, answer, script }: ProbeNotice, target: ProbeTarget): string {
  if (answer === 'failing' && script?.output !== undefined) return script.output;
  const { spec, timeoutMs } = settings;
  const isTimeout = answer === 'failing' && script?.isTimeout === true;
  const within = goDuration(timeoutMs);
  if (spec.exec !== undefined) return isTimeout ? execTimeout(spec.exec, target.container, within) : '';
  if (spec.httpGet !== undefined) return httpOutput(spec.httpGet, target, isTimeout, answer);
  if (spec.tcpSocket !== undefined) return `dial tcp ${tcpAddress(spec.tcpSocket, target)}: ${dialError(isTimeout)}`;
  if (isTimeout) return `timeout: health rpc did not complete within ${within}`;
  if (answer === 'failing') return 'service unhealthy (responded with "NOT_SERVING")';
  const address = hostPort(target.address, spec.grpc?.port ?? 0);
  return `timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`;
}

function httpOutput(action: core.HTTPGetAction, target: ProbeTarget, isTimeout: boolean, answer: Answer): string {
  if (answer === 'failing' && !isTimeout) return 'HTTP probe failed with statuscode: 500';
  const address = hostPort(action.host || target.address, portNumber(action.port, target.container));
  const { scheme = 'HTTP', path = '/' } = action;
  const url = `${scheme.toLowerCase()}://${address}${path.startsWith('/') ? '' : '/'}${escapedPath(path)}`;
  const why = isTimeout
    ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    : `dial tcp ${address}: ${dialError(false)}`;
  return `Get ${JSON.stringify(url)}: ${why}`;
}

/** As Go prints a URL: what is escaped already stays as it is. */
function escapedPath(path: string): string {
  return encodeURI(path).replaceAll('%25', '%');
}

function tcpAddress({ host, port }: core.TCPSocketAction, { container, address }: ProbeTarget): string {
  return hostPort(host || address, portNumber(port, container));
}

function dialError(isTimeout: boolean): string {
  return isTimeout ? 'i/o timeout' : 'connect: connection refused';
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function execTimeout({ command = [] }: core.ExecAction, { env = [] }: Container, within: string): string {
  const words = command.map((word) => expanded(word, env)).join(' ');
  return `command timed out: ${JSON.stringify(words)} timed out after ${within}`;
}

/** `$(NAME)` becomes the variable's own value, `$$` a dollar; unknown names stay. */
function expanded(word: string, env: readonly core.EnvVar[]): string {
  return word.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (found: string, name: string | undefined) => {
    if (name === undefined) return '$';
    const variable = env.findLast((each) => each.name === name);
    return variable === undefined ? found : (variable.value ?? '');
  });
}

function errorText({ settings: { spec }, script, atMs }: ProbeNotice, { pod, container }: ProbeTarget): string {
  const fault = portFault(spec, container);
  if (fault !== undefined) return fault;
  if (script?.output !== undefined) return script.output;
  const id = hexDigest(`${pod.metadata.uid}/${container.name}/${atMs}`);
  const program = JSON.stringify(spec.exec?.command?.[0] ?? '');
  return (
    `rpc error: code = Unknown desc = failed to exec in container: failed to start exec "${id}": ` +
    'OCI runtime exec failed: exec failed: unable to start container process: ' +
    `exec: ${program}: executable file not found in $PATH: unknown`
  );
}
