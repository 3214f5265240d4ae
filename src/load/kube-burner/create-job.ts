/** A job that creates objects (pkg/burner/create.go): iteration by iteration, at its rate, and its churn. */
import type { Draft, Kind } from '../../api/objects/objects.js';
import type { ChurnSettings } from './burner-config.js';
import { LABEL, type JobRequests } from './burner-context.js';
import { labelled, selectorOf, type JobObject } from './burner-objects.js';
import { waitForObjects } from './object-waits.js';

const POLL_MS = 1000;
const DELETION_TIMEOUT_MS = 3_600_000;
/** What is made anew has none of these. */
const SERVER_FIELDS: readonly string[] = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'managedFields',
  'selfLink',
];

/** See the file header. */
export class CreateJob {
  readonly #requests: JobRequests;
  readonly #objects: readonly JobObject[];
  readonly #onIteration: () => Promise<void>;

  /** @param onIteration - done before each iteration. @throws LoadError for templates that cannot be used */
  constructor(requests: JobRequests, onIteration: () => Promise<void> = () => Promise.resolve()) {
    this.#requests = requests;
    this.#onIteration = onIteration;
    const { context, job } = requests;
    this.#objects = context.templates.objectsOf(job, this.#variables, context.player.kinds);
  }

  get objects(): readonly JobObject[] {
    return this.#objects;
  }

  /** @returns what went wrong */
  create(): Promise<string[]> {
    return this.#iterations(0, this.#requests.job.jobIterations);
  }

