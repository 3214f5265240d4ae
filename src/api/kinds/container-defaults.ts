/** Defaults of a container, alike in pods and in templates (pkg/apis/core/v1/defaults.go, v1.34). */
import type { Container, core } from '../objects.js';
import { changedField, filled, mapShared, rememberedFilling } from './filling.js';
import { canonicalResourceList } from './resource-lists.js';

const PROBE_DEFAULTS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const HTTP_GET_DEFAULTS = { path: '/', scheme: 'HTTP' };
const NO_RESOURCES: core.ResourceRequirements = Object.freeze({});

/** A container with everything that the server fills in; remembered by reference. */
export const defaultedContainer: (container: Container) => Container = rememberedFilling((container) => {
  let result = filled(container, {
    resources: NO_RESOURCES,
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: defaultPullPolicy(container.image),
  });
  result = changedField(result, 'resources', canonicalResources);
  result = changedField(result, 'ports', (ports) => mapShared(ports, (port) => filled(port, { protocol: 'TCP' })));
  result = changedField(result, 'env', (env) => mapShared(env, defaultedEnv));
  result = changedField(result, 'livenessProbe', defaultedProbe);
  result = changedField(result, 'readinessProbe', defaultedProbe);
  result = changedField(result, 'startupProbe', defaultedProbe);
  return changedField(result, 'lifecycle', (lifecycle) => {
    const started = changedField(lifecycle, 'postStart', defaultedHandler);
    return changedField(started, 'preStop', defaultedHandler);
  });
});

/** Requirements with canonical quantities. */
export function canonicalResources(resources: core.ResourceRequirements): core.ResourceRequirements {
  return changedField(changedField(resources, 'limits', canonicalResourceList), 'requests', canonicalResourceList);
}

/** Always for `latest` or no tag at all; a digest alone counts as a tag. */
function defaultPullPolicy(image = ''): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  const [withoutDigest = '', digest] = name.split('@');
  const colon = withoutDigest.indexOf(':');
  const tag = colon === -1 ? '' : withoutDigest.slice(colon + 1);
  const isLatest = tag === 'latest' || (tag === '' && digest === undefined);
  return isLatest ? 'Always' : 'IfNotPresent';
}

function defaultedEnv(variable: core.EnvVar): core.EnvVar {
  return changedField(variable, 'valueFrom', (source) =>
    changedField(source, 'fieldRef', (fieldRef) => filled(fieldRef, { apiVersion: 'v1' })),
  );
}

function defaultedProbe(probe: core.Probe): core.Probe {
  const timed = filled(probe, PROBE_DEFAULTS);
  const reached = changedField(timed, 'httpGet', defaultedHttpGet);
  return changedField(reached, 'grpc', (grpc) => filled(grpc, { service: '' }));
}

function defaultedHandler(handler: core.LifecycleHandler): core.LifecycleHandler {
  return changedField(handler, 'httpGet', defaultedHttpGet);
}

function defaultedHttpGet(action: core.HTTPGetAction): core.HTTPGetAction {
  return filled(action, HTTP_GET_DEFAULTS);
}
