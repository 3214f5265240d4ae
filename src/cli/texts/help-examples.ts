/** What `--help` of a command shows below its options: whole lines that work as they stand, with what they are for. */
import type { Command } from 'commander';

/** A line for a shell, and what it does. */
export interface HelpExample {
  readonly line: string;
  readonly does: string;
}

/** By command. Files that are named are the user's own. */
export const HELP_EXAMPLES: Readonly<Record<string, readonly HelpExample[]>> = {
  init: [
    { line: 'kubeloom init my-cluster', does: 'a project with a test, a scenario and a comparison of schedulers' },
    { line: 'kubeloom init my-cluster --test-runner vitest', does: "with Vitest in place of Node's own test runner" },
  ],
  run: [
    { line: 'kubeloom run', does: '5,000 nodes, 20,000 pods and a rolling update, in virtual time' },
    { line: 'kubeloom run --nodes 100 --pods 0 --manifest app.yaml', does: 'your manifests on 100 nodes' },
    {
      line: 'kubeloom run --nodes 100 --pods 2000 --threshold "pod_startup_ms: p(99)<5000" --report run.html',
      does: 'a run as a test, with a page of charts',
    },
  ],
  serve: [
    { line: 'kubeloom serve --nodes 100', does: 'a cluster for kubectl; the line it prints names the kubeconfig' },
    { line: 'kubeloom serve --nodes 5000 --virtual', does: 'time stands still until it is told to go on' },
  ],
  explain: [
    { line: 'kubeloom explain web-0 --nodes 50 --pods 0 --manifest app.yaml', does: 'why the pod is where it is' },
    { line: 'kubeloom explain web-0 --manifest app.yaml --node node-7', does: 'and what one node said' },
  ],
  describe: [
    { line: 'kubeloom describe web-0 --manifest app.yaml', does: 'the pod at the end of the run' },
    { line: 'kubeloom describe node/node-7 --manifest app.yaml', does: 'a node with what runs on it' },
  ],
  timeline: [{ line: 'kubeloom timeline web-0 --manifest app.yaml', does: 'the story of one pod, line by line' }],
  drain: [{ line: 'kubeloom drain node-3 --manifest app.yaml --ignore-daemonsets', does: 'what a drain waits for' }],
  shutdown: [
    {
      line: 'kubeloom shutdown node-3 --manifest app.yaml --shutdown-grace-period 30s',
      does: 'a graceful shutdown of a node',
    },
  ],
  scenario: [
    { line: 'kubeloom scenario lost-zone.yaml', does: 'exit code 1 when an expectation does not hold' },
    { line: 'kubeloom scenario lost-zone.yaml --seed 7 --timeline', does: 'another seed, and the story of every pod' },
  ],
  compare: [
    { line: 'kubeloom compare spread-out.yaml packed.yaml --seeds 20', does: 'two variants on the same seeds' },
    { line: 'kubeloom compare a.yaml b.yaml --workers 2 --report difference.html', does: 'and a page of it' },
  ],
  sweep: [
    { line: 'kubeloom sweep plan.yaml --workers 2', does: 'every variant with every seed, on two threads' },
    { line: 'kubeloom sweep plan.yaml --shard 3/20 --out results', does: 'the third of twenty parts' },
    { line: 'kubeloom sweep plan.yaml --queue postgres://localhost/sweeps', does: 'on all workers of a queue' },
  ],
  worker: [{ line: 'kubeloom worker --queue redis://localhost --workers 8', does: 'plays for sweeps and searches' }],
  load: [
    {
      line: 'kubeloom load --testconfig config.yaml --testoverrides overrides.yaml --nodes 100 --report-dir results',
      does: "a test of clusterloader2's, with the files that it writes",
    },
  ],
  burner: [{ line: 'kubeloom burner init -c kubelet-density.yml', does: 'a workload of kube-burner' }],
  fuzz: [
    { line: 'kubeloom fuzz --seeds 1000 --workers 2', does: 'exit code 1 when a promise was broken' },
    { line: 'kubeloom fuzz --fresh --minutes 30 --out found', does: 'seeds that were never played, for half an hour' },
  ],
  record: [
    {
      line: 'kubeloom record --kubeconfig ~/.kube/config -o monday.jsonl.gz --simkube monday.sktrace',
      does: 'what users do to a real cluster, until Ctrl-C',
    },
  ],
  replay: [
    { line: 'kubeloom replay found/kubeloom-seed-42.yaml --timeline', does: 'what a search has found, told in full' },
    { line: 'kubeloom replay audit.log --from dump.json --compress 60', does: 'what users did to another cluster' },
  ],
  report: [
    { line: 'kubeloom report run.json --output run.html', does: 'a page of what --summary wrote' },
    { line: 'kubeloom report --compare before.json after.json', does: 'what differs between two runs' },
  ],
  bench: [
    { line: 'kubeloom bench --list', does: 'the workloads there are' },
    { line: 'kubeloom bench anchor/basic --mode algorithm', does: 'how fast the scheduler decides' },
  ],
  completion: [
    { line: 'source <(kubeloom completion bash)', does: 'for this shell; add the line to ~/.bashrc for all' },
    { line: 'kubeloom completion fish > ~/.config/fish/completions/kubeloom.fish', does: 'for fish' },
  ],
};

/** Adds the examples of each command to its help. */
export function addHelpExamples(program: Command): void {
  for (const command of program.commands) {
    const examples = HELP_EXAMPLES[command.name()] ?? [];
    if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.map(textOf).join('\n')}`);
  }
}

function textOf({ line, does }: HelpExample): string {
  return `  # ${does}\n  ${line}`;
}
