import type { Command } from 'commander';
import type { Cluster, KubeletConfiguration, Pod } from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { InterruptedError, runInterruptibly } from '../input/interruption.js';
import { durationFlag } from '../input/number-option.js';
import { planRun } from '../input/run-plan.js';
import { addSceneOptions, bringUp, createSceneCluster, type SceneFlags } from '../input/scene-options.js';
import { UsageError } from '../input/usage-error.js';

interface ShutdownFlags extends SceneFlags {
  readonly shutdownGracePeriod?: string;
  readonly shutdownGracePeriodCriticalPods?: string;
  readonly shutdownGracePeriodByPodPriority?: string;
  readonly for?: string;
  readonly boot?: true;
  readonly json?: true;
}

/** One thing that happened: a line of the output. */
interface Told {
  /** Since the shutdown was announced, ms. */
  readonly atMs: number;
  /** `node/NAME` or `pod/NAMESPACE/NAME`. */
  readonly about: string;
  readonly text: string;
}

/** Simulated time that a shutdown may take: enough for a day for each group of a kubelet. */
const LONGEST_SHUTDOWN = '240h';

/** Adds `kubeloom shutdown`; `finish` is told the exit code. */
export function addShutdownCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('shutdown')
    .description(
      'run a scene as `kubeloom run` does, silently, then shut a node down: its kubelet ends the pods in the time that it is given, then the machine goes dark',
    )
    .argument('<node>', 'name of the node');
  addSceneOptions(command)
    .option('--shutdown-grace-period <duration>', 'time that kubelets give their pods, such as 60s (default: 0s, none)')
    .option('--shutdown-grace-period-critical-pods <duration>', 'the last part of it, for critical pods (default: 0s)')
    .option(
      '--shutdown-grace-period-by-pod-priority <list>',
      'in place of both, PRIORITY=SECONDS by PRIORITY=SECONDS, such as 100000=10,0=60',
    )
    .option(
      '--for <duration>',
      'simulated time to go on once the machine is off, such as 10m (default: 0s)',
      durationFlag('--for'),
    )
    .option('--boot', 'switch the machine on again after that, and go on until its node is ready')
    .option('--json', 'print one JSON object for each thing that happens, and one for the summary')
    .allowExcessArguments(false)
    .action(async (node: string, flags: ShutdownFlags) => finish(await shutDown(node, flags)));
}

async function shutDown(node: string, flags: ShutdownFlags): Promise<number> {
  const plan = planRun(flags);
  const cluster = createSceneCluster(flags, plan, { kubelet: kubeletOf(flags) });
  try {
    await bringUp(cluster, plan);
    if (!cluster.list('Node').some(({ metadata }) => metadata.name === node)) {
      throw new UsageError(`node ${JSON.stringify(node)} not found`);
    }
    return await shutDownNode(cluster, node, flags);
  } finally {
    await cluster.dispose();
  }
}

async function shutDownNode(cluster: Cluster, node: string, flags: ShutdownFlags): Promise<number> {
  const told: Told[] = [];
  try {
    return await playShutdown(cluster, node, flags, told);
  } catch (error) {
    // What had happened until then.
    if (error instanceof InterruptedError) printTold(told, flags.json === true);
    throw error;
  }
}

async function playShutdown(cluster: Cluster, node: string, flags: ShutdownFlags, told: Told[]): Promise<number> {
  const startMs = cluster.nowMs;
  tell(cluster, node, (atMs, about, text) => told.push({ atMs: atMs - startMs, about, text }));
  await runInterruptibly(cluster, { limit: 0 });
  const pods = podsOf(cluster, node);
  told.length = 0;
  const fault = cluster.faults.shutDown(node);
  await runInterruptibly(cluster, { until: () => !cluster.truth.isOn(node), limit: LONGEST_SHUTDOWN });
  const offMs = cluster.nowMs - startMs;
  await runInterruptibly(cluster, { limit: 0 });
  const killed = new Set(told.filter(({ text }) => text.endsWith('ended with its machine')).map(({ about }) => about));
  told.push({ atMs: offMs, about: `node/${node}`, text: 'the machine is off' });
  if (flags.for !== undefined) await runInterruptibly(cluster, { limit: flags.for });
  if (flags.boot === true) {
    fault.heal();
    told.push({ atMs: cluster.nowMs - startMs, about: `node/${node}`, text: 'the machine boots' });
    await runInterruptibly(cluster, { until: () => isReady(cluster, node), limit: '10m' });
  }
  await runInterruptibly(cluster, { limit: 0 });
  const summary = {
    node,
    seconds: offMs / 1000,
    pods: pods.length,
    ended: pods.length - killed.size,
    killed: killed.size,
  };
  print(told, summary, flags.json === true);
  return killed.size === 0 ? 0 : 1;
}

