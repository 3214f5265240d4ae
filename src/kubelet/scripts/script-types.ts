/**
 * The language in which users say what a container does, for images are not executed here. A script is
 * plain data: the same whether it came from annotations, a scenario file or a function. Durations are
 * milliseconds; every distribution is drawn anew at each use, from a stream of the container's own.
 */
import type { Container, Pod } from '../../api/objects/objects.js';
import type { Distribution } from '../../kernel/distribution.js';

/** What may stand in for an image. */
export type PlayedImage = 'busybox' | 'alpine' | 'agnhost' | 'bash' | 'nginx' | 'httpd' | 'perl' | 'nothing';

/** Behaviour of one container over all its runs; what is absent is left to the node's runtime profile. */
export interface ContainerScript {
  /** How pulls of its image go on a node that lacks it. */
  readonly imagePull?: ImagePullScript;
  /** How the runtime's attempts to create and start it go. */
  readonly creation?: CreationScript;
  /** From start until it would answer a startup probe; without such a probe, until it is `started`. @defaultValue 0 */
  readonly startDelay?: Distribution;
  /** From `started` until it would answer a readiness probe. @defaultValue 0 */
  readonly readinessDelay?: Distribution;
  /**
   * How the runs go, first to last; the last entry counts for all further runs. Absent or empty = it
   * runs until it is stopped (init containers: the profile's run time, then exit 0).
   */
  readonly runs?: readonly RunScript[];
  /** The image whose programs its command is played with; `nothing` = it is not played. @defaultValue by its image */
  readonly plays?: PlayedImage;
  /** What it does on SIGTERM. */
  readonly shutdown?: ShutdownScript;
  /** Answers to readiness probes once it would be ready; absent = always success. */
  readonly readiness?: ProbeScript;
  /** Answers to liveness probes; absent = always success. */
  readonly liveness?: ProbeScript;
  /** Pods that it must reach; absent = none. */
  readonly needs?: PeerScript;
  readonly postStart?: HookScript;
  readonly preStop?: HookScript;
  /** CPU in use, millicores. @defaultValue its request */
  readonly cpuMillis?: UsageCurve;
  /** What a request costs that comes by an offered load. @defaultValue nothing */
  readonly requestCost?: RequestCostScript;
  /** Memory in use, bytes; over its limit the container ends as OOMKilled, exit code 137. @defaultValue its request */
  readonly memoryBytes?: UsageCurve;
  /** Local storage in use (logs, writable layer, emptyDir), bytes. @defaultValue 0 */
  readonly storageBytes?: UsageCurve;
  /** Processes. @defaultValue 1 */
  readonly processes?: UsageCurve;
  /** What it logs in each run, for clients over the network. @defaultValue nothing */
  readonly logs?: readonly LogLineScript[];
  /** Commands that are run in it over the network, and what comes of them. @defaultValue exit code 0 and no output */
  readonly exec?: readonly ExecScript[];
}

/** One request of an offered load. */
export interface RequestCostScript {
  /** CPU time that it takes, milliseconds of one core, > 0. Such a container uses no CPU beside, unless its script says so. */
  readonly cpuMs: number;
  /** Requests that wait at most, 1 or more: further ones fail. @defaultValue as many as are worked off in 30 s */
  readonly queue?: number;
}

/** A line of a log, counted from the start of the run. */
export interface LogLineScript {
  readonly atMs: number;
  /** It is logged again and again, 1 or more. */
  readonly everyMs?: number;
  readonly text: string;
}

/** What comes of a command. */
export interface ExecScript {
  /** Its words with a blank between each, such as `cat /etc/hostname`. */
  readonly command: string;
  /** @defaultValue nothing */
  readonly stdout?: string;
  /** @defaultValue nothing */
  readonly stderr?: string;
  /** 0..255. @defaultValue 0 */
  readonly exitCode?: number;
}

/** Pulls of an image. */
export interface ImagePullScript {
  readonly duration?: Distribution;
  /** How many pulls on one node fail before one succeeds; Infinity = all. @defaultValue 0 */
  readonly failures?: number;
  /** The runtime's words. @defaultValue those of containerd for an image that does not exist */
  readonly error?: string;
}

