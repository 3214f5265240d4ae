/** Stages of pods as scripts of their containers: starts, lengths of runs, exit codes, and how long a deletion takes. */
import type { Container, Pod } from '../api/objects/objects.js';
import { isSidecar } from '../api/pods/pod-resources.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { NO_SCRIPT, type ScriptLayer } from '../kubelet/scripts/script-layer.js';
import type { ContainerScript, RunScript } from '../kubelet/scripts/script-types.js';
import { walkPod, type PodWalk, type WalkedRun } from './pod-walk.js';
import type { Stage } from './stage.js';
import { StageTemplates } from './stage-templates.js';

/** See the file header. It keeps nothing of a pod but what was asked last. */
export class PodHints {
  readonly #kernel: Kernel;
  readonly #epochMs: number;
  #stages: readonly Stage[] = [];
  #last: { readonly pod: Pod; readonly layers: ReadonlyMap<string, ScriptLayer> } | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#epochMs = -kernel.timestamps.toMs('1970-01-01T00:00:00Z');
  }

  /** The stages of pods, from now on. */
  set stages(stages: readonly Stage[]) {
    this.#stages = stages;
    this.#last = undefined;
  }

  layerOf(pod: Pod, { name }: Container): ScriptLayer {
    if (this.#stages.length === 0) return NO_SCRIPT;
    if (this.#last?.pod !== pod) this.#last = { pod, layers: layersOf(pod, this.#walk(pod)) };
    return this.#last.layers.get(name) ?? NO_SCRIPT;
  }

  /** A pod's draws are its own, so that it gets the same script whenever it is asked for. */
  #walk(pod: Pod): PodWalk {
    const { namespace = '', name, creationTimestamp } = pod.metadata;
    const random = this.#kernel.random(`stages/Pod/${namespace}/${name}`);
    const { timestamps } = this.#kernel;
    const created = creationTimestamp === undefined ? 0 : timestamps.toMs(creationTimestamp);
    return walkPod(pod, {
      stages: this.#stages,
      random,
      templates: new StageTemplates({ random, startMs: this.#epochMs }),
      startMs: this.#epochMs + created,
      timeText: (epochMs) => timestamps.toTime(epochMs - this.#epochMs),
    });
  }
}

function layersOf({ spec }: Pod, { runs, deletionMs }: PodWalk): ReadonlyMap<string, ScriptLayer> {
  const shutdown = deletionMs === undefined ? {} : { shutdown: { delay: Math.round(deletionMs) } };
  const first = (spec.initContainers ?? []).filter((each) => !isSidecar(each));
  const layers = new Map<string, ScriptLayer>();
  // Stages let all of them run at once; here they follow each other, within the same time.
  for (const { name } of first) {
    const [run] = runs.get(name) ?? [];
    if (run?.end === undefined) continue;
    layers.set(name, { ...shutdown, ...withoutPull, runs: [ended(run.end, run.end.atMs / first.length)] });
  }
  const beginMs = Math.max(0, ...first.map(({ name }) => runs.get(name)?.[0]?.end?.atMs ?? 0));
  for (const { name } of spec.containers) {
    const own = runs.get(name) ?? [];
    layers.set(name, { ...shutdown, ...(own.length === 0 ? {} : scriptOf(own, beginMs)) });
  }
  return layers;
}

/** A stage that says when containers start says so of all that comes before. */
const withoutPull: Pick<ContainerScript, 'imagePull'> = { imagePull: { duration: 0 } };

function scriptOf(runs: readonly WalkedRun[], beginMs: number): ContainerScript {
  const [first] = runs;
  const startMs = Math.max(0, Math.round((first?.startMs ?? 0) - beginMs));
  const readyMs = Math.round((first?.readyMs ?? first?.startMs ?? 0) - (first?.startMs ?? 0));
  const isEnding = runs.some(({ end }) => end !== undefined);
  return {
    ...withoutPull,
    ...(startMs > 0 ? { startDelay: startMs } : {}),
    ...(readyMs > 0 ? { readinessDelay: readyMs } : {}),
    ...(isEnding
      ? { runs: runs.map((run) => (run.end === undefined ? {} : ended(run.end, startMs + run.end.atMs - run.startMs))) }
      : {}),
  };
}

function ended({ exitCode, isOutOfMemory }: NonNullable<WalkedRun['end']>, durationMs: number): RunScript {
  const duration = Math.round(durationMs);
  return isOutOfMemory ? { duration, isOutOfMemory } : { duration, exitCode };
}
