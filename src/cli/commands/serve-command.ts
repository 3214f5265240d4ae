import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  checkListenOptions,
  ListenError,
  openLivePage,
  type Cluster,
  type Listening,
  type ListenOptions,
} from '../../index.js';
import { interruption } from '../input/interruption.js';
import { integerFlag, positiveFlag } from '../input/number-option.js';
import { RecordingWriter } from '../input/recording-file.js';
import { planRun, type RunPlan } from '../input/run-plan.js';
import { addSceneOptions } from '../input/scene-options.js';
import { bringUpServed, createServedCluster, servedClock, type ServedSceneFlags } from '../input/served-scene.js';
import { UsageError } from '../input/usage-error.js';

interface ServeFlags extends ServedSceneFlags {
  readonly port: number;
  readonly host: string;
  readonly allowRemote?: true;
  readonly insecureHttp?: true;
  readonly anonymous?: true;
  readonly authorizationMode?: string;
  readonly kubeconfig?: string;
  readonly state?: string;
  readonly record?: string;
  readonly page?: true;
}

const DEFAULT_PORT = 6443;
const DEFAULT_NODES = 100;

/** As fast as the machine can: the nodes are there before time begins to pass as clients see it. */
const BRING_UP_SPEED = 1_000_000;

/** Secrets may be read by their owner alone. */
const OWNER_ONLY = 0o600;

/** Adds `kubeloom serve`. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('serve the Kubernetes API over the network, for kubectl and every other client');
  addSceneOptions(command, { nodes: DEFAULT_NODES, pods: 0, isRealTime: true })
    .option('--port <n>', 'port to listen at; 0 = a free one', integerFlag('--port', 0, 65_535), DEFAULT_PORT)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--allow-remote', 'let --host be an address that other machines reach')
    .option('--insecure-http', 'plain HTTP without certificates, on the loopback only')
    .option('--anonymous', 'let requests without credentials in, as system:anonymous')
    .option(
      '--authorization-mode <mode>',
      'what other clients than the administrator may do: RBAC, AlwaysAllow',
      'RBAC',
    )
    .option(
      '--kubeconfig <file>',
      'where to write the kubeconfig; - = standard output (default: ~/.kubeloom/kubeconfig)',
    )
    .option('--state <folder>', 'keep the authority and the token there, for the next time (default: made anew)')
    .option('--speed <factor>', 'simulated seconds per real second (default: 1)', positiveFlag('--speed', 1_000_000))
    .option('--virtual', 'virtual time: it stands still while clients ask, and jumps while they are quiet')
    .option('--record <file>', 'write down what clients do, for kubeloom replay')
    .option('--page', 'also serve a page on which the cluster can be watched, paused and disturbed')
    .option(
      '--without <components>',
      'leave out kube-scheduler, kube-controller-manager, metrics-server, or several, with commas',
    )
    .option(
      '--webhook-service <service=url...>',
      'where a service of webhooks is, such as default/hook=https://127.0.0.1:9443',
    )
    .allowExcessArguments(false)
    .action(serve);
}

/** A cluster that is taken over, or a trace, brings nodes and pods of its own. */
function sceneOf({ from, trace }: ServeFlags): Pick<ServeFlags, 'nodes' | 'pods'> {
  return from === undefined && trace === undefined ? { nodes: DEFAULT_NODES, pods: 0 } : {};
}

async function serve(given: ServeFlags): Promise<void> {
  const flags = { ...sceneOf(given), ...given };
  if (flags.virtual === true && flags.speed !== undefined) {
    throw new UsageError('--virtual and --speed exclude each other: virtual time has no speed');
  }
  const options = listenOptionsOf(flags);
  checkListening(options);
  checkSecretFiles(flags);
  const plan = planRun(flags);
  for (const note of plan.notes) process.stderr.write(`${note}\n`);
  // Clients compare the times of objects with their own clock.
  const epoch = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const cluster = createServedCluster(flags, plan, { epoch, realtime: BRING_UP_SPEED });
  try {
    const recording = flags.record === undefined ? undefined : new RecordingWriter(flags.record, epoch, flags);
    await bringUpServed(cluster, plan);
    if (interruption.isRaised) return;
    cluster.keepClock(servedClock(flags));
    const record = recording === undefined ? {} : { record: recording.add };
    const listening = await opened(cluster, { ...options, ...record }, flags.port);
    tell(listening, flags, cluster);
    const page =
      flags.page === true ? await openLivePage(cluster, { title: 'kubeloom serve', time: 'clock' }) : undefined;
    if (page !== undefined) process.stderr.write(`kubeloom: page at ${page.url}\n`);
    const signal = AbortSignal.any([interruption.signal, ...(recording === undefined ? [] : [recording.failed])]);
    if (isClockOfHost(flags, plan)) await catchUp(cluster);
    await cluster.runByClock(signal);
    await page?.close();
    await listening.close();
    recording?.end(cluster);
  } finally {
    interruption.accept();
    await cluster.dispose();
  }
}

