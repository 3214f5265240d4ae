import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { comparisonPage, differencesOf, runPage, type RunSummary } from '../../../src/index.js';
import { randomStream } from '../../../src/kernel/random.js';
import { levelOf } from '../../../src/report/page/heat-map.js';
import { durationText, numberText, roundTimes } from '../../../src/report/page/html.js';
import { rankTest } from '../../../src/report/page/rank-test.js';
import { closeBrowser, inBrowser, type Opened } from '../../browser.js';
import { measuredRun } from '../../report/measured-run.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-page-'));
const CHARTS = ['pods', 'startup', 'throughput', 'queue', 'nodes', 'requests'];

test.after.always(closeBrowser);

/** Looks at a page that is a file; it is drawn when it says so. */
async function look(
  t: ExecutionContext,
  html: string,
  then: (opened: Opened) => Promise<void>,
  scheme: 'light' | 'dark' = 'light',
): Promise<void> {
  const file = join(folder, `${t.title.replaceAll(/\W+/g, '-')}-${scheme}.html`);
  writeFileSync(file, html);
  await inBrowser(t, { url: pathToFileURL(file).href, scheme }, async (opened) => {
    await opened.page.waitForFunction('document.documentElement.dataset.drawn !== undefined');
    await then(opened);
  });
}

/** How many different colours a chart shows; an empty one has those of its axes alone. */
function coloursOf(page: Page, id: string): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('#chart-${id} canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 250) continue;
      const key = data[at] + ',' + data[at + 1] + ',' + data[at + 2];
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts.values()].filter((count) => count > 40).length;
  })()`);
}

test('the page of a run shows every chart with its data, without an error and without a network', async (t) => {
  const summary = await measuredRun();
  await look(t, runPage(summary), async ({ page, problems }) => {
    for (const id of CHARTS) t.true((await coloursOf(page, id)) >= 2, `${id} has lines`);
    const text = await page.innerText('main');
    t.true(text.includes('✗ failed'));
    t.true(text.includes('unschedulable: count==0'));
    t.true(text.includes('Insufficient cpu'));
    t.true(text.includes('cut {"node":"node-0"}'));
    t.true(text.includes('default/huge'));
    t.true((await page.locator('#heat path.heat').count()) > 4);
    t.true((await page.locator('#distribution rect.bar').count()) > 4);
    t.true((await page.locator('#slowest .pod-bar rect').count()) > 4);
    t.is(await page.locator('#marks .mark.fault').count(), 1);
    t.regex(await page.innerText('.tiles'), /\d+\s+pods Ready at the fewest while faults lasted, of \d+ before/);
    // The legend shows each line with its own dashes, whatever its colour.
    const dashes: readonly string[] = await page.evaluate(
      `[...document.querySelectorAll('#chart-queue .u-legend .u-marker')].map((each) => decodeURIComponent(each.style.background).match(/dasharray="([^"]*)"/)?.[1])`,
    );
    t.deepEqual(dashes.slice(1), ['', '8 4', '2 3', '10 3 2 3', '5 5']);
    t.is((await page.innerText('#chart-queue .u-legend')).includes('–'), false, 'without a cursor no value is told');
    t.deepEqual(problems, []);
  });
});

test('texts of users are texts: nothing of them is run or drawn as an element', async (t) => {
  const html = runPage(await measuredRun());
  t.false(html.includes('<script>alert'));
  t.is(html.match(/<script/g)?.length, 3);
  await look(t, html, async ({ page, problems }) => {
    t.is(await page.innerText('h1'), `✗ failed<script>alert("x")</script> & 'more' \\ end`);
    t.deepEqual(problems, []);
  });
});

