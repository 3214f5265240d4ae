/**
 * Plays the stages of one kind, as kwok's stage controller does (kwok v0.8, pkg/kwok/controllers/stage_controller.go):
 * whenever an object changes, the stage that it comes into is chosen anew and takes the place of the one that waited.
 * It is an operator with a link of its own, and writes nothing that a stage does not say.
 */
import { ApiError, isApiError } from '../api/errors/api-error.js';
import { keyOf, parseKey, type AnyObject, type Draft, type Kind } from '../api/objects/objects.js';
import { applyPatch, type PatchBody } from '../api/patches/patch.js';
import type { Subresource } from '../apiserver/store/server-types.js';
import {
  defineController,
  type ControllerContext,
  type ControllerDefinition,
} from '../controllers/runtime/controller-definition.js';
import type { RandomStream } from '../kernel/random.js';
import { chooseStage, stageDelayMs } from './choose-stage.js';
import type { JsonObject } from './jq/jq-values.js';
import { StageFailure, type Stage, type StageApply, type StageStep, type StageView } from './stage.js';
import { finalizersPatch, templatePatch, writesStatus } from './stage-patches.js';
import { StageTemplates } from './stage-templates.js';

/** What the stages of one kind are played with. */
export interface StagePlay {
  readonly kind: Kind;
  /** Asked for each choice: stages may come while a cluster runs. */
  readonly stages: () => readonly Stage[];
  /** Whether kubelets write the statuses of the kind, and delete what ends: patches are strategic then. */
  readonly hasKubelets: boolean;
  /** The kind of an object that a stage applies. @throws ApiError for one that there is not */
  readonly kindOf: (draft: Draft) => { readonly kind: Kind; readonly isNamespaced: boolean };
  /** Told of a stage that cannot be played for an object. */
  readonly onFailure: (message: string) => void;
}

/** A stage that waits for its time, or for its next attempt. */
interface Job {
  readonly object: AnyObject;
  readonly stage: Stage;
  readonly dueMs: number;
  /** Steps that are done. */
  readonly done: number;
  readonly attempts: number;
}

/** Workers of kwok, `playStageParallelism`. */
const WORKERS = 4;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 32 * 60_000;
const RETRY_JITTER = 0.2;
const MOST_DOUBLINGS = 11;

/** See the file header. */
export function stageController(play: StagePlay): ControllerDefinition<StagePlayer> {
  return defineController({
    name: `stages/${play.kind}`,
    component: 'kwok_controller',
    concurrentSyncs: WORKERS,
    setup(context) {
      const player = new StagePlayer(play, context);
      context.watch(play.kind, {
        onAdd: (object) => player.consider(object),
        onUpdate: (_previous, object) => player.consider(object),
        onDelete: (object) => player.forget(keyOf(object)),
      });
      return player;
    },
    reconcile: (_context, key, player) => player.play(key),
  });
}

/** The memory of one run of the controller. */
export class StagePlayer {
  readonly #play: StagePlay;
  readonly #context: ControllerContext;
  readonly #random: RandomStream;
  readonly #templates: StageTemplates;
  readonly #jobs = new Map<string, Job>();

  constructor(play: StagePlay, context: ControllerContext) {
    this.#play = play;
    this.#context = context;
    this.#random = context.kernel.random(`stages/${play.kind}`);
    this.#templates = new StageTemplates({ random: this.#random, startMs: this.#epochMs });
  }

