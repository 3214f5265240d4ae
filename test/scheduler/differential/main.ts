/**
 * `node dist/test/scheduler/differential/main.js [--cycles N] [--seed TEXT] [--run NAME] [--workers N] [--whole]`:
 * random decisions, each taken by the product's way and by the plain one. Ends with exit code 1 at the
 * first difference, and prints how to come back to it.
 */
import { parseArgs } from 'node:util';
import { Disagreement, runCampaign, runOne, type CampaignReport } from './campaign.js';
import { createPool } from './pool.js';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '20000' },
      seed: { type: 'string', default: String(Date.now()) },
      run: { type: 'string' },
      workers: { type: 'string', default: '0' },
      whole: { type: 'boolean', default: false },
    },
  });
  const [cycles, workers] = [Number(values.cycles), Number(values.workers)];
  const pool = workers === 0 ? undefined : createPool(workers);
  const options = { isPooled: pool !== undefined, judgeAhead: pool?.judge, isShownWhole: values.whole };
  const report: CampaignReport = { runs: 0, cycles: 0, outcomes: {} };
  try {
    if (values.run !== undefined) await runOne(values.run, options, report);
    else Object.assign(report, await runCampaign({ ...options, seed: values.seed, cycles, onRun: progress }));
    const judged = pool === undefined ? '' : `, ${pool.judged()} shapes judged by workers`;
    process.stdout.write(`${report.cycles} attempts agree: ${JSON.stringify(report.outcomes)}${judged}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    process.stdout.write(`After ${error.cycles} attempts: ${error.message}\n`);
    return 1;
  } finally {
    await pool?.close();
  }
}

function progress({ runs, cycles }: CampaignReport): void {
  if (process.stderr.isTTY && runs % 20 === 0) process.stderr.write(`\r${runs} runs, ${cycles} attempts `);
}

process.exitCode = await main();