/** Attempts to create and start a container. */
export interface CreationScript {
  /** How many attempts fail before one succeeds; Infinity = all. @defaultValue 0 */
  readonly failures?: number;
  /** @defaultValue RunContainerError */
  readonly reason?: 'CreateContainerConfigError' | 'CreateContainerError' | 'RunContainerError';
  readonly error?: string;
}

/** One run, from start to its own end. */
export interface RunScript {
  /** From start to exit; absent = until it is stopped. */
  readonly duration?: Distribution;
  /** 0..255, or one drawn from a list. @defaultValue 0 */
  readonly exitCode?: number | readonly number[];
  /** The end is one by the kernel's out-of-memory killer: OOMKilled, exit code 137. @defaultValue false */
  readonly isOutOfMemory?: boolean;
}

/** From SIGTERM to the end. */
export interface ShutdownScript {
  /** @defaultValue the profile's shutdown time */
  readonly delay?: Distribution;
  /** It goes on until SIGKILL. @defaultValue false */
  readonly ignoresTerm?: boolean;
  /** Exit code of an obedient process. @defaultValue 0 */
  readonly exitCode?: number;
}

/** Success and failure by turns, counted from the start of the run; it begins with success. */
export interface ProbeScript {
  /** How long it goes on succeeding; absent = for ever. */
  readonly okFor?: Distribution;
  /** How long it goes on failing after that; absent = for ever. Then it succeeds again, and so on. */
  readonly failFor?: Distribution;
  /** What a failing probe answers. @defaultValue as upstream for the kind of probe, such as `HTTP probe failed with statuscode: 500` */
  readonly output?: string;
  /** A failing probe gives no answer in time, rather than a bad one. @defaultValue false */
  readonly isTimeout?: boolean;
  /** A failing exec probe cannot be run at all; of no effect for other kinds of probe. @defaultValue false */
  readonly isError?: boolean;
  /** A succeeding HTTP probe is redirected to another host and finds this text there: success, with a warning. */
  readonly redirectBody?: string;
}

/**
 * Pods that a container must reach over the network between machines: while there are fewer of them it fails its
 * readiness probe. It reaches pods that are up, itself included, on machines from which no partition separates it.
 */
export interface PeerScript {
  /** How many, 1 or more. */
  readonly atLeast: number;
  /** Labels of the pods, in its own namespace, such as `app=etcd`. */
  readonly selector: string;
  /** Its liveness probe fails as well. @defaultValue false */
  readonly failsLiveness?: boolean;
  /** Its process ends once it has been without them for so long; absent = it goes on. */
  readonly exitAfter?: Distribution;
  /** 0..255. @defaultValue 1 */
  readonly exitCode?: number;
}

/** One lifecycle hook. */
export interface HookScript {
  /** How long the handler takes. @defaultValue 0; for a sleep action its seconds */
  readonly duration?: Distribution;
  /** @defaultValue false */
  readonly fails?: boolean;
  /** What a failing handler says. */
  readonly error?: string;
}

/**
 * Use of a resource over the time since the start of a run: straight lines between the points, level
 * after the last. With `repeatMs` the curve begins anew each time.
 */
export interface UsageCurve {
  readonly points: readonly (readonly [atMs: number, amount: number])[];
  /** Larger than the last point's time. */
  readonly repeatMs?: number;
}

/** Where scripts come from: asked once for each container when its pod arrives at a node. */
export interface ScriptSource {
  /**
   * The script of a container of that pod; NO_SCRIPT when nothing was said. Problems in a pod's annotations go to
   * `onProblem`, those that concern all its containers with the first one.
   */
  scriptOf(pod: Pod, container: Container, onProblem: (problem: ScriptProblem) => void): ContainerScript;
}

/** An annotation that cannot be used. */
export interface ScriptProblem {
  readonly annotation: string;
  /** Where in the annotation's script the fault is, such as `runs[0].exitCode`; absent = the text as a whole. */
  readonly field?: string;
  /** The text, or the value of the field. */
  readonly value: string;
  readonly allowed: string;
}
