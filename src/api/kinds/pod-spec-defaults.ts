/**
 * Defaults of pod specs: those that templates get too, and those that only pods get. Remembered by
 * reference, so that the pods of one template share one spec (pkg/apis/core/v1/defaults.go, v1.34).
 */
import type { Container, core, PodSpec, PodTemplateSpec } from '../objects.js';
import { aggregatedContainerRequests, isPodLevelResource } from '../pod-resources.js';
import { formatQuantity } from '../quantity.js';
import { canonicalResources, defaultedContainer } from './container-defaults.js';
import { changedField, filled, mapShared, rememberedFilling } from './filling.js';
import { canonicalResourceList, isOvercommitAllowed } from './resource-lists.js';
import { defaultedVolume } from './volume-defaults.js';

const GRACE_PERIOD_SECONDS = 30;
const NO_SECURITY_CONTEXT: core.PodSecurityContext = Object.freeze({});

const SPEC_DEFAULTS: Partial<PodSpec> = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
  dnsPolicy: 'ClusterFirst',
  securityContext: NO_SECURITY_CONTEXT,
  schedulerName: 'default-scheduler',
};

/** Lists of containers are shared between specs that differ elsewhere. */
const defaultedContainers = rememberedFilling((containers: Container[]) => mapShared(containers, defaultedContainer));

/** What templates and pods have in common. */
const defaultedTemplateSpec: (spec: PodSpec) => PodSpec = rememberedFilling((spec) => {
  let result = filled(spec, SPEC_DEFAULTS);
  if (result.containers === undefined) result = { ...result, containers: [] };
  const account = result.serviceAccountName ?? result.serviceAccount;
  if (account !== undefined) result = filled(result, { serviceAccountName: account, serviceAccount: account });
  result = changedField(result, 'containers', defaultedContainers);
  result = changedField(result, 'initContainers', defaultedContainers);
  result = changedField(result, 'volumes', (volumes) => mapShared(volumes, defaultedVolume));
  result = changedField(result, 'overhead', canonicalResourceList);
  return changedField(result, 'resources', canonicalResources);
});

/** The template of a workload with what the server fills in. */
export const defaultedTemplate: (template: PodTemplateSpec) => PodTemplateSpec = rememberedFilling((template) => {
  const complete = filled(template, { metadata: {}, spec: { containers: [] } });
  return changedField(complete, 'spec', defaultedTemplateSpec);
});

/** The spec of a pod with what the server fills in. */
export const defaultedPodSpec: (spec: PodSpec) => PodSpec = rememberedFilling((spec) => {
  let result = filled(defaultedTemplateSpec(spec), { enableServiceLinks: true });
  result = changedField(result, 'containers', requestingContainers);
  result = changedField(result, 'initContainers', requestingContainers);
  if (result.resources?.limits !== undefined) result = withPodRequests(result, result.resources);
  if (result.hostNetwork === true) {
    result = changedField(result, 'containers', hostPortedContainers);
    result = changedField(result, 'initContainers', hostPortedContainers);
  }
  const { terminationGracePeriodSeconds = GRACE_PERIOD_SECONDS } = result;
  return terminationGracePeriodSeconds < 0 ? { ...result, terminationGracePeriodSeconds: 1 } : result;
});

/** Whoever limits a resource and does not say how much it requests, requests the limit. */
const requestingContainers = rememberedFilling((containers: Container[]) =>
  mapShared(containers, (container) =>
    changedField(container, 'resources', (resources) => {
      const { limits, requests } = resources;
      if (limits === undefined || Object.keys(limits).length === 0) return resources;
      const complete = filled(requests ?? {}, limits);
      return complete === requests ? resources : { ...resources, requests: complete };
    }),
  ),
);

/** On the node's network a port is the node's port. */
const hostPortedContainers = rememberedFilling((containers: Container[]) =>
  mapShared(containers, (container) =>
    changedField(container, 'ports', (ports) =>
      mapShared(ports, (port) => filled(port, { hostPort: port.containerPort })),
    ),
  ),
);

/** A pod with limits of its own requests what its containers do, or else the limit. */
function withPodRequests(spec: PodSpec, resources: core.ResourceRequirements): PodSpec {
  const requests: Record<string, string> = {};
  for (const [name, quantity] of aggregatedContainerRequests(spec)) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] = formatQuantity(quantity);
  }
  const limits = Object.fromEntries(
    Object.entries(resources.limits ?? {}).filter(([name]) => isPodLevelResource(name)),
  );
  const complete = filled(filled(resources.requests ?? {}, requests), limits);
  const isSame = complete === resources.requests || Object.keys(complete).length === 0;
  return isSame ? spec : { ...spec, resources: { ...resources, requests: complete } };
}
