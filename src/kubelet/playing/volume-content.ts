/**
 * The files of volumes that the kubelet fills: config maps, secrets, fields of the pod, tokens. Mirrors the volume plugins
 * and their atomic writer (v1.34 pkg/volume): a directory with a name of its own, and links into it.
 */
import type { ConfigMap, Secret } from '../../api/objects/config-objects.js';
import type { Container, core, Pod } from '../../api/objects/objects.js';
import { bytesOf, newDirectory, newFile, newLink, type Directory } from '../../shell/files/file-node.js';
import type { ReadConfig } from '../config/config-cache.js';
import { fieldValue, resourceValue, type FieldFacts } from './field-values.js';

/** What is written into a volume. */
export interface PayloadFile {
  readonly bytes: string;
  readonly mode: number;
}

/** By path. */
export type Payload = ReadonlyMap<string, PayloadFile>;

/** What payloads are made of. */
export interface PayloadMeans extends FieldFacts {
  readonly read: ReadConfig;
  readonly token: (audience: string | undefined, expirationSeconds: number) => string;
}

const USUAL_MODE = 0o644;
const USUAL_EXPIRATION_SECONDS = 3600;

/** The content of a volume; `undefined` = the kubelet does not fill it. */
export function payloadOf(volume: core.Volume, pod: Pod, means: PayloadMeans): Payload | undefined {
  const { configMap, secret, downwardAPI, projected } = volume;
  const payload = new Map<string, PayloadFile>();
  if (configMap !== undefined) addObject(payload, 'ConfigMap', configMap, configMap.defaultMode, means);
  else if (secret !== undefined) {
    addObject(payload, 'Secret', { ...secret, name: secret.secretName }, secret.defaultMode, means);
  } else if (downwardAPI !== undefined) addFields(payload, downwardAPI.items, downwardAPI.defaultMode, pod, means);
  else if (projected === undefined) return undefined;
  for (const source of projected?.sources ?? []) {
    const mode = projected?.defaultMode;
    if (source.configMap !== undefined) addObject(payload, 'ConfigMap', source.configMap, mode, means);
    if (source.secret !== undefined) addObject(payload, 'Secret', source.secret, mode, means);
    if (source.downwardAPI !== undefined) addFields(payload, source.downwardAPI.items, mode, pod, means);
    const token = source.serviceAccountToken;
    if (token === undefined) continue;
    const { audience, expirationSeconds = USUAL_EXPIRATION_SECONDS, path } = token;
    payload.set(path, { bytes: means.token(audience, expirationSeconds), mode: tokenMode(pod, mode) });
  }
  return payload;
}

/** A token is for one user alone where all containers run as the same one. */
function tokenMode({ spec }: Pod, mode = USUAL_MODE): number {
  if (spec.securityContext?.fsGroup !== undefined) return 0o600;
  const uids = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  return uids[0] !== undefined && uids.every((uid) => uid === uids[0]) ? 0o600 : mode;
}

interface ObjectSource {
  readonly name?: string | undefined;
  readonly items?: readonly core.KeyToPath[];
}

function addObject(
  payload: Map<string, PayloadFile>,
  kind: 'ConfigMap' | 'Secret',
  { name = '', items }: ObjectSource,
  defaultMode: number | undefined,
  { read }: PayloadMeans,
): void {
  const reading = read(kind, name);
  if (!('object' in reading)) return;
  const data = bytesByKey(reading.object);
  if (items === undefined || items.length === 0) {
    for (const [key, bytes] of data) payload.set(key, { bytes, mode: defaultMode ?? USUAL_MODE });
    return;
  }
  for (const { key, path, mode } of items) {
    const bytes = data.get(key);
    if (bytes !== undefined) payload.set(path, { bytes, mode: mode ?? defaultMode ?? USUAL_MODE });
  }
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}

function bytesByKey(object: ConfigMap | Secret): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const [key, value] of Object.entries(object.data ?? {})) {
    result.set(key, object.kind === 'Secret' ? decode(value) : bytesOf(value));
  }
  if ('binaryData' in object) {
    for (const [key, value] of Object.entries(object.binaryData ?? {})) result.set(key, decode(value));
  }
  return result;
}

const NO_CONTAINER: Container = { name: '' };

function addFields(
  payload: Map<string, PayloadFile>,
  items: readonly core.DownwardAPIVolumeFile[] = [],
  defaultMode: number | undefined,
  pod: Pod,
  means: PayloadMeans,
): void {
  for (const { path, fieldRef, resourceFieldRef, mode } of items) {
    const text =
      fieldRef === undefined
        ? resourceFieldRef && resourceValue(pod, NO_CONTAINER, resourceFieldRef, means)
        : fieldValue(pod, fieldRef.fieldPath, means);
    payload.set(path, { bytes: bytesOf(text ?? ''), mode: mode ?? defaultMode ?? USUAL_MODE });
  }
}

/** Whether two say the same. */
export function isSamePayload(a: Payload, b: Payload): boolean {
  if (a.size !== b.size) return false;
  for (const [path, { bytes, mode }] of a) {
    const other = b.get(path);
    if (other === undefined || other.bytes !== bytes || other.mode !== mode) return false;
  }
  return true;
}

const DATA_LINK = '..data';

/**
 * Writes a payload: files that are not in it any more go, those that are there get their new content at once.
 *
 * @param time - names the directory of this version
 * @param fsGroup - the group that reads all of it
 */
export function writePayload(root: Directory, payload: Payload, time: string, nowMs: number, fsGroup?: number): void {
  const owner = fsGroup === undefined ? { changedMs: nowMs } : { gid: fsGroup, changedMs: nowMs };
  const folderMode = fsGroup === undefined ? 0o755 : 0o2775;
  const version = newDirectory({ ...owner, mode: folderMode });
  for (const [path, { bytes, mode }] of payload) {
    const names = path.split('/').filter((name) => name !== '');
    const last = names.pop() ?? path;
    let directory = version;
    for (const name of names) {
      const next = directory.entries.get(name);
      const folder = next?.kind === 'directory' ? next : newDirectory({ ...owner, mode: folderMode });
      directory.entries.set(name, folder);
      directory = folder;
    }
    directory.entries.set(last, newFile(bytes, { ...owner, mode: fsGroup === undefined ? mode : mode | 0o440 }));
  }
  const name = `..${time.replaceAll(/[-:]/g, '_').replace('T', '_').replace('Z', '')}.${String(nowMs % 1000).padStart(9, '0')}`;
  root.entries.clear();
  root.entries.set(name, version);
  root.entries.set(DATA_LINK, newLink(name, owner));
  for (const entry of version.entries.keys()) root.entries.set(entry, newLink(`${DATA_LINK}/${entry}`, owner));
  root.changedMs = nowMs;
}