test('a page follows the dark theme of its reader, and is light on paper', async (t) => {
  const html = runPage(await measuredRun());
  const back = 'getComputedStyle(document.body).backgroundColor';
  await look(
    t,
    html,
    async ({ page, problems }) => {
      t.is(await page.evaluate(back), 'rgb(20, 24, 29)');
      t.true((await coloursOf(page, 'pods')) >= 2);
      await page.emulateMedia({ media: 'print' });
      t.is(await page.evaluate(back), 'rgb(255, 255, 255)');
      t.true((await page.pdf({ format: 'A4' })).length > 20_000);
      t.deepEqual(problems, []);
    },
    'dark',
  );
});

test('two runs side by side share their charts, and every difference is told', async (t) => {
  const [first, second] = [await measuredRun(3), await measuredRun(4)];
  await look(t, comparisonPage([first], [second]), async ({ page, problems }) => {
    for (const id of ['pods', 'startup', 'throughput', 'requests', 'nodes']) {
      t.true((await coloursOf(page, id)) >= 2, id);
      t.true((await page.innerText(`#chart-${id} .u-legend`)).includes('B: '), id);
    }
    t.regex(await page.innerText('#differences'), /pod_startup_ms p\(99\)\s+(?:\d+ ms|[\d.]+ s)\s/);
    t.deepEqual(problems, []);
  });
});

test('a page of a run in which nothing happened is a page as well', async (t) => {
  const summary = await measuredRun();
  const empty: RunSummary = {
    ...summary,
    checks: [],
    thresholds: [],
    marks: [],
    zones: [],
    refused: [],
    unschedulable: [],
    slowest: [],
    unstarted: [],
    metrics: [],
    series: { startMs: 0, slotMs: 100, slots: 1, levels: [], amounts: [], spreads: {} },
  };
  await look(t, runPage(empty), async ({ page, problems }) => {
    t.true((await page.innerText('main')).includes('no pod was started'));
    t.deepEqual(problems, []);
  });
});

test('differences are medians over seeds, with what is better and how likely chance is', async (t) => {
  const summary = await measuredRun();
  const withStartup = (ms: number): RunSummary => ({
    ...summary,
    metrics: summary.metrics.map((each) =>
      each.name === 'pod_startup_ms' ? { ...each, values: { ...each.values, 'p(99)': ms } } : each,
    ),
  });
  const differences = differencesOf([100, 110, 120, 130].map(withStartup), [200, 210, 220, 230].map(withStartup));
  const startup = differences.find(({ metric, value }) => metric === 'pod_startup_ms' && value === 'p(99)');
  t.like(startup, { before: 115, after: 215, share: 100 / 115, isBetter: false });
  t.is(startup?.chance?.toFixed(4), (2 / 70).toFixed(4));
  const same = differences.find(({ metric, value }) => metric === 'pods_created' && value === 'count');
  t.like(same, { share: 0, isBetter: undefined, chance: 1 });
});

test('a difference between groups that chance may make is told, and not called better or worse', async (t) => {
  const summary = await measuredRun();
  const withStartup = (ms: number): RunSummary => ({
    ...summary,
    metrics: summary.metrics.map((each) =>
      each.name === 'pod_startup_ms' ? { ...each, values: { ...each.values, 'p(99)': ms } } : each,
    ),
  });
  const judgements = (before: readonly number[], after: readonly number[]): readonly string[] =>
    comparisonPage(before.map(withStartup), after.map(withStartup)).match(/▲ better|▼ worse/g) ?? [];
  t.deepEqual(judgements([100, 110, 120, 130], [200, 210, 220, 230]), ['▼ worse']);
  t.deepEqual(judgements([200, 210, 220, 230], [100, 110, 120, 130]), ['▲ better']);
  t.deepEqual(judgements([100, 110, 220, 230], [105, 200, 210, 240]), []);
  // One run a side: nothing says how likely it is.
  t.deepEqual(judgements([100], [200]), ['▼ worse']);
});

