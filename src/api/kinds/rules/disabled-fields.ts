/**
 * Fields of pods that only features read which are off by default: dropped from whatever is created or updated, as
 * the API server drops them (DropDisabledPodFields of pkg/api/pod/util.go, v1.34). None is ever in use, so none stays.
 */
import type { Container, core, PodSpec } from '../../objects/objects.js';
import { changedField, Filling, mapShared } from './filling.js';

/** The spec without them; itself when it has none. */
export function withoutDisabledFields(spec: PodSpec): PodSpec {
  const images = new Set((spec.volumes ?? []).filter(isImage).map(({ name }) => name));
  const change = (containers: Container[], isInit: boolean): Container[] =>
    mapShared(containers, (container) => withoutDisabled(container, images, isInit));
  // HostnameOverride
  return new Filling(without(spec, 'hostnameOverride'))
    .change('containers', (containers) => change(containers, false))
    .change('initContainers', (containers) => change(containers, true))
    .change('ephemeralContainers', (containers) =>
      mapShared(containers, (container) => without(container, 'restartPolicyRules', 'restartPolicy')),
    )
    .change('volumes', withoutDisabledVolumes).object;
}

function withoutDisabled(container: Container, images: ReadonlySet<string>, isInit: boolean): Container {
  // ContainerRestartRules: without it only sidecars have a policy of their own.
  const isSidecar = isInit && container.restartPolicy === 'Always';
  const kept = without(container, 'restartPolicyRules', isSidecar ? '' : 'restartPolicy');
  const filling = new Filling(withoutStopSignal(kept)).change('env', (env) => mapShared(env, withoutFileKey));
  if (images.size === 0) return filling.object;
  return filling.change('volumeMounts', (mounts) => mounts.filter(({ name }) => !images.has(name))).object;
}

/** ContainerStopSignals */
function withoutStopSignal(container: Container): Container {
  const { lifecycle } = container;
  if (lifecycle === undefined || !('stopSignal' in lifecycle)) return container;
  const hooks = without(lifecycle, 'stopSignal');
  return Object.keys(hooks).length === 0 ? without(container, 'lifecycle') : { ...container, lifecycle: hooks };
}

/** EnvFiles */
function withoutFileKey(variable: core.EnvVar): core.EnvVar {
  return changedField(variable, 'valueFrom', (source) => without(source, 'fileKeyRef'));
}

/** ImageVolume, ClusterTrustBundleProjection, PodCertificateRequest */
function withoutDisabledVolumes(volumes: core.Volume[]): core.Volume[] {
  const kept = volumes.some(isImage) ? volumes.filter((volume) => !isImage(volume)) : volumes;
  return mapShared(kept, (volume) =>
    changedField(volume, 'projected', (projected) =>
      changedField(projected, 'sources', (sources) =>
        mapShared(sources, (source) => without(source, 'clusterTrustBundle', 'podCertificate')),
      ),
    ),
  );
}

function isImage(volume: core.Volume): boolean {
  return 'image' in volume;
}

/** The object without some fields, which may be younger than its type; itself when it has none of them. */
function without<T extends object>(object: T, ...fields: readonly string[]): T {
  if (!fields.some((field) => field in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field))) as T;
}
