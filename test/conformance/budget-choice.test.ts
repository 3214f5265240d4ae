import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { replayStory } from '../../bench/conformance/stories/replay-story.js';
import { readStories } from '../../bench/conformance/stories/story.js';
import type { MapOrder } from '../../src/controllers/runtime/map-order.js';
import { APPS, CORE, deployment, first, POLICY, post, remove } from './scene-parts.js';
import { textOf } from './story-lines.js';
import { tellStory, type Scene } from './story-teller.js';

const BUDGET = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };

const SCENE: Scene = {
  watched: ['Pod', 'Event', 'Deployment', 'ReplicaSet', 'PodDisruptionBudget'],
  steps: [
    post('workload', `${APPS}/deployments`, deployment('a', 3), 1500),
    ...['one', 'two', 'three'].map((name) =>
      post(name, `${POLICY}/poddisruptionbudgets`, { metadata: { name }, spec: BUDGET }, 700),
    ),
    remove('a pod goes', first('Pod', `${CORE}/pods`), 2500),
  ],
};

/** Another budget each time, as upstream's map gives them. */
function turningOrder(): MapOrder {
  let turn = 0;
  return {
    pods: () => 0,
    ordinals: () => 0,
    slicesToldFirst: () => false,
    nodes: () => 0,
    kinds: () => 0,
    budget(_pod, matching) {
      turn += 1;
      return matching[turn % matching.length];
    },
  };
}

test('stories › of several budgets on one pod each replay hears of the one that was chosen', async (t) => {
  const pace = { seed: 'choice', schedulerLatency: 2, controllersLatency: 4, mapOrder: turningOrder() };
  const folder = mkdtempSync(path.join(tmpdir(), 'story-'));
  try {
    const file = path.join(folder, 'watch-budgets.jsonl');
    const text = textOf(await tellStory(SCENE, pace));
    writeFileSync(file, text);
    for (const name of ['one', 'two', 'three']) t.true(text.includes(`Chose \\"${name}\\" arbitrarily`), name);
    const [story] = readStories(file);
    t.deepEqual(story && (await replayStory(story)).differences, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
