import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
/** Nothing is asked of a network, a screen or a graphics card; the profile is a new one that goes with the browser. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
/** On a busy machine a browser takes its time to start, and a page to load; what goes wrong is told at the latest then. */
const PATIENCE_MS = 180_000;

let started: Promise<Browser> | undefined;

/** A page in headless Chromium, with all that went wrong in it, and all that it asked of a network. */
export interface Opened {
  readonly page: Page;
  readonly problems: readonly string[];
}

/**
 * Looks at a page in the one browser of this process, and closes the page afterwards. Where no Chromium is installed the
 * test says so and looks at nothing. `closeBrowser` ends the browser, after all tests.
 */
export async function inBrowser(
  t: ExecutionContext,
  { url, scheme = 'light' }: { readonly url: string; readonly scheme?: 'light' | 'dark' },
  look: (opened: Opened) => Promise<void>,
): Promise<void> {
  t.timeout(2 * PATIENCE_MS);
  if (!existsSync(CHROMIUM)) {
    t.log(`skipped: there is no ${CHROMIUM}`);
    t.pass();
    return;
  }
  started ??= chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: PATIENCE_MS });
  const context = await (await started).newContext({ viewport: { width: 1240, height: 900 }, colorScheme: scheme });
  context.setDefaultTimeout(PATIENCE_MS);
  try {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url.startsWith('file:') ? 'file:' : url))
        problems.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    await look({ page, problems });
  } finally {
    await context.close();
  }
}

/** Ends the browser, if one was started: to be called once all tests of a file are over. */
export async function closeBrowser(): Promise<void> {
  const ending = started;
  started = undefined;
  await (await ending)?.close();
}