/** Whether the cluster's clock is to show what the clocks of its clients show. */
function isClockOfHost({ speed = 1, virtual }: ServeFlags, { from }: RunPlan): boolean {
  return speed === 1 && virtual !== true && from?.time === undefined;
}

/** Lets pass what coming up has taken by the host's clock and not by the cluster's: objects would seem to come late. */
async function catchUp(cluster: Cluster): Promise<void> {
  const behindMs = Date.now() - (cluster.epochMs + cluster.nowMs);
  if (behindMs > 0) await cluster.run({ limit: behindMs, signal: interruption.signal });
}

function listenOptionsOf({ port, host, state, ...flags }: ServeFlags): ListenOptions {
  return {
    port,
    host,
    allowRemote: flags.allowRemote === true,
    insecureHttp: flags.insecureHttp === true,
    anonymous: flags.anonymous === true,
    authorization: (flags.authorizationMode ?? 'RBAC') as NonNullable<ListenOptions['authorization']>,
    ...(state === undefined ? {} : keptSecrets(state)),
  };
}

/** Before the cluster comes up, and with the names that the command line has for the options. */
function checkListening(options: ListenOptions): void {
  try {
    checkListenOptions(options);
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const flags = { allowRemote: '--allow-remote', insecureHttp: '--insecure-http' };
    let message = error.message
      .replace(/^authorization\b/, '--authorization-mode')
      .replace(/^(?:host|token|authority)\b/, (field) => (field === 'host' ? '--host' : `--state: ${field}`));
    for (const [option, flag] of Object.entries(flags)) message = message.replaceAll(option, flag);
    throw new UsageError(message);
  }
}

async function opened(cluster: Cluster, options: ListenOptions, port: number): Promise<Listening> {
  try {
    return await cluster.listen(options);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'EADDRINUSE') throw new UsageError(`--port ${port}: the port is in use`);
    if (error.code === 'EACCES') throw new UsageError(`--port ${port}: the port may not be opened`);
    if (error.code === 'EADDRNOTAVAIL') throw new UsageError(`--host ${options.host}: no address of this machine`);
    throw error;
  }
}

/** One line on standard output, which a shell can take: where the kubeconfig is. */
function tell(listening: Listening, { kubeconfig, state }: ServeFlags, cluster: Cluster): void {
  if (state !== undefined) keepSecrets(state, listening);
  const file = kubeconfigFile(kubeconfig);
  if (file !== undefined) writeSecret('--kubeconfig', file, listening.kubeconfig);
  const nodes = cluster.stats().nodes.total;
  process.stderr.write(`kubeloom: serving ${nodes} nodes at ${listening.url}\n`);
  process.stdout.write(file === undefined ? listening.kubeconfig : `export KUBECONFIG=${shellWord(file)}\n`);
}

/** undefined = standard output. */
function kubeconfigFile(kubeconfig: string | undefined): string | undefined {
  return kubeconfig === '-' ? undefined : resolve(kubeconfig ?? join(homedir(), '.kubeloom', 'kubeconfig'));
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const KEPT = { certificate: 'ca.crt', key: 'ca.key', token: 'token' } as const;

/** What an earlier run has kept; the folder may be new. */
function keptSecrets(folder: string): Pick<ListenOptions, 'authority' | 'token'> {
  const read = (name: string): string | undefined => {
    const file = join(folder, name);
    try {
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    } catch (error) {
      throw new UsageError(`--state ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const certificate = read(KEPT.certificate);
  const key = read(KEPT.key);
  const token = read(KEPT.token)?.trim();
  return {
    ...(certificate === undefined || key === undefined ? {} : { authority: { certificate, key } }),
    // Empty where an earlier start came no further than the look at its files.
    ...(token === undefined || token === '' ? {} : { token }),
  };
}

function keepSecrets(folder: string, { authority, token }: Listening): void {
  writeSecret('--state', join(folder, KEPT.token), `${token}\n`);
  if (authority === undefined) return;
  writeSecret('--state', join(folder, KEPT.certificate), authority.certificate);
  writeSecret('--state', join(folder, KEPT.key), authority.key);
}

/** Before the cluster comes up, which takes a while: whether its secrets can be written afterwards. */
function checkSecretFiles({ kubeconfig, state }: ServeFlags): void {
  if (state !== undefined) writeSecret('--state', join(state, KEPT.token), '');
  const file = kubeconfigFile(kubeconfig);
  if (file !== undefined) writeSecret('--kubeconfig', file, '');
}

/**
 * A file that was there before, with whatever rights, is its owner's alone from then on.
 *
 * @param text - what the file holds afterwards; empty = what it held before
 */
function writeSecret(flag: string, file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) chmodSync(file, OWNER_ONLY);
    writeFileSync(file, text, { mode: OWNER_ONLY, flag: text === '' ? 'a' : 'w' });
  } catch (error) {
    throw new UsageError(
      `${flag} ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Level by level: at once, Node asks for ever where a folder takes none of its own, as `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
