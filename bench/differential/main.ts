/**
 * `npm run differential -- [--seed 1] [--rounds 3] [--steps 25] [--dir FOLDER] [--port 6443]`: plays random sequences of
 * requests against a real control plane, records what it does, replays each story on ours and prints what differs.
 * Round n has the seed `seed + n`. Needs the tools in ../shared/tools, on a quiet machine; the stories stay in FOLDER.
 * Exit code 1 when anything differs, 2 for bad input or without the tools.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomStream } from '../../src/kernel/random.js';
import { replayStory } from '../conformance/stories/replay-story.js';
import { readStories } from '../conformance/stories/story.js';
import { storyText } from '../conformance/stories/story-text.js';
import { hasTools, loadRecorder, realCluster, TOOLS, type Recorder } from './recorder.js';
import { RandomStory } from './random-story.js';

const WATCHED = [
  'pods',
  'events',
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'controllerrevisions',
  'jobs',
  'poddisruptionbudgets',
];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      steps: { type: 'string', default: '25' },
      dir: { type: 'string', default: path.join(tmpdir(), 'kubeloom-differential') },
      port: { type: 'string', default: '6443' },
    },
  });
  const seed = count('--seed', values.seed, 0, 1e9);
  const rounds = count('--rounds', values.rounds, 1, 10_000);
  const steps = count('--steps', values.steps, 1, 1000);
  const port = count('--port', values.port, 1024, 45_000);
  if (!hasTools()) throw new Error(`${TOOLS} is not there: it has the programs of a real control plane`);
  mkdirSync(values.dir, { recursive: true });
  let differences = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      realCluster('down', values.dir, port);
      process.exit(130);
    });
  }
  realCluster('up', values.dir, port);
  try {
    const recorder = await loadRecorder(port);
    const kubelets = new recorder.FakeKubelets();
    await kubelets.start();
    for (let round = 0; round < rounds; round += 1) {
      const file = await record(recorder, `random-${seed + round}`, steps, values.dir);
      for (const story of readStories(file)) {
        const report = await replayStory(story);
        differences += report.differences.length;
        process.stdout.write(storyText(path.basename(file, '.jsonl'), story, report));
      }
    }
    kubelets.stop();
  } finally {
    realCluster('down', values.dir, port);
  }
  return differences === 0 ? 0 : 1;
}

/** Records one story. @returns its file */
async function record(recorder: Recorder, name: string, steps: number, folder: string): Promise<string> {
  await recorder.resetNodes(recorder.SIX);
  await recorder.makeNamespace(name);
  const story = new recorder.Story(name, name);
  await story.watchAll(WATCHED, [['nodes', '/api/v1/nodes']]);
  const nodes = recorder.SIX.map((node) => node.name);
  await new RandomStory(story, randomStream(name, 'differential'), nodes).play(steps);
  story.close();
  const file = story.write(folder);
  await recorder.dropNamespace(name);
  return file;
}

function count(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${option} must be an integer in ${least}..${most}, got ${JSON.stringify(text)}`);
}

try {
  // The recorder's connections stay open.
  process.exit(await main());
} catch (error) {
  process.stderr.write(`differential: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
