/**
 * Random clusters and what happens to them, decided twice: by the product, with all that it keeps from
 * attempt to attempt, and by a plain reference that begins anew each time. For more of it see main.ts and
 * test/long/scheduler.
 */
import test from 'ava';
import type { ColumnScore } from '../../../src/scheduler/framework/interface.js';
import { ImageLocality } from '../../../src/scheduler/plugins/image-locality.js';
import { IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { Disagreement, runCampaign } from './campaign.js';
import type { Operation, Plan } from './operations.js';
import { shrink } from './shrink.js';

/** How attempts must have ended for the comparison to be worth something. */
const OUTCOMES = [
  'placed',
  'unfit',
  'nominated node taken',
  'preemption nominated',
  'preemption unhelpful',
  'preemption ineligible',
  'claims bound',
];

test.serial(
  'decision › of 1,300 random attempts every verdict, score, choice and preemption is that of the plain forms',
  async (t) => {
    const { cycles, outcomes } = await runCampaign({ seed: 'suite', cycles: 1300 });
    t.true(cycles >= 1300);
    t.deepEqual(
      OUTCOMES.filter((outcome) => outcomes[outcome] === undefined),
      [],
    );
  },
);

/** Its column form knows images of one node only. */
class ForgetfulImageLocality extends ImageLocality {
  override compileScore(...args: Parameters<ImageLocality['compileScore']>): ColumnScore {
    const column = super.compileScore(...args);
    return { score: (slots, count, raw) => column.score(slots, Math.min(count, 1), raw) };
  }
}

test('a column form that is wrong is found, and shown with the way back to it', async (t) => {
  const registry = new Map(IN_TREE_PLUGINS).set('ImageLocality', (_args, handle) => new ForgetfulImageLocality(handle));
  const error = await t.throwsAsync(runCampaign({ seed: 'broken', cycles: 1500, registry }), {
    instanceOf: Disagreement,
  });
  t.regex(
    error?.message ?? '',
    /^(Error: decision about p\d+: .* should be .*, got |InvariantError: the scores of node \d+ add up to )/,
  );
  t.regex(error?.message ?? '', /\nAgain: node dist\/test\/scheduler\/differential\/main\.js --run broken\/\d+$/);
  const done = error?.plan.operations.map((operation) => operation.do) ?? [];
  t.deepEqual([...new Set(done)].sort(), ['addNode', 'attempt', 'createPod']);
  t.true(done.length <= 6, done.join(' '));
});

function addNode(node: string): Operation {
  return { do: 'addNode', node, plan: { labels: { zone: 'a' }, allocatable: { cpu: '1' }, unschedulable: true } };
}

test('shrink › leaves what the failure needs and nothing else', async (t) => {
  const plan: Plan = {
    seed: 's',
    configuration: { percentageOfNodesToScore: 5 },
    templates: [{ namespace: 'default', labels: {}, spec: { containers: [], priority: 3, nodeSelector: { a: 'b' } } }],
    operations: [
      ...Array.from({ length: 40 }, (_, index) => addNode(`n${index}`)),
      { do: 'createPod', pod: 'p', template: 0 },
      { do: 'removeNode', node: 'n3' },
    ],
  };
  const smallest = await shrink(plan, ({ operations, templates }) => {
    const has = (text: string): boolean => operations.some((operation) => JSON.stringify(operation).includes(text));
    return Promise.resolve(has('"n17"') && has('createPod') && templates[0]?.spec.priority === 3 ? 'fails' : undefined);
  });
  t.deepEqual(smallest, {
    ...plan,
    configuration: {},
    templates: [{ namespace: 'default', labels: {}, spec: { containers: [], priority: 3 } }],
    operations: [
      { do: 'addNode', node: 'n17', plan: { labels: {}, allocatable: { cpu: '1' } } },
      { do: 'createPod', pod: 'p', template: 0 },
    ],
  });
});
