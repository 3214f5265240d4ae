/**
 * The config maps and secrets of one pod on its way into it: they are watched, and volumes are filled from them once
 * they are there. A volume that cannot be set up is tried again after ever longer times. Mirrors what the kubelet's
 * volume manager does for such volumes (v1.34): neither attached nor mounted, they take no time of their own.
 */
import type { core, Pod } from '../../api/objects/objects.js';
import type { Timer } from '../../kernel/engine/clock.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { PodEvents } from '../events/pod-events.js';
import { mountedVolumes } from './mounted-volumes.js';
import { nextMountGapMs } from './mount-gaps.js';
import type { ConfigCache, ConfigReading, WatchedConfig } from '../config/config-cache.js';
import { configReferences, type ConfigKind, type ConfigReference } from '../../api/pods/config-references.js';
import { isConfigVolume, setUpProblem } from '../config/volume-payload.js';

/** How long a reader waits for the first list of a watch, ms (watch_based_manager.go). */
const SYNC_TIMEOUT_MS = 1000;
const NOTHING: readonly never[] = [];

/** What it takes. */
export interface ConfigMeans {
  readonly kernel: Kernel;
  readonly config: ConfigCache;
  readonly events: PodEvents;
}

/** A volume that could not be set up so far. */
interface PendingVolume {
  readonly volume: core.Volume;
  timer: Timer | undefined;
  gapMs: number;
}

/** What has them. */
export interface ConfigHolder {
  /** Nothing of it keeps the pod from starting any longer. */
  configReady(): void;
}

/** See the file header. */
export class PodConfig {
  readonly #means: ConfigMeans;
  readonly #pod: Pod;
  readonly #references: readonly ConfigReference[];
  readonly #holder: ConfigHolder;
  #held: readonly WatchedConfig[] = NOTHING;
  /** Every watch has told its first list, or has had time to. */
  #isSettled = false;
  #isWaiting = false;
  /** It was set up before, and is not watched yet. */
  #isResumed = false;
  /** The sync that takes the pod over has been. */
  #isLookedAt = false;
  #pending: readonly PendingVolume[];
  #timeout: Timer | undefined;

  constructor(means: ConfigMeans, pod: Pod, { references, volumes }: ConfigNeed, holder: ConfigHolder) {
    this.#means = means;
    this.#pod = pod;
    this.#references = references;
    this.#holder = holder;
    this.#pending = volumes.length === 0 ? NOTHING : volumes.map((volume) => ({ volume, timer: undefined, gapMs: 0 }));
  }

  /** Nothing of it keeps the pod from starting. */
  get isReady(): boolean {
    return this.#isResumed || (this.#isSettled && this.#pending.length === 0);
  }

  /** Whether its objects can be read: what was taken over is not watched yet. */
  get isReadable(): boolean {
    return this.isReady && !this.#isResumed;
  }

  /** Names of the volumes that are not set up. */
  get unmounted(): readonly string[] {
    return this.#pending.map(({ volume }) => volume.name);
  }

  /** Everything was there before; it is watched from the first sync on that something has changed for. */
  resume(): void {
    this.#isResumed = true;
  }

  /** A sync of the pod begins: where everything is there, nothing is waited for. */
  look(): void {
    if (this.#isResumed && !this.#isLookedAt) {
      this.#isLookedAt = true;
      return;
    }
    this.#isResumed = false;
    if (this.isReady || this.#isWaiting) return;
    this.#hold();
    if (!this.#held.every(({ informer }) => informer.hasSynced)) return;
    if (this.#pending.some(({ volume }) => this.#problemOf(volume) !== undefined)) return;
    this.#isSettled = true;
    this.#pending = NOTHING;
  }

  /** A sync of the pod begins to wait. */
  beginWait(): void {
    this.#isResumed = false;
    if (this.isReady || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#hold();
    let missing = this.#held.length;
    const synced = (): void => {
      missing -= 1;
      if (missing <= 0) this.#settle();
    };
    this.#timeout = this.#means.kernel.clock.schedule(SYNC_TIMEOUT_MS, () => this.#settle());
    for (const { informer } of this.#held) informer.whenSynced(synced);
  }

  /** Reads one of its objects. */
  read(kind: ConfigKind, name: string): ConfigReading {
    return this.#means.config.read(kind, { namespace: this.#pod.metadata.namespace, name });
  }

  /** Nothing goes on, and nothing is watched for it. */
  stop(): void {
    const { clock } = this.#means.kernel;
    this.#isSettled = true;
    if (this.#timeout !== undefined) clock.cancel(this.#timeout);
    for (const { timer } of this.#pending) if (timer !== undefined) clock.cancel(timer);
    for (const watched of this.#held) this.#means.config.free(watched);
    this.#held = NOTHING;
    this.#pending = NOTHING;
  }

  #hold(): void {
    if (this.#held.length > 0) return;
    const { namespace = '' } = this.#pod.metadata;
    this.#held = this.#references.map((reference) => this.#means.config.hold(reference, namespace));
  }

  #settle(): void {
    if (this.#isSettled) return;
    if (this.#timeout !== undefined) this.#means.kernel.clock.cancel(this.#timeout);
    this.#timeout = undefined;
    this.#isSettled = true;
    for (const pending of this.#pending) this.#setUp(pending);
    if (this.isReady) this.#holder.configReady();
  }

  #problemOf(volume: core.Volume): string | undefined {
    return setUpProblem(volume, (kind, name) => this.read(kind, name));
  }

  #setUp(pending: PendingVolume): void {
    pending.timer = undefined;
    const problem = this.#problemOf(pending.volume);
    if (problem === undefined) {
      this.#pending = this.#pending.filter((other) => other !== pending);
      return;
    }
    const message = `MountVolume.SetUp failed for volume "${pending.volume.name}" : ${problem}`;
    this.#means.events.pod(this.#pod, 'Warning', 'FailedMount', message);
    pending.gapMs = nextMountGapMs(pending.gapMs);
    pending.timer = this.#means.kernel.clock.schedule(pending.gapMs, () => {
      this.#setUp(pending);
      if (this.isReady) this.#holder.configReady();
    });
  }
}

/** What a pod needs of config maps and secrets before it can start. */
export interface ConfigNeed {
  readonly references: readonly ConfigReference[];
  /** To be filled from them. */
  readonly volumes: readonly core.Volume[];
}

/**
 * See {@link ConfigNeed}; `undefined` = nothing.
 *
 * @param isBegun - the pod has had a sandbox: its volumes were set up before that
 */
export function configNeedOf({ spec }: Pod, isBegun: boolean): ConfigNeed | undefined {
  const references = configReferences(spec);
  if (references.length === 0) return undefined;
  const volumes = isBegun ? NOTHING : (spec.volumes ?? []).filter(isConfigVolume);
  const used = volumes.length === 0 ? undefined : mountedVolumes(spec);
  return { references, volumes: volumes.filter(({ name }) => used?.has(name)) };
}
