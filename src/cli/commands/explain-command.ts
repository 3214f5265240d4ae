import type { Command } from 'commander';
import { explainNode, type AttemptExplanation, type Cluster, type PodExplanation } from '../../index.js';
import { explanationText, nodeExplanationText, untriedText } from '../texts/explain-text.js';
import { integerFlag } from '../input/number-option.js';
import { findPod, focusOf, NAMESPACE_OPTION, parsePodArgument, type PodName } from '../input/pod-argument.js';
import { planRun } from '../input/run-plan.js';
import { addSceneOptions, bringUp, createSceneCluster, type SceneFlags } from '../input/scene-options.js';
import { UsageError } from '../input/usage-error.js';

interface ExplainFlags extends SceneFlags {
  readonly namespace?: string;
  readonly node?: string;
  readonly attempt?: number;
  readonly json?: true;
}

/** Adds `kubeloom explain`; `finish` is told the exit code. */
export function addExplainCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('explain')
    .description('run a scene as `kubeloom run` does, silently, then say why a pod is where it is')
    .argument(
      '<pod>',
      'NAME, NAMESPACE/NAME, the beginning of a name, or deployment/NAME: its first pod without a node',
    );
  addSceneOptions(command)
    .option(...NAMESPACE_OPTION)
    .option('--node <name>', 'tell all about one node')
    .option('--attempt <n>', 'the attempt to tell in full (default: the last)', integerFlag('--attempt', 1, 1_000_000))
    .option('--json', 'print everything that is known as one JSON object')
    .allowExcessArguments(false)
    .action(async (pod: string, flags: ExplainFlags) => finish(await explain(pod, flags)));
}

async function explain(text: string, flags: ExplainFlags): Promise<number> {
  const argument = parsePodArgument(text, flags.namespace);
  const plan = planRun(flags);
  const cluster = createSceneCluster(flags, plan);
  try {
    cluster.focusExplanations(focusOf(argument));
    await bringUp(cluster, plan);
    process.stdout.write(answer(cluster, findPod(cluster, argument), flags));
    return 0;
  } finally {
    await cluster.dispose();
  }
}

function answer(cluster: Cluster, pod: PodName, flags: ExplainFlags): string {
  const { node } = flags;
  if (node !== undefined && !cluster.list('Node').some(({ metadata }) => metadata.name === node)) {
    throw new UsageError(`node ${JSON.stringify(node)} not found`);
  }
  const explanation = cluster.explain(pod) ?? { pod: `${pod.namespace}/${pod.name}`, attempts: [] };
  if (flags.json === true) return `${JSON.stringify(node === undefined ? explanation : ofNode(explanation, node))}\n`;
  const last = explanation.attempts.at(-1);
  if (last === undefined) return untriedText(cluster.get('Pod', pod), endedText(cluster));
  const shown = flags.attempt === undefined ? last : attemptNumber(explanation, flags.attempt);
  return node === undefined ? explanationText(explanation, shown) : nodeExplanationText(explanation, node);
}

/** Where a run stood that ended before the scheduler had looked at a pod: its limit may come while nodes come up. */
function endedText(cluster: Cluster): string {
  const { schedulable, total } = cluster.stats().nodes;
  const seconds = (cluster.nowMs / 1000).toFixed(3);
  return `the run ended after ${seconds} s of simulated time, when ${schedulable} of ${total} nodes could take pods`;
}

function attemptNumber({ pod, attempts }: PodExplanation, number: number): AttemptExplanation {
  const found = attempts.find(({ attempt }) => attempt === number);
  if (found !== undefined) return found;
  const known = attempts.map(({ attempt }) => attempt).join(', ');
  throw new UsageError(`--attempt must be one of the attempts at ${pod} that are known (${known}), got ${number}`);
}

function ofNode({ pod, attempts }: PodExplanation, node: string): unknown {
  return {
    pod,
    node,
    attempts: attempts.map((each) => {
      const { attempt, atMs, outcome } = each;
      return { attempt, atMs, outcome, verdict: explainNode(each, node) };
    }),
  };
}
