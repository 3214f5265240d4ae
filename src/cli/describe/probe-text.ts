import type { Container } from '../../index.js';

type Probe = NonNullable<Container['livenessProbe']>;

/** A probe in one line, as kubectl describes it. */
export function probeText(probe: Probe): string {
  const {
    initialDelaySeconds = 0,
    timeoutSeconds = 1,
    periodSeconds = 10,
    successThreshold = 1,
    failureThreshold = 3,
  } = probe;
  const attributes =
    `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s ` +
    `#success=${successThreshold} #failure=${failureThreshold}`;
  return `${handlerText(probe)} ${attributes}`;
}

function handlerText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec !== undefined) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet !== undefined) {
    const { scheme = 'HTTP', host = '', port, path = '' } = httpGet;
    return `http-get ${scheme.toLowerCase()}://${host}:${port}${path.startsWith('/') ? path : `/${path}`}`;
  }
  if (tcpSocket !== undefined) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  if (grpc !== undefined) return `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`;
  return 'unknown';
}
