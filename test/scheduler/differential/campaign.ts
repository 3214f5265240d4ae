/** Runs random runs one after the other, until enough attempts have been compared or two sides differ. */
import { Difference } from './difference.js';
import type { Operation, Plan } from './operations.js';
import { RandomRun, type RunOptions } from './random-run.js';
import { shrink } from './shrink.js';
import { Stage, type StageOptions } from './stage.js';

/** What to run. */
export interface CampaignOptions extends RunOptions, StageOptions {
  /** Runs are named by it and by their number. */
  readonly seed: string;
  /** Attempts after which no other run begins. */
  readonly cycles: number;
  /** Whether a run that disagrees is shown as it was. @defaultValue false */
  readonly isShownWhole?: boolean | undefined;
  /** Called between two runs. */
  readonly onRun?: ((report: CampaignReport) => Promise<void> | void) | undefined;
}

/** What happened. */
export interface CampaignReport {
  runs: number;
  cycles: number;
  readonly outcomes: Record<string, number>;
}

/** A run in which the sides disagreed. */
export class Disagreement extends Error {
  constructor(
    readonly seed: string,
    readonly plan: Plan,
    /** Attempts that were compared until then, those of earlier runs included. */
    readonly cycles: number,
    cause: unknown,
  ) {
    super(textOf(seed, plan, cause), { cause });
  }
}

/** @throws Disagreement with the shortest run found that still disagrees */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const report: CampaignReport = { runs: 0, cycles: 0, outcomes: {} };
  for (let index = 0; report.cycles < options.cycles; index += 1) {
    await runOne(`${options.seed}/${index}`, options, report);
    report.runs += 1;
    await options.onRun?.(report);
  }
  return report;
}

/** One run by its name. @throws Disagreement */
export async function runOne(
  seed: string,
  options: Omit<CampaignOptions, 'seed' | 'cycles'>,
  report: CampaignReport,
): Promise<void> {
  const run = new RandomRun(seed, options);
  const operations: Operation[] = [];
  const stage = new Stage(run.plan, options);
  const play = async (operation: Operation): Promise<void> => {
    operations.push(operation);
    await stage.apply(operation);
  };
  let failure: unknown;
  try {
    for (const operation of run.beginning) await play(operation);
    for (let step = 0; step < run.length; step += 1) await play(run.next(stage));
  } catch (error) {
    failure = error;
  } finally {
    stage.dispose();
  }
  report.cycles += stage.cycles;
  for (const [outcome, count] of Object.entries(stage.outcomes)) {
    report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + count;
  }
  if (failure === undefined) return;
  const whole = { ...run.plan, operations };
  if (options.isShownWhole === true) throw new Disagreement(seed, whole, report.cycles, failure);
  const plan = await shrink(whole, (each) => failureOf(each, options));
  throw new Disagreement(seed, plan, report.cycles, (await failureOf(plan, options)) ?? failure);
}

/** Plays a plan; what went wrong, if anything did. */
async function failureOf(plan: Plan, options: StageOptions): Promise<unknown> {
  const stage = new Stage(plan, options);
  try {
    for (const operation of plan.operations) await stage.apply(operation);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    stage.dispose();
  }
}

function textOf(seed: string, { configuration, templates, operations }: Plan, cause: unknown): string {
  const isPooled = operations.some((operation) => operation.do === 'judgeAhead');
  const reason =
    cause instanceof Difference || !(cause instanceof Error) ? String(cause) : (cause.stack ?? cause.message);
  const used = new Set(operations.flatMap((each) => ('template' in each ? [each.template] : [])));
  return [
    reason,
    `configuration ${JSON.stringify(configuration)}`,
    ...templates.flatMap((template, index) =>
      used.has(index) ? [`template ${index} ${JSON.stringify(template)}`] : [],
    ),
    ...operations.map((operation) => JSON.stringify(operation)),
    `Again: node dist/test/scheduler/differential/main.js --run ${seed}${isPooled ? ' --workers 2' : ''}`,
  ].join('\n');
}
