/**
 * What the stages of pods would make of a pod, worked out ahead on a copy of it: when its containers run, are ready
 * and end. The kubelets of a cluster know better what a pod does on its node; they take this as scripts.
 */
import { ApiError } from '../api/errors/api-error.js';
import type { Pod } from '../api/objects/objects.js';
import { applyPatch, type PatchBody } from '../api/patches/patch.js';
import type { RandomStream } from '../kernel/random.js';
import { chooseStage, stageDelayMs } from './choose-stage.js';
import type { JsonObject } from './jq/jq-values.js';
import { StageFailure, type Stage, type StageView } from './stage.js';
import { finalizersPatch, templatePatch } from './stage-patches.js';
import type { StageTemplates } from './stage-templates.js';

/** One time that a container runs, milliseconds from the arrival of its pod. */
export interface WalkedRun {
  readonly startMs: number;
  readyMs: number | undefined;
  end: { readonly atMs: number; readonly exitCode: number; readonly isOutOfMemory: boolean } | undefined;
}

/** What stages make of a pod. */
export interface PodWalk {
  /** By the names of containers, also of those that run first. */
  readonly runs: ReadonlyMap<string, WalkedRun[]>;
  /** From a deletion until the pod is gone; undefined where no stage deletes it. */
  readonly deletionMs: number | undefined;
}

/** A pod that goes round in circles is followed so far. */
const MOST_STAGES = 64;
const DEFAULT_GRACE_S = 30;

/** What a walk is made with. */
export interface WalkMeans {
  readonly stages: readonly Stage[];
  readonly templates: StageTemplates;
  readonly random: RandomStream;
  /** When the pod arrives, milliseconds since 1970. */
  readonly startMs: number;
  /** A moment as Kubernetes writes it. */
  readonly timeText: (epochMs: number) => string;
}

interface State {
  readonly object: JsonObject;
  readonly isDeleted: boolean;
}

/** See the file header. */
export function walkPod(pod: Pod, means: WalkMeans): PodWalk {
  const { stages, random, startMs } = means;
  const runs = new Map<string, WalkedRun[]>();
  let state: State = { object: arrived(pod), isDeleted: false };
  let lastUp = state.object;
  let atMs = 0;
  for (let count = 0; count < MOST_STAGES && !state.isDeleted; count += 1) {
    const view = viewOf(state.object, startMs + atMs, random);
    const stage = attempt(() => chooseStage(stages, view, random));
    if (stage === undefined) break;
    atMs += attempt(() => stageDelayMs(stage, view, random)) ?? 0;
    const next = played(stage, state.object, means, startMs + atMs);
    if (next.object === state.object && !next.isDeleted) break;
    state = next;
    if (!state.isDeleted) noteRuns(runs, state.object, atMs);
    if (phaseOf(state.object) === 'Running') lastUp = state.object;
  }
  return { runs, deletionMs: deletionMs(lastUp, startMs + atMs, means) };
}

function arrived(pod: Pod): JsonObject {
  const { deletionTimestamp: _time, finalizers: _held, ...metadata } = pod.metadata;
  return { ...pod, apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending' } } as unknown as JsonObject;
}

function viewOf(object: JsonObject, nowMs: number, random: RandomStream): StageView {
  return { object, nowMs, draw: () => random.unit() };
}

/** Stages that cannot be told for a pod say nothing of it. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof StageFailure || error instanceof ApiError) return undefined;
    throw error;
  }
}

function played(stage: Stage, before: JsonObject, { templates }: WalkMeans, nowMs: number): State {
  let object = before;
  const apply = (patch: PatchBody | undefined): void => {
    if (patch !== undefined) object = applyPatch(object, patch) as unknown as JsonObject;
  };
  for (const { finalizers, patch, deletes } of stage.steps) {
    if (deletes) return { object, isDeleted: true };
    attempt(() => {
      if (finalizers !== undefined) apply(finalizersPatch(heldBy(object), finalizers));
      if (patch !== undefined) apply(templatePatch(patch, object, 'strategic', templates, nowMs));
    });
  }
  return { object, isDeleted: false };
}

/** The fields of a pod that are looked at. */
interface Walked {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly WalkedStatus[];
    readonly initContainerStatuses?: readonly WalkedStatus[];
  };
}

interface WalkedStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly running?: object;
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
  };
}

function walked(object: JsonObject): Walked {
  return object as unknown as Walked;
}

function heldBy(object: JsonObject): readonly string[] {
  return walked(object).metadata.finalizers ?? [];
}

function phaseOf(object: JsonObject): string | undefined {
  return walked(object).status?.phase;
}

function noteRuns(runs: Map<string, WalkedRun[]>, object: JsonObject, atMs: number): void {
  const { containerStatuses = [], initContainerStatuses = [], phase } = walked(object).status ?? {};
  for (const { name, ready, state } of [...initContainerStatuses, ...containerStatuses]) {
    const own = runs.get(name) ?? [];
    runs.set(name, own);
    let last = own.at(-1);
    const isUp = last !== undefined && last.end === undefined;
    if (!isUp && (state?.running !== undefined || (state?.terminated !== undefined && last === undefined))) {
      last = { startMs: atMs, readyMs: undefined, end: undefined };
      own.push(last);
    }
    if (last === undefined || last.end !== undefined) continue;
    if (ready === true && state?.running !== undefined) last.readyMs ??= atMs;
    const { terminated } = state ?? {};
    if (terminated === undefined) continue;
    const { exitCode = 0, reason } = terminated;
    last.end = { atMs, exitCode: exitCode & 0xff, isOutOfMemory: reason === 'OOMKilled' };
  }
  if (phase !== 'Succeeded' && phase !== 'Failed') return;
  for (const last of [...runs.values()].map((own) => own.at(-1))) {
    if (last === undefined || last.end !== undefined) continue;
    last.end = { atMs, exitCode: phase === 'Failed' ? 1 : 0, isOutOfMemory: false };
  }
}

/** The deletion of a pod that is up, as it stands while its grace lasts. */
function deletionMs(object: JsonObject, nowMs: number, { stages, random, timeText }: WalkMeans): number | undefined {
  const { metadata, spec } = object as unknown as Pod;
  const graceS = spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S;
  const marked = {
    ...metadata,
    deletionTimestamp: timeText(nowMs + 1000 * graceS),
    deletionGracePeriodSeconds: graceS,
  };
  const view = viewOf({ ...object, metadata: marked } as unknown as JsonObject, nowMs, random);
  const stage = attempt(() => chooseStage(stages, view, random));
  if (stage === undefined || !stage.steps.some(({ deletes }) => deletes)) return undefined;
  return attempt(() => stageDelayMs(stage, view, random));
}
