/**
 * Replays a recording of kubectl and a real API server against a served cluster of ours, twice: the recorded requests
 * are sent as they stand, and their answers compared; and kubectl itself, where the recorded version is on the machine,
 * runs its commands again, and what its user sees is compared.
 */
import { RecordedChoices } from '../stories/recorded-choices.js';
import { Kubectl, type Outcome } from './kubectl.js';
import { RecordedSender } from './recorded-sender.js';
import { RecordingProxy } from './recording-proxy.js';
import { hiddenDeletions, ownNamespace, seenObjects, timedCommands, type TimedCommand } from './sightings.js';
import { sendCommand } from './send-command.js';
import { Tally, type WireReport } from './tally.js';
import { unplayable } from './left-out.js';
import { WireCluster } from './wire-cluster.js';
import type { RecordedCommand } from './wire-recording.js';

/** How often simulated time is brought up to real time, ms. */
const PACE_MS = 2;

/** What of a recording is replayed. */
export interface WireOptions {
  /** The kubectl to run; absent = none. */
  readonly kubectl?: string | undefined;
  /** Whether its output is compared. @defaultValue true, where there is one */
  readonly comparesOutput?: boolean | undefined;
}

/** See the file header. */
export async function replayWire(
  commands: readonly RecordedCommand[],
  { kubectl, comparesOutput = kubectl !== undefined }: WireOptions = {},
): Promise<WireReport> {
  const tally = new Tally(commands, ownNamespace(commands));
  await onCluster(commands, kubectl, async ({ cluster, proxy, runner, sender }, command) => {
    const cause = unplayable(command);
    if (cause !== undefined) return tally.leaveOut(command, cause);
    if (command.exchanges.every((exchange) => RecordedSender.canSend(exchange))) {
      return tally.addAnswers(command, await sendCommand(sender, cluster, command, tally.own));
    }
    if (runner === undefined) {
      const exchanges = command.exchanges.filter((exchange) => RecordedSender.canSend(exchange));
      tally.leaveGaps(command);
      return tally.addAnswers(command, await sendCommand(sender, cluster, { ...command, exchanges }, tally.own));
    }
    await cluster.runUntil(command.startMs);
    proxy.taken();
    await cluster.during(runner.run(command), PACE_MS);
    return tally.addExchanges(command, proxy.taken());
  });
  if (kubectl === undefined || !comparesOutput) return tally.report();
  await onCluster(commands, kubectl, async ({ cluster, runner }, command) => {
    if (unplayable(command) !== undefined || runner === undefined) return;
    await cluster.runUntil(command.startMs);
    const outcome: Outcome = await cluster.during(runner.run(command), PACE_MS);
    tally.addOutcome(command, outcome);
  });
  return tally.report();
}

interface Scene {
  readonly cluster: WireCluster;
  readonly proxy: RecordingProxy;
  readonly sender: RecordedSender;
  readonly runner: Kubectl | undefined;
}

/** Plays all commands, one after the other, on a cluster of their own. */
async function onCluster(
  commands: readonly RecordedCommand[],
  kubectl: string | undefined,
  play: (scene: Scene, command: TimedCommand) => Promise<void> | void,
): Promise<void> {
  const timed = timedCommands(commands);
  const namespace = ownNamespace(commands);
  const hidden = hiddenDeletions(commands);
  const cluster = new WireCluster(new RecordedChoices(seenObjects(timed)), timed[0]?.startMs ?? 0);
  const proxy = new RecordingProxy(await cluster.start(namespace));
  const url = await proxy.open();
  const runner = kubectl === undefined ? undefined : new Kubectl(kubectl, url, namespace);
  const scene = { cluster, proxy, runner, sender: new RecordedSender(url) };
  try {
    for (const command of timed) {
      for (const deletion of hidden.get(command.line) ?? []) cluster.deleteLater(deletion);
      await play(scene, command);
    }
  } finally {
    runner?.dispose();
    await proxy.close();
    await cluster.dispose();
  }
}
