/** The tools beside the repository with which stories of a real control plane are recorded, and what is used of them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where the tools lie, from the working directory. */
export const TOOLS = path.join('..', 'shared', 'tools');

/** An object as a watch of the recorder shows it, as far as it is asked. */
export interface SeenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly schedulingGates?: readonly unknown[];
    readonly activeDeadlineSeconds?: number;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** A story while it is being recorded. */
export interface ToldStory {
  watchAll(resources: readonly string[], extra?: readonly (readonly [string, string])[]): Promise<void>;
  mark(text: string): void;
  list(resource: string): readonly SeenObject[];
  path(resource: string, name: string): string;
  create(resource: string, body: object): Promise<unknown>;
  scale(resource: string, name: string, replicas: number): Promise<unknown>;
  image(resource: string, name: string, image: string): Promise<unknown>;
  json(resource: string, name: string, body: readonly object[], label?: string): Promise<unknown>;
  smp(resource: string, name: string, body: object, label?: string): Promise<unknown>;
  merge(resource: string, name: string, body: object, label?: string): Promise<unknown>;
  del(resource: string, name: string, body?: object): Promise<unknown>;
  evict(name: string, options?: object): Promise<unknown>;
  /** A node on which the story plays the kubelet, by the next four requests. */
  ownNode(name: string, shape: { readonly labels: object; readonly taints: readonly object[] }): Promise<void>;
  podRuns(name: string, how: { readonly ready: boolean }): Promise<unknown>;
  podReady(name: string, isReady: boolean): Promise<unknown>;
  podEnds(name: string, how: { readonly exitCode: number }): Promise<unknown>;
  podGone(name: string): Promise<unknown>;
  /** Until nothing has changed for so long, ms, or too long has passed. */
  rest(quietMs?: number, timeoutMs?: number): Promise<void>;
  close(): void;
  /** @returns the file */
  write(folder: string): string;
}

/** See the file header. */
export interface Recorder {
  readonly FakeKubelets: new () => { start(): Promise<void>; stop(): void };
  readonly Story: new (name: string, namespace: string) => ToldStory;
  /** Sends a request past every story. */
  api(method: string, path: string, body?: object, contentType?: string): Promise<{ readonly status: number }>;
  readonly SIX: readonly { readonly name: string }[];
  resetNodes(nodes: readonly object[]): Promise<void>;
  makeNamespace(name: string): Promise<void>;
  dropNamespace(name: string): Promise<void>;
}

/** Whether the tools are there. */
export function hasTools(): boolean {
  return ['real-cluster', path.join('stories', 'story.mjs')].every((file) => existsSync(path.join(TOOLS, file)));
}

/** Loads the recorder for a control plane on a port of the loopback. */
export async function loadRecorder(port: number): Promise<Recorder> {
  process.env['PORT'] = String(port);
  const file = path.resolve(TOOLS, 'stories', 'story.mjs');
  return (await import(pathToFileURL(file).href)) as Recorder;
}

/** Starts the real control plane, or ends it. @throws Error with what it says when it does not start */
export function realCluster(verb: 'up' | 'down', folder: string, port: number): void {
  const program = path.resolve(TOOLS, 'real-cluster');
  // Its programs outlive it, and would keep its pipes open.
  const { status } = spawnSync('bash', [program, verb, folder, String(port)], { stdio: 'ignore', timeout: 300_000 });
  if (status !== 0) throw new Error(`real-cluster ${verb} ${folder} ended with ${String(status)}`);
}
