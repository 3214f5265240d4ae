/**
 * The mutating admission of pods, in upstream's order: ServiceAccount, Priority,
 * DefaultTolerationSeconds. Its outcome depends on the spec and on the priority classes alone, so pods
 * of one template share one admitted spec.
 */
import { Filling } from '../../api/kinds/filling.js';
import type { Pod, PodSpec } from '../../api/objects.js';
import type { Shelf } from '../store.js';
import { withDefaultTolerations } from './default-tolerations.js';
import { setPriority, withPreviousPriority } from './priority.js';

const DEFAULT_SERVICE_ACCOUNT = 'default';
/** A pod without a spec is refused later, by validation. */
const NO_SPEC: PodSpec = Object.freeze({ containers: [] });

/** See the file header. */
export class PodAdmission {
  readonly #pods: Shelf<'Pod'>;
  readonly #classes: Shelf<'PriorityClass'>;
  #admitted = new WeakMap<PodSpec, PodSpec>();
  #classesRevision = -1;

  constructor(pods: Shelf<'Pod'>, classes: Shelf<'PriorityClass'>) {
    this.#pods = pods;
    this.#classes = classes;
  }

  /** @throws ApiError 403 when the priority class is unknown or contradicts the spec */
  admitCreate(pod: Pod, podName: string): Pod {
    if (this.#classesRevision !== this.#classes.table.revision) {
      this.#classesRevision = this.#classes.table.revision;
      this.#admitted = new WeakMap();
    }
    const given = pod.spec ?? NO_SPEC;
    let spec = this.#admitted.get(given);
    if (spec === undefined) {
      const filling = new Filling(given);
      setServiceAccount(filling);
      setPriority(filling, podName, this.#pods.resource, this.#classes);
      spec = filling.set('tolerations', withDefaultTolerations(given.tolerations)).object;
      this.#admitted.set(given, spec);
    }
    return { ...pod, spec };
  }

  /** Keeps what an update may leave out. */
  admitUpdate(next: Pod, previous: Pod): Pod {
    if (next.spec === previous.spec) return next;
    const spec = withPreviousPriority(next.spec, previous.spec);
    const tolerations = withDefaultTolerations(spec.tolerations);
    return { ...next, spec: tolerations === spec.tolerations ? spec : { ...spec, tolerations } };
  }
}

/** Every pod has an account; whether it exists is asked apart, since that depends on the namespace. */
function setServiceAccount(spec: Filling<PodSpec>): void {
  const { serviceAccountName, serviceAccount } = spec.object;
  const name = serviceAccountName || serviceAccount || DEFAULT_SERVICE_ACCOUNT;
  if (serviceAccountName === name && serviceAccount === name) return;
  spec.set('serviceAccountName', name).set('serviceAccount', name);
}
