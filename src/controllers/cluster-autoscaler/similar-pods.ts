/** Pods that are alike as far as their placement goes. Mirrors cluster-autoscaler v1.34 `core/scaleup/equivalence`. */
import type { core, Pod, PodSpec } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { controllerRefOf, isDaemonSetPod } from './pod-traits.js';

/** Shapes of pods that are told apart within one controller. */
const MOST_SHAPES = 10;

/** Pods of one controller and one shape, in their order; those of none stand alone. */
export function groupsOfSimilarPods(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const groups: Pod[][] = [];
  const byController = new Map<string, Pod[][]>();
  for (const pod of pods) {
    const owner = controllerRefOf(pod);
    if (owner === undefined || isDaemonSetPod(pod)) {
      groups.push([pod]);
      continue;
    }
    const shapes = byController.get(owner.uid) ?? [];
    const known = shapes.find(([first]) => first !== undefined && areSimilar(first, pod));
    if (known !== undefined) {
      known.push(pod);
      continue;
    }
    const group = [pod];
    if (shapes.length < MOST_SHAPES) byController.set(owner.uid, [...shapes, group]);
    groups.push(group);
  }
  return groups;
}

/** Remembers pods for which there was no place, so that others like them are not tried. */
export class HopelessPods {
  readonly #byController = new Map<string, Pod[]>();

  has(pod: Pod): boolean {
    const owner = controllerRefOf(pod);
    if (owner === undefined) return false;
    return this.#byController.get(owner.uid)?.some((known) => areSimilar(known, pod)) === true;
  }

  add(pod: Pod): void {
    const owner = controllerRefOf(pod);
    if (owner === undefined || isDaemonSetPod(pod)) return;
    const known = this.#byController.get(owner.uid) ?? [];
    if (known.length < MOST_SHAPES) this.#byController.set(owner.uid, [...known, pod]);
  }
}

function areSimilar(one: Pod, other: Pod): boolean {
  return (
    isSameJson(one.metadata.labels, other.metadata.labels) && isSameJson(comparable(one.spec), comparable(other.spec))
  );
}

/** Projected volumes have names of chance, and nothing but that tells pods of one template apart. */
function comparable(spec: PodSpec): PodSpec {
  const { volumes } = spec;
  const projected = new Set(volumes?.filter((volume) => volume.projected !== undefined).map(({ name }) => name));
  if (projected.size === 0) return spec;
  const container = <C extends core.Container>(each: C): C =>
    each.volumeMounts === undefined
      ? each
      : { ...each, volumeMounts: each.volumeMounts.filter(({ name }) => !projected.has(name)) };
  return {
    ...spec,
    volumes: volumes?.map((volume) => (projected.has(volume.name) ? { ...volume, name: '' } : volume)) ?? [],
    containers: spec.containers.map(container),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(container) }),
  };
}
