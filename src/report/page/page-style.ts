/** How pages look: light and dark as the reader's system is, and light on paper. */

/** Colours of lines; their dashes tell them apart without colour. */
export const LINE_COLOURS = {
  light: ['#0b5cad', '#c2410c', '#157f3b', '#7c3aed', '#8a6d00', '#b4236e', '#0f766e', '#555555'],
  dark: ['#6cb2ff', '#ff9a62', '#5fd38a', '#b79bff', '#e0c04a', '#ff8fc0', '#5eead4', '#bbbbbb'],
} as const;

/** Lightness of the levels of heat maps, from nothing to more than all. */
const HEAT_LIGHT = [
  '#f1f3f5',
  '#e3eef9',
  '#cfe2f5',
  '#b5d2ee',
  '#95bde4',
  '#73a5d8',
  '#518bc8',
  '#3571b3',
  '#225899',
  '#15417a',
  '#0b2c57',
  '#000000',
];
const HEAT_DARK = [
  '#23282e',
  '#1d3148',
  '#203f61',
  '#264f7c',
  '#2f6198',
  '#3a75b4',
  '#4a8acd',
  '#63a1e0',
  '#84b9ee',
  '#a9d0f8',
  '#d2e7ff',
  '#ffffff',
];

const heat = (colours: readonly string[]): string => colours.map((colour, level) => `--h${level}:${colour}`).join(';');
const DARK = `--back:#14181d;--card:#1b2026;--ink:#e8ebee;--soft:#a3adb8;--rule:#343c45;--good:#5fd38a;--bad:#ff8f84;--accent:#6cb2ff;--fault:rgba(255,143,132,.22);--step:#8b96a3;${heat(HEAT_DARK)}`;
const LIGHT = `--back:#f6f7f9;--card:#ffffff;--ink:#1b2026;--soft:#59636e;--rule:#d5dae0;--good:#157f3b;--bad:#b42318;--accent:#0b5cad;--fault:rgba(180,35,24,.13);--step:#66707a;${heat(HEAT_LIGHT)}`;

/** See the file header. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT};color-scheme:light}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 20px 60px}
h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:17px;margin:0}h3{font-size:14px;margin:14px 0 4px}td:first-child code{white-space:nowrap}#metrics td:first-child code{white-space:normal}
.about{color:var(--soft);margin:2px 0 10px;font-size:13.5px}
.facts{color:var(--soft);font-size:13px;margin:4px 0 0;overflow-wrap:anywhere}
.verdict{display:inline-block;border:2px solid;border-radius:6px;padding:1px 10px;font-weight:700;margin-right:10px;white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:10px;margin:18px 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:10px 12px}
.tile b{display:block;font-size:21px;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:12.5px;line-height:1.3;display:block}
section{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:14px 16px;margin:14px 0}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:14px}
.pair section{margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--soft);font-weight:600;white-space:nowrap}th.number{text-align:right;padding-right:18px}
td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;padding-right:18px}
.nothing{color:var(--soft);font-style:italic;margin:4px 0}
.drawing{width:100%;height:auto;display:block;font-size:12px}
.drawing text{fill:var(--ink)}
.rule{stroke:var(--rule)}
.mark{fill:var(--accent)}.mark.fault{fill:var(--fault);stroke:var(--bad)}.mark.bad{fill:none;stroke:var(--bad);stroke-width:2.5}
.mark.step{fill:var(--step)}.mark.expectation{fill:var(--good)}
.mark-number,.bar-value{font-size:10.5px}
.heat{stroke:none}
${Array.from({ length: 12 }, (_, level) => `.h${level}{fill:var(--h${level})}`).join('')}
.legend{color:var(--soft);font-size:12.5px;margin:8px 0 0}
.heat-key{margin-right:6px;white-space:nowrap}.heat-key svg{vertical-align:-2px;border:1px solid var(--rule);margin-right:3px}
.bar{fill:var(--accent)}.bar.b1{fill:none;stroke:var(--ink);stroke-width:1.2}
.pod-bar{width:100%;min-width:260px;height:auto;display:block;font-size:11px}
.part{stroke:var(--card);stroke-width:1}
.p0{fill:var(--h9)}.p1{fill:var(--h7)}.p2{fill:var(--h4)}.p3{fill:var(--h6)}.p4{fill:var(--h2)}
.part-letter{fill:var(--ink);paint-order:stroke;stroke:var(--card);stroke-width:2.5px}
.part-key{display:inline-block;width:18px;text-align:center;border-radius:3px;color:var(--ink);border:1px solid var(--rule);background:var(--h2)}
.chart{min-height:230px}
.uplot .u-legend{font-size:12.5px;text-align:left;margin-top:4px}
.u-legend .u-marker{width:36px;height:8px;border-radius:0}
.u-legend th,.u-legend td{border:0}.u-legend .u-series>*{padding:2px}.u-inline.u-live th::after{content:""!important}.u-legend tr:first-child .u-marker{display:none}
.u-title{display:none}
details summary{cursor:pointer;color:var(--soft)}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px;overflow-wrap:anywhere}
.better{color:var(--good)}.worse{color:var(--bad)}
@media print{.u-legend tr:first-child{display:none!important}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}body{background:#fff;font-size:11pt}main{max-width:none;padding:0}section,.tile{break-inside:avoid;border-color:#bbb}.scroll{overflow:visible}details>*{display:block}}
`;
