/** Containers that are processes of a Windows node (`validateWindowsHostProcessPod` of pkg/apis/core/validation, v1.34). */
import { invalid } from '../../errors/field-errors.js';
import type { Container, PodSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);
const ALL = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
const NEEDS_NETWORK = 'hostNetwork must be true if pod contains any hostProcess containers';

type Secured = Pick<Container, 'securityContext'>;

/** All containers of a pod are such processes, or none, and they use the network of the node. */
export function validateHostProcess(spec: PodSpec, field: string): readonly FieldError[] {
  const ofPod = statedIn(spec);
  const placed = LISTS.flatMap((list) =>
    ((spec[list] ?? []) as readonly Secured[]).map((container, index) => ({
      own: statedIn(container),
      at: `${field}.${list}[${index}].securityContext.windowsOptions.hostProcess`,
    })),
  );
  const errors = placed.flatMap(({ own, at }): readonly FieldError[] => {
    if (ofPod === undefined || own === undefined || own === ofPod) return NO_ERRORS;
    return [invalid(at, own, `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`)];
  });
  const count = placed.filter(({ own }) => own ?? ofPod ?? false).length;
  if (count === 0) return errors;
  if (count !== placed.length) errors.push(invalid(field, '', ALL));
  if (spec.hostNetwork !== true) errors.push(invalid(`${field}.hostNetwork`, false, NEEDS_NETWORK));
  return errors;
}

function statedIn({ securityContext }: Pick<PodSpec, 'securityContext'> | Secured): boolean | undefined {
  return securityContext?.windowsOptions?.hostProcess;
}
