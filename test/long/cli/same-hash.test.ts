/** What commands play is the same with any number of workers. */
import test from 'ava';
import { foundText, parseFound, search, type PlanDocument } from '../../../src/index.js';
import { inputFile, kubeloom } from '../../cli/command.js';

/** Whole plans are played, several times, on a slow machine. */
const TIMEOUT_MS = 300_000;
/** Nothing can run it: a search that looks for what does not come to rest finds it with each seed. */
const HUGE_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'huge' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1000' } } }] },
};

const withHugePod = (plan: PlanDocument): PlanDocument => ({ ...plan, workloads: [...plan.workloads, HUGE_POD] });

test('kubeloom run › gives the same trace hash with 0, 1 and 2 workers and on repetition', async (t) => {
  const hashes = [];
  for (const workers of ['0', '1', '2', '0']) {
    const played = await kubeloom('run', '--nodes', '120', '--pods', '400', '--workers', workers, '--json');
    hashes.push((JSON.parse(played.stdout) as { readonly traceHash: string }).traceHash);
  }
  t.is(new Set(hashes).size, 1, hashes.join('\n'));
});

test('kubeloom replay › another process comes to the same hash, with any number of scheduler workers', async (t) => {
  t.timeout(TIMEOUT_MS);
  const { discoveries } = await search({ seeds: 1, from: 5, adapt: withHugePod });
  const [discovery] = discoveries;
  if (discovery === undefined) return t.fail('nothing was found');
  // As it was played, not as it was shrunk: there is more to schedule.
  const { plan, outcome } = discovery;
  const text = foundText({ ...discovery, shrunk: plan, shrunkOutcome: outcome }, '1.2.3');
  const file = inputFile('found.yaml', text);
  for (const workers of ['0', '1', '2']) {
    const { status, stdout } = await kubeloom('replay', file, '--workers', workers);
    t.is(status, 0, stdout);
    t.true(stdout.includes(`trace hash ${outcome.traceHash}, as it was found`));
  }
  const { invariant } = parseFound(text, file);
  const other = inputFile('other.yaml', text.replace(`invariant: ${invariant}`, 'invariant: one-writer'));
  const { status, stdout } = await kubeloom('replay', other);
  t.is(status, 1);
  t.true(stdout.endsWith(`trace hash ${outcome.traceHash}, as it was found, but then it broke one-writer\n`));
});
