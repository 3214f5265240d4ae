import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { parseScenario, runScenario, type ScenarioEntry, type ScenarioResult } from '../../src/index.js';

const FOLDER = 'examples/scenarios';

interface Played {
  readonly result: ScenarioResult;
  readonly entries: readonly ScenarioEntry[];
}

/** Plays an example as the command line does; whatever the seed, all that it expects comes about. */
async function play(t: ExecutionContext, name: string, seed: string): Promise<Played> {
  const file = `${FOLDER}/${name}.yaml`;
  const scenario = parseScenario(readFileSync(file, 'utf8'), file, (path) => readFileSync(`${FOLDER}/${path}`, 'utf8'));
  const entries: ScenarioEntry[] = [];
  const result = await runScenario(scenario, { seed, timeline: true, onEntry: (entry) => entries.push(entry) });
  t.deepEqual(
    { refusals: result.refusals, unmet: result.expectations.filter(({ isMet }) => !isMet) },
    { refusals: [], unmet: [] },
    `npx kubeloom scenario ${file} --seed ${seed}`,
  );
  return { result, entries };
}

/** When an expectation was met, in whole seconds. */
function metAt({ expectations }: ScenarioResult, title: string): number {
  return Math.floor((expectations.find((each) => each.title === title)?.atMs ?? Number.NaN) / 1000);
}

/** The writes about a pod, from some second on: `by: first line`. */
function writes(entries: readonly ScenarioEntry[], pod: string, fromSeconds: number): string[] {
  return entries.flatMap(({ story, atMs }) =>
    story?.source === 'api' && story.pod === pod && atMs >= fromSeconds * 1000
      ? [`${story.by}: ${story.text[0] ?? ''}`]
      : [],
  );
}

for (const seed of ['1', '2', '3']) {
  test(`9.10 › seed ${seed} › a StatefulSet on a partitioned node stays unavailable, but consistent`, async (t) => {
    const { result, entries } = await play(t, 'partitioned-statefulset', seed);
    const foundOut = metAt(result, 'the node is found to be unreachable');
    t.true(foundOut >= 120 + 50 - 10 && foundOut < 120 + 60, `${foundOut}`);
    const marked = metAt(result, 'the pod is marked for deletion, 300 seconds after its node was tainted');
    t.true(marked - foundOut >= 300 && marked - foundOut <= 310, `${marked - foundOut}`);
    // The pod is not written between the mark and the end of the partition, and its kubelet removes it.
    const late = writes(entries, 'default/db-1', marked + 1);
    const [first] = late;
    t.regex(first ?? '', /^kubelet\/node-\d: /);
    t.is(
      late.findIndex((line) => line.endsWith('removed')),
      late.lastIndexOf(late.find((line) => line.endsWith('removed')) ?? ''),
    );
    t.regex(late.find((line) => line.endsWith('removed')) ?? '', /^kubelet\/node-\d: removed$/);
    t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: [] });
  });

  test(`8.8 › seed ${seed} › the deletion of a node that was switched off lets its StatefulSet move`, async (t) => {
    const { result, entries } = await play(t, 'node-deletion', seed);
    const removed = metAt(result, 'the pod is removed 40 to 80 seconds after its node');
    t.true(removed >= 21 * 60 + 40 && removed <= 21 * 60 + 80, `${removed}`);
    t.is(
      writes(entries, 'default/db-2', 21 * 60).find((line) => line.endsWith('removed')),
      'kube-controller-manager: removed',
    );
    t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: [] });
  });

  test(`9.7 › seed ${seed} › force deletion shows the split brain, warns of it and counts it`, async (t) => {
    const { result, entries } = await play(t, 'force-deletion', seed);
    t.deepEqual(result.violations, { unconfirmedDeletions: 1, splitBrains: 1, brokenBudgets: [] });
    t.deepEqual(
      entries.filter(({ type }) => type === 'warning').map(({ text }) => text),
      [
        'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. ' +
          'The resource may continue to run on the cluster indefinitely.',
      ],
    );
    const violations = entries.filter(({ type }) => type === 'violation').map(({ text }) => text);
    t.is(violations.length, 2);
    t.regex(
      violations[0] ?? '',
      /^pod default\/db-0 was removed by user while its processes may run on node-\d: nobody/,
    );
    t.regex(violations[1] ?? '', /^split brain: default\/db-0 runs on node-\d \(\S+\) and on node-\d \(\S+\)$/);
  });

  test(`9.30 › seed ${seed} › fencing heals a partition alone`, async (t) => {
    const { result, entries } = await play(t, 'fencing', seed);
    const confirmed = metAt(result, 'the fence is certain');
    const healed = metAt(result, 'the set is complete again, long before the partition ends');
    t.true(healed > confirmed && healed < confirmed + 60, `${confirmed} ${healed}`);
    // Between the partition and the fence taint eviction alone may touch the pod, by a graceful delete.
    t.false(
      writes(entries, 'default/db-1', 120)
        .slice(0, -1)
        .some((line) => line.startsWith('user: ')),
    );
    t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: [] });
  });

  test(`9.29 › seed ${seed} › a ReadWriteOnce volume is handed over once storage is fenced`, async (t) => {
    const { result, entries } = await play(t, 'volume-handover', seed);
    const confirmed = metAt(result, 'the fence is certain');
    const handedOver = metAt(result, "13 and 14, the record is given up, and the volume is the second node's");
    t.true(handedOver > confirmed && handedOver < confirmed + 30, `${confirmed} ${handedOver}`);
    t.deepEqual(result.violations, { unconfirmedDeletions: 1, splitBrains: 0, brokenBudgets: [] });
    const [violation] = entries.filter(({ type }) => type === 'violation');
    t.regex(
      violation?.text ?? '',
      /^pod default\/pod-1 was removed by kube-controller-manager while its processes may run/,
    );
  });

  test(`9.28 › seed ${seed} › of two attach/detach controllers one is refused with a conflict, and one pod writes`, async (t) => {
    const { result } = await play(t, 'two-attach-controllers', seed);
    t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: [] });
  });

  test(`9.5 › seed ${seed} › a partition holds up the deletion of a namespace`, async (t) => {
    const { result } = await play(t, 'namespace-deletion', seed);
    t.true(metAt(result, 'then it goes') >= 1800);
    t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: [] });
  });
}