  /** Chooses the stage of an object as it is now. */
  consider(object: AnyObject): void {
    const key = keyOf(object);
    if (this.#jobs.get(key)?.object.metadata.resourceVersion === object.metadata.resourceVersion) return;
    if (this.#play.hasKubelets && object.metadata.deletionTimestamp !== undefined) return this.forget(key);
    const view = this.#view(object);
    try {
      const stage = chooseStage(this.#play.stages(), view, this.#random);
      if (stage === undefined) return;
      const delayMs = stageDelayMs(stage, view, this.#random);
      this.#wait(key, { object, stage, dueMs: this.#context.kernel.clock.now() + delayMs, done: 0, attempts: 0 });
    } catch (error) {
      this.#tell(key, undefined, error);
    }
  }

  forget(key: string): void {
    this.#jobs.delete(key);
  }

  /** Plays what is due for an object. */
  async play(key: string): Promise<void> {
    const job = this.#jobs.get(key);
    if (job === undefined) return;
    const leftMs = job.dueMs - this.#context.kernel.clock.now();
    if (leftMs > 0) {
      this.#context.queue.addAfter(key, leftMs);
      return;
    }
    this.#jobs.delete(key);
    await this.#playSteps(key, job);
  }

  async #playSteps(key: string, job: Job): Promise<void> {
    const { object, stage } = job;
    let [result, isDeleted]: [AnyObject | undefined, boolean] = [undefined, false];
    for (const [index, step] of stage.steps.entries()) {
      if (index < job.done) continue;
      try {
        if (step.event !== undefined) this.#record(object, step.event);
        if (isDeleted) continue;
        result = (await this.#settleFinalizers(object, step)) ?? result;
        if (step.deletes) {
          [isDeleted, result] = [true, undefined];
          await this.#context.api.delete(this.#play.kind, object.metadata, { gracePeriodSeconds: 0 });
          continue;
        }
        result = (await this.#patch(object, step)) ?? result;
        if (step.apply !== undefined) await this.#apply(object, step.apply);
      } catch (error) {
        if (!isRefusal(error)) {
          // A request was lost: the runtime of controllers puts the key back.
          if (!this.#jobs.has(key)) this.#jobs.set(key, { ...job, done: index });
          throw error;
        }
        this.#tell(key, stage, error);
        if (isPassing(error)) this.#retry(key, { ...job, done: index });
        return;
      }
    }
    if (result !== undefined && stage.isImmediate) this.consider(result);
  }

  #record(object: AnyObject, { type, reason, message }: { type: string; reason: string; message: string }): void {
    this.#context.recorder.record(object, type === 'Warning' ? type : 'Normal', reason, message);
  }

  async #settleFinalizers(object: AnyObject, { finalizers }: StageStep): Promise<AnyObject | undefined> {
    if (finalizers === undefined) return undefined;
    const patch = finalizersPatch(object.metadata.finalizers ?? [], finalizers);
    return patch === undefined ? undefined : this.#send(object, patch, '');
  }

  async #patch(object: AnyObject, { patch }: StageStep): Promise<AnyObject | undefined> {
    if (patch === undefined || (this.#play.hasKubelets && writesStatus(patch))) return undefined;
    const { nowMs } = this.#view(object);
    const plain = object as unknown as JsonObject;
    const body = templatePatch(patch, plain, this.#play.hasKubelets ? 'strategic' : 'merge', this.#templates, nowMs);
    return this.#send(object, body, patch.subresource);
  }

  /** A patch that would change nothing is not sent. */
  async #send(object: AnyObject, patch: PatchBody, subresource: string): Promise<AnyObject | undefined> {
    if (applyPatch(object, patch) === object) return undefined;
    const of = subresource === '' ? undefined : (subresource as Subresource);
    return this.#context.api.patch(this.#play.kind, object.metadata, patch, of);
  }

  /** Creates an object, or patches the one that is there. */
  async #apply(object: AnyObject, { template, type, subresource }: StageApply): Promise<void> {
    const { nowMs } = this.#view(object);
    const draft = this.#templates.render(template, object as unknown as JsonObject, nowMs) as Draft | null;
    if (typeof draft !== 'object' || draft === null || Array.isArray(draft))
      throw new StageFailure('the template of apply must be an object');
    const { kind, isNamespaced } = this.#play.kindOf(draft);
    const { namespace } = object.metadata;
    const own = isNamespaced && namespace !== undefined ? { namespace, ...draft.metadata } : draft.metadata;
    const whole: Draft = { ...draft, metadata: { ...own } };
    const name = whole.metadata?.name ?? '';
    if (subresource === '') {
      try {
        await this.#context.api.create(kind, whole);
        return;
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists') || name === '') throw error;
      }
    }
    const body: PatchBody = { type: type === 'strategic' ? 'strategic' : 'merge', body: whole };
    const of = subresource === '' ? undefined : (subresource as Subresource);
    await this.#context.api.patch(kind, { name, namespace: own?.namespace }, body, of);
  }

  #retry(key: string, job: Job): void {
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(job.attempts, MOST_DOUBLINGS), LONGEST_RETRY_MS);
    const jitter = 1 + RETRY_JITTER * this.#random.unit();
    const dueMs = this.#context.kernel.clock.now() + delayMs * jitter;
    this.#wait(key, { ...job, attempts: job.attempts + 1, dueMs });
  }

  #wait(key: string, job: Job): void {
    this.#jobs.set(key, job);
    this.#context.queue.addAfter(key, job.dueMs - this.#context.kernel.clock.now());
  }

  #tell(key: string, stage: Stage | undefined, error: unknown): void {
    if (!(error instanceof Error)) throw error;
    const of = stage === undefined ? '' : ` ${stage.name}`;
    const { namespace, name } = parseKey(key);
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    this.#play.onFailure(`stage${of} of ${this.#play.kind} ${object}: ${error.message}`);
  }

  #view(object: AnyObject): StageView {
    const nowMs = this.#epochMs + this.#context.kernel.clock.now();
    return { object: object as unknown as JsonObject, nowMs, draw: () => this.#random.unit() };
  }

  /** Simulated time 0 in milliseconds since 1970. */
  get #epochMs(): number {
    return -this.#context.kernel.timestamps.toMs('1970-01-01T00:00:00Z');
  }
}

/** What an API server or a template refuses; a request that was lost is put back by the runtime of controllers. */
function isRefusal(error: unknown): error is Error {
  return error instanceof ApiError || error instanceof StageFailure;
}

/** What kwok tries again. */
function isPassing(error: Error): boolean {
  return (['ServerTimeout', 'Timeout', 'ServiceUnavailable', 'TooManyRequests'] as const).some((reason) =>
    isApiError(error, reason),
  );
}
