/** What a container's script makes of its runs: whether they can be created, and how they end by themselves. */
import type { Container, Pod } from '../../api/objects/objects.js';
import { sample, type Distribution } from '../../kernel/distribution.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ContainerRecord } from '../containers/container-record.js';
import {
  exitReason,
  KILLED_FOR_MEMORY,
  type ContainerExit,
  type ContainerInstance,
} from '../containers/container-runtime.js';
import type { NodeContext } from '../node/node-context.js';
import { podFullName } from '../../api/pods/pod-name.js';
import type { CreationScript, RunScript } from '../scripts/script-types.js';
import { scriptStream } from '../scripts/script-stream.js';
import { outOfMemoryAfterMs } from '../scripts/usage-curve.js';

/** Why an attempt to create and start a container failed. */
export interface CreationFailure {
  readonly reason: NonNullable<CreationScript['reason']>;
  /** The runtime's words, or the kubelet's. */
  readonly message: string;
}

/**
 * Why the next attempt fails; `undefined` = it does not.
 *
 * @param failed - how many attempts have failed
 */
export function creationFailure(
  script: CreationScript | undefined,
  failed: number,
  pod: Pod,
  container: Container,
): CreationFailure | undefined {
  if (script === undefined || failed >= (script.failures ?? 0)) return undefined;
  const { reason = 'RunContainerError' } = script;
  return { reason, message: script.error ?? usualError(reason, pod, container) };
}

/** What is said most often under that reason. */
function usualError(reason: CreationFailure['reason'], pod: Pod, { name, command = [] }: Container): string {
  switch (reason) {
    case 'CreateContainerConfigError': {
      const where = `(pod: ${JSON.stringify(podFullName(pod))}, container: ${name})`;
      return `container has runAsNonRoot and image will run as root ${where}`;
    }
    case 'CreateContainerError':
      return 'context deadline exceeded';
    case 'RunContainerError':
      return (
        'failed to create containerd task: failed to create shim task: OCI runtime create failed: ' +
        'runc create failed: unable to start container process: error during container init: ' +
        `exec: ${JSON.stringify(command[0] ?? 'app')}: executable file not found in $PATH: unknown`
      );
  }
}

/** How a run ends by itself, drawn at its start; `undefined` = it does not. */
export function drawEnd(
  { kernel, profile, random }: NodeContext,
  pod: Pod,
  { role, script, spec }: Pick<ContainerRecord, 'role' | 'script' | 'spec'>,
  { attempt, runningMs }: ContainerInstance,
): ContainerExit | undefined {
  const { runs } = script;
  const run = runs === undefined ? undefined : (runs[attempt] ?? runs.at(-1));
  const stream = scriptStream(kernel, pod, spec, `end/${attempt}`);
  const own =
    run === undefined ? habit(role === 'init' ? profile.initRunFor : undefined, random) : scripted(run, stream);
  const outOfMemoryMs = outOfMemoryAfterMs(script, spec);
  if (outOfMemoryMs !== Infinity && (own === undefined || outOfMemoryMs <= own.afterMs)) {
    return outOfMemory(runningMs + outOfMemoryMs);
  }
  if (own === undefined) return undefined;
  const atMs = runningMs + own.afterMs;
  return own.isOutOfMemory ? outOfMemory(atMs) : { atMs, code: own.code, reason: exitReason(own.code) };
}

interface OwnEnd {
  readonly afterMs: number;
  readonly code: number;
  readonly isOutOfMemory: boolean;
}

function habit(duration: Distribution | undefined, random: RandomStream): OwnEnd | undefined {
  return duration === undefined ? undefined : { afterMs: sample(duration, random), code: 0, isOutOfMemory: false };
}

function scripted(
  { duration, exitCode = 0, isOutOfMemory = false }: RunScript,
  random: RandomStream,
): OwnEnd | undefined {
  if (duration === undefined) return undefined;
  const afterMs = sample(duration, random);
  if (typeof exitCode === 'number') return { afterMs, code: exitCode, isOutOfMemory };
  return { afterMs, code: exitCode[random.int(0, exitCode.length - 1)] ?? 0, isOutOfMemory };
}

function outOfMemory(atMs: number): ContainerExit {
  return { atMs, ...KILLED_FOR_MEMORY };
}
