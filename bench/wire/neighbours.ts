/**
 * The real kube-controller-manager and the real kube-scheduler in front of `kubeloom serve --without` both: they bring
 * Deployments, and manifests if a folder of them is given, to Ready. It runs where a folder with these programs is
 * given, and nowhere else.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { loadDeployment } from './load.js';
import { ended, startServer, type ServerProcess } from './server-process.js';
import type { WireObject } from './wire-client.js';

/** What the comparison is made of. */
export interface NeighbourOptions {
  /** A folder with `kube-controller-manager` and `kube-scheduler`. */
  readonly programs: string;
  readonly nodes: number;
  readonly pods: number;
  /** A folder of YAML files; each file gets a namespace of its own. */
  readonly manifests: string | undefined;
  /** After which it is given up. */
  readonly limitSeconds: number;
  readonly tell: (line: string) => void;
}

const PODS_A_DEPLOYMENT = 1000;
const LOOK_EVERY_MS = 2000;
/** Enough that the programs' own limits are not what is measured. */
const REQUESTS = { qps: 500, burst: 1000 };
const PROGRAMS = ['kube-controller-manager', 'kube-scheduler'] as const;

/** @returns whether everything became ready */
export async function runNeighbours(options: NeighbourOptions): Promise<boolean> {
  const { programs, nodes, tell } = options;
  const missing = PROGRAMS.find((name) => !existsSync(path.join(programs, name)));
  if (missing !== undefined)
    throw new Error(`--programs must be a folder with ${PROGRAMS.join(' and ')}, ${missing} is missing`);
  const server = await startServer(['--nodes', String(nodes), '--without', PROGRAMS.join(',')]);
  tell(`serve: ${nodes} nodes, ready after ${server.readySeconds.toFixed(1)} s`);
  const neighbours = startPrograms(programs, server);
  try {
    const wanted = await createAll(server, options);
    return await allReady(server, wanted, options);
  } finally {
    await Promise.all(neighbours.map(ended));
    for (const name of PROGRAMS) for (const line of errorsOf(server, name)) tell(`${name}: ${line}`);
    await server.end();
  }
}

function startPrograms(programs: string, { folder, kubeconfig }: ServerProcess): readonly ChildProcess[] {
  const key = path.join(folder, 'accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const config = path.join(folder, 'scheduler.json');
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig, ...REQUESTS },
  };
  writeFileSync(config, JSON.stringify(configuration));
  const flags: Readonly<Record<(typeof PROGRAMS)[number], readonly string[]>> = {
    'kube-controller-manager': [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      `--service-account-private-key-file=${key}`,
      `--kube-api-qps=${REQUESTS.qps}`,
      `--kube-api-burst=${REQUESTS.burst}`,
    ],
    'kube-scheduler': [`--config=${config}`],
  };
  return PROGRAMS.map((name) => {
    const log = openSync(path.join(folder, `${name}.log`), 'w');
    return spawn(path.join(programs, name), [...flags[name], '--secure-port=0', '--v=1'], {
      stdio: ['ignore', log, log],
    });
  });
}

/** @returns how many Deployments and StatefulSets there are to wait for */
async function createAll({ client }: ServerProcess, { pods, manifests }: NeighbourOptions): Promise<number> {
  const deployments = Math.ceil(pods / PODS_A_DEPLOYMENT);
  let wanted = deployments;
  for (let index = 0; index < deployments; index += 1) {
    const replicas = Math.min(PODS_A_DEPLOYMENT, pods - index * PODS_A_DEPLOYMENT);
    await client.create(loadDeployment(`load-${index}`, replicas), 'default');
  }
  if (manifests === undefined) return wanted;
  for (const file of readdirSync(manifests).filter((name) => /\.ya?ml$/.test(name))) {
    const namespace = path.parse(file).name;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
    for (const object of objectsIn(path.join(manifests, file))) {
      await client.create(object, namespace);
      if (object.kind === 'Deployment' || object.kind === 'StatefulSet') wanted += 1;
    }
  }
  return wanted;
}

/** Documents that are empty are none. */
function objectsIn(file: string): readonly WireObject[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return documents.map((document) => document.toJS() as WireObject | null).filter((object) => object !== null);
}

async function allReady(server: ServerProcess, wanted: number, options: NeighbourOptions): Promise<boolean> {
  const { client } = server;
  const beganMs = performance.now();
  for (;;) {
    const [deployments, sets] = await Promise.all([
      client.list('/apis/apps/v1/deployments'),
      client.list('/apis/apps/v1/statefulsets'),
    ]);
    const all = [...deployments.items, ...sets.items];
    const whole = all.filter(({ spec, status }) => status?.readyReplicas === spec?.replicas).length;
    const ready = all.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
    const seconds = (performance.now() - beganMs) / 1000;
    options.tell(`${seconds.toFixed(0)} s: ${ready} pods ready, ${whole} of ${wanted} workloads whole`);
    if (all.length === wanted && whole === wanted) return true;
    if (seconds > options.limitSeconds) {
      const { items } = await client.list('/api/v1/pods?fieldSelector=status.phase%3DPending&limit=5');
      for (const { metadata, status } of items) {
        options.tell(`waits: ${metadata.namespace}/${metadata.name}: ${JSON.stringify(status?.conditions)}`);
      }
      return false;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}

const MOST_ERRORS = 10;

/** What a program complained of, each thing once. */
function errorsOf({ folder }: ServerProcess, name: string): readonly string[] {
  const log = readFileSync(path.join(folder, `${name}.log`), 'utf8');
  const errors = log.split('\n').filter((line) => /^[EF]\d{4}/.test(line));
  const texts = errors.map((line) => line.replace(/^\S+ \S+ +\d+ /, '').slice(0, 200));
  return [...new Set(texts)].slice(0, MOST_ERRORS);
}
