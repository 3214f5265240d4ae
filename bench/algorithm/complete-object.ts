/** Objects with what an API server would have filled in, where none is there. */
import { kindRegistry } from '../../src/api/kinds/registry.js';
import { withMatchLabelKeys } from '../../src/api/kinds/rules/match-label-keys.js';
import type { Draft, Kind, KubeObject, Pod, PriorityClass } from '../../src/api/objects/objects.js';

const BIRTH = '2030-01-01T00:00:00Z';

/**
 * The object as it would be stored: defaults, uid, and for pods the phase, the merged label keys and the
 * priority. Admission adds nothing else: no tolerations, no taints.
 */
export function completeObject(kind: Kind, draft: Draft, classes: Iterable<PriorityClass>): KubeObject {
  const resource = kindRegistry[kind];
  const { apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}` } = draft as {
    apiVersion?: string;
  };
  const filled = resource.applyDefaults(draft);
  const given = filled['metadata'] as Readonly<Record<string, unknown>> & { name: string; namespace?: string };
  const { namespace = 'default' } = given;
  const metadata = {
    uid: resource.isNamespaced ? `${namespace}/${given.name}` : given.name,
    resourceVersion: '1',
    creationTimestamp: BIRTH,
    ...given,
    ...(resource.isNamespaced ? { namespace } : {}),
  };
  const object = { ...filled, apiVersion, kind, metadata };
  return kind === 'Pod' ? completePod(object as unknown as Pod, classes) : object;
}

function completePod(pod: Pod, classes: Iterable<PriorityClass>): Pod {
  const spec = withMatchLabelKeys(pod.spec, pod.metadata.labels);
  const named = spec.priorityClassName ?? '';
  const status = { ...pod.status, phase: pod.status?.phase ?? 'Pending' };
  if (named === '') return { ...pod, spec, status };
  const found = [...classes].find(({ metadata }) => metadata.name === named);
  const priority = found === undefined ? {} : { priority: found.value };
  return { ...pod, spec: { ...spec, ...priority }, status };
}
