/**
 * What a page does in the reader's browser: draws its charts with uPlot out of the data that stands in it, with faults
 * and steps behind the lines, one cursor for all of them, and anew when the reader's system turns dark or light, is
 * resized, or prints. It asks nothing of any network.
 */
import { LINE_COLOURS } from './page-style.js';

/** See the file header. */
export const PAGE_SCRIPT = `(() => {
  'use strict';
  let { charts, marks } = JSON.parse(document.getElementById('data').textContent);
  const colours = ${JSON.stringify(LINE_COLOURS)};
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4], [3, 6], [1, 2]];
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const printing = matchMedia('print');
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const pad = (value) => String(value).padStart(2, '0');
  const clock = (seconds) => {
    const whole = Math.floor(seconds);
    const text = pad(Math.floor((whole % 3600) / 60)) + ':' + pad(whole % 60);
    return whole >= 3600 ? Math.floor(whole / 3600) + ':' + text : text;
  };
  const amount = (value, unit) => (value === null || value === undefined ? '–' : Number(value.toPrecision(4)).toLocaleString('en') + ' ' + unit);
  const drawn = [];

  function behind(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = 10 * devicePixelRatio + 'px system-ui';
    const shown = marks.filter(({ kind }) => kind === 'fault' || kind === 'step' || kind === 'note');
    const place = (at) => Math.round(plot.valToPos(at, 'x', true));
    // Faults that overlap are one area, no darker than each.
    ctx.beginPath();
    for (const { kind, at, until } of shown) {
      if (kind === 'fault') ctx.rect(place(at), bbox.top, Math.max(2, place(until ?? plot.scales.x.max) - place(at)), bbox.height);
    }
    ctx.fillStyle = variable('--fault');
    ctx.fill();
    let numberedUntil = -Infinity;
    for (const { kind, at, number } of shown) {
      const x = place(at);
      ctx.strokeStyle = variable(kind === 'fault' ? '--bad' : '--step');
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash(kind === 'fault' ? [] : [3 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      if (x < numberedUntil) continue;
      ctx.fillStyle = variable('--soft');
      ctx.fillText(number, x + 3 * devicePixelRatio, bbox.top + 10 * devicePixelRatio);
      numberedUntil = x + ctx.measureText(number).width + 6 * devicePixelRatio;
    }
    ctx.restore();
  }

  // The stroke of a line with its dashes, as they are in the chart, and in the same colour.
  function sample({ stroke, dash }) {
    const colour = typeof stroke === 'function' ? stroke() : stroke;
    if (!colour) return 'none';
    const line = '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="8"><path d="M0 4h36" stroke="' + colour + '" stroke-width="2.5" stroke-dasharray="' + (dash ?? []).join(' ') + '"/></svg>';
    return 'url("data:image/svg+xml,' + encodeURIComponent(line) + '") no-repeat center';
  }

  function optionsOf(chart, width) {
    const palette = dark.matches && !printing.matches ? colours.dark : colours.light;
    const axis = { stroke: variable('--soft'), grid: { stroke: variable('--rule'), width: 1 }, ticks: { stroke: variable('--rule'), width: 1 } };
    return {
      width,
      height: 230,
      cursor: { sync: { key: 'time' }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_plot, min, max) => [Math.min(0, min ?? 0), max > 0 ? max * 1.08 : 1] } },
      axes: [
        { ...axis, values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => (step < 1 ? tick.toFixed(1) + ' s' : clock(tick))), space: 60, incrs: [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800] },
        { ...axis, size: 62, values: (_plot, ticks) => ticks.map((tick) => (Math.abs(tick) >= 10000 ? tick / 1000 + 'k' : String(Number(tick.toPrecision(3))))) },
      ],
      series: [
        { label: 'time', value: (_plot, value) => (value === null ? '' : clock(value)) },
        ...chart.lines.map((line, index) => ({
          label: line.label,
          stroke: palette[(line.colour ?? index) % palette.length],
          dash: dashes[(line.dash ?? index) % dashes.length].map((length) => length),
          width: 1.8,
          points: { show: chart.isSparse, size: 4 },
          spanGaps: false,
          // Without a cursor there is nothing to be told.
          value: (plot, value) => (plot.cursor?.idx == null ? '' : amount(value, chart.unit)),
        })),
      ],
      legend: { markers: { width: 0, fill: (plot, index) => sample(plot.series[index]) } },
      hooks: { drawClear: [behind] },
    };
  }

  function draw() {
    for (const each of drawn.splice(0)) each.destroy();
    for (const chart of charts) {
      const place = document.getElementById('chart-' + chart.id);
      if (place === null) continue;
      const data = [chart.seconds, ...chart.lines.map(({ values }) => values)];
      drawn.push(new uPlot(optionsOf(chart, Math.max(320, place.clientWidth)), data, place));
    }
    document.documentElement.dataset.drawn = String(drawn.length);
  }

  // Of a page that lives on: lines that are there already grow.
  addEventListener('kubeloom:data', ({ detail }) => {
    const shapeOf = (all) => JSON.stringify(all.map(({ id, lines }) => [id, lines.map(({ label }) => label)]));
    const isSame = shapeOf(charts) === shapeOf(detail.charts) && drawn.length > 0;
    ({ charts, marks } = detail);
    if (!isSame) return draw();
    const shown = charts.filter(({ id }) => document.getElementById('chart-' + id) !== null);
    shown.forEach((chart, index) => drawn[index].setData([chart.seconds, ...chart.lines.map(({ values }) => values)]));
  });

  let width = 0;
  addEventListener('resize', () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    for (const plot of drawn) plot.setSize({ width: Math.max(320, plot.root.parentElement.clientWidth), height: 230 });
  });
  dark.addEventListener('change', draw);
  printing.addEventListener('change', draw);
  draw();
})();`;
