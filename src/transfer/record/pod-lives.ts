/** How long the pods of each owner ran: what a recording tells of what containers do. Pure but for what it has noted. */
import type { Kind } from '../../api/objects/objects.js';
import { createTimestamps } from '../../kernel/timestamps.js';
import { isFields } from '../history/history.js';

type Mapping = Readonly<Record<string, unknown>>;

/** A pod's life, in seconds since 1970. */
export interface PodLife {
  readonly owner: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
  };
  readonly startS: number;
  /** Absent = it runs. */
  readonly endS?: number;
  /** Whether its containers ended by themselves. */
  readonly isByItself: boolean;
  readonly exitCode: number;
}

const UNIX = createTimestamps('1970-01-01T00:00:00Z');
const MS_PER_SECOND = 1000;

/** See the file header. */
export class PodLives {
  /** By uid: what was there, for the owners of owners. */
  readonly #references = new Map<string, Mapping>();
  readonly #lives = new Map<string, PodLife>();

  note(type: 'ADDED' | 'MODIFIED' | 'DELETED', kind: Kind, object: Mapping): void {
    const { uid } = object['metadata'] as { readonly uid?: string };
    if (uid === undefined) return;
    if (kind === 'ReplicaSet' || kind === 'Job') this.#references.set(uid, object);
    if (kind !== 'Pod') return;
    const life = this.#lifeOf(object, type === 'DELETED', this.#lives.get(uid));
    if (life !== undefined) this.#lives.set(uid, life);
  }

  all(): readonly PodLife[] {
    return [...this.#lives.values()];
  }

  #lifeOf(pod: Mapping, isGone: boolean, known: PodLife | undefined): PodLife | undefined {
    if (known?.endS !== undefined) return known;
    const status = isFields(pod['status']) ? pod['status'] : {};
    const { containerStatuses, phase } = status;
    const states = (Array.isArray(containerStatuses) ? (containerStatuses as readonly Mapping[]) : []).map(
      ({ state }) => (isFields(state) ? state : {}),
    );
    const starts = states.flatMap(({ running, terminated }) => timesOf([running, terminated], 'startedAt'));
    const startS = starts.length === 0 ? known?.startS : Math.min(...starts);
    if (startS === undefined) return undefined;
    const owner = this.#rootOf(pod);
    const ends = states.flatMap(({ terminated }) => timesOf([terminated], 'finishedAt'));
    const codes = states.map(({ terminated }) => Number(isFields(terminated) ? terminated['exitCode'] : 0));
    const life = { owner, startS, isByItself: false, exitCode: Math.max(0, ...codes) };
    const hasEnded = phase === 'Succeeded' || phase === 'Failed';
    const isAsked = (pod['metadata'] as Mapping)['deletionTimestamp'] !== undefined;
    if (hasEnded && ends.length > 0) return { ...life, endS: Math.max(...ends), isByItself: !isAsked };
    if (!isGone) return life;
    const [endS = startS] = timesOf([pod['metadata']], 'deletionTimestamp');
    return { ...life, endS: Math.max(startS, endS) };
  }

  /** The last of the owners that is known: of a deployment's pod the deployment. */
  #rootOf(pod: Mapping): PodLife['owner'] {
    let current = pod;
    for (;;) {
      const reference = controllerOf(current);
      const { name, namespace = '' } = current['metadata'] as { readonly name: string; readonly namespace?: string };
      if (reference === undefined) {
        return { apiVersion: String(current['apiVersion']), kind: String(current['kind']), name, namespace };
      }
      const above = this.#references.get(String(reference['uid']));
      if (above === undefined) {
        const { apiVersion, kind, name: owner } = reference;
        return { apiVersion: String(apiVersion), kind: String(kind), name: String(owner), namespace };
      }
      current = above;
    }
  }
}

function controllerOf({ metadata }: Mapping): Mapping | undefined {
  const { ownerReferences } = metadata as Mapping;
  if (!Array.isArray(ownerReferences)) return undefined;
  return (ownerReferences as readonly Mapping[]).find(({ controller }) => controller === true);
}

function timesOf(parts: readonly unknown[], field: string): readonly number[] {
  return parts.flatMap((part) => {
    const ms = isFields(part) ? UNIX.toMs(String(part[field])) : Number.NaN;
    return Number.isNaN(ms) ? [] : [ms / MS_PER_SECOND];
  });
}
