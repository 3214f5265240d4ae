import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { benchProgram } from '../bench-program.js';
import { replayStory } from '../../bench/conformance/stories/replay-story.js';
import { readStories, type Story } from '../../bench/conformance/stories/story.js';
import { scheduledEvent, storyLines, textOf, type Line } from './story-lines.js';

/** What a real control plane of v1.34 did. */
const RECORDINGS = path.join(process.cwd(), '..', 'shared', 'observations');
const STORIES = existsSync(RECORDINGS) ? readdirSync(RECORDINGS).filter((file) => /^watch-.*\.jsonl$/.test(file)) : [];
const DECISIONS = 'test/scheduler/conformance/recordings/ports-images.jsonl.gz';
const MAIN = benchProgram('conformance');

function onlyStory(file: string): Story {
  const [story, ...others] = readStories(file);
  if (story === undefined || others.length > 0) throw new Error(`${file} must hold one story`);
  return story;
}

for (const file of STORIES) {
  test(`stories › ${file} is told as recorded`, async (t) => {
    const { differences, changes } = await replayStory(onlyStory(path.join(RECORDINGS, file)));
    t.deepEqual(differences, []);
    t.true(changes > 0);
  });
}

async function inFile<T>(text: string, use: (file: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'story-'));
  try {
    const file = path.join(folder, 'watch-told.jsonl');
    writeFileSync(file, text);
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What differs: the line of the recording, and what. */
async function differencesOf(lines: readonly Line[]): Promise<readonly (readonly [number | undefined, string])[]> {
  const { differences } = await inFile(textOf(lines), (file) => replayStory(onlyStory(file)));
  return differences.map(({ line, what }) => [line, what]);
}

/** The story with one text changed in one of its lines, counted from 1. */
function withText(number: number, text: string, changed: string): Line[] {
  const lines = storyLines();
  const line = JSON.stringify(lines[number - 1]);
  lines[number - 1] = JSON.parse(line.replace(text, changed)) as Line;
  return lines;
}

test('stories › one that is as it must be has no differences', async (t) => {
  t.deepEqual(await differencesOf(storyLines()), []);
});

test('stories › a condition that differs is found', async (t) => {
  t.deepEqual(await differencesOf(withText(7, '"Ready","status":"True"', '"Ready","status":"False"')), [
    [7, 'Pod told/m: status.conditions[Ready] differs'],
  ]);
});

test('stories › a grace period that differs is found', async (t) => {
  t.deepEqual(await differencesOf(withText(10, '"deletionGracePeriodSeconds":30', '"deletionGracePeriodSeconds":7')), [
    [10, 'Pod told/m: metadata.deletionGracePeriodSeconds differs'],
  ]);
});

test('stories › two writes where the recording had one are found', async (t) => {
  const lines = storyLines();
  lines.splice(5, 1);
  t.deepEqual(await differencesOf(lines), [[6, 'Pod told/m: writes']]);
});

test('stories › an object that did not come is found', async (t) => {
  t.deepEqual(await differencesOf(withText(3, '"name":"m","namespace"', '"name":"other","namespace"')), [
    [2, 'metadata.uid of the answer to "create"'],
    [3, 'Pod told/other'],
    [6, 'Pod told/m'],
    [9, 'metadata.uid of the answer to "delete"'],
  ]);
});

test('stories › an Event that is missing is found', async (t) => {
  const lines = storyLines();
  lines.splice(6, 0, scheduledEvent(513));
  t.deepEqual(await differencesOf(lines), [
    [7, 'Event default-scheduler Binding: Normal Scheduled of Pod told/m: Successfully assigned told/m to node-000001'],
  ]);
});

test('stories › an answer that differs is found', async (t) => {
  t.deepEqual(await differencesOf(withText(5, '"status":201', '"status":409')), [
    [5, 'code and text of the answer to "bind"'],
  ]);
});

test('stories › the order of objects is found to differ only beyond a race', async (t) => {
  const second = storyLines().slice(0, 3);
  const renamed = JSON.parse(
    JSON.stringify(second).replaceAll('"name":"m"', '"name":"n"').replaceAll('d6d62e6e', 'd6d62e6f'),
  ) as (Line & { readonly ms: number })[];
  const early = renamed.map((line) => ({ ...line, ms: line.ms + 40 }));
  const [mark, action, added] = early;
  const [firstMark, firstAction, firstAdded, ...rest] = storyLines();
  const raced = [firstMark, firstAction, mark, action, added, { ...firstAdded, ms: 65 }, ...rest] as Line[];
  t.deepEqual(await differencesOf(raced), []);
  const swapped = [firstMark, firstAction, mark, action, added, { ...firstAdded, ms: 165 }, ...rest] as Line[];
  t.deepEqual(await differencesOf(swapped), [[6, 'order']]);
});

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

test('conformance › stories and decisions are replayed side by side', async (t) => {
  await inFile(textOf(storyLines()), (file) => {
    const { status, out } = run(file, DECISIONS, '--json');
    const { reports, stories } = JSON.parse(out) as {
      readonly reports: readonly { readonly family: string; readonly mismatches: readonly unknown[] }[];
      readonly stories: readonly object[];
    };
    t.is(status, 0);
    t.deepEqual(stories, [{ story: 'watch-told', actions: 3, changes: 6, ignored: [], differences: [] }]);
    t.deepEqual(
      reports.map(({ family, mismatches }) => [family, mismatches.length]),
      [['ports-images', 0]],
    );
  });
});

test('conformance › what differs is told under its step, with exit code 1', async (t) => {
  await inFile(textOf(withText(10, '"deletionGracePeriodSeconds":30', '"deletionGracePeriodSeconds":7')), (file) => {
    t.deepEqual(run(file), {
      status: 1,
      out: [
        'watch-told: 3 actions, 6 changes, 1 differences',
        '  delete',
        '    line 10, Pod told/m: metadata.deletionGracePeriodSeconds differs',
        '      recorded [null,"7","0"]',
        '      ours     [null,"30","0"]',
        '',
      ].join('\n'),
      err: '',
    });
  });
});

test('conformance › a line that cannot be read is named, with exit code 2', async (t) => {
  const [first = {}, second = {}] = storyLines();
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${textOf([first, second])}{"ms": 3\n`, /^conformance: .*watch-told\.jsonl:3: not JSON: /],
    [`${textOf([first])}\n[]\n`, /^conformance: .*watch-told\.jsonl:3: a line must be an object\n$/],
    [
      textOf([first, { ms: 3 }]),
      /^conformance: .*watch-told\.jsonl:2: a line must have `mark`, `action` or `event`\n$/,
    ],
    [
      textOf([{ scenario: {} }]),
      /^conformance: .*watch-told\.jsonl:1: a decision must have `scenario` and `result`\n$/,
    ],
  ];
  for (const [text, message] of cases) {
    await inFile(text, (file) => {
      const { status, err } = run(file);
      t.is(status, 2);
      t.regex(err, message);
    });
  }
});