/** Events about the node and its pods, phases of these, and what their processes do. */
function tell(cluster: Cluster, node: string, add: (atMs: number, about: string, text: string) => void): void {
  const ours = new Set(podsOf(cluster, node).map(nameOf));
  cluster.timeline().subscribe(({ atMs, pod, source, text }) => {
    if (!ours.has(pod)) return;
    for (const line of text) if (source !== 'api' || line.startsWith('phase')) add(atMs, `pod/${pod}`, line);
  });
  cluster.events$.subscribe(({ atMs, event: { involvedObject, type, reason, message } }) => {
    if (involvedObject.kind === 'Node' && involvedObject.name === node) {
      add(atMs, `node/${node}`, `${type} ${reason}: ${message}`);
    }
  });
}

function podsOf(cluster: Cluster, node: string): readonly Pod[] {
  const pods = cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` });
  return pods.filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed');
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function isReady(cluster: Cluster, node: string): boolean {
  const { conditions = [] } = cluster.get('Node', node).status;
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** The kubelets' configuration; what is wrong with it, the cluster's options say. @throws UsageError */
function kubeletOf(flags: ShutdownFlags): KubeletConfiguration {
  const { shutdownGracePeriod, shutdownGracePeriodCriticalPods, shutdownGracePeriodByPodPriority: list } = flags;
  return {
    ...(shutdownGracePeriod === undefined ? {} : { shutdownGracePeriod }),
    ...(shutdownGracePeriodCriticalPods === undefined ? {} : { shutdownGracePeriodCriticalPods }),
    ...(list === undefined ? {} : { shutdownGracePeriodByPodPriority: list.split(',').map(graceOf) }),
  };
}

function graceOf(text: string): { readonly priority: number; readonly shutdownGracePeriodSeconds: number } {
  const [, priority, seconds] = /^\s*(-?\d+)=(\d+)\s*$/.exec(text) ?? [];
  if (priority === undefined || seconds === undefined) {
    throw new UsageError(
      `--shutdown-grace-period-by-pod-priority must be a list such as 100000=10,0=60, got ${JSON.stringify(text)}`,
    );
  }
  return { priority: Number(priority), shutdownGracePeriodSeconds: Number(seconds) };
}

interface Summary {
  readonly node: string;
  /** From the announcement until the machine was off, simulated. */
  readonly seconds: number;
  /** Pods that had not ended when it was announced. */
  readonly pods: number;
  readonly ended: number;
  /** Those that ran until the machine was off. */
  readonly killed: number;
}

function print(told: readonly Told[], summary: Summary, asJson: boolean): void {
  printTold(told, asJson);
  if (asJson) return write(JSON.stringify({ type: 'summary', ...summary }));
  const { node, seconds, pods, ended, killed } = summary;
  const how = killed === 0 ? 'none ran until then' : `${killed} ran until then`;
  write(
    `${node} was off after ${seconds.toFixed(3)} s of simulated time; ${ended} of its ${pods} pods had ended, ${how}`,
  );
}

function printTold(told: readonly Told[], asJson: boolean): void {
  for (const each of told) {
    const { atMs, about, text } = each;
    write(asJson ? JSON.stringify(each) : `${clockText(atMs).padStart(10)}  ${about}  ${text}`);
  }
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
