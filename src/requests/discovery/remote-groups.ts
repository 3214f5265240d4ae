/**
 * Group versions that servers behind services serve, among those that are served here: what discovery tells of them,
 * and where a request for one goes. Mirrors kube-aggregator (pkg/apiserver, v1.34).
 */
import type { RemoteService } from '../../api/aggregation/remote-service.js';
import type { ApiAnswer, RequestUser } from '../api-request.js';
import { remoteServicesOf } from '../../apiserver/requests/remote-services.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import { servedHere } from '../custom/served-kinds.js';
import { compareVersions } from '../custom/kube-aware-versions.js';
import { BUILT_IN, type Served, type ServedGroup } from '../served-resources.js';
import { SERVICE_UNAVAILABLE } from '../status-answer.js';

/** Tells what a server has said of its resources, as aggregated discovery has them; `undefined` = nothing yet. */
export type ToldResources = (remote: RemoteService) => readonly object[] | undefined;

/** The priority with which kube-apiserver registers the groups of definitions. */
const DEFINED_PRIORITY = 1000;

/** Those whose group version is not served here: an APIService of a metrics server takes nothing away. */
function foreignServices(served: Served, remotes: readonly RemoteService[]): readonly RemoteService[] {
  return remotes.filter(({ group, version }) => !served.hasGroupVersion(group, version));
}

/** What other servers serve beside this one. */
export function remotesBeside(server: ApiServer, hasMetricsServer: boolean): readonly RemoteService[] {
  return foreignServices(servedHere(server, hasMetricsServer), remoteServicesOf(server));
}

/** The service that is asked for a group version, if another server serves it. */
export function remoteFor(
  served: Served,
  remotes: readonly RemoteService[],
  group: string,
  version: string,
): RemoteService | undefined {
  return foreignServices(served, remotes).find((each) => each.group === group && each.version === version);
}

/** With the groups of remote services. */
export function withRemotes(
  served: Served,
  remotes: readonly RemoteService[],
  told: ToldResources = () => undefined,
): Served {
  const foreign = foreignServices(served, remotes);
  if (foreign.length === 0) return served;
  const native = new Set(BUILT_IN.groups.map(({ name }) => name));
  const [own, defined] = [true, false].map((isNative) =>
    served.groups.filter(({ name }) => native.has(name) === isNative),
  );
  const names = new Set([...(defined ?? []).map(({ name }) => name), ...foreign.map(({ group }) => group)]);
  const others = [...names].map((name) => {
    const present = served.groups.find((group) => group.name === name);
    const inGroup = foreign.filter(({ group }) => group === name);
    const priorities = inGroup.map(({ groupPriorityMinimum }) => groupPriorityMinimum);
    const priority = Math.max(...priorities, present === undefined ? 0 : DEFINED_PRIORITY);
    return { priority, group: groupOf(name, present, inGroup, told) };
  });
  others.sort((a, b) => b.priority - a.priority || (a.group.name < b.group.name ? -1 : 1));
  return { ...served, groups: [...(own ?? []), ...others.map(({ group }) => group)] };
}

function groupOf(
  name: string,
  present: ServedGroup | undefined,
  inGroup: readonly RemoteService[],
  told: ToldResources,
): ServedGroup {
  const byPriority = inGroup.toSorted(
    (a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version),
  );
  const versions = byPriority.map((remote) => {
    const { version, isAvailable } = remote;
    return { version, resources: [], remote: { isStale: !isAvailable, resources: told(remote) ?? [] } };
  });
  return { name, versions: [...(present?.versions ?? []), ...versions] };
}

/** What a request for a remote group version comes to, unless its transport takes it to the service. */
export function remoteAnswer(service: RemoteService, user: RequestUser): ApiAnswer {
  return service.isAvailable ? { ...SERVICE_UNAVAILABLE, remote: { service, user } } : SERVICE_UNAVAILABLE;
}
