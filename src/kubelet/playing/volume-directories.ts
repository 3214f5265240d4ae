/**
 * The volumes of pods as directories: those that containers of a pod share, those that stay on a machine, and those of
 * claims, which go from machine to machine. What the kubelet fills is brought up to date when a container looks, as far
 * as the kubelet's syncs have come by then.
 */
import type { core, Pod } from '../../api/objects/objects.js';
import { newDirectory, newFile, type Directory, type FileNode } from '../../shell/files/file-node.js';
import { isSamePayload, payloadOf, writePayload, type Payload, type PayloadMeans } from './volume-content.js';

/** Directories that outlive their pods, by what they belong to: a path of a machine, a claim of a namespace. */
export type LastingDirectories = Map<string, Directory>;

const HOSTS_OF_MACHINE = '127.0.0.1\tlocalhost\n';

/** A kubelet looks at each of its pods that often. */
const SYNC_MS = 60_000;

/** What it takes. */
export interface DirectoryMeans {
  readonly node: string;
  readonly lasting: LastingDirectories;
  readonly nowMs: () => number;
  readonly toTime: (ms: number) => string;
}

interface FilledVolume {
  readonly volume: core.Volume;
  readonly directory: Directory;
  payload: Payload;
  lookedMs: number;
  /** A difference that the next sync brings. */
  dueMs: number | undefined;
}

/** See the file header. One for each pod on its machine. */
export class VolumeDirectories {
  readonly #means: DirectoryMeans;
  readonly #beganMs: number;
  readonly #directories = new Map<string, Directory>();
  readonly #filled = new Map<string, FilledVolume>();
  #pod: Pod | undefined;

  constructor(means: DirectoryMeans) {
    this.#means = means;
    this.#beganMs = means.nowMs();
  }

  /** The directory of a volume; it is made when it is asked for first. */
  directory(
    volume: core.Volume,
    pod: Pod,
    means: PayloadMeans,
  ): { readonly node: FileNode; readonly type: string; readonly isReadOnly: boolean } {
    const payload = payloadOf(volume, pod, means);
    const isReadOnly = payload !== undefined;
    const type = isReadOnly || volume.emptyDir?.medium === 'Memory' ? 'tmpfs' : 'ext4';
    const known = this.#directories.get(volume.name);
    if (known !== undefined) return { node: known, type, isReadOnly };
    if (volume.hostPath !== undefined) return { node: this.#hostPath(volume.hostPath), type, isReadOnly };
    const directory = this.#make(volume, pod, isReadOnly);
    this.#directories.set(volume.name, directory);
    if (payload !== undefined) {
      const nowMs = this.#means.nowMs();
      writePayload(directory, payload, this.#means.toTime(nowMs), nowMs, pod.spec.securityContext?.fsGroup);
      this.#filled.set(volume.name, { volume, directory, payload, lookedMs: nowMs, dueMs: undefined });
    }
    return { node: directory, type, isReadOnly };
  }

  /** Brings what the kubelet fills up to date. */
  refresh(pod: Pod, means: PayloadMeans): void {
    const nowMs = this.#means.nowMs();
    const isSamePod = pod === this.#pod;
    this.#pod = pod;
    for (const filled of this.#filled.values()) {
      if (filled.lookedMs === nowMs && isSamePod) continue;
      const payload = payloadOf(filled.volume, pod, means);
      if (payload === undefined || isSamePayload(payload, filled.payload)) {
        filled.lookedMs = nowMs;
        filled.dueMs = undefined;
        continue;
      }
      // A change of the pod is synced at once, one of what it refers to with the next look at it.
      const lastSyncMs = nowMs - ((nowMs - this.#beganMs) % SYNC_MS);
      filled.dueMs ??= isSamePod && lastSyncMs <= filled.lookedMs ? lastSyncMs + SYNC_MS : nowMs;
      filled.lookedMs = nowMs;
      if (filled.dueMs > nowMs) continue;
      filled.payload = payload;
      filled.dueMs = undefined;
      writePayload(filled.directory, payload, this.#means.toTime(nowMs), nowMs, pod.spec.securityContext?.fsGroup);
    }
  }

  #make(volume: core.Volume, { metadata, spec }: Pod, isFilled: boolean): Directory {
    const changedMs = this.#means.nowMs();
    const group = spec.securityContext?.fsGroup;
    const { persistentVolumeClaim: claim, ephemeral } = volume;
    if (claim !== undefined || ephemeral !== undefined) {
      const name = claim?.claimName ?? `${metadata.name}-${volume.name}`;
      return this.#lasting(`claim/${metadata.namespace ?? ''}/${name}`, group);
    }
    const mode = isFilled ? 0o755 : 0o777;
    if (group === undefined) return newDirectory({ mode: isFilled ? mode | 0o1000 : mode, changedMs });
    return newDirectory({ mode: mode | 0o2770, gid: group, changedMs });
  }

  #hostPath({ path, type = '' }: core.HostPathVolumeSource): FileNode {
    const key = `${this.#means.node}:${path}`;
    if (!type.startsWith('File')) return this.#lasting(key, undefined);
    const directory = this.#lasting(key, undefined);
    const file = directory.entries.get('') ?? newFile(path === '/etc/hosts' ? HOSTS_OF_MACHINE : '');
    directory.entries.set('', file);
    return file;
  }

  #lasting(key: string, group: number | undefined): Directory {
    const { lasting } = this.#means;
    const known = lasting.get(key);
    if (known !== undefined) return known;
    const directory = newDirectory(group === undefined ? { mode: 0o777 } : { mode: 0o2777, gid: group });
    lasting.set(key, directory);
    return directory;
  }
}
