/** The page of a comparison: what differs and how surely, pods that were placed elsewhere and why, both courses. Pure. */
import { METRICS } from '../measurements/metric-catalogue.js';
import { comparisonPage } from '../report/page/comparison-page.js';
import { escapeHtml, numberText, sectionHtml, tableHtml, type Cell } from '../report/page/html.js';
import type { CompareResult, Comparison } from './compare.js';

/** @param index - of the variant that is held against the first one, from 1 */
export function comparePage({ summaries, comparisons }: CompareResult, index = 1): string {
  const comparison = comparisons[index - 1];
  const more = comparison === undefined ? '' : `${effectsHtml(comparison)}\n${placementsHtml(comparison)}`;
  const lead = comparison === undefined ? '' : verdictHtml(comparison);
  return comparisonPage(summaries[0] ?? [], summaries[index] ?? [], { lead, more });
}

function verdictHtml({ verdict: { sentences } }: Comparison): string {
  const [first = '', ...others] = sentences;
  const list = others.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join('');
  return sectionHtml('verdict', 'Which is better', '', `<p><b>${escapeHtml(first)}</b></p><ul>${list}</ul>`);
}

function effectsHtml({ values }: Comparison): string {
  const rows = values
    .filter(({ before, after }) => before !== after)
    .map(({ metric, value, shift, interval, superiority, isSure }): readonly Cell[] => [
      `${metric} ${value}`,
      `${signed(shift)} ${METRICS[metric].unit}`,
      interval === undefined ? 'too few seeds' : `${signed(interval[0])} … ${signed(interval[1])}`,
      `${numberText(superiority * 100)} %`,
      isSure ? 'yes' : 'not shown',
    ]);
  const about =
    'B against A, seed by seed. Difference: the median over pairs, and where it lies with 95 % confidence, whatever the ' +
    'values are spread like. B above A: how likely a run of B has the larger value. Sure: by the test of Mann and ' +
    'Whitney; of all that is told as sure one in twenty is chance, as Benjamini and Hochberg bound it.';
  const head = ['value', 'difference', 'with 95 % confidence', 'B above A', 'sure'];
  return sectionHtml('effects', 'How large, and how sure', about, tableHtml(head, rows, 'nothing differs'));
}

function placementsHtml({ placements: { common, moved }, moves }: Comparison): string {
  const rows = moves.map(({ pod, before, after, why }): readonly Cell[] => [pod, before, after, ...why]);
  const share = common === 0 ? 0 : (moved / common) * 100;
  const about =
    `${numberText(moved)} of ${numberText(common)} pods that both placed are on other nodes (${numberText(share)} %), over ` +
    'all seeds. The first of them with the first seed, and what the scheduler says: what came later may follow from these.';
  const head = ['pod', 'A', 'B', 'why in A', 'why in B'];
  return sectionHtml('placements', 'Placed differently', about, tableHtml(head, rows, 'every pod is on the same node'));
}

function signed(value: number): string {
  return value > 0 ? `+${numberText(value)}` : value < 0 ? `−${numberText(-value)}` : '0';
}
