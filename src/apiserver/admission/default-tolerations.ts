/** DefaultTolerationSeconds (plugin/pkg/admission/defaulttolerationseconds, v1.34). */
import type { Toleration } from '../../api/objects/objects.js';

const NOT_READY_KEY = 'node.kubernetes.io/not-ready';
const UNREACHABLE_KEY = 'node.kubernetes.io/unreachable';
const TOLERATION_SECONDS = 300;

const NOT_READY = defaultToleration(NOT_READY_KEY);
const UNREACHABLE = defaultToleration(UNREACHABLE_KEY);
const BOTH: Toleration[] = [NOT_READY, UNREACHABLE];
Object.freeze(BOTH);

/** Results by input array, so that pods of one template share theirs. */
const admitted = new WeakMap<readonly Toleration[], Toleration[]>();

/**
 * The tolerations with 300 s of `not-ready` and of `unreachable` appended, unless they are there.
 * Equal arguments (by reference) give the same array.
 */
export function withDefaultTolerations(tolerations: Toleration[] | undefined): Toleration[] {
  if (tolerations === undefined || tolerations.length === 0) return BOTH;
  let result = admitted.get(tolerations);
  if (result === undefined) {
    const missing = BOTH.filter(({ key }) => !tolerations.some((each) => tolerates(each, key)));
    result = missing.length === 0 ? tolerations : [...tolerations, ...missing];
    admitted.set(tolerations, result);
    admitted.set(result, result);
  }
  return result;
}

function tolerates({ key = '', effect = '' }: Toleration, taintKey: string | undefined): boolean {
  return (key === '' || key === taintKey) && (effect === '' || effect === 'NoExecute');
}

function defaultToleration(key: string): Toleration {
  return Object.freeze({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS });
}
