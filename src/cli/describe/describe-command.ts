import type { Command } from 'commander';
import type { Cluster, Node } from '../../index.js';
import { findPod, NAMESPACE_OPTION, parsePodArgument } from '../input/pod-argument.js';
import { runInterruptibly } from '../input/interruption.js';
import { durationFlag } from '../input/number-option.js';
import { planRun } from '../input/run-plan.js';
import { addSceneOptions, bringUp, createSceneCluster, type SceneFlags } from '../input/scene-options.js';
import { UsageError } from '../input/usage-error.js';
import { nodeDescription } from './describe-node.js';
import { podDescription } from './describe-pod.js';

interface DescribeFlags extends SceneFlags {
  readonly namespace?: string;
  readonly for?: string;
}

/** Adds `kubeloom describe`; `finish` is told the exit code. */
export function addDescribeCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('describe')
    .description('run a scene as `kubeloom run` does, silently, then show a pod or a node as kubectl describe does')
    .argument('<what>', 'a pod: NAME, NAMESPACE/NAME, the beginning of a name or deployment/NAME; or node/NAME');
  addSceneOptions(command)
    .option(...NAMESPACE_OPTION)
    .option(
      '--for <duration>',
      'simulated time to go on after the scene is up, such as 10m (default: 0s)',
      durationFlag('--for'),
    )
    .allowExcessArguments(false)
    .action(async (what: string, flags: DescribeFlags) => finish(await describe(what, flags)));
}

async function describe(what: string, flags: DescribeFlags): Promise<number> {
  const describer = describerOf(what, flags.namespace);
  const plan = planRun(flags);
  const cluster = createSceneCluster(flags, plan);
  try {
    await bringUp(cluster, plan);
    if (flags.for !== undefined) await runInterruptibly(cluster, { limit: flags.for });
    process.stdout.write(describer(cluster));
    return 0;
  } finally {
    await cluster.dispose();
  }
}

/** A name that no pod has may be a node's. */
function describerOf(what: string, namespace: string | undefined): (cluster: Cluster) => string {
  if (what.startsWith('node/')) {
    const name = what.slice('node/'.length);
    return (cluster) => {
      const node = findNode(cluster, name);
      if (node === undefined) throw new UsageError(`node ${JSON.stringify(name)} not found`);
      return nodeDescription(cluster, node);
    };
  }
  const argument = parsePodArgument(what.startsWith('pod/') ? what.slice('pod/'.length) : what, namespace);
  return (cluster) => {
    const node = findNode(cluster, what);
    const isPod = node === undefined || cluster.list('Pod').some(({ metadata }) => metadata.name.startsWith(what));
    return isPod
      ? podDescription(cluster, cluster.get('Pod', findPod(cluster, argument)))
      : nodeDescription(cluster, node);
  };
}

function findNode(cluster: Cluster, name: string): Node | undefined {
  return cluster.list('Node').find(({ metadata }) => metadata.name === name);
}
