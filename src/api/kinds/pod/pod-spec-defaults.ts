/**
 * Defaults of pod specs: those that templates get too, and those that only pods get. Remembered by
 * reference, so that the pods of one template share one spec (pkg/apis/core/v1/defaults.go, v1.34).
 */
import { RecentMap } from '../../../kernel/recent-map.js';
import type { Container, core, PodSpec, PodTemplateSpec } from '../../objects/objects.js';
import {
  aggregatedContainerLimits,
  aggregatedContainerRequests,
  isPodLevelResource,
} from '../../pods/pod-resources.js';
import { formatQuantity } from '../../values/quantity.js';
import { canonicalResources, defaultedContainer } from './container-defaults.js';
import { withoutDisabledFields } from '../rules/disabled-fields.js';
import { changedField, filled, Filling, mapShared, rememberedFilling } from '../rules/filling.js';
import { canonicalResourceList, isHugePages, isOvercommitAllowed } from '../rules/resource-lists.js';
import { defaultedVolume } from './volume-defaults.js';

const GRACE_PERIOD_SECONDS = 30;
/** Far more than the templates of which pods come by turns. */
const LISTS_REMEMBERED = 512;
const NO_REQUESTS: Readonly<Record<string, string>> = Object.freeze({});
const NO_SECURITY_CONTEXT: core.PodSecurityContext = Object.freeze({});

const SPEC_DEFAULTS: Partial<PodSpec> = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
  dnsPolicy: 'ClusterFirst',
  securityContext: NO_SECURITY_CONTEXT,
  schedulerName: 'default-scheduler',
};

const POD_DEFAULTS: Partial<PodSpec> = { enableServiceLinks: true };

/** What templates and pods have in common; their containers differ. */
function templateFilling(spec: PodSpec, containersOf: (containers: Container[]) => Container[]): Filling<PodSpec> {
  const filling = new Filling(withoutDisabledFields(spec)).complete(SPEC_DEFAULTS);
  if (spec.containers === undefined) filling.set('containers', []);
  // The old field is read where the new one says nothing, and shows what that says.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account !== undefined && (account !== spec.serviceAccountName || account !== spec.serviceAccount))
    filling.set('serviceAccountName', account).set('serviceAccount', account);
  return filling
    .change('containers', containersOf)
    .change('initContainers', containersOf)
    .change('ephemeralContainers', defaultedEphemeral)
    .change('volumes', defaultedVolumes)
    .change('overhead', canonicalResourceList)
    .change('resources', canonicalResources);
}

/** The template of a workload with what the server fills in. */
export const defaultedTemplate: (template: PodTemplateSpec) => PodTemplateSpec = rememberedFilling((template) => {
  const complete = filled(template, { metadata: {}, spec: { containers: [] } });
  return changedField(complete, 'spec', defaultedTemplateSpec);
});

const defaultedTemplateSpec = rememberedFilling((spec: PodSpec) => templateFilling(spec, templateContainers).object);

/** The spec of a pod with what the server fills in. */
export const defaultedPodSpec: (spec: PodSpec) => PodSpec = rememberedFilling((spec) => {
  const filling = templateFilling(spec, podContainers).complete(POD_DEFAULTS);
  const { resources, hostNetwork, terminationGracePeriodSeconds = GRACE_PERIOD_SECONDS } = filling.object;
  if (resources !== undefined) {
    const limited = withPodLimits(filling.object, resources);
    if (limited.limits !== undefined) filling.set('resources', withPodRequests(filling.object, limited));
  }
  if (hostNetwork === true)
    filling.change('containers', hostPortedContainers).change('initContainers', hostPortedContainers);
  if (terminationGracePeriodSeconds < 0) filling.set('terminationGracePeriodSeconds', 1);
  return filling.object;
});

/** Lists of containers are shared between specs that differ elsewhere. */
const templateContainers = rememberedLists(defaultedContainer);
const podContainers = rememberedLists((container) =>
  changedField(defaultedContainer(container), 'resources', withLimitsRequested),
);

/** A resource with a limit and no request requests its limit. */
function withLimitsRequested(resources: core.ResourceRequirements): core.ResourceRequirements {
  const { limits, requests = NO_REQUESTS } = resources;
  if (limits === undefined) return resources;
  const complete = filled(requests, limits);
  return complete === requests ? resources : { ...resources, requests: complete };
}

/** On the node's network a port is the node's port. */
const hostPortedContainers = rememberedLists((container) =>
  changedField(container, 'ports', (ports) =>
    mapShared(ports, (port) => filled(port, { hostPort: port.containerPort })),
  ),
);

/** A change of every container, remembered for lists that come again in other specs. */
function rememberedLists(change: (container: Container) => Container): (containers: Container[]) => Container[] {
  const changed = new RecentMap<Container[], Container[]>(LISTS_REMEMBERED);
  return (containers) => {
    let result = changed.get(containers);
    if (result === undefined) {
      result = mapShared(containers, change);
      if (result !== containers) changed.set(containers, result);
    }
    return result;
  };
}

/** They are containers that may name another of their pod. */
function defaultedEphemeral(containers: core.EphemeralContainer[]): core.EphemeralContainer[] {
  return mapShared(containers, (container) => defaultedContainer(container as Container) as core.EphemeralContainer);
}

function defaultedVolumes(volumes: core.Volume[]): core.Volume[] {
  return mapShared(volumes, defaultedVolume);
}

/** A pod with resources of its own has the limits of its containers' huge pages, unless it says what it wants of them. */
function withPodLimits(spec: PodSpec, resources: core.ResourceRequirements): core.ResourceRequirements {
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return resources;
  const added = [...aggregatedContainerLimits(spec)].filter(
    ([name]) => isHugePages(name) && requests[name] === undefined && limits[name] === undefined,
  );
  if (added.length === 0) return resources;
  const pages = Object.fromEntries(added.map(([name, quantity]) => [name, formatQuantity(quantity)]));
  return { ...resources, limits: { ...limits, ...pages } };
}

/** A pod with limits of its own requests what its containers do, or else the limit. */
function withPodRequests(spec: PodSpec, resources: core.ResourceRequirements): core.ResourceRequirements {
  const requests: Record<string, string> = {};
  for (const [name, quantity] of aggregatedContainerRequests(spec)) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] = formatQuantity(quantity);
  }
  const limits = Object.fromEntries(
    Object.entries(resources.limits ?? {}).filter(([name]) => isPodLevelResource(name)),
  );
  const complete = filled(filled(resources.requests ?? {}, requests), limits);
  const isSame = complete === resources.requests || Object.keys(complete).length === 0;
  return isSame ? resources : { ...resources, requests: complete };
}
