/** How a container that computes is asked and told: hooks, the signal that it is stopped with, requests to servers. */
import type { Container, core } from '../../api/objects/objects.js';
import { signalNumber, SIGTERM } from '../../shell/processes/signals.js';
import type { ContainerRecord } from '../containers/container-record.js';
import type { PodSandbox } from '../containers/container-runtime.js';
import type { HookRun } from '../containers/lifecycle-hook.js';
import type { NodeContext } from '../node/node-context.js';
import { askServer } from '../playing/play-ground.js';
import type { AskServer } from '../playing/played-answers.js';
import { playHook } from '../playing/played-hook.js';

/** A hook that is played; `undefined` = it is none. */
export function playedHook(
  node: NodeContext,
  sandbox: PodSandbox,
  { spec, slot, script }: ContainerRecord,
  handler: core.LifecycleHandler,
): HookRun | undefined {
  const said = handler === spec.lifecycle?.preStop ? script.preStop : script.postStart;
  if (said !== undefined) return undefined;
  const { pod, address = '' } = sandbox;
  return playHook(
    handler,
    { pod, container: spec, address },
    {
      nowMs: () => node.kernel.clock.now(),
      program: slot.current?.program,
      ask: askOf(node),
      onDone: () => node.runtime.onChange?.(pod.metadata.uid),
    },
  );
}

/** What a container is stopped with. */
export function stopSignal({ lifecycle }: Container): number {
  const { stopSignal: name } = (lifecycle ?? {}) as { readonly stopSignal?: string };
  return (name === undefined ? undefined : signalNumber(name)) ?? SIGTERM;
}

/** How servers are asked from a machine. */
export function askOf({ players }: NodeContext): AskServer {
  return (host, port, path, headers) => askServer(players.ground, players.hostIp, host, port, path, headers);
}
