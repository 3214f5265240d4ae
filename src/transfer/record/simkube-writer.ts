/** A recording as a trace of SimKube, version 2, in msgpack: whole objects by seconds, and the lives of their pods. */
import { createHash } from 'node:crypto';
import { encode } from '@msgpack/msgpack';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Kind } from '../../api/objects/objects.js';
import type { PodLife } from './pod-lives.js';
import type { UserChange } from './recorder.js';
import { fieldsOfUsers } from './user-fields.js';

type Mapping = Readonly<Record<string, unknown>>;

interface TraceEvent {
  readonly ts: number;
  readonly applied_objs: Mapping[];
  readonly deleted_objs: Mapping[];
}

const VERSION = 2;
const MS_PER_SECOND = 1000;
const MAP_16 = 0xde;
const MAP_32 = 0xdf;
const LONGEST_MAP_16 = 0xffff;
/** Where the templates of pods are; kinds without any are applied, too. */
const TEMPLATES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  Deployment: ['/spec/template'],
  StatefulSet: ['/spec/template'],
  DaemonSet: ['/spec/template'],
  ReplicaSet: ['/spec/template'],
  ReplicationController: ['/spec/template'],
  Job: ['/spec/template'],
  CronJob: ['/spec/jobTemplate/spec/template'],
  Pod: [''],
};
/** What a trace's driver brings itself, or must not have. */
const LEFT_OUT: ReadonlySet<Kind> = new Set<Kind>(['Namespace', 'Node', 'Secret', 'ServiceAccount']);

/** See the file header. */
export class SimkubeWriter {
  readonly #events: TraceEvent[] = [];
  readonly #kinds = new Set<Kind>();

  /** @param startMs - of the recording, since 1970 */
  constructor(private readonly startMs: number) {
    this.#eventAt(0);
  }

  begin(kind: Kind, object: Mapping): void {
    const written = isTold(kind, object) ? fieldsOfUsers(object) : undefined;
    if (written !== undefined) this.#apply(kind, written, 0);
  }

  note({ kind, method, object, written, atMs }: UserChange): void {
    // An object that is being deleted is gone for a trace.
    const isEnding = method === 'PATCH' && (object['metadata'] as Mapping)['deletionTimestamp'] !== undefined;
    if (!isTold(kind, object) || isEnding) return;
    if (written !== undefined) this.#apply(kind, written, atMs);
    else {
      const { apiVersion, metadata } = object;
      const { name, namespace } = metadata as Mapping;
      this.#kinds.add(kind);
      this.#eventAt(atMs).deleted_objs.push({ apiVersion, kind, metadata: { name, namespace } });
    }
  }

  /** The bytes of the trace. */
  end(atMs: number, lives: readonly PodLife[]): Uint8Array {
    this.#eventAt(atMs);
    const tracked = [...this.#kinds].map((kind): [string, Mapping] => [
      gvkOf(kind),
      { podSpecTemplatePaths: TEMPLATES[kind] ?? null, trackLifecycle: kind in TEMPLATES },
    ]);
    const index = new Map<string, Record<string, bigint>>();
    for (const { applied_objs } of this.#events) {
      for (const object of applied_objs) {
        const gvk = gvkOf(object['kind'] as Kind);
        const { name, namespace } = object['metadata'] as Mapping;
        const below = index.get(gvk) ?? {};
        below[`${String(namespace)}/${String(name)}`] = hashOf(object['spec']);
        index.set(gvk, below);
      }
    }
    const parts: readonly (readonly [string, Uint8Array])[] = [
      ['version', encode(VERSION)],
      ['config', encode({ trackedObjects: Object.fromEntries(tracked) })],
      ['events', encode(this.#events)],
      ['index', encode(Object.fromEntries(index), { useBigInt64: true })],
      ['pod_lifecycles', livesBytes(lives.filter(({ owner }) => this.#kinds.has(owner.kind as Kind)))],
    ];
    return mapBytes(parts.map(([key, value]) => [encode(key), value]));
  }

  #apply(kind: Kind, all: Mapping, atMs: number): void {
    const written = kind === 'Pod' ? asNewPod(all) : all;
    if (written === undefined) return;
    this.#kinds.add(kind);
    // What is deleted in a trace is gone: its driver takes no finalizers away.
    const { finalizers: _held, ...metadata } = written['metadata'] as Mapping;
    this.#eventAt(atMs).applied_objs.push({ ...written, metadata });
  }

  #eventAt(atMs: number): TraceEvent {
    const ts = Math.floor((this.startMs + atMs) / MS_PER_SECOND);
    const last = this.#events.at(-1);
    if (last !== undefined && last.ts >= ts) return last;
    const event: TraceEvent = { ts, applied_objs: [], deleted_objs: [] };
    this.#events.push(event);
    return event;
  }
}

/** A pod as it can be created; `undefined` = users wrote no more than a part of one that a controller had made. */
function asNewPod(pod: Mapping): Mapping | undefined {
  const { spec } = pod;
  if (typeof spec !== 'object' || spec === null || !('containers' in spec)) return undefined;
  const { ephemeralContainers: _later, ...first } = spec as Mapping;
  return { ...pod, spec: first };
}

function isTold(kind: Kind, object: Mapping): boolean {
  const { ownerReferences = [] } = object['metadata'] as { readonly ownerReferences?: readonly Mapping[] };
  const isOwned = ownerReferences.some(({ controller }) => controller === true);
  // Definitions belong to no namespace, so that a trace has none, and cannot have their objects.
  return kind in kindRegistry && kindRegistry[kind].isNamespaced && !LEFT_OUT.has(kind) && !isOwned;
}

function gvkOf(kind: Kind): string {
  const { group, version } = kindRegistry[kind];
  return `${group === '' ? version : `${group}/${version}`}.${kind}`;
}

/** Any number that stays the same will do for kinds that are known. */
function hashOf(value: unknown): bigint {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest()
    .readBigUInt64BE();
}

/** Keys are pairs, and numbers of 64 bits: the library has texts alone for keys. */
function livesBytes(lives: readonly PodLife[]): Uint8Array {
  const byOwner = new Map<string, { readonly key: Uint8Array; readonly all: PodLife[] }>();
  for (const life of lives) {
    const { kind, namespace, name } = life.owner;
    const pair = [gvkOf(kind as Kind), `${namespace}/${name}`];
    const text = JSON.stringify(pair);
    const known = byOwner.get(text);
    if (known === undefined) byOwner.set(text, { key: encode(pair), all: [life] });
    else known.all.push(life);
  }
  return mapBytes(
    [...byOwner].map(([text, { key, all }]) => {
      const told = all.map(({ startS, endS }) =>
        endS === undefined ? { Running: startS } : { Finished: [startS, endS] },
      );
      return [key, mapBytes([[encode(hashOf(text), { useBigInt64: true }), encode(told)]])];
    }),
  );
}

function mapBytes(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array {
  const { length } = entries;
  const head = Buffer.alloc(length > LONGEST_MAP_16 ? 5 : 3);
  head.writeUInt8(length > LONGEST_MAP_16 ? MAP_32 : MAP_16);
  if (length > LONGEST_MAP_16) head.writeUInt32BE(length, 1);
  else head.writeUInt16BE(length, 1);
  return Buffer.concat([head, ...entries.flat()]);
}
