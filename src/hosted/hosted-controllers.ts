import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Remote } from 'comlink';
import type { ControllerDefinition } from '../controllers/controller-manager.js';
import type { AddedController } from '../assembly/cluster-controllers.js';
import type { Cluster } from '../cluster/cluster.js';
import { unwrap, type ClusterHost, type ControllerCommand } from './host-protocol.js';
import { OptionError } from '../options/option-error.js';

/** A controller of the user's own on the thread of a hosted cluster. See `AddedController`. */
export interface HostedController {
  readonly name: string;
  /** Whether it is started and its informers have synced. */
  isRunning(): Promise<boolean>;
  /** Starts its process; one that runs, and was not asked to end, is left alone. */
  start(): Promise<void>;
  /** Asks its process to end once the work under way has ended. */
  stop(): Promise<void>;
  /** Ends its process at once. */
  crash(): Promise<void>;
  /** Ends it for good; its name is free again. */
  remove(): Promise<void>;
}

/** The owner's side. */
export async function addHostedController(
  host: Remote<ClusterHost>,
  module: string | URL,
  settings: unknown,
): Promise<HostedController> {
  const name = unwrap(await host.addController(moduleUrl(module), settings));
  const command = async (what: ControllerCommand): Promise<void> => unwrap(await host.commandController(name, what));
  return {
    name,
    isRunning: () => host.isControllerRunning(name),
    start: () => command('start'),
    stop: () => command('stop'),
    crash: () => command('crash'),
    remove: () => command('remove'),
  };
}

function moduleUrl(module: string | URL): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && module.startsWith('file:')) return module;
  if (typeof module === 'string' && isAbsolute(module)) return pathToFileURL(module).href;
  throw new OptionError('module', 'a file: URL or an absolute path', module);
}

/** The hosting side: loads the module and adds what it exports. @throws OptionError */
export async function addFromModule(cluster: Cluster, module: string, settings: unknown): Promise<AddedController> {
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(module)) as { readonly default?: unknown };
  } catch (error) {
    throw OptionError.of('module', new Error(`module ${module} cannot be loaded: ${String(error)}`));
  }
  const exported = loaded.default;
  const made = typeof exported === 'function' ? (exported as (settings: unknown) => unknown)(settings) : exported;
  if (!isDefinition(made)) {
    const allowed = 'a module whose default export is a controller, or a function that returns one';
    throw new OptionError(`module ${module}`, allowed, made);
  }
  return cluster.addController(made);
}

function isDefinition(value: unknown): value is ControllerDefinition {
  return typeof value === 'object' && value !== null && 'setup' in value && 'reconcile' in value;
}
