/** Scripts as users write them: each part as plain data, or as the text that its annotation takes. */
import type { Distribution } from '../../kernel/distribution.js';
import type { CreationScript, ExecScript, PeerScript, PlayedImage, ProbeScript, RunScript } from './script-types.js';

/** A duration: milliseconds, a distribution, or text such as `10s` or `uniform(1s, 3s)`. */
export type DurationInput = Distribution | string;

/** Milliseconds or text such as `10m`; an amount of the resource in the field's unit, or a quantity such as `100Mi`. */
export type UsagePointInput = readonly [at: number | string, amount: number | string];

/** A {@link UsageCurve}, a constant amount, or text such as `0s=100Mi, 10m=2Gi repeat 1h`. */
export type UsageInput =
  | number
  | string
  | { readonly points: readonly UsagePointInput[]; readonly repeatMs?: number | string };

/** Answers of a probe. */
export interface ProbeScriptInput extends Omit<ProbeScript, 'okFor' | 'failFor'> {
  readonly okFor?: DurationInput;
  readonly failFor?: DurationInput;
}

/** Pods that a container must reach. */
export interface PeerScriptInput extends Omit<PeerScript, 'exitAfter'> {
  readonly exitAfter?: DurationInput;
}

/** A lifecycle hook. */
export interface HookScriptInput {
  readonly duration?: DurationInput;
  readonly fails?: boolean;
  readonly error?: string;
}

/** One run. */
export interface RunScriptInput extends Omit<RunScript, 'duration'> {
  readonly duration?: DurationInput;
}

/** A `ContainerScript` as users write it; every `ContainerScript` is one. */
export interface ScriptInput {
  readonly imagePull?:
    | string
    | { readonly duration?: DurationInput; readonly failures?: number | 'all'; readonly error?: string };
  readonly creation?: string | (Omit<CreationScript, 'failures'> & { readonly failures?: number | 'all' });
  readonly startDelay?: DurationInput;
  readonly readinessDelay?: DurationInput;
  readonly runs?: string | readonly RunScriptInput[];
  readonly plays?: PlayedImage;
  readonly shutdown?:
    | string
    | { readonly delay?: DurationInput; readonly ignoresTerm?: boolean; readonly exitCode?: number };
  readonly readiness?: string | ProbeScriptInput;
  readonly liveness?: string | ProbeScriptInput;
  readonly needs?: string | PeerScriptInput;
  readonly postStart?: string | HookScriptInput;
  readonly preStop?: string | HookScriptInput;
  readonly cpuMillis?: UsageInput;
  readonly memoryBytes?: UsageInput;
  readonly storageBytes?: UsageInput;
  readonly processes?: UsageInput;
  readonly logs?: string | readonly LogLineInput[];
  readonly exec?: readonly ExecScript[];
}

/** A line of a log; times in milliseconds or as text such as `10s`. */
export interface LogLineInput {
  readonly atMs?: number | string;
  readonly everyMs?: number | string;
  readonly text: string;
}
