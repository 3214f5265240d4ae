import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { kubeloom } from './command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-report-'));
const at = (name: string): string => join(folder, name);

test.before(async () => {
  for (const seed of ['1', '2']) {
    const files = ['--summary', at(`${seed}.json`), '--report', at(`${seed}.html`)];
    await kubeloom('run', '--nodes', '5', '--pods', '20', '--seed', seed, ...files);
  }
});

test('kubeloom report › makes of a summary the page that the run made itself', async (t) => {
  const { status, stderr } = await kubeloom('report', at('1.json'), '--output', at('again.html'));
  t.is(status, 0, stderr);
  t.is(readFileSync(at('again.html'), 'utf8'), readFileSync(at('1.html'), 'utf8'));
});

test('kubeloom report --compare › prints differences, or writes a page of them', async (t) => {
  const { status, stdout } = await kubeloom('report', '--compare', at('1.json'), at('2.json'));
  t.is(status, 0);
  t.regex(stdout, /^pod_startup_ms p\(99\): \d+ → \d+ ms \([+-][\d.]+ %\), (?:better|worse)$/m);
  const both = `${at('1.json')},${at('2.json')}`;
  t.regex((await kubeloom('report', '--compare', both, both)).stdout, /^$/);
  t.is((await kubeloom('report', '--compare', both, both, '--output', at('both.html'))).status, 0);
  t.regex(readFileSync(at('both.html'), 'utf8'), /seeds <code>1, 2<\/code>/);
});

test('kubeloom report › what is no summary is refused in one line', async (t) => {
  writeFileSync(at('other.json'), '{"schema":"mine","version":"1.0.0"}');
  writeFileSync(at('text.json'), 'passed');
  writeFileSync(at('null.json'), 'null');
  writeFileSync(at('number.json'), '{"schema":"kubeloom.dev/run-summary","version":1}');
  writeFileSync(at('part.json'), '{"schema":"kubeloom.dev/run-summary","version":"1.0.0"}');
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { status, stderr } = await kubeloom('report', ...args);
    t.is(status, 2);
    return stderr;
  };
  const form = 'must be of the form kubeloom.dev/run-summary, version 1, got';
  t.is(
    await refusal(at('other.json'), '--output', at('x.html')),
    `kubeloom: FILE: ${at('other.json')} ${form} "mine" 1.0.0\n`,
  );
  t.regex(await refusal(at('number.json'), '--output', at('x.html')), /, got "kubeloom.dev\/run-summary" 1\n$/);
  t.regex(
    await refusal(at('part.json'), '--output', at('x.html')),
    /^kubeloom: summary must be a summary of a run, got \{"schema":"kubeloom.dev\/run-summary","version":"1.0.0"\}\n$/,
  );
  t.regex(
    await refusal(at('null.json'), '--output', at('x.html')),
    /must be of the form kubeloom\.dev\/run-summary, version 1/,
  );
  t.regex(await refusal('--compare', at('1.json'), at('text.json')), /text\.json must be a summary in JSON: /);
  t.regex(await refusal('--compare', at('1.json')), /--compare must name two files, or two lists with commas, got 1/);
  t.regex(await refusal(), /report needs the file of a summary, or --compare with two, got neither/);
  t.regex(await refusal(at('1.json')), /--output must name the page to write, got none/);
  t.regex(await refusal(at('none.json'), '--output', at('x.html')), /FILE: cannot read .*none\.json: no such file/);
});
