import { thresholdText, type ScenarioEntry, type ScenarioResult } from '../../index.js';
import { clockText } from './clock-text.js';

const WIDEST_TIME = 14;
const WIDEST_TYPE = 9;

/** One thing that happened, on a line of its own; what a write changed in a pod stands on lines below. */
export function entryText({ atMs, type, text, story }: ScenarioEntry): string {
  const head = `${clockText(atMs).padEnd(WIDEST_TIME)}${type.padEnd(WIDEST_TYPE)}  `;
  if (story === undefined) return `${head}${text}\n`;
  const [first = '', ...rest] = story.text;
  const indent = ' '.repeat(head.length);
  return `${head}${story.pod} ${story.by}: ${first}\n${rest.map((line) => `${indent}${line}\n`).join('')}`;
}

/** What became of a scenario, in a few lines. */
export function resultText({ expectations, thresholds, refusals, violations, seed, endMs }: ScenarioResult): string {
  const met = expectations.filter(({ isMet }) => isMet).length;
  const { unconfirmedDeletions, splitBrains, brokenBudgets } = violations;
  const lines = [
    `${met} of ${expectations.length} expectations met in ${clockText(endMs)} of simulated time (seed ${seed})`,
    `unconfirmed deletions: ${unconfirmedDeletions}, split brains: ${splitBrains}, broken budgets: ${brokenBudgets.length}`,
    ...expectations.filter(({ isMet }) => !isMet).map(({ title, problem = '' }) => `not met: ${title} (${problem})`),
    ...thresholds.map(thresholdText),
    ...refusals.map((refusal) => `refused: ${refusal}`),
  ];
  return `\n${lines.join('\n')}\n`;
}
