import test from 'ava';
import { loadBroken } from '../laboratory/fuzz/planted/broken-program.js';
import { PLANTED_BUGS, type PlantedBug } from '../laboratory/fuzz/planted/planted-bugs.js';

const TIMEOUT_MS = 600_000;

const isFound = test.macro({
  title: (_given, { name, seeds }: PlantedBug) => `search › finds ${name} within ${seeds} seeds`,
  async exec(t, { name, changes, invariants, adapt, seeds }: PlantedBug) {
    t.timeout(TIMEOUT_MS);
    const { search } = await loadBroken(name, changes);
    const { discoveries } = await search({
      seeds,
      // Each plan is played once.
      bounds: { reference: 0 },
      ...(adapt === undefined ? {} : { adapt }),
      stopsAtFirst: true,
      shrinks: false,
    });
    const [discovery] = discoveries;
    if (discovery === undefined) return t.fail('nothing was found');
    const [violation] = discovery.shrunkOutcome.violations;
    t.log(`seed ${discovery.seed}: ${violation?.invariant}: ${violation?.object} ${violation?.text}`);
    t.true(invariants.includes(violation?.invariant ?? ''), violation?.invariant);
  },
});

for (const bug of PLANTED_BUGS) test.serial(isFound, bug);

test('planted bugs › a text that does not stand in the program exactly once is refused', async (t) => {
  const change = { file: 'observers/invariants/invariants', text: 'no such text', becomes: '' };
  await t.throwsAsync(loadBroken('unfit', [change]), {
    message: 'this must stand in observers/invariants/invariants exactly once, and stands there 0 times: no such text',
  });
  await t.throwsAsync(loadBroken('misnamed', [{ ...change, file: 'no/such-file' }]), {
    message: 'misnamed: the program does not load no/such-file',
  });
});