  /** Whether as many objects are there as the job was to make; what is missing is told. */
  async verify(): Promise<boolean> {
    const { context, job } = this.#requests;
    let isWhole = true;
    const { kinds: known, requests } = context.player;
    for (const [index, { kinds, settings }] of this.#objects.entries()) {
      if (kinds.size === 0 || settings.groupGc !== undefined) continue;
      const labelSelector = selectorOf({ ...this.#requests.labels, [LABEL.index]: String(index) });
      let found = 0;
      for (const kind of kinds) found += (await requests.list(kind, { labelSelector })).length;
      const times = settings.runOnce ? 1 : Math.ceil(job.jobIterations / settings.repeatEveryNIterations);
      if (found === settings.replicas * times) continue;
      const names = [...kinds].map((kind) => known.describe(kind).plural).join(', ');
      context.log(`${names} found: ${found} Expected: ${settings.replicas * times}`);
      isWhole = false;
    }
    return isWhole;
  }

  /** Deletes a share and makes it anew, again and again. @returns what went wrong */
  async churn(settings: ChurnSettings): Promise<string[]> {
    const { player, random } = {
      player: this.#requests.context.player,
      random: this.#requests.context.player.random(`churn/${this.#requests.job.name}`),
    };
    const endMs = settings.durationMs > 0 ? player.nowMs + settings.durationMs : Infinity;
    const errors: string[] = [];
    for (let cycle = 0; player.nowMs < endMs && (settings.cycles === 0 || cycle < settings.cycles); cycle += 1) {
      if (settings.mode === 'objects') await this.#churnObjects(settings);
      else if (this.#needsNamespace)
        errors.push(...(await this.#churnNamespaces(settings, (most) => random.int(0, most))));
      await player.sleep(Math.max(1, settings.delayMs));
    }
    return errors;
  }

  get #variables(): Readonly<Record<string, unknown>> {
    const { context, job } = this.#requests;
    return { JobName: job.name, UUID: context.uuid, RunID: context.runid };
  }

  get #needsNamespace(): boolean {
    const { kinds: known } = this.#requests.context.player;
    return this.#objects.some(({ kinds }) => [...kinds].some((kind) => known.describe(kind).isNamespaced));
  }

  #namespaceOf(iteration: number): string {
    const { namespace, namespacedIterations, iterationsPerNamespace } = this.#requests.job;
    return namespacedIterations ? `${namespace}-${Math.floor(iteration / iterationsPerNamespace)}` : namespace;
  }

  async #iterations(start: number, end: number): Promise<string[]> {
    const { job } = this.#requests;
    const { progress } = this.#requests.context.player;
    for (const { settings } of this.#objects) {
      const times = settings.runOnce ? 1 : Math.ceil((end - start) / settings.repeatEveryNIterations);
      progress.total += settings.replicas * times;
    }
    const groups = [...new Set(this.#objects.map(({ settings }) => settings.group))].sort((a, b) => a - b);
    const errors: string[] = [];
    if (this.#needsNamespace && (job.preCreateNamespaces || groups.length > 1)) {
      for (let iteration = start; iteration < end; iteration += 1)
        await this.#requests.namespace(this.#namespaceOf(iteration));
    }
    for (const group of groups) {
      errors.push(...(await this.#group(group, groups.length > 1, start, end)));
      await this.#collectGroup(group);
    }
    return errors;
  }

  /** Deletes what a group's objects say is to go once the group is there. */
  async #collectGroup(group: number): Promise<void> {
    const { player } = this.#requests.context;
    const going = [...this.#objects.entries()].filter(
      ([, { settings }]) => settings.group === group && settings.groupGc !== undefined,
    );
    if (going.length === 0) return;
    const pauses = going.map(([, { settings }]) => settings.groupGc ?? { pauseBeforeMs: 0, pauseAfterMs: 0 });
    await player.sleep(Math.max(...pauses.map(({ pauseBeforeMs }) => pauseBeforeMs)));
    for (const [index, { kinds }] of going) for (const kind of kinds) await this.#deleteAll(kind, index);
    await player.sleep(Math.max(...pauses.map(({ pauseAfterMs }) => pauseAfterMs)));
  }

  /** Deletes what was made of an object, and waits until it is gone. */
  async #deleteAll(kind: Kind, index: number): Promise<void> {
    const { player } = this.#requests.context;
    const labelSelector = selectorOf({ ...this.#requests.labels, [LABEL.index]: String(index) });
    for (const { metadata } of await player.requests.list(kind, { labelSelector })) {
      await this.#requests.token();
      await player.requests.delete(kind, metadata);
    }
    const isGone = async (): Promise<boolean> => (await player.requests.list(kind, { labelSelector })).length === 0;
    await player.poll(isGone, POLL_MS, DELETION_TIMEOUT_MS);
  }

  async #group(group: number, isGrouped: boolean, start: number, end: number): Promise<string[]> {
    const { context, job } = this.#requests;
    const running: Promise<void>[] = [];
    const waited = new Set<string>();
    const errors: string[] = [];
    const objects = this.#objects.filter(({ settings }) => settings.group === group);
    for (let iteration = start; iteration < end; iteration += 1) {
      await this.#onIteration();
      const namespace = this.#needsNamespace ? await this.#requests.namespace(this.#namespaceOf(iteration)) : '';
      for (const object of objects) running.push(...(await this.#replicas(object, namespace, iteration)));
      if (job.podWait && !job.waitWhenFinished && !isGrouped && !waited.has(namespace)) {
        await Promise.all(running);
        errors.push(...(await waitForObjects(this.#requests, objects, namespace)));
        if (job.namespacedIterations) waited.add(namespace);
      }
      if (job.jobIterationDelayMs > 0) await context.player.sleep(job.jobIterationDelayMs);
    }
    await Promise.all(running);
    if (!job.waitWhenFinished && !(isGrouped && job.podWait)) return errors;
    const namespaces = new Set(Array.from({ length: end - start }, (_, index) => this.#namespaceOf(start + index)));
    const open = [...namespaces].filter((namespace) => !waited.has(namespace));
    const late = await Promise.all(
      (this.#needsNamespace ? open : ['']).map((namespace) => waitForObjects(this.#requests, objects, namespace)),
    );
    return [...errors, ...late.flat()];
  }

  /** Sends the creates of one object of an iteration, each with a token. */
  async #replicas(object: JobObject, namespace: string, iteration: number): Promise<Promise<void>[]> {
    const { settings } = object;
    const isDue = settings.runOnce ? iteration === 0 : iteration % settings.repeatEveryNIterations === 0;
    if (!isDue) return [];
    const { context } = this.#requests;
    const { kinds: known, progress } = context.player;
    const running: Promise<void>[] = [];
    for (let replica = 1; replica <= settings.replicas; replica += 1) {
      await this.#requests.token();
      const draft = this.#draft(object, iteration, replica);
      const kind = object.kindOf(draft);
      if (kind === undefined) {
        context.onIgnored(`objects of ${draft.apiVersion ?? ''} ${draft.kind ?? ''}`);
        progress.total -= 1;
        continue;
      }
      const { isNamespaced } = known.describe(kind);
      // A definition of this very job may have brought the first kind with namespaces.
      if (isNamespaced && namespace === '') namespace = await this.#requests.namespace(this.#namespaceOf(iteration));
      const place = isNamespaced ? { namespace: draft.metadata?.namespace ?? namespace } : {};
      const placed = { ...draft, metadata: { ...draft.metadata, ...place } };
      running.push(this.#requests.create(kind, placed).finally(() => (progress.done += 1)));
    }
    return running;
  }

  #draft({ settings, document }: JobObject, iteration: number, replica: number): Draft {
    const { context, job } = this.#requests;
    const index = this.#objects.findIndex((each) => each.settings === settings && each.document === document);
    const variables = {
      ...this.#variables,
      Iteration: Math.floor(iteration / settings.repeatEveryNIterations),
      Replica: replica,
    };
    const draft = context.templates.render(job, settings, variables)[document] ?? {};
    const labels = {
      ...this.#requests.labels,
      [LABEL.index]: String(index),
      [LABEL.iteration]: String(iteration),
      [LABEL.replica]: String(replica),
      [LABEL.group]: String(settings.group),
    };
    return labelled(draft, labels);
  }

  /** A run of neighbouring namespaces, drawn anew each time. */
  async #churnNamespaces({ percent, deleteDelayMs }: ChurnSettings, draw: (most: number) => number): Promise<string[]> {
    const { context, job } = this.#requests;
    const { requests } = context.player;
    const labelSelector = selectorOf(this.#requests.labels);
    const names = (await requests.list('Namespace', { labelSelector }))
      .map(({ metadata }) => metadata.name)
      .sort((a, b) => Number(a.split('-').at(-1)) - Number(b.split('-').at(-1)));
    const count = Math.min(names.length, Math.max(1, Math.floor((percent * names.length) / 100)));
    const first = draw(names.length - count);
    const chosen = names.slice(first, first + count);
    for (const name of chosen) {
      await requests.patch(
        'Namespace',
        { name },
        { type: 'strategic', body: { metadata: { labels: { [LABEL.churnDelete]: '' } } } },
      );
      this.#requests.forget(name);
    }
    await Promise.all(chosen.map((name) => this.#deleteNamespace(name)));
    if (deleteDelayMs > 0) await context.player.sleep(deleteDelayMs);
    if (!job.namespacedIterations) return this.#iterations(0, job.jobIterations);
    const [start, end] = [first * job.iterationsPerNamespace, (first + count) * job.iterationsPerNamespace];
    return this.#iterations(start, Math.min(end, job.jobIterations));
  }

  async #deleteNamespace(name: string): Promise<void> {
    const { player } = this.#requests.context;
    await player.requests.delete('Namespace', { name }, {});
    const isGone = async (): Promise<boolean> => (await player.requests.get('Namespace', { name })) === undefined;
    await player.poll(isGone, POLL_MS, DELETION_TIMEOUT_MS);
  }

  /** The oldest of each object's, deleted, waited for and made as they were. */
  async #churnObjects({ percent, deleteDelayMs }: ChurnSettings): Promise<void> {
    const { context } = this.#requests;
    const { player } = context;
    const deleted: { readonly kind: Kind; readonly draft: Draft }[] = [];
    for (const [index, { kinds, settings }] of this.#objects.entries()) {
      if (!settings.churn) continue;
      const labelSelector = selectorOf({ ...this.#requests.labels, [LABEL.index]: String(index) });
      for (const kind of kinds) {
        const found = [...(await player.requests.list(kind, { labelSelector }))].sort((a, b) =>
          a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
        );
        for (const object of found.slice(0, Math.max(1, Math.floor((percent * found.length) / 100)))) {
          await this.#requests.token();
          await player.requests.delete(kind, object.metadata, { propagationPolicy: 'Foreground' });
          deleted.push({ kind, draft: withoutServerFields(object as unknown as Draft) });
        }
      }
    }
    for (const { kind, draft } of deleted) {
      const target = { name: draft.metadata?.name ?? '', namespace: draft.metadata?.namespace };
      const isGone = async (): Promise<boolean> => (await player.requests.get(kind, target)) === undefined;
      await player.poll(isGone, POLL_MS, DELETION_TIMEOUT_MS);
    }
    if (deleteDelayMs > 0) await player.sleep(deleteDelayMs);
    const namespaces = new Set(deleted.map(({ draft }) => draft.metadata?.namespace ?? ''));
    for (const { kind, draft } of deleted) {
      await this.#requests.token();
      await this.#requests.create(kind, draft);
    }
    for (const namespace of namespaces) await waitForObjects(this.#requests, this.#objects, namespace);
  }
}

function withoutServerFields({ status: _status, ...draft }: Draft): Draft {
  const metadata = Object.fromEntries(
    Object.entries(draft.metadata ?? {}).filter(([field]) => !SERVER_FIELDS.includes(field)),
  );
  return { ...draft, metadata };
}
