/**
 * Whether the environment of a container can be made. Pure. Mirrors makeEnvironmentVariables of the kubelet
 * (v1.34 pkg/kubelet/kubelet_pods.go), which no longer passes over keys that are no names of variables.
 */
import type { core } from '../../api/objects/objects.js';
import type { ReadConfig } from './config-cache.js';
import type { ConfigKind } from '../../api/pods/config-references.js';

/** Why it cannot, in upstream's words; `undefined` = it can. */
export function environmentProblem(
  { env, envFrom }: core.Container,
  namespace: string,
  read: ReadConfig,
): string | undefined {
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    const problem =
      (configMapRef && objectProblem('ConfigMap', configMapRef, read)) ??
      (secretRef && objectProblem('Secret', secretRef, read));
    if (problem !== undefined) return problem;
  }
  for (const { value = '', valueFrom } of env ?? []) {
    if (value !== '' || valueFrom === undefined) continue;
    const { configMapKeyRef, secretKeyRef } = valueFrom;
    const problem =
      (configMapKeyRef && keyProblem('ConfigMap', configMapKeyRef, namespace, read)) ??
      (secretKeyRef && keyProblem('Secret', secretKeyRef, namespace, read));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Source {
  readonly name?: string;
  readonly optional?: boolean;
}

function objectProblem(kind: ConfigKind, { name = '', optional }: Source, read: ReadConfig): string | undefined {
  const reading = read(kind, name);
  if ('object' in reading || (reading.problem.isMissing && optional === true)) return undefined;
  return reading.problem.text;
}

function keyProblem(
  kind: ConfigKind,
  source: Source & { readonly key: string },
  namespace: string,
  read: ReadConfig,
): string | undefined {
  const { name = '', key, optional } = source;
  const reading = read(kind, name);
  if ('problem' in reading) return objectProblem(kind, source, read);
  if (Object.hasOwn(reading.object.data ?? {}, key) || optional === true) return undefined;
  return `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
}
