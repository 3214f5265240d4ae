import test from 'ava';
import { createCluster, openLivePage, type Cluster, type LivePage } from '../../../src/index.js';
import { closeBrowser, inBrowser } from '../../browser.js';

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 300,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
    },
  },
};

test.after.always(closeBrowser);

/** A cluster that goes on until it is told to end, with its page. */
async function served(
  work: (cluster: Cluster, page: LivePage) => Promise<void>,
  { nodes = 40, speed = 5 }: { readonly nodes?: number; readonly speed?: number } = {},
): Promise<void> {
  const cluster = createCluster({ nodes, seed: 3, realtime: 1_000_000, clientLimits: 'unlimited' });
  await cluster.ready();
  cluster.setSpeed(speed);
  const page = await openLivePage(cluster, { title: 'a test', speed });
  const end = new AbortController();
  const over = cluster.run({ signal: end.signal, limit: '10h' });
  try {
    await work(cluster, page);
  } finally {
    await page.close();
    end.abort();
    await over;
    await cluster.dispose();
  }
}

async function act(page: LivePage, body: object): Promise<{ readonly status: number; readonly message?: string }> {
  const answer = await fetch(`${page.url}do`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, ...((await answer.json()) as { readonly message?: string }) };
}

test('a live page moves: its map, its charts and what is clicked show the cluster as it is', async (t) => {
  await served(async (cluster, live) => {
    await inBrowser(t, { url: live.url }, async ({ page, problems }) => {
      // The page's policy lets no text become a program, the tests' neither: they wait for what is to be seen.
      const shown = (selector: string): Promise<unknown> => page.waitForSelector(selector, { state: 'attached' });
      await shown('html[data-nodes="40"]');
      cluster.apply([WEB]);
      await shown('#podsReady:text-is("300")');
      await page.click('#map', { position: { x: 10, y: 10 } });
      await shown('#pods button');
      await page.click('#pods button');
      await shown('#decisions li');
      t.regex(await page.innerText('#decisions'), /^attempt 1 at .* s: placed on node-/);
      t.regex(await page.innerText('#course'), /created/);
      t.regex(
        await page.innerText('#legend'),
        /a mark in it a pod: hollow starting, full ready, a lying stroke ending/,
      );
      // Without a mouse: a node by its name.
      await page.fill('#target', 'node-07');
      await page.press('#target', 'Tab');
      await shown('#node:text-is("node-07")');
      await page.selectOption('#verb', 'powerOff');
      await page.click('#inject');
      await shown('#faults:text-is("1")');
      await shown('#nodesReady:text-is("39 of 40")');
      await page.click('#heal');
      await shown('#faults:text-is("0")');
      await page.click('#pause');
      await shown('#pause[data-paused="true"]');
      const before = cluster.nowMs;
      await page.click('#step');
      await shown(`#now:not(:text-is("${(before / 1000).toFixed(1)} s"))`);
      t.true(cluster.nowMs >= before + 1000 && cluster.nowMs < before + 3000, `${before} ${cluster.nowMs}`);
      await shown('html[data-drawn]');
      if (process.env['SCREENSHOT'] !== undefined)
        await page.screenshot({ path: process.env['SCREENSHOT'], fullPage: true });
      t.deepEqual(problems, []);
    });
  });
});

test('a live page is answered below its token alone, from this machine, and refuses what it cannot do by name', async (t) => {
  await served(async (cluster, live) => {
    const { origin } = new URL(live.url);
    t.is((await fetch(origin)).status, 404);
    t.is((await fetch(`${origin}/${'x'.repeat(32)}/`)).status, 404);
    t.is((await fetch(live.url)).status, 200);
    t.is((await fetch(`${live.url}other`)).status, 404);
    t.is((await fetch(`${live.url}pod?key=default/none`)).status, 400);
    t.is((await fetch(live.url, { method: 'DELETE' })).status, 405);
    t.like(await act(live, { pause: true }), { status: 200 });
    const { nowMs } = cluster;
    await new Promise((resolve) => setTimeout(resolve, 300));
    t.is(cluster.nowMs, nowMs, 'paused');
    t.like(await act(live, { resume: true }), { status: 200 });
    t.regex(
      (await act(live, { fault: { cut: { node: 'none' } } })).message ?? '',
      /^fault\.cut\.node must be a node of the cluster/,
    );
    t.regex((await act(live, { step: 'soon' })).message ?? '', /^step must be /);
    t.regex((await act(live, { speed: -1 })).message ?? '', /^realtime must be a speed factor > 0/);
    t.regex((await act(live, { go: 1 })).message ?? '', /^what to do must be one of pause, .*got "go"/);
  });
  await t.throwsAsync(async () => openLivePage({} as Cluster), {
    message: /^cluster must be a cluster that createCluster has made/,
  });
  await t.throwsAsync(async () => openLivePage(createCluster({ nodes: 0 }), { port: -1 }), {
    message: /^port must be /,
  });
});