test('the rank test is exact for few runs, near for many, and needs two a side', (t) => {
  t.is(rankTest([1], [2]), undefined);
  t.is(rankTest([1, 2, 3], [4, 5, 6])?.toFixed(6), '0.100000');
  t.is(rankTest([1, 2, 3], [1, 2, 3]), 1);
  t.is(rankTest([5, 5, 5], [5, 5, 5]), 1);
  const [low, high] = [0, 6].map((shift) => Array.from({ length: 20 }, (_, index) => index + shift)) as [
    number[],
    number[],
  ];
  t.true(Math.abs((rankTest(low, high) ?? 1) - shuffledChance(low, high)) < 0.004, String(rankTest(low, high)));
});

function rankSum(values: readonly number[], all: readonly number[]): number {
  return values.reduce((sum, value) => {
    const below = all.filter((other) => other < value).length;
    return sum + below + (all.filter((other) => other === value).length + 1) / 2;
  }, 0);
}

/** The same by dealing the values out anew 20,000 times. */
function shuffledChance(left: readonly number[], right: readonly number[]): number {
  const random = randomStream('shuffles', 'rank-test');
  const all = [...left, ...right];
  const mean = (left.length * (all.length + 1)) / 2;
  const distance = Math.abs(rankSum(left, all) - mean);
  const ranks = all.map((value) => rankSum([value], all));
  let far = 0;
  for (let deal = 0; deal < 20_000; deal += 1) {
    for (let index = ranks.length - 1; index > 0; index -= 1) {
      const other = random.int(0, index);
      [ranks[index], ranks[other]] = [ranks[other] ?? 0, ranks[index] ?? 0];
    }
    const sum = ranks.slice(0, left.length).reduce((a, b) => a + b, 0);
    if (Math.abs(sum - mean) >= distance - 1e-9) far += 1;
  }
  return far / 20_000;
}

test('faults of one moment are one entry, and a number at the right edge stands before its mark', async (t) => {
  const summary = await measuredRun();
  const { startMs, endMs } = summary;
  const fault = { kind: 'fault', atMs: startMs + 1000, untilMs: endMs, ok: null } as const;
  const html = runPage({
    ...summary,
    marks: [
      ...['a', 'b', 'c'].map((node) => ({ ...fault, text: `powerOff ${node}` })),
      { kind: 'expectation', atMs: endMs, untilMs: null, ok: true, text: 'all is well' },
    ],
  });
  t.true(html.includes('2 entries'));
  t.true(html.includes('<td>1–3</td>'));
  t.true(html.includes('powerOff a and 2 more'));
  t.regex(html, /text-anchor="end">4<\/text>/);
});

test('an axis of time has round moments', (t) => {
  t.deepEqual(
    [48_200, 2_100_000, 900, 0, 86_400_000 * 30].map(roundTimes).map((each) => each.map(durationText)),
    [
      ['0 ms', '10 s', '20 s', '30 s', '40 s'],
      ['0 ms', '5 min', '10 min', '15 min', '20 min', '25 min', '30 min', '35 min'],
      ['0 ms', '200 ms', '400 ms', '600 ms', '800 ms'],
      ['0 ms'],
      ['0 ms', '96 h', '192 h', '288 h', '384 h', '480 h', '576 h', '672 h'],
    ],
  );
});

test('numbers and times are told as people read them', (t) => {
  t.deepEqual([0, 1.234, 99.96, 1234, 1234567.8].map(numberText), [
    '0',
    '1.23',
    '100',
    '1\u2009234',
    '1\u2009234\u2009568',
  ]);
  t.deepEqual([0, 850, 1040, 12_340, 60_000, 200_000, 3_600_000, 20_160_000].map(durationText), [
    '0 ms',
    '850 ms',
    '1.04 s',
    '12.3 s',
    '1 min',
    '3 min 20 s',
    '1 h',
    '5 h 36 min',
  ]);
  t.deepEqual([0, 0.001, 0.1, 0.11, 1, 1.2].map(levelOf), [0, 1, 1, 2, 10, 11]);
});
