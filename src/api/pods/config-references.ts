/**
 * Which config maps and secrets a pod names: in volumes, in the environment of its containers, for pulls. Pure.
 * Mirrors VisitPodConfigmapNames and VisitPodSecretNames (v1.34 pkg/api/v1/pod/util.go), as far as volumes are
 * simulated.
 */
import type { core, PodSpec } from '../objects/objects.js';

/** Kinds that pods read their configuration from. */
export type ConfigKind = 'ConfigMap' | 'Secret';

/** One object that a pod names, in its own namespace. */
export interface ConfigReference {
  readonly kind: ConfigKind;
  readonly name: string;
}

const NONE: readonly ConfigReference[] = [];

/** Each object once, in the order in which the spec names them. Pods that name none share one list. */
export function configReferences({
  containers,
  initContainers,
  volumes,
  imagePullSecrets,
}: PodSpec): readonly ConfigReference[] {
  let found: readonly ConfigReference[] | undefined;
  const add = (kind: ConfigKind, name: string | undefined): void => {
    if (name === undefined || name === '') return;
    if (found === undefined) found = [{ kind, name }];
    else if (!found.some((each) => each.kind === kind && each.name === name)) found = [...found, { kind, name }];
  };
  for (const { name } of imagePullSecrets ?? []) add('Secret', name);
  for (const container of initContainers ?? []) addEnvironment(container, add);
  for (const container of containers) addEnvironment(container, add);
  for (const { configMap, secret, projected } of volumes ?? []) {
    add('ConfigMap', configMap?.name);
    add('Secret', secret?.secretName);
    for (const source of projected?.sources ?? []) {
      add('ConfigMap', source.configMap?.name);
      add('Secret', source.secret?.name);
    }
  }
  return found ?? NONE;
}

function addEnvironment({ env, envFrom }: core.Container, add: (kind: ConfigKind, name?: string) => void): void {
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    add('ConfigMap', configMapRef?.name);
    add('Secret', secretRef?.name);
  }
  for (const { valueFrom } of env ?? []) {
    add('ConfigMap', valueFrom?.configMapKeyRef?.name);
    add('Secret', valueFrom?.secretKeyRef?.name);
  }
}
