/** The page of a cluster that runs: the charts of the report as they grow, a map of its nodes, and what acts on it. */
import { lineCharts } from '../report/page/line-charts.js';
import { chartSection, chartMarks } from '../report/page/run-page.js';
import { pageData, pageHtml } from '../report/page/page.js';
import { escapeHtml, sectionHtml } from '../report/page/html.js';
import type { RunSummary } from '../report/run-summary.js';
import { LIVE_SCRIPT } from './live-script.js';

/** Verbs of faults of a node that a button injects. */
const FAULT_VERBS = ['powerOff', 'stopKubelet', 'shutDown', 'cut'] as const;

const FACTS = [
  ['now', 'simulated time'],
  ['podsReady', 'pods ready'],
  ['podsTotal', 'pods'],
  ['nodesReady', 'nodes ready'],
  ['unschedulable', 'unschedulable'],
  ['faults', 'faults that last'],
] as const;

/** What {@link livePage} has a place for. */
export type Facts = Readonly<Record<(typeof FACTS)[number][0], string>>;

/** The page as it begins. */
export function livePage(summary: RunSummary): string {
  const charts = lineCharts(summary);
  const tiles = FACTS.map(([id, label]) => `<div class="tile"><b id="${id}">–</b><span>${label}</span></div>`).join('');
  const content = [
    `<header><h1>${escapeHtml(summary.title)}</h1><p class="facts">Seed <code>${escapeHtml(summary.seed)}</code>. All times are simulated.</p></header>`,
    controlsHtml(),
    `<div class="tiles">${tiles}</div>`,
    mapHtml(),
    '<div class="pair">',
    ...charts.map((chart) =>
      chartSection({ ...chart, lines: chart.lines.length === 0 ? [{ label: 'none', values: [] }] : chart.lines }),
    ),
    '</div>',
  ];
  return pageHtml({
    title: summary.title,
    content: `<style>${STYLE}</style>${content.join('\n')}`,
    charts,
    marks: chartMarks(summary),
    script: LIVE_SCRIPT,
  });
}

/** What charts grow by. */
export function liveCharts(summary: RunSummary): object {
  return pageData(lineCharts(summary), chartMarks(summary));
}

function controlsHtml(): string {
  const verbs = FAULT_VERBS.map((verb) => `<option>${verb}</option>`).join('');
  return `<section id="controls" class="controls" aria-label="what acts on the cluster">
<button id="pause">pause</button>
<button id="step">step</button> <label>by <input id="stepLength" value="1s" size="5"></label>
<label>speed <input id="speed" type="number" min="0.001" step="any" value="1" size="7"></label>
<label>fault <select id="verb">${verbs}</select></label> <label>of node <input id="target" size="12"></label> <label>for <input id="lasting" value="1m" size="5"></label>
<button id="inject">inject</button> <button id="heal">heal all</button>
<span id="told" role="status"></span></section>`;
}

function mapHtml(): string {
  const legend = '<p class="legend" id="legend"></p>';
  const side = `<div class="side"><h3 id="node">no node chosen</h3><p id="count" class="about"></p><div id="pods" class="pods"></div>
<h3 id="pod">no pod chosen</h3><ol id="course"></ol><h3>Decisions of the scheduler</h3><ul id="decisions"></ul></div>`;
  return sectionHtml(
    'nodes-map',
    'Nodes and pods',
    'Click on a node for its pods, on a pod for its course and why it is where it is.',
    `<button id="unplaced">without a node: <b id="waiting">0</b></button>${legend}<div class="live"><div class="map"><canvas id="map" role="img" aria-label="every node with its pods"></canvas></div>${side}</div>`,
  );
}

const STYLE = `
.controls{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:8px;align-items:center}
.controls button,.controls input,.controls select,#unplaced,.pods button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--rule);border-radius:6px;padding:3px 9px}
.controls label{color:var(--soft)}
#told{color:var(--soft);overflow-wrap:anywhere}
.live{display:grid;grid-template-columns:minmax(0,1fr) 320px;gap:14px}
@media (max-width:900px){.live{grid-template-columns:1fr}}
.side{font-size:13px;max-height:620px;overflow:auto}
.side ol,.side ul{padding-left:18px;margin:4px 0;overflow-wrap:anywhere}
.pods{display:flex;flex-direction:column;gap:3px;max-height:190px;overflow:auto}
.pods button{text-align:left;font-size:12.5px;padding:1px 7px}
#map{display:block;cursor:pointer}
`;
