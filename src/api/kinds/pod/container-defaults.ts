/** Defaults of a container, alike in pods and in templates (pkg/apis/core/v1/defaults.go, v1.34). */
import type { Container, core } from '../../objects/objects.js';
import { changedField, filled, Filling, mapShared } from '../rules/filling.js';
import { canonicalResourceList } from '../rules/resource-lists.js';

const PROBE_DEFAULTS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const HTTP_GET_DEFAULTS = { path: '/', scheme: 'HTTP' };
const PORT_DEFAULTS = { protocol: 'TCP' };
const NO_RESOURCES: core.ResourceRequirements = Object.freeze({});
const CONTAINER_DEFAULTS: Partial<Container> = {
  resources: NO_RESOURCES,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

/** A container with everything that the server fills in. */
export function defaultedContainer(container: Container): Container {
  const filling = new Filling(container).complete(CONTAINER_DEFAULTS);
  if (container.imagePullPolicy === undefined) filling.set('imagePullPolicy', defaultPullPolicy(container.image));
  return filling
    .change('resources', canonicalResources)
    .change('ports', defaultedPorts)
    .change('env', defaultedEnv)
    .change('livenessProbe', defaultedProbe)
    .change('readinessProbe', defaultedProbe)
    .change('startupProbe', defaultedProbe)
    .change('lifecycle', defaultedLifecycle).object;
}

/** Requirements with canonical quantities. */
export function canonicalResources(resources: core.ResourceRequirements): core.ResourceRequirements {
  return new Filling(resources).change('limits', canonicalResourceList).change('requests', canonicalResourceList)
    .object;
}

/** Always for `latest` or no tag at all; a digest alone counts as a tag. */
function defaultPullPolicy(image = ''): string {
  const start = image.lastIndexOf('/') + 1;
  const at = image.indexOf('@', start);
  const end = at === -1 ? image.length : at;
  const colon = image.indexOf(':', start);
  const tag = colon === -1 || colon >= end ? '' : image.slice(colon + 1, end);
  // Of what is no reference nothing is known.
  const isLatest = tag === 'latest' || (tag === '' && at === -1 && isRepository(image));
  return isLatest ? 'Always' : 'IfNotPresent';
}

/** Whether an image without tag and digest can be read (distribution/reference): a host may have a port and capitals. */
function isRepository(image: string): boolean {
  const [, host = '', path = ''] = /^(?:((?:[^/]*[.:][^/]*|localhost|[^/]*[A-Z][^/]*))\/)?(.*)$/.exec(image) ?? [];
  const isHost = host === '' || /^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?$/.test(host);
  return isHost && /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/.test(path);
}

function defaultedPorts(ports: core.ContainerPort[]): core.ContainerPort[] {
  return mapShared(ports, defaultedPort);
}

function defaultedPort(port: core.ContainerPort): core.ContainerPort {
  return filled(port, PORT_DEFAULTS);
}

function defaultedEnv(env: core.EnvVar[]): core.EnvVar[] {
  return mapShared(env, defaultedVariable);
}

function defaultedVariable(variable: core.EnvVar): core.EnvVar {
  return changedField(variable, 'valueFrom', (source) =>
    changedField(source, 'fieldRef', (fieldRef) => filled(fieldRef, { apiVersion: 'v1' })),
  );
}

function defaultedProbe(probe: core.Probe): core.Probe {
  const timed = filled(probe, PROBE_DEFAULTS);
  const reached = changedField(timed, 'httpGet', defaultedHttpGet);
  return changedField(reached, 'grpc', (grpc) => filled(grpc, { service: '' }));
}

function defaultedLifecycle(lifecycle: core.Lifecycle): core.Lifecycle {
  return new Filling(lifecycle).change('postStart', defaultedHandler).change('preStop', defaultedHandler).object;
}

function defaultedHandler(handler: core.LifecycleHandler): core.LifecycleHandler {
  return changedField(handler, 'httpGet', defaultedHttpGet);
}

function defaultedHttpGet(action: core.HTTPGetAction): core.HTTPGetAction {
  return filled(action, HTTP_GET_DEFAULTS);
}
