import type { ExtensionPoint } from '../framework/extension-points.js';

/** A plugin that a profile enables. */
export interface EnabledPlugin {
  readonly name: string;
  /** Of its score; 0 = not set. @defaultValue 1 */
  readonly weight?: number | undefined;
  /** Where the configuration names it, such as `profiles[0].plugins.score.enabled[1]`; absent for defaults. */
  readonly path?: string | undefined;
}

/** What is enabled and disabled at one extension point, or at all of them (`multiPoint`). */
export interface PluginSet {
  readonly enabled: readonly EnabledPlugin[];
  /** Names, or `*` for all that are not enabled in the same place. */
  readonly disabled: readonly string[];
}

/** The plugin sets of a profile, defaults included. */
export interface PluginSets {
  /** Enabled at every point that a plugin extends, unless the point says otherwise. */
  readonly multiPoint: PluginSet;
  readonly points: Readonly<Record<ExtensionPoint, PluginSet>>;
}

/** One scheduler as its pods name it. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /** Where the configuration holds it, such as `profiles[0]`. */
  readonly path: string;
  /** 1..100; 0 = fewer the more nodes there are. @defaultValue that of the configuration */
  readonly percentageOfNodesToScore?: number | undefined;
  readonly plugins: PluginSets;
  /** `pluginConfig` args by plugin name; plain data. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** How fast the scheduler's requests may follow each other; a QPS below 0 is no limit, 0 is as absent. */
export interface ClientConnection {
  /** Requests in a second. @defaultValue 50 */
  readonly qps?: number | undefined;
  /** How many of them may go out at once. @defaultValue 100 */
  readonly burst?: number | undefined;
}

/** A KubeSchedulerConfiguration, checked and with upstream's defaults filled in. */
export interface SchedulerConfiguration {
  /** For messages, such as the name of its file. */
  readonly source: string;
  /** 1..100; 0 = fewer the more nodes there are. */
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly clientConnection?: ClientConnection | undefined;
  /** At least one; names differ. */
  readonly profiles: readonly SchedulerProfile[];
  /** Paths of fields that were accepted and do nothing here, such as `leaderElection`. */
  readonly ignored: readonly string[];
}
