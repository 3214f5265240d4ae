/** What a replay came to, step by step, for people. */
import type { Difference } from './difference.js';
import type { StoryReport } from './replay-story.js';
import type { Story } from './story.js';

/** One line of counts, what was left out, and below each step what differs in it. */
export function storyText(name: string, story: Story, { actions, changes, differences, ignored }: StoryReport): string {
  const counts = `${actions} actions, ${changes} changes, ${differences.length} differences`;
  const steps = new Map<string, Difference[]>();
  for (const difference of differences) {
    const step = stepOf(story, difference);
    const known = steps.get(step);
    if (known === undefined) steps.set(step, [difference]);
    else known.push(difference);
  }
  const text = [...steps].map(([step, list]) => `  ${step}\n${list.map(differenceText).join('')}`);
  const left = ignored.length === 0 ? '' : `  not simulated, not compared: ${ignored.join(', ')}\n`;
  return `${name}: ${counts}\n${left}${text.join('')}`;
}

/** The mark under which a difference shows. */
export function stepOf({ marks, actions }: Story, { step, line }: Difference): string {
  const mark =
    line === undefined
      ? marks.find((each) => each.mark === actions[step - 1]?.action && each.ms === actions[step - 1]?.sentMs)
      : marks.findLast((each) => each.line <= line);
  return mark?.mark ?? actions[step - 1]?.action ?? 'before the first step';
}

function differenceText({ line, what, recorded, ours }: Difference): string {
  const where = line === undefined ? '' : `line ${line}, `;
  return `    ${where}${what}\n      recorded ${JSON.stringify(recorded)}\n      ours     ${JSON.stringify(ours)}\n`;
}
