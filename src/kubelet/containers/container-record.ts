/** What a kubelet's process remembers of the containers of one pod, beside what their runtime knows. */
import type { Container, ContainerStatus } from '../../api/objects/objects.js';
import type { ContainerSlot } from './container-runtime.js';
import type { StatusFacts, Waiting } from './container-status.js';
import type { HookRun } from './lifecycle-hook.js';
import type { ContainerProbes, FoundProbes } from '../probes/container-probes.js';
import type { BackOffEntry } from './restart-back-off.js';
import type { ContainerRole } from './restart-policy.js';
import type { ContainerScript } from '../scripts/script-types.js';

/** A container as its pod's worker knows it. */
export interface ContainerRecord {
  /** As the pod's spec has it now. */
  spec: Container;
  readonly role: ContainerRole;
  readonly script: ContainerScript;
  /** Its truth. */
  readonly slot: ContainerSlot;
  readonly probes: ContainerProbes;
  /** What the probes of a run had come to before this process watched it. */
  found?: FoundProbes | undefined;
  backOff: BackOffEntry | undefined;
  /** Why it was not started at the last attempt, or must wait for the next; `undefined` while nothing keeps it. */
  waiting: Waiting | undefined;
  /** How its end goes on, while the kubelet brings it about. */
  kill: ContainerKill | undefined;
  /** What was reported last, and out of what. */
  facts: StatusFacts | undefined;
  status: ContainerStatus | undefined;
}

/** The containers of a pod in the order of its spec. */
export interface PodRecords {
  /** Regular init containers and sidecars. */
  readonly init: readonly ContainerRecord[];
  readonly app: readonly ContainerRecord[];
  /** Containers that were added to the running pod; each runs once. */
  ephemeral: readonly ContainerRecord[];
}

/** Where the end of a container stands that the kubelet brings about. */
export interface ContainerKill {
  step: 'preStop' | 'turn' | 'stop';
  /** Whole seconds that were left of its grace when the step began. */
  graceSeconds: number;
  /** Whether a sidecar waits for its turn. */
  isOrdered: boolean;
  sinceMs: number;
  /** When the step is over at the latest; Infinity = when the process is. */
  untilMs: number;
  hook: HookRun | undefined;
}
