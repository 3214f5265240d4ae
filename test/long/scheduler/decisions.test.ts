/** The search of test/scheduler/differential, longer, and with threads that judge ahead. */
import test from 'ava';
import { runCampaign } from '../../scheduler/differential/campaign.js';
import { createPool } from '../../scheduler/differential/pool.js';

test.serial(
  'decision › of 5,200 random attempts every verdict, score, choice and preemption is that of the plain forms',
  async (t) => {
    const { cycles } = await runCampaign({ seed: 'suite', cycles: 5200 });
    t.true(cycles >= 5200);
  },
);

test.serial('decision › with worker threads that judge ahead, every decision is that of the plain forms', async (t) => {
  const pool = createPool(2);
  const { cycles } = await runCampaign({ seed: 'suite-pool', cycles: 1200, isPooled: true, judgeAhead: pool.judge });
  t.true(cycles >= 1200);
  t.true(pool.judged() > 50, `only ${pool.judged()} shapes came from workers`);
  await pool.close();
});
