/** RuntimeClass (plugin/pkg/admission/runtimeclass, v1.34): what a pod's runtime needs comes into its spec. */
import { isSameJson } from '../../api/values/canonical-json.js';
import type { RuntimeClass } from '../../api/objects/config-objects.js';
import type { Filling } from '../../api/kinds/rules/filling.js';
import type { PodSpec } from '../../api/objects/objects.js';
import { ownField } from '../../api/values/own-fields.js';
import { mergedTolerations } from '../../api/selectors/tolerations.js';
import { forbidden, type ResourceNames } from '../store/api-errors.js';
import type { Shelf } from '../store/store.js';

type Refuse = (why: string) => Error;

/** Gives a new pod the overhead, the node selector and the tolerations of its class. @throws ApiError 403 */
export function setRuntimeClass(
  filling: Filling<PodSpec>,
  podName: string,
  pods: ResourceNames,
  classes: Shelf<'RuntimeClass'>,
): void {
  const { runtimeClassName } = filling.object;
  const refuse: Refuse = (why) => forbidden(pods, podName, why);
  const found = runtimeClassName === undefined ? undefined : classes.table.get(undefined, runtimeClassName);
  if (runtimeClassName !== undefined && found === undefined) {
    throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  }
  if (found?.overhead !== undefined) setOverhead(filling, found.overhead, refuse);
  if (found?.scheduling !== undefined) setScheduling(filling, found.scheduling, refuse);
}

/** Holds a pod in its final form to the overhead of its class. @throws ApiError 403 */
export function guardOverhead(
  { runtimeClassName, overhead }: PodSpec,
  podName: string,
  pods: ResourceNames,
  classes: Shelf<'RuntimeClass'>,
): void {
  const found = runtimeClassName === undefined ? undefined : classes.table.get(undefined, runtimeClassName);
  if (found?.overhead === undefined) {
    if (overhead === undefined) return;
    const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
    throw forbidden(pods, podName, why);
  }
  if (isSameJson(overhead ?? {}, found.overhead.podFixed ?? {})) return;
  throw forbidden(pods, podName, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setOverhead(
  filling: Filling<PodSpec>,
  { podFixed = {} }: NonNullable<RuntimeClass['overhead']>,
  refuse: Refuse,
): void {
  const { overhead = {} } = filling.object;
  if (Object.keys(overhead).length > 0 && !isSameJson(overhead, podFixed)) {
    throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  filling.set('overhead', podFixed);
}

function setScheduling(
  filling: Filling<PodSpec>,
  { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass['scheduling']>,
  refuse: Refuse,
): void {
  const { nodeSelector: own = {}, tolerations: ownTolerations = [] } = filling.object;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const ownValue = ownField(own, key);
    if (ownValue === undefined || ownValue === value) continue;
    const theirs = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
    throw refuse(`conflict: ${theirs}; pod.spec.nodeSelector[${key}] = ${ownValue}`);
  }
  const merged = { ...own, ...nodeSelector };
  if (Object.keys(merged).length > 0) filling.set('nodeSelector', merged);
  filling.set('tolerations', mergedTolerations(ownTolerations, tolerations));
}
