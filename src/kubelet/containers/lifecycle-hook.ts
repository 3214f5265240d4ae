/**
 * How one lifecycle hook goes: how long it takes, and what its handler says if it fails. Mirrors the
 * kubelet's lifecycle handlers (pkg/kubelet/lifecycle/handlers.go, v1.34). Pure.
 */
import type { Container, core, Pod } from '../../api/objects/objects.js';
import { sample } from '../../kernel/distribution.js';
import type { RandomStream } from '../../kernel/random.js';
import { podFullName } from '../../api/pods/pod-name.js';
import type { HookScript } from '../scripts/script-types.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** One run of a hook. */
export interface HookRun {
  /** When its handler comes back by itself. */
  readonly endMs: number;
  /** What the kubelet makes of its failure; `undefined` = it succeeds. */
  readonly failure: string | undefined;
  /** What the kubelet makes of it if the container dies before its end; `undefined` = the handler does not notice. */
  readonly interruption: string | undefined;
}

/** The container of a hook. */
export interface HookTarget {
  readonly pod: Pod;
  readonly container: Container;
  /** The pod's address. */
  readonly address: string;
}

/** Starts a hook. */
export function runHook(
  handler: core.LifecycleHandler,
  target: HookTarget,
  { duration, fails = false, error }: HookScript,
  random: () => RandomStream,
  nowMs: number,
): HookRun {
  const { exec, httpGet, sleep } = handler;
  if (exec === undefined && httpGet === undefined && sleep === undefined) {
    const failure = `Cannot run handler: invalid handler: ${printed(handler)}`;
    return { endMs: nowMs, failure, interruption: undefined };
  }
  const defaultMs = sleep === undefined ? 0 : sleep.seconds * SECOND_MS;
  const endMs = nowMs + (duration === undefined ? defaultMs : sample(duration, random()));
  const tell = (said: string): string => failureText(handler, target, said);
  return {
    endMs,
    failure: fails ? tell(error ?? ownError(handler, target)) : undefined,
    interruption: sleep === undefined ? tell(deathError(handler, target)) : undefined,
  };
}

/** The text under which a failed postStart hook is shown. */
export function failureText(handler: core.LifecycleHandler, { pod, container }: HookTarget, said: string): string {
  const whose = `for Container ${JSON.stringify(container.name)} in Pod ${JSON.stringify(podFullName(pod))} failed`;
  const { exec, httpGet } = handler;
  if (exec !== undefined) {
    return `Exec lifecycle hook ([${(exec.command ?? []).join(' ')}]) ${whose} - error: ${said}, message: ""`;
  }
  if (httpGet !== undefined) return `HTTP lifecycle hook (${httpGet.path ?? ''}) ${whose} - error: ${said}`;
  return `Sleep lifecycle hook (${handler.sleep?.seconds ?? 0}) ${whose} - error: ${said}`;
}

function ownError({ exec, httpGet }: core.LifecycleHandler, target: HookTarget): string {
  if (exec !== undefined) return `command '${(exec.command ?? []).join(' ')}' exited with 1: `;
  if (httpGet !== undefined) return refused(httpGet, target);
  return 'container terminated before sleep hook completed';
}

/** The container dies under its handler: a command dies with it, and a request is refused. */
function deathError({ exec, httpGet }: core.LifecycleHandler, target: HookTarget): string {
  if (httpGet !== undefined) return refused(httpGet, target);
  return `command '${(exec?.command ?? []).join(' ')}' exited with 137: `;
}

function refused(
  { host, port, path = '', scheme = 'HTTP' }: core.HTTPGetAction,
  { address, container: { ports = [] } }: HookTarget,
): string {
  const number = ports.find(({ name }) => name === port)?.containerPort ?? port;
  const authority = `${host === undefined || host === '' ? address : host}:${number}`;
  const url = `${scheme.toLowerCase()}://${authority}${path.startsWith('/') ? '' : '/'}${path}`;
  return `Get ${JSON.stringify(url)}: dial tcp ${authority}: connect: connection refused`;
}

/** A handler without an action that can be run, as Go prints it. */
function printed({ tcpSocket }: core.LifecycleHandler): string {
  const action =
    tcpSocket === undefined
      ? 'nil'
      : `&TCPSocketAction{Port:${portText(tcpSocket.port)},Host:${tcpSocket.host ?? ''},}`;
  return `&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:${action},Sleep:nil,}`;
}

function portText(port: number | string): string {
  return typeof port === 'number' ? `{0 ${port} }` : `{1 0 ${port}}`;
}
