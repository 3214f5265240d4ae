/**
 * Replays a recording of kubectl and a real API server against a served cluster of ours, twice: the recorded requests
 * are sent as they stand, and their answers compared; and kubectl itself, where the recorded version is on the machine,
 * runs its commands again, and what its user sees is compared.
 */
import { RecordedChoices } from '../stories/recorded-choices.js';
import { Kubectl, type Outcome } from './kubectl.js';
import { Pacing, type PacedCommand } from './pacing.js';
import { RecordedSender } from './recorded-sender.js';
import { RecordingProxy } from './recording-proxy.js';
import { hiddenCreations, hiddenDeletions } from './hidden-changes.js';
import { contextNamespace, ownNamespace, seenObjects, timedCommands, type TimedCommand } from './sightings.js';
import { sendCommand } from './send-command.js';
import { Tally, type WireReport } from './tally.js';
import { unplayable } from './left-out.js';
import { WireCluster } from './wire-cluster.js';
import type { RecordedCommand, RecordedExchange } from './wire-recording.js';

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
  /** When a request finds what was recorded, by the recorded clock: controllers take their own time. */
  const moments = new Map<RecordedExchange, number>();
  const tally = new Tally(commands, ownNamespace(commands));
  await onCluster(commands, kubectl, async ({ cluster, proxy, runner, sender }, command, next) => {
    const cause = unplayable(command);
    if (cause !== undefined) return tally.leaveOut(command, cause);
    if (command.exchanges.every((exchange) => RecordedSender.canSend(exchange))) {
      const answered = await sendCommand(sender, cluster, command, tally.own);
      for (const { exchange, sentMs, verdict } of answered) {
        if (verdict.differences.length === 0) moments.set(exchange, sentMs);
      }
      return tally.addAnswers(command, answered);
    }
    if (runner === undefined) {
      const exchanges = command.exchanges.filter((exchange) => RecordedSender.canSend(exchange));
      tally.leaveGaps(command);
      return tally.addAnswers(command, await sendCommand(sender, cluster, { ...command, exchanges }, tally.own));
    }
    await runCommand({ cluster, proxy, runner }, { command, next, moments });
    return tally.addExchanges(command, proxy.taken());
  });
  if (kubectl === undefined || !comparesOutput) return tally.report();
  await onCluster(commands, kubectl, async ({ cluster, proxy, runner }, command, next) => {
    if (unplayable(command) !== undefined || runner === undefined) return;
    const outcome = await runCommand({ cluster, proxy, runner }, { command, next, moments });
    tally.addOutcome(command, outcome, proxy.taken());
  });
  return tally.report();
}

/** kubectl runs a command, in recorded time. */
async function runCommand(
  {
    cluster,
    proxy,
    runner,
  }: { readonly cluster: WireCluster; readonly proxy: RecordingProxy; readonly runner: Kubectl },
  played: PacedCommand,
): Promise<Outcome> {
  proxy.taken();
  const pacing = new Pacing(cluster, played);
  proxy.gate = (exchange) => pacing.arrive(exchange);
  const stop = new AbortController();
  try {
    return await pacing.during(runner.run(played.command, stop.signal), stop);
  } finally {
    proxy.gate = undefined;
  }
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
  play: (scene: Scene, command: TimedCommand, next: TimedCommand | undefined) => Promise<void> | void,
): Promise<void> {
  const timed = timedCommands(commands);
  const namespace = ownNamespace(commands);
  const hidden = hiddenDeletions(commands);
  const others = hiddenCreations(timed, namespace);
  const cluster = new WireCluster(new RecordedChoices(seenObjects(timed)), timed[0]?.startMs ?? 0);
  const proxy = new RecordingProxy(await cluster.start(namespace));
  const url = await proxy.open();
  const runner = kubectl === undefined ? undefined : new Kubectl(kubectl, url, contextNamespace(commands));
  const scene = { cluster, proxy, runner, sender: new RecordedSender(url) };
  try {
    for (const [index, command] of timed.entries()) {
      for (const deletion of hidden.get(command.line) ?? []) cluster.deleteAt(command.startMs, deletion);
      for (const pod of others.get(command.line) ?? []) cluster.createPodAt(command.startMs, pod);
      await play(scene, command, timed[index + 1]);
    }
  } finally {
    runner?.dispose();
    await proxy.close();
    await cluster.dispose();
  }
}
