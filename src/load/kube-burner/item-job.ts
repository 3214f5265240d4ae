/** Jobs over objects that are there (delete.go, patch.go, read.go): found by kind and labels, one request each. */
import { parse } from 'yaml';
import type { Kind, KubeObject } from '../../api/objects/objects.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import type { BurnerObject } from './burner-config.js';
import type { JobRequests } from './burner-context.js';
import { JobObject, selectorOf } from './burner-objects.js';
import { waitForObject, waitForObjects } from './object-waits.js';

const DELETION_POLL_MS = 2000;

/** See the file header. */
export class ItemJob {
  readonly #requests: JobRequests;
  readonly #objects: readonly JobObject[];

  constructor(requests: JobRequests) {
    this.#requests = requests;
    const { context, job } = requests;
    const { kinds: known } = context.player;
    this.#objects = job.objects.map((settings) => new JobObject({ settings, document: 0, first: settings, known }));
    for (const { kinds, kindName } of this.#objects) if (kinds.size === 0) context.onIgnored(`objects of ${kindName}`);
  }

  /** @returns what was not ready in time */
  async run(): Promise<string[]> {
    const { job } = this.#requests;
    if (!job.isSequential) return this.#parallel();
    const errors: string[] = [];
    for (let iteration = 0; iteration < job.jobIterations; iteration += 1) {
      for (const object of this.#objects) errors.push(...(await this.#object(object, iteration)));
      if (job.waitWhenFinished) errors.push(...(await waitForObjects(this.#requests, this.#objects, '')));
      await this.#pause(job.jobIterationDelayMs);
    }
    return errors;
  }

  async #object(object: JobObject, iteration: number): Promise<string[]> {
    const { job } = this.#requests;
    const [kind] = object.kinds;
    if (kind === undefined) return [];
    const items = await this.#found(kind, object.settings);
    await Promise.all(items.map((item) => this.#handle(kind, object.settings, item, iteration)));
    const error = job.objectWait ? await waitForObject(this.#requests, object, '') : undefined;
    if (job.jobType === 'delete' && job.waitForDeletion) await this.#untilGone(kind, object.settings);
    await this.#pause(job.objectDelayMs);
    return error === undefined ? [] : [error];
  }

  async #parallel(): Promise<string[]> {
    const { job } = this.#requests;
    const running: Promise<void>[] = [];
    for (const object of this.#objects) {
      const [kind] = object.kinds;
      if (kind === undefined) continue;
      const items = await this.#found(kind, object.settings);
      for (let iteration = 0; iteration < job.jobIterations; iteration += 1) {
        running.push(...items.map((item) => this.#handle(kind, object.settings, item, iteration)));
      }
    }
    await Promise.all(running);
    return waitForObjects(this.#requests, this.#objects, '');
  }

  #found(kind: Kind, { labelSelector }: BurnerObject): Promise<readonly KubeObject[]> {
    const selector = selectorOf(labelSelector);
    return this.#requests.context.player.requests.list(kind, selector === '' ? {} : { labelSelector: selector });
  }

  /** What goes wrong with one object is told, and the job goes on. */
  async #handle(kind: Kind, settings: BurnerObject, { metadata }: KubeObject, iteration: number): Promise<void> {
    const { context, job } = this.#requests;
    const { requests } = context.player;
    context.player.progress.total += 1;
    await this.#requests.token();
    context.player.progress.done += 1;
    try {
      if (job.jobType === 'delete') await requests.delete(kind, metadata, {});
      else if (job.jobType === 'read') await requests.get(kind, metadata);
      else await requests.patch(kind, metadata, this.#patch(settings, iteration));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      context.log(`error of ${job.jobType} ${settings.kind}/${metadata.name}: ${error.message}`);
    }
  }

  #patch(settings: BurnerObject, iteration: number): Patch {
    const { context, job } = this.#requests;
    const variables = {
      JobName: job.name,
      UUID: context.uuid,
      RunID: context.runid,
      Iteration: iteration,
      Replica: 0,
      ...settings.inputVars,
    };
    const body: unknown = parse(context.templates.text(job, settings.objectTemplate, variables));
    if (settings.patchType === 'application/json-patch+json') return { type: 'json', body };
    return { type: settings.patchType === 'application/merge-patch+json' ? 'merge' : 'strategic', body };
  }

  async #untilGone(kind: Kind, settings: BurnerObject): Promise<void> {
    const isGone = async (): Promise<boolean> => (await this.#found(kind, settings)).length === 0;
    await this.#requests.context.player.poll(isGone, DELETION_POLL_MS, this.#requests.job.maxWaitTimeoutMs);
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#requests.context.player.sleep(ms);
  }
}
