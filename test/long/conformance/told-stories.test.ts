import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { replayStory } from '../../../bench/conformance/stories/replay-story.js';
import { readStories } from '../../../bench/conformance/stories/story.js';
import { SCENES } from '../../conformance/scenes.js';
import { textOf } from '../../conformance/story-lines.js';
import { tellStory, type Pace } from '../../conformance/story-teller.js';

/** Requests that take longer than those of the replay, each another time: what races comes out otherwise. */
const PACES: readonly Pace[] = [
  { seed: 'swift', schedulerLatency: 9, controllersLatency: 1 },
  {
    seed: 'uneven',
    schedulerLatency: (random) => random.int(1, 12),
    controllersLatency: (random) => random.int(1, 15),
  },
];

for (const [name, scene] of Object.entries(SCENES)) {
  for (const pace of PACES) {
    test(`stories › ${name}: what a control plane of ours tells at another pace (${pace.seed}) differs in nothing`, async (t) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'story-'));
      try {
        const file = path.join(folder, 'watch-told.jsonl');
        writeFileSync(file, textOf(await tellStory(scene, pace)));
        const reports = await Promise.all(readStories(file).map(replayStory));
        t.deepEqual(
          reports.map(({ differences, ignored }) => [differences, ignored]),
          [[[], []]],
        );
        t.true((reports[0]?.changes ?? 0) > scene.steps.length);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
}
