import test from 'ava';
import type { SceneLine } from '../../../bench/scenes/scene.js';
import { SCENES } from '../../../bench/scenes/scenes.js';

async function linesOf(name: string): Promise<SceneLine[]> {
  const lines: SceneLine[] = [];
  await SCENES.find((scene) => scene.name === name)?.run({ seed: '1', tell: (line) => lines.push(line) });
  return lines;
}

test('LostZone › a zone of ten nodes loses one every ten seconds, and is whole again after the healing', async (t) => {
  const lines = await linesOf('LostZone/30Nodes_10Lost_100Pods');
  t.deepEqual(
    lines.flatMap(({ nodesTainted }) => nodesTainted ?? []),
    [0, 4, ...Array.from({ length: 11 }, () => 10), 0],
  );
  t.like(lines.at(-3), { state: 'healed', nodesReady: 30, nodesLost: 0, pods: 100, podsReady: 100, podsEvicted: 100 });
});

test('Churn24h › a day of a small cluster is played to its end, and twice the same', async (t) => {
  const [first, second] = [await linesOf('Churn24h/10Nodes_40Pods'), await linesOf('Churn24h/10Nodes_40Pods')];
  t.deepEqual(
    first.flatMap(({ hours }) => hours ?? []),
    [0, 4, 8, 12, 16, 20, 24],
  );
  t.deepEqual(first.at(-1), second.at(-1));
});

test('InvariantsCost › looking at promises changes nothing that happens', async (t) => {
  const lines = await linesOf('InvariantsCost/10Nodes_50Pods');
  const ofStage = (wanted: string): SceneLine[] => lines.filter(({ stage }) => stage === wanted);
  t.deepEqual(
    ofStage('gone').map(({ round, invariants }) => [round, invariants]),
    [
      [1, 'off'],
      [1, 'on'],
      [2, 'off'],
      [2, 'on'],
    ],
  );
  const [off, on, offAgain, onAgain] = ofStage('gone').map(({ evaluated }) => Number(evaluated));
  t.deepEqual([off, offAgain], [0, 0]);
  t.true((on ?? 0) > 1000 && on === onAgain);
  t.regex(String(lines.at(-1)?.['note']), /^trace [0-9a-f]{64}$/);
});
