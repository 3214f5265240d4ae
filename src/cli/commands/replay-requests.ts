import { saveCluster } from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { readRecording } from '../input/recording-file.js';
import { planRun } from '../input/run-plan.js';
import { bringUpServed, createServedCluster, servedClock } from '../input/served-scene.js';

/** Plays what clients did to a served cluster, in virtual time. @param save - file of its end @returns the exit code */
export async function replayRequests(text: string, source: string, save: string | undefined): Promise<number> {
  const { epoch, flags, requests, end } = readRecording(text, source);
  const plan = planRun(flags);
  const cluster = createServedCluster(flags, plan, { epoch });
  try {
    await bringUpServed(cluster, plan);
    cluster.keepClock(servedClock(flags));
    const replay = await cluster.replayRequests(requests);
    const endsAt = end?.ticks ?? requests.at(-1)?.ticks ?? 0;
    await cluster.run({
      until: () => replay.left === 0 && cluster.ticks >= endsAt,
      signal: interruption.signal,
    });
    if (interruption.isRaised) {
      throw new InterruptedError(
        `after ${clockText(cluster.nowMs)} of simulated time, trace hash ${cluster.traceHash}`,
      );
    }
    if (save !== undefined) saveCluster(cluster.export(), save);
    const isSame = replay.left === 0 && end?.traceHash === cluster.traceHash;
    const verdict =
      end === undefined ? 'and the recording has no end to compare with' : `but ${end.traceHash} was recorded`;
    const lines = [
      ...replay.differences,
      `${requests.length - replay.left} requests in ${clockText(cluster.nowMs)} of simulated time`,
      `trace hash ${cluster.traceHash}, ${isSame ? 'as it was recorded' : verdict}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    return isSame && replay.differences.length === 0 ? 0 : 1;
  } finally {
    await cluster.dispose();
  }
}
