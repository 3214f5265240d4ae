import type { Pod, PodSpec } from '../../../api/objects/objects.js';

/**
 * Tells whether a pod has all that a template says, whatever it has beyond that (DeepDerivative of
 * apimachinery/third_party/forked/golang/reflect); each pod is compared once.
 */
export function hasPodSpec(template: PodSpec | undefined): (pod: Pod) => boolean {
  if (template === undefined) return () => true;
  const verdicts = new WeakMap<PodSpec, boolean>();
  return ({ spec }) => {
    let verdict = verdicts.get(spec);
    if (verdict === undefined) verdicts.set(spec, (verdict = isWithin(template, spec)));
    return verdict;
  };
}

/** What is empty in the first one is not compared. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (part === whole || part === undefined || part === null || part === '') return true;
  if (Array.isArray(part)) {
    if (part.length === 0) return true;
    return (
      Array.isArray(whole) && part.length <= whole.length && part.every((each, index) => isWithin(each, whole[index]))
    );
  }
  if (typeof part !== 'object' || typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([key, each]) => isWithin(each, (whole as Readonly<Record<string, unknown>>)[key]));
}
