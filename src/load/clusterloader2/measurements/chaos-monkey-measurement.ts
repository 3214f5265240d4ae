/** Lets nodes fail between `start` and `stop` (chaos_monkey_measurement.go). */
import { ChaosMonkey } from '../chaos-monkey.js';
import { nodeFailureOf } from '../read-chaos-monkey.js';
import { actionOf, done, type Measurement, type MeasurementMeans } from './measurement.js';

export function chaosMonkey({ player }: MeasurementMeans): Measurement {
  let monkey: ChaosMonkey | undefined;
  return {
    async execute(call) {
      if (actionOf(call, ['start', 'stop']) === 'stop') {
        await monkey?.stop();
        monkey = undefined;
        return done();
      }
      const settings = nodeFailureOf(call.params, []);
      monkey ??= new ChaosMonkey(player, settings, player.random(`chaos/${call.identifier}`));
      return done();
    },
    dispose: () => void monkey?.stop(),
  };
}
