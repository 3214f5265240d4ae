/** One HTML page that needs nothing else: style, data, library and script stand in it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LineChart } from './line-charts.js';
import { escapeHtml, scriptData } from './html.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/** What charts show behind their lines, in seconds since the beginning of the measurement. */
export interface ChartMark {
  readonly number: string;
  readonly kind: string;
  readonly at: number;
  readonly until: number | null;
}

/** A chart as the page's script draws it; colours and dashes of lines go by their order unless a line names them. */
export type DrawnChart = Omit<LineChart, 'lines'> & {
  readonly lines: readonly (LineChart['lines'][number] & { readonly colour?: number; readonly dash?: number })[];
};

/** What a page consists of. */
export interface PageParts {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  readonly charts: readonly DrawnChart[];
  readonly marks: readonly ChartMark[];
  /** Of a page that lives on: what it does besides drawing, and asks its own server. */
  readonly script?: string;
}

const require = createRequire(import.meta.url);

/** The page. */
export function pageHtml({ title, content, charts, marks, script }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:${script === undefined ? '' : "; connect-src 'self'"}">
<title>${escapeHtml(title)}</title>
<style>${inlined(require.resolve('uplot/dist/uPlot.min.css'))}
${PAGE_STYLE}</style>
</head>
<body>
<main>
${content}
</main>
<script type="application/json" id="data">${scriptData(pageData(charts, marks))}</script>
<script>${inlined(require.resolve('uplot/dist/uPlot.iife.min.js'))}</script>
<script>${PAGE_SCRIPT}</script>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
}

/** What the page's script draws. */
export function pageData(charts: readonly DrawnChart[], marks: readonly ChartMark[]): object {
  return { charts: charts.map(thinned), marks };
}

/** Nothing of the library ends the element that it stands in. */
function inlined(file: string): string {
  return readFileSync(file, 'utf8').replaceAll('</', String.raw`<\/`);
}

/** Four digits are more than a chart can show. */
function thinned(chart: DrawnChart): DrawnChart {
  const lines = chart.lines.map((line) => ({
    ...line,
    values: line.values.map((value) => (value === null ? null : Number(value.toPrecision(4)))),
  }));
  return { ...chart, lines };
}

/** The place of a chart, with what it holds in words for readers that see no canvas. */
export function chartPlace({ id, title, lines, unit }: LineChart): string {
  const words = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    return `${label}: at most ${known.length === 0 ? 'nothing' : Number(Math.max(...known).toPrecision(3))} ${unit}`;
  });
  return `<div class="chart" id="chart-${id}" role="img" aria-label="${escapeHtml(`${title}. ${words.join('; ')}`)}"></div>`;
}
