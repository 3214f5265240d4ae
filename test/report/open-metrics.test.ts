import test from 'ava';
import { openMetricsText } from '../../src/index.js';
import { AWKWARD, measuredRun } from './measured-run.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number;
}

interface Family {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly samples: Sample[];
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [''],
  counter: ['_total'],
  histogram: ['_bucket', '_count', '_sum'],
};
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|Inf)|NaN`;
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:${LABEL})(?:,${LABEL})*)?\})? (${NUMBER}) (\d+(?:\.\d+)?)$`,
);

/** Reads the text by the rules of the OpenMetrics specification (1.0.0), and throws where one is broken. */
function parse(text: string): readonly Family[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('must end with # EOF and a line feed');
  const families: Family[] = [];
  for (const line of text.slice(0, -'# EOF\n'.length - 1).split('\n')) {
    const [, keyword = '', name = '', rest = ''] = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'TYPE') {
      if (families.some((each) => each.name === name)) throw new Error(`${name} is interleaved`);
      families.push({ name, type: rest, unit: '', samples: [] });
    } else if (keyword === 'UNIT') {
      if (!name.endsWith(`_${rest}`)) throw new Error(`${name} must end in its unit ${rest}`);
      families[families.length - 1] = { ...familyOf(families, name), unit: rest };
    } else if (keyword === 'HELP') familyOf(families, name);
    else addSample(families, line);
  }
  return families;
}

function familyOf(families: readonly Family[], name: string): Family {
  const last = families.at(-1);
  if (last?.name !== name || last.samples.length > 0) throw new Error(`metadata of ${name} at a wrong place`);
  return last;
}

function addSample(families: readonly Family[], line: string): void {
  const [, name = '', labelText = '', value = '', at = ''] = SAMPLE.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const family = families.at(-1);
  const isOfFamily = SUFFIXES[family?.type ?? '']?.some((suffix) => name === `${family?.name}${suffix}`);
  if (family === undefined || isOfFamily !== true) throw new Error(`${name} does not belong here`);
  const labels = [...labelText.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
    key,
    text.replaceAll(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character)),
  ]);
  family.samples.push({
    name,
    labels: Object.fromEntries(labels) as Sample['labels'],
    value: Number(value),
    at: Number(at),
  });
}

function linesOf({ samples }: Family): readonly (readonly Sample[])[] {
  const lines = new Map<string, Sample[]>();
  let last = '';
  for (const sample of samples) {
    const { le: _bound, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    if (key !== last && lines.has(key)) throw new Error(`points of ${key} are interleaved`);
    last = key;
    lines.set(key, [...(lines.get(key) ?? []), sample]);
  }
  return [...lines.values()];
}

test('the text keeps the grammar and the rules of OpenMetrics', async (t) => {
  const families = parse(openMetricsText(await measuredRun()));
  t.true(families.length > 15);
  for (const family of families) {
    for (const line of linesOf(family)) {
      if (family.type === 'histogram') continue;
      const times = line.map(({ at }) => at);
      t.deepEqual(
        times,
        [...new Set(times)].toSorted((a, b) => a - b),
        `${family.name}: each moment once, in order`,
      );
      if (family.type === 'counter') {
        const values = line.map(({ value }) => value);
        t.deepEqual(
          values,
          values.toSorted((a, b) => a - b),
          `${family.name} only rises`,
        );
      }
    }
  }
});

test('histograms have cumulative buckets up to +Inf, with a count and a sum', async (t) => {
  const families = parse(openMetricsText(await measuredRun())).filter(({ type }) => type === 'histogram');
  t.true(families.some(({ name, unit }) => name === 'kubeloom_pod_startup_seconds' && unit === 'seconds'));
  for (const family of families) {
    for (const line of linesOf(family)) {
      const buckets = line.filter(({ name }) => name.endsWith('_bucket'));
      const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le'])));
      t.deepEqual(
        bounds,
        bounds.toSorted((a, b) => a - b),
      );
      t.is(bounds.at(-1), Infinity);
      const counts = buckets.map(({ value }) => value);
      t.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
      t.is(line.find(({ name }) => name.endsWith('_count'))?.value, counts.at(-1));
      t.is(line.filter(({ name }) => name.endsWith('_sum')).length, 1);
    }
  }
});

test('points stand at simulated time, and hold what was measured', async (t) => {
  const summary = await measuredRun();
  const families = parse(openMetricsText(summary));
  const of = (name: string): readonly Sample[] => families.find((each) => each.name === name)?.samples ?? [];
  const running = of('kubeloom_pods').filter(({ labels }) => labels['phase'] === 'Running');
  t.is(running.length, summary.series.slots);
  t.is(running[0]?.at, Math.round(summary.epochMs + summary.series.slotMs - 1) / 1000);
  t.is(running.at(-1)?.at, (summary.epochMs + summary.endMs) / 1000);
  t.is(running.at(-1)?.value, summary.metrics.find(({ name }) => name === 'pods_running')?.values['value']);
  t.is(
    of('kubeloom_pods_created').at(-1)?.value,
    summary.metrics.find(({ name }) => name === 'pods_created')?.values['count'],
  );
  t.is(running[0]?.labels['seed'], '3');
  const text = openMetricsText({ ...summary, seed: AWKWARD });
  t.is(parse(text)[0]?.samples[0]?.labels['seed'], AWKWARD);
});
