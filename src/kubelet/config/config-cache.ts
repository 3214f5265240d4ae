/**
 * The config maps and secrets that the pods of one node name, each watched by itself from the first pod that names
 * it until the last one has gone. What is read is what the watch has told: on a node that is cut off, the state of
 * before. Mirrors the kubelet's watch-based managers (v1.34 pkg/kubelet/util/manager), which pause watches that are
 * idle, and end those of immutable objects.
 */
import type { ConfigMap, Secret } from '../../api/objects/config-objects.js';
import type { ObjectName } from '../../api/objects/objects.js';
import type { Connection, Informer } from '../../bus/bus-types.js';
import type { ConfigKind, ConfigReference } from '../../api/pods/config-references.js';
import { LateMap } from '../../kernel/late-collections.js';

/** Why an object cannot be read, in upstream's words. */
export interface ReadProblem {
  readonly text: string;
  /** It does not exist, which may be allowed. */
  readonly isMissing: boolean;
}

/** What is read of an object: itself, or why not. */
export type ConfigReading = { readonly object: ConfigMap | Secret } | { readonly problem: ReadProblem };

/** Reads an object of the pod's namespace. */
export type ReadConfig = (kind: ConfigKind, name: string) => ConfigReading;

/** An object that some pod names. */
export interface WatchedConfig {
  readonly kind: ConfigKind;
  readonly key: string;
  readonly informer: Informer<ConfigKind>;
  pods: number;
}

/** See the file header. */
export class ConfigCache {
  readonly #connection: Pick<Connection, 'select' | 'release'>;
  readonly #watched = new LateMap<string, WatchedConfig>();

  constructor(connection: Pick<Connection, 'select' | 'release'>) {
    this.#connection = connection;
  }

  /** A pod names the object, and will {@link free} it. */
  hold({ kind, name }: ConfigReference, namespace: string): WatchedConfig {
    const key = keyOf(kind, { namespace, name });
    let watched = this.#watched.get(key);
    if (watched === undefined) {
      const selection = { namespace, fieldSelector: `metadata.name=${name}` };
      const informer: Informer<ConfigKind> = this.#connection.select<ConfigKind>(kind, selection);
      watched = { kind, key, informer, pods: 0 };
      this.#watched.set(key, watched);
      informer.start();
    }
    watched.pods += 1;
    return watched;
  }

  /** A pod no longer names the object. */
  free(watched: WatchedConfig): void {
    watched.pods -= 1;
    if (watched.pods > 0 || this.#watched.get(watched.key) !== watched) return;
    this.#watched.delete(watched.key);
    this.#connection.release(watched.informer);
  }

  /** The object as it was heard of last. */
  read(kind: ConfigKind, name: ObjectName): ConfigReading {
    const watched = this.#watched.get(keyOf(kind, name));
    const resource = kind.toLowerCase();
    if (watched === undefined) return problem(`object "${name.namespace ?? ''}"/"${name.name}" not registered`, false);
    const { informer } = watched;
    if (!informer.hasSynced) {
      return problem(`failed to sync ${resource} cache: timed out waiting for the condition`, false);
    }
    const object = informer.get(name);
    return object === undefined ? problem(`${resource} "${name.name}" not found`, true) : { object };
  }

  /** The kubelet's process ends. */
  end(): void {
    for (const { informer } of this.#watched.values()) this.#connection.release(informer);
    this.#watched.clear();
  }
}

function keyOf(kind: ConfigKind, { namespace, name }: ObjectName): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

function problem(text: string, isMissing: boolean): ConfigReading {
  return { problem: { text, isMissing } };
}
