/** Clients of a served cluster, as the network has them: HTTP/1.1 and HTTP/2 over TLS, with what they bring. */
import { connect, type ClientHttp2Session } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import type { ExecutionContext } from 'ava';
import {
  createCluster,
  type Cluster,
  type ClusterOptions,
  type Listening,
  type ListenOptions,
} from '../../src/index.js';

/** A cluster and where it is served; both are gone when the test is over. */
export interface ServedCluster extends Listening {
  readonly cluster: Cluster;
}

export async function serve(
  t: ExecutionContext,
  options: ClusterOptions = {},
  listenOptions: ListenOptions = {},
): Promise<ServedCluster> {
  const cluster = createCluster({ nodes: 0, ...options });
  t.teardown(() => cluster.dispose());
  return { cluster, ...(await cluster.listen({ port: 0, ...listenOptions })) };
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; read it only where it is some. */
  readonly json: unknown;
}

/** What a client says besides its method and path. */
export interface Ask {
  readonly method?: string;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** @defaultValue the administrator's */
  readonly token?: string | undefined;
  /** Told when the first of the answer's text has come. */
  readonly onFirst?: () => void;
  /** A client certificate in place of a token. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Over HTTP/1.1, in a connection of its own. */
export function ask(served: Listening, path: string, question: Ask = {}): Promise<Reply> {
  const { method = 'GET', body, certificate } = question;
  const agent = new Agent({
    ca: served.authority?.certificate,
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
  });
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, served.url), { method, agent, headers: headersOf(served, question) }, (got) => {
      let text = '';
      got.setEncoding('utf8');
      got.on('data', (chunk: string) => {
        if (text === '') question.onFirst?.();
        text += chunk;
      });
      got.on('error', reject);
      got.on('end', () => resolve(reply(got.statusCode ?? 0, got.headers, text)));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Over HTTP/2, in a session of its own. */
export async function askHttp2(served: Listening, path: string, question: Ask = {}): Promise<Reply> {
  const session = openHttp2(served, question);
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({
        ':method': question.method ?? 'GET',
        ':path': path,
        ...headersOf(served, question),
      });
      let text = '';
      let headers: IncomingHttpHeaders & { readonly ':status'?: number | undefined } = {};
      stream.setEncoding('utf8');
      stream.on('response', (got) => (headers = got));
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('error', reject);
      stream.on('end', () => resolve(reply(headers[':status'] ?? 0, headers, text)));
      stream.end(question.body);
    });
  } finally {
    session.destroy();
  }
}

function openHttp2(served: Listening, { certificate }: Ask): ClientHttp2Session {
  const { authority } = served;
  return connect(served.url, {
    ...(authority === undefined ? {} : { ca: authority.certificate }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
  });
}

/** Reads the lines of a watch as they come. */
export function watch(
  served: Listening,
  path: string,
): AsyncGenerator<{ readonly type: string; readonly object: KubeLike }> {
  const agent = new Agent({ ca: served.authority?.certificate });
  const sent = request(new URL(path, served.url), { agent, headers: headersOf(served, {}) });
  sent.end();
  return lines();
  async function* lines(): AsyncGenerator<{ readonly type: string; readonly object: KubeLike }> {
    const got = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      sent.on('response', resolve);
      sent.on('error', reject);
    });
    let rest = '';
    try {
      for await (const chunk of got) {
        const all = (rest + chunk.toString()).split('\n');
        rest = all.pop() ?? '';
        for (const line of all) yield JSON.parse(line) as { type: string; object: KubeLike };
      }
    } finally {
      sent.destroy();
    }
  }
}

interface KubeLike {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

function headersOf({ token: own }: Listening, question: Ask): Record<string, string> {
  const token = 'token' in question ? question.token : question.certificate === undefined ? own : undefined;
  return {
    ...(question.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...question.headers,
  };
}

function reply(status: number, headers: IncomingHttpHeaders, text: string): Reply {
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}
