/** `Sleep` and `Timer` (sleep.go, timer.go), in simulated time. */
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { jsonText } from './perf-data.js';

export function sleep({ player }: MeasurementMeans): Measurement {
  return {
    async execute({ params }) {
      params.requiredText('duration');
      await player.sleep(params.durationMs('duration', 0));
      return done();
    },
    dispose: () => undefined,
  };
}

export function timer({ player }: MeasurementMeans): Measurement {
  const starts = new Map<string, number>();
  const seconds: Record<string, number> = {};
  const execute = (call: Call): Outcome => {
    const action = actionOf(call, ['start', 'stop', 'gather']);
    if (action === 'gather') {
      const dataItems = [{ data: { ...seconds }, unit: 's', labels: { test: 'phases' } }];
      return { summaries: [{ name: 'Timer', content: jsonText({ version: 'v1', dataItems }) }] };
    }
    const label = call.params.requiredText('label');
    if (action === 'start') {
      starts.set(label, player.nowMs);
      return done();
    }
    const start = starts.get(label);
    if (start === undefined) return { error: `uninitialized timer ${label}` };
    seconds[label] = (player.nowMs - start) / 1000;
    starts.delete(label);
    return done();
  };
  return { execute: (call) => Promise.resolve(execute(call)), dispose: () => undefined };
}
