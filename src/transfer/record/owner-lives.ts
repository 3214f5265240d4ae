/** What the lives of an owner's pods come to: words of scripts, which its pods get when a recording is played. Pure. */
import { isFields, type HistoricRequest } from '../history/history.js';
import type { SourceObject } from '../import/source-object.js';
import type { PodLife } from './pod-lives.js';

type Mapping = Readonly<Record<string, unknown>>;

/** How the pods of an owner ran, such as `30s exit 0`. */
export interface OwnerLives {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly runs: readonly string[];
}

/** What is played. */
interface Played {
  readonly objects: readonly SourceObject[];
  readonly requests: readonly HistoricRequest[];
}

/** Owners whose pods end by themselves. */
const ENDING: readonly string[] = ['Job', 'CronJob', 'Pod'];
const RUN_FOR = 'kubeloom.dev/run-for';
const RUNS = 'kubeloom.dev/runs';

/** Owners all of whose pods have ended by themselves. */
export function livesOf(lives: readonly PodLife[]): readonly OwnerLives[] {
  const byOwner = new Map<string, { owner: PodLife['owner']; lives: PodLife[] }>();
  for (const life of lives) {
    const { owner } = life;
    if (!ENDING.includes(owner.kind)) continue;
    const key = `${owner.kind}/${owner.namespace}/${owner.name}`;
    const known = byOwner.get(key);
    if (known === undefined) byOwner.set(key, { owner, lives: [life] });
    else known.lives.push(life);
  }
  return [...byOwner.values()].flatMap(({ owner: { kind, namespace, name }, lives: all }) => {
    const ended = all.filter(({ isByItself, endS }) => isByItself && endS !== undefined);
    if (ended.length < all.length) return [];
    const runs = ended.map(({ startS, endS = startS, exitCode }) => `${endS - startS}s exit ${exitCode}`);
    return [{ kind, namespace, name, runs }];
  });
}

/** With scripts for the pods of owners whose lives were seen. */
export function withLives({ objects, requests }: Played, lives: readonly OwnerLives[]): Played {
  const byOwner = new Map(lives.map(({ kind, namespace, name, runs }) => [keyOf(kind, namespace, name), runs]));
  return {
    objects: objects.map(({ value, place }) => ({ value: withScripts(value, byOwner), place })),
    requests: requests.map((request) =>
      isFields(request.body) ? { ...request, body: withScripts(request.body, byOwner) } : request,
    ),
  };
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** What was seen of an owner's pods becomes their script, unless it has one. */
function withScripts(object: Mapping, lives: ReadonlyMap<string, readonly string[]>): Mapping {
  const { kind, metadata, spec } = object;
  const { name = '', namespace = '' } = isFields(metadata) ? metadata : {};
  const runs = lives.get(keyOf(String(kind), String(namespace), String(name)));
  if (runs === undefined || !isFields(spec)) return object;
  if (kind === 'Pod') return withScript(object, runs);
  if (kind === 'Job') return { ...object, spec: { ...spec, template: withScript(fieldsOf(spec['template']), runs) } };
  const job = fieldsOf(spec['jobTemplate']);
  const below = fieldsOf(job['spec']);
  const jobTemplate = { ...job, spec: { ...below, template: withScript(fieldsOf(below['template']), runs) } };
  return { ...object, spec: { ...spec, jobTemplate } };
}

function fieldsOf(value: unknown): Mapping {
  return isFields(value) ? value : {};
}

/** Of several ends each pod draws a length; how it ends is told where all ended alike or there was one pod. */
function withScript(template: Mapping, runs: readonly string[]): Mapping {
  const metadata = fieldsOf(template['metadata']);
  const annotations = fieldsOf(metadata['annotations']);
  const isAlike = new Set(runs).size === 1;
  const lengths = [...new Set(runs.map((run) => run.replace(/ exit .*/, '')))];
  const told = isAlike
    ? { [RUNS]: runs[0] }
    : { [RUN_FOR]: lengths.length === 1 ? lengths[0] : `choice(${lengths.join(', ')})` };
  return { ...template, metadata: { ...metadata, annotations: { ...told, ...annotations } } };
}
