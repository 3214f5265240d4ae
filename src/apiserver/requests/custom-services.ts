/**
 * The APIServices of custom resources: one for each group version that a definition serves, as long as there is one.
 * Mirrors kube-apiserver's registration of definitions (pkg/controlplane/controller/crdregistration) and
 * kube-aggregator's autoregister controller (v1.34), which here do not take time. What admission refuses, or cannot answer
 * at once, waits for the next change of a definition of the group version.
 */
import { ApiError } from '../../api/errors/api-error.js';
import { definitionOf } from '../../api/custom/definition.js';
import type { Draft, KindMap } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { AdmissionPending } from '../store/request-context.js';
import type { ApiServer } from '../store/server-types.js';

type StoredDefinition = KindMap['CustomResourceDefinition'];

/** A service without this label is its user's own. */
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

/** See the file header. */
export function keepCustomServices({ clock }: Kernel, server: ApiServer): void {
  /** Names of services by that of the definition that is served by them. */
  const known = new Map<string, readonly string[]>();
  const due = new Set<string>();
  const keepDue = (): void => {
    const names = [...due];
    due.clear();
    for (const name of names) keepService(server, name);
  };
  const look = (names: readonly string[]): void => {
    if (due.size === 0 && names.length > 0) clock.schedule(0, keepDue);
    for (const name of names) due.add(name);
  };
  for (const definition of server.list('CustomResourceDefinition').items) {
    known.set(definition.metadata.name, servicesOf(definition));
    for (const name of servicesOf(definition)) keepService(server, name);
  }
  const since = { resourceVersion: String(server.version) };
  server.watch('CustomResourceDefinition', since, (event) => {
    if (event.type === 'BOOKMARK') return;
    const { name } = event.object.metadata;
    const names = servicesOf(event.object);
    look([...(known.get(name) ?? []), ...names]);
    known.set(name, names);
  });
  server.watch('APIService', since, (event) => {
    if (event.type !== 'DELETED') return;
    const { name } = event.object.metadata;
    if ([...known.values()].some((names) => names.includes(name))) look([name]);
  });
}

function servicesOf(definition: StoredDefinition): readonly string[] {
  const { group, versions } = definitionOf(definition).spec;
  return versions.map(({ name }) => `${name}.${group}`);
}

function keepService(server: ApiServer, name: string): void {
  const present = server.find('APIService', { name });
  try {
    if (!isServed(server, name)) {
      if (present?.metadata.labels?.[MANAGED] === 'true') server.delete('APIService', { name });
    } else if (present === undefined) server.create('APIService', serviceDraft(name));
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof AdmissionPending)) throw error;
  }
}

function isServed(server: ApiServer, service: string): boolean {
  return server.list('CustomResourceDefinition').items.some((definition) => {
    const { group, versions } = definitionOf(definition).spec;
    return versions.some(({ name, served }) => served && `${name}.${group}` === service);
  });
}

function serviceDraft(name: string): Draft {
  const [version = ''] = name.split('.', 1);
  return {
    metadata: { name, labels: { [MANAGED]: 'true' } },
    spec: {
      group: name.slice(version.length + 1),
      version,
      groupPriorityMinimum: GROUP_PRIORITY,
      versionPriority: VERSION_PRIORITY,
    },
  };
}
