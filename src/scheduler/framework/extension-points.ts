import type { AnyPlugin } from './interface.js';

/** The method by which a plugin takes part in each extension point; points as KubeSchedulerConfiguration spells them. */
const METHODS = {
  preEnqueue: 'preEnqueue',
  queueSort: 'less',
  preFilter: 'preFilter',
  filter: 'filter',
  postFilter: 'postFilter',
  preScore: 'preScore',
  score: 'score',
  reserve: 'reserve',
  permit: 'permit',
  preBind: 'preBind',
  bind: 'bind',
  postBind: 'postBind',
} as const satisfies Readonly<Record<string, keyof AnyPlugin>>;

/** An extension point, as KubeSchedulerConfiguration spells it. */
export type ExtensionPoint = keyof typeof METHODS;

/** Every extension point. */
export const EXTENSION_POINTS = Object.keys(METHODS) as readonly ExtensionPoint[];

/** The plugins of a profile by extension point. Plain data: worker threads get a copy. */
export interface PluginOrder {
  /** Names of plugins by point, in the order in which they are called. */
  readonly names: Readonly<Record<ExtensionPoint, readonly string[]>>;
  /** Weights of Score plugins by name. @defaultValue 1 each */
  readonly weights: Readonly<Record<string, number>>;
}

/** Whether a plugin has something to say at a point. */
export function extendsPoint(plugin: AnyPlugin, point: ExtensionPoint): boolean {
  return typeof plugin[METHODS[point]] === 'function';
}
