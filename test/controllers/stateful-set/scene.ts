import type { ObjectName, Pod, StatefulSet } from '../../../src/api/objects/objects.js';
import type { WatchEvent } from '../../../src/apiserver/store/server-types.js';
import { createHarness, template, type Harness, type HarnessOptions } from '../harness.js';

/** A set as a user writes it; its pods carry `a: b`. */
export function setDraft(
  name: string,
  spec: object = {},
): { readonly metadata: { readonly name: string }; readonly spec: object } {
  return {
    metadata: { name },
    spec: { serviceName: name, selector: { matchLabels: { a: 'b' } }, template: template('pause'), ...spec },
  };
}

/** A harness whose log has what becomes of sets, pods, revisions and claims. */
export function createScene(options: HarnessOptions = {}): Harness {
  return createHarness({
    watch: ['StatefulSet', 'Pod', 'ControllerRevision', 'PersistentVolumeClaim'],
    controllers: ['statefulset-controller', 'garbage-collector-controller'],
    ...options,
  });
}

/** Changes of a set's template. */
export function setImage(harness: Harness, name: string, image: string): void {
  harness.server.patch(
    'StatefulSet',
    { namespace: 'default', name },
    { type: 'strategic', body: { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } } },
  );
}

/** Changes of a set's spec. */
export function patchSet(harness: Harness, name: string, spec: object): void {
  harness.server.patch('StatefulSet', { namespace: 'default', name }, { type: 'merge', body: { spec } });
}

/** Reports the end of a pod. */
export function endPod({ server }: Harness, name: ObjectName, phase: 'Failed' | 'Succeeded'): void {
  const conditions = [{ type: 'Ready', status: 'False', reason: `Pod${phase}` }] as const;
  server.change('Pod', name, (pod) => ({ ...pod, status: { ...pod.status, phase, conditions } }), {
    subresource: 'status',
  });
}

/** The set as it is now. */
export function setNamed(harness: Harness, name: string): StatefulSet {
  return harness.server.get('StatefulSet', { namespace: 'default', name });
}

/** Creations and deletions of pods in the log, such as `+s-0`, `~s-0` (marked) and `-s-0`. */
export function comings(log: readonly WatchEvent[], kind = 'Pod'): string[] {
  const marked = new Set<string>();
  return log.flatMap((event) => {
    if (event.type === 'BOOKMARK' || event.kind !== kind) return [];
    const { name, uid, deletionTimestamp } = event.object.metadata;
    if (event.type === 'ADDED') return [`+${name}`];
    if (event.type === 'DELETED') return [`-${name}`];
    if (deletionTimestamp === undefined || marked.has(uid)) return [];
    marked.add(uid);
    return [`~${name}`];
  });
}

/** Statuses of a set in the log, without repetition. */
export function statuses(log: readonly WatchEvent[], name: string): StatefulSet['status'][] {
  const seen: StatefulSet['status'][] = [];
  for (const event of log) {
    if (event.type === 'BOOKMARK' || event.kind !== 'StatefulSet' || event.object.metadata.name !== name) continue;
    const { status } = event.object as StatefulSet;
    if (status !== seen.at(-1)) seen.push(status);
  }
  return seen;
}

/** Image and ordinal of each pod of a set, by name. */
export function images(harness: Harness): string[] {
  return harness
    .list('Pod')
    .map((pod: Pod) => `${pod.metadata.name} ${pod.spec.containers[0]?.image}`)
    .sort();
}
