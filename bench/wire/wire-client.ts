/** A small client of a served cluster: the requests of the benches, as JSON over one agent that keeps its connections. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';

/** An object as far as benches look into it. */
export interface WireObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string };
  readonly spec?: { readonly replicas?: number; readonly selector?: object; readonly template?: object };
  readonly status?: { readonly readyReplicas?: number; readonly conditions?: readonly object[] };
}

/** A list of them. */
export interface WireList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly WireObject[];
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly type: string;
  readonly accept: string;
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

const TOO_MANY_REQUESTS = 429;
const RETRY_AFTER_MS = 1000;

/** See the file header. */
export class WireClient {
  readonly #server: string;
  readonly #authorization: string;
  readonly #agent: Agent;
  readonly #resources = new Map<string, Promise<readonly Resource[]>>();

  constructor(kubeconfig: string) {
    const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const { cluster } = clusters[0];
    this.#server = cluster.server;
    this.#authorization = `Bearer ${users[0].user.token}`;
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
    this.#agent = new Agent({ ca, keepAlive: true });
  }

  /**
   * Sends a request, again while the server has too many, and hands out the answer before its body is read.
   *
   * @throws Error for a refusal, with its text
   */
  async open(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
    accept = 'application/json',
  ): Promise<IncomingMessage> {
    for (;;) {
      const answer = await this.#send({ method, path, body, type, accept });
      const { statusCode = 500 } = answer;
      if (statusCode < 300) return answer;
      const text = await textOf(answer);
      if (statusCode !== TOO_MANY_REQUESTS) throw new Error(`${method} ${path}: ${text}`);
      await setTimeout(RETRY_AFTER_MS);
    }
  }

  /** Reads an answer to its end. @returns its bytes */
  async count(path: string, accept?: string): Promise<number> {
    let bytes = 0;
    const answer = await this.open('GET', path, undefined, undefined, accept);
    for await (const chunk of answer as AsyncIterable<Buffer>) bytes += chunk.length;
    return bytes;
  }

  #send({ method, path, body, type, accept }: Sent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: this.#authorization, 'content-type': type, accept };
      const sent = request(new URL(path, this.#server), { method, agent: this.#agent, headers }, resolve);
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The text that is answered. */
  async text(method: string, path: string, body?: object, type?: string, accept?: string): Promise<string> {
    return textOf(await this.open(method, path, body, type, accept));
  }

  async list(path: string): Promise<WireList> {
    return JSON.parse(await this.text('GET', path)) as WireList;
  }

  /** Creates an object, in a namespace if its kind has them. */
  async create(object: WireObject, namespace: string): Promise<void> {
    const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
    const resource = (await this.#resourcesOf(root)).find(
      ({ kind, name }) => kind === object.kind && !name.includes('/'),
    );
    if (resource === undefined) throw new Error(`${object.apiVersion} has no kind ${object.kind}`);
    const place = resource.namespaced ? `${root}/namespaces/${namespace}` : root;
    await this.text('POST', `${place}/${resource.name}`, object);
  }

  close(): void {
    this.#agent.destroy();
  }

  #resourcesOf(root: string): Promise<readonly Resource[]> {
    let known = this.#resources.get(root);
    if (known === undefined) {
      known = this.text('GET', root).then(
        (text) => (JSON.parse(text) as { readonly resources: readonly Resource[] }).resources,
      );
      this.#resources.set(root, known);
    }
    return known;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
