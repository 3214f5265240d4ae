/**
 * The mutating admission of pods, in upstream's order: ServiceAccount, Priority,
 * DefaultTolerationSeconds, RuntimeClass. Its outcome depends on the spec, the account and the classes alone, so
 * pods of one template share one admitted spec.
 */
import { Filling } from '../../api/kinds/rules/filling.js';
import type { Pod, PodSpec } from '../../api/objects/objects.js';
import type { Shelf, VersionedStore } from '../store/store.js';
import { withDefaultTolerations } from './default-tolerations.js';
import { setPriority, withPreviousPriority } from './priority.js';
import { guardOverhead, setRuntimeClass } from './runtime-class.js';
import { accountOf, setServiceAccount, TokenVolumes, type Accounts, type PodAccount } from './service-account.js';

/** A pod without a spec is refused later, by validation. */
const NO_SPEC: PodSpec = Object.freeze({ containers: [] });

/** See the file header. */
export class PodAdmission {
  readonly #pods: Shelf<'Pod'>;
  readonly #classes: Shelf<'PriorityClass'>;
  readonly #accounts: Accounts;
  readonly #tokens: TokenVolumes;
  #admitted = new WeakMap<PodAccount, WeakMap<PodSpec, PodSpec>>();
  #classesRevision = -1;
  readonly #runtimes: Shelf<'RuntimeClass'>;
  #runtimesRevision = -1;

  /** @param drawSuffix - of the names of volumes */
  constructor(store: VersionedStore, accounts: Accounts, drawSuffix: () => string) {
    this.#pods = store.shelf('Pod');
    this.#classes = store.shelf('PriorityClass');
    this.#runtimes = store.shelf('RuntimeClass');
    this.#accounts = accounts;
    this.#tokens = new TokenVolumes(drawSuffix);
  }

  /** @throws ApiError 403 when its account or a class is unknown, or a class contradicts the spec */
  admitCreate(pod: Pod, podName: string): Pod {
    this.#forgetOldClasses();
    const given = pod.spec ?? NO_SPEC;
    const account = accountOf(pod, podName, this.#pods.resource, this.#accounts);
    const admitted = this.#admittedFor(account);
    let spec = admitted.get(given);
    if (spec === undefined) {
      const filling = new Filling(given);
      setServiceAccount(filling, account, this.#tokens);
      setPriority(filling, podName, this.#pods.resource, this.#classes);
      filling.set('tolerations', withDefaultTolerations(given.tolerations));
      setRuntimeClass(filling, podName, this.#pods.resource, this.#runtimes);
      spec = filling.object;
      admitted.set(given, spec);
    }
    return { ...pod, spec };
  }

  /** Refuses what a new pod must not be after all that changed it. @throws ApiError 403 */
  validateCreate({ spec }: Pod, podName: string): void {
    guardOverhead(spec, podName, this.#pods.resource, this.#runtimes);
  }

  #admittedFor(account: PodAccount): WeakMap<PodSpec, PodSpec> {
    let admitted = this.#admitted.get(account);
    if (admitted === undefined) this.#admitted.set(account, (admitted = new WeakMap()));
    return admitted;
  }

  #forgetOldClasses(): void {
    const { revision } = this.#classes.table;
    const { revision: runtimes } = this.#runtimes.table;
    if (this.#classesRevision === revision && this.#runtimesRevision === runtimes) return;
    this.#classesRevision = revision;
    this.#runtimesRevision = runtimes;
    this.#admitted = new WeakMap();
  }

  /** Keeps what an update may leave out. */
  admitUpdate(next: Pod, previous: Pod): Pod {
    if (next.spec === previous.spec) return next;
    const spec = withPreviousPriority(next.spec, previous.spec);
    const tolerations = withDefaultTolerations(spec.tolerations);
    return { ...next, spec: tolerations === spec.tolerations ? spec : { ...spec, tolerations } };
  }
}
