/**
 * `npm run mutants`: plants each bug of `mutants.jsonl` into the program, has the search and the tests that must find
 * it look for it, and prints which did. Exit code 1 when one of them did not, or finds the same in the program as it
 * is.
 *
 *     --shard 1/4    the first, fifth, ninth … line
 *     --only TEXT    lines with the text in their bug or file
 *     --seeds 500    of the search
 *     --every        the search looks for all of them, also for those that it need not find
 *     --search-only  the same, and no test looks: at least half of the lines must be found
 *     --skip-tests, --skip-search
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOptions, refuseInput } from '../../bench/program-options.js';
import { bySearch, byTest, environmentOf, type Found } from './finders.js';
import { readMutants, SEARCH, type Mutant } from './mutant.js';

const { values: flags } = programOptions('mutants', {
  options: {
    shard: { type: 'string', default: '1/1' },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '500' },
    every: { type: 'boolean', default: false },
    'search-only': { type: 'boolean', default: false },
    'skip-tests': { type: 'boolean', default: false },
    'skip-search': { type: 'boolean', default: false },
  },
});
const SEEDS = positive('--seeds', flags.seeds);

/** What became of a mutant. */
interface Verdict {
  readonly mutant: Mutant;
  readonly found: ReadonlyMap<string, Found>;
}

function positive(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  return refuseInput('mutants', `${name} must be an integer >= 1, got ${text}`);
}

/** The lines of a shard. */
function chosen(): readonly Mutant[] {
  const match = /^(\d+)\/(\d+)$/.exec(flags.shard);
  const [shard, shards] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (shard < 1 || shard > shards) refuseInput('mutants', `--shard must be such as 1/4, got ${flags.shard}`);
  return readMutants()
    .filter((_, index) => index % shards === shard - 1)
    .filter(({ bug, file }) => bug.includes(flags.only) || file.includes(flags.only));
}

function findersOf({ by }: Mutant): readonly string[] {
  if (flags['search-only']) return [SEARCH];
  const all = flags.every && !by.includes(SEARCH) ? [SEARCH, ...by] : by;
  return all.filter((name) => !flags[name === SEARCH ? 'skip-search' : 'skip-tests']);
}

/** Tests that fail without any mutant, by name: what they tell of a mutant is worth nothing. */
const failing = new Map<string, Promise<Found>>();

async function look(mutant: Mutant, folder: string): Promise<Verdict> {
  const env = environmentOf(mutant, folder);
  const found = new Map<string, Found>();
  for (const name of findersOf(mutant)) {
    if (name === SEARCH) {
      found.set(name, await bySearch(SEEDS, env));
      continue;
    }
    const verdict = await byTest(name, env);
    if (verdict.isFound && !failing.has(name)) failing.set(name, byTest(name, process.env));
    const before = await failing.get(name);
    if (before?.isFound === true) throw new Error(`${name} fails without any mutant: ${before.text}`);
    found.set(name, verdict);
  }
  return { mutant, found };
}

function linesOf({ mutant: { bug, by }, found }: Verdict): string {
  const rows = [...found].map(([name, { isFound, text }]) => {
    const isMissedBy = !isFound && by.includes(name);
    return `    ${name}: ${isMissedBy ? `MISSED (${text})` : text}`;
  });
  return [bug, ...rows, ''].join('\n');
}

function isMissed({ mutant: { by }, found }: Verdict): boolean {
  return [...found].some(([name, { isFound }]) => !isFound && by.includes(name));
}

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-mutants-'));
const verdicts: Verdict[] = [];
try {
  for (const mutant of chosen()) {
    const verdict = await look(mutant, folder);
    verdicts.push(verdict);
    process.stdout.write(linesOf(verdict));
  }
} finally {
  rmSync(folder, { recursive: true });
}
const count = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;
const hasFound = ({ found }: Verdict, isWanted: (name: string) => boolean): boolean =>
  [...found].some(([name, { isFound }]) => isFound && isWanted(name));
process.stdout.write(
  [
    '',
    `${verdicts.length} mutants: ${count((each) => hasFound(each, (name) => name === SEARCH))} found by the search (${SEEDS} seeds), ${count((each) => hasFound(each, (name) => name !== SEARCH))} by tests, ${count((each) => !hasFound(each, () => true))} by none`,
    `missed by one that must find it: ${
      verdicts
        .filter(isMissed)
        .map(({ mutant }) => mutant.bug)
        .join('; ') || 'none'
    }`,
    '',
  ].join('\n'),
);
const isHalfFound = 2 * count(({ found }) => found.get(SEARCH)?.isFound === true) >= verdicts.length;
const isEnough = count(isMissed) === 0 && (isHalfFound || !flags['search-only']);
process.exitCode = isEnough && verdicts.length > 0 ? 0 : 1;
