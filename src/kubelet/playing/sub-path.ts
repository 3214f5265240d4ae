/** The part of a volume that a container mounts. Mirrors makeMounts of the kubelet (v1.34). Pure. */
import type { Container } from '../../api/objects/objects.js';
import { expanded, unknownNames } from './container-environment.js';

type VolumeMount = NonNullable<Container['volumeMounts']>[number];

/** The path below the volume, with its variables; '' = all of it. */
export function subPathOf(
  { subPath = '', subPathExpr }: VolumeMount,
  valueOf: (name: string) => string | undefined,
): string {
  return subPathExpr === undefined ? subPath : expanded(subPathExpr, valueOf);
}

/** Why a container cannot be made, in upstream's words; `undefined` = its mounts are well. */
export function subPathProblem(
  { volumeMounts = [] }: Pick<Container, 'volumeMounts'>,
  environment: () => ReadonlyMap<string, string>,
): string | undefined {
  for (const mount of volumeMounts) {
    const { subPathExpr } = mount;
    if (subPathExpr === undefined || subPathExpr === '') continue;
    const known = environment();
    const valueOf = (name: string): string | undefined => known.get(name);
    const [missing] = unknownNames(subPathExpr, valueOf);
    if (missing !== undefined) return `missing value for ${JSON.stringify(missing)}`;
    const path = subPathOf(mount, valueOf);
    if (path.startsWith('/')) return `error SubPath \`${path}\` must not be an absolute path`;
    if (path.split('/').includes('..')) return `unable to provision SubPath \`${path}\`: must not contain '..'`;
  }
  return undefined;
}
