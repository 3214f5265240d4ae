/** What came to be and went while a command ran, and that none of the recorded requests asked for. */
import type { Kind, ObjectName } from '../../../src/api/objects/objects.js';
import { resourceRequest } from '../../../src/requests/request-info.js';
import { BUILT_IN } from '../../../src/requests/served-resources.js';
import { isObject, type Json, type JsonObject } from '../recorded-lines.js';
import { madeNames } from './made-names.js';
import { candidates } from './sightings.js';
import type { RecordedCommand } from './wire-recording.js';

/** Of containers of which the recording shows no image. */
const USUAL_IMAGE = 'nginx';

/** A pod that none of the recorded requests made. */
export interface HiddenPod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** Image by name. */
  readonly containers: ReadonlyMap<string, string>;
  /** Since the command began. */
  readonly ms: number;
}

/** Pods that came into a watch from elsewhere while a command ran, by its line; a controller's have an owner. */
export function hiddenCreations(
  commands: readonly RecordedCommand[],
  namespace: string,
): ReadonlyMap<number, readonly HiddenPod[]> {
  const hidden = new Map<number, readonly HiddenPod[]>();
  const made = madeNames(commands);
  const images = imagesOf(commands);
  for (const { line, exchanges } of commands) {
    const found: HiddenPod[] = [];
    for (const { path, answer } of exchanges) {
      if (path !== `/api/v1/namespaces/${namespace}/pods`) continue;
      for (const { ms, line: frame } of answer.lines ?? []) {
        if (!isObject(frame) || frame['type'] !== 'ADDED' || !isObject(frame['object'])) continue;
        for (const { metadata } of candidates(frame['object'])) {
          if (!isObject(metadata) || metadata['ownerReferences'] !== undefined) continue;
          const { name, labels } = metadata;
          if (typeof name !== 'string' || made.has(name)) continue;
          const containers = new Map(
            containersOf(metadata).map((each) => [each, images.get(`${name}/${each}`) ?? USUAL_IMAGE]),
          );
          if (containers.size === 0) continue;
          found.push({ metadata: { namespace, name, labels: textsIn(labels) }, containers, ms });
        }
      }
    }
    if (found.length > 0) hidden.set(line, found);
  }
  return hidden;
}

/** Images by the names of pod and container, where a watch shows whole pods. */
function imagesOf(commands: readonly RecordedCommand[]): ReadonlyMap<string, string> {
  const images = new Map<string, string>();
  for (const { exchanges } of commands) {
    for (const { line } of exchanges.flatMap(({ answer }) => answer.lines ?? [])) {
      if (!isObject(line) || !isObject(line['object'])) continue;
      const { metadata, spec } = line['object'];
      if (!isObject(metadata) || !isObject(spec) || !Array.isArray(spec['containers'])) continue;
      for (const container of spec['containers'] as readonly Json[]) {
        if (!isObject(container)) continue;
        const { name, image } = container;
        if (typeof metadata['name'] !== 'string' || typeof name !== 'string' || typeof image !== 'string') continue;
        images.set(`${metadata['name']}/${name}`, image);
      }
    }
  }
  return images;
}

/** The names that the managers of fields know of. */
function containersOf({ managedFields }: JsonObject): readonly string[] {
  const keys = JSON.stringify(managedFields ?? null).matchAll(
    /"k:\{\\"name\\":\\"([^"\\]+)\\"\}":\{"\.":\{\},(?:"f:command[^{]*\{\},)?"f:image"/g,
  );
  return [...new Set([...keys].map(([, name = '']) => name))];
}

function textsIn(value: Json): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A deletion that none of the recorded requests asked for. */
export interface HiddenDeletion {
  readonly kind: Kind;
  readonly name: ObjectName;
  /** Since the command began. */
  readonly ms: number;
}

/** What was deleted from elsewhere while a command ran; what controllers delete has an owner. */
export function hiddenDeletions(commands: readonly RecordedCommand[]): ReadonlyMap<number, readonly HiddenDeletion[]> {
  const hidden = new Map<number, readonly HiddenDeletion[]>();
  const asked = new Set<string>();
  for (const { line, exchanges } of commands) {
    const found: HiddenDeletion[] = [];
    const met = new Set<string>();
    for (const { method, path, answer } of exchanges) {
      if (method === 'DELETE') asked.add(path);
      const info = resourceRequest('GET', path, false);
      const resource = info && BUILT_IN.resource(info.group, info.version, info.resource ?? '');
      for (const { ms, line: frame } of answer.lines ?? []) {
        const object = isObject(frame) && isObject(frame['object']) ? frame['object'] : {};
        for (const { metadata } of candidates(object)) {
          if (resource?.stored === undefined || !isObject(metadata)) continue;
          const { name, namespace, deletionTimestamp, ownerReferences } = metadata;
          if (typeof name !== 'string' || deletionTimestamp === undefined || ownerReferences !== undefined) continue;
          const item = `${path}/${name}`;
          if (asked.has(item) || asked.has(path) || met.has(item)) continue;
          met.add(item);
          const place = typeof namespace === 'string' ? { namespace, name } : { name };
          found.push({ kind: resource.stored, name: place, ms });
        }
      }
    }
    if (found.length > 0) hidden.set(line, found);
  }
  return hidden;
}
