/**
 * Which pods belong together when the constraints do not say so: those that the same services and the
 * same owner select. Upstream: `helper.DefaultSelector` of kube-scheduler v1.34.
 */
import { compileLabelSelector, matchesLabels, type Selector } from '../../../api/selectors/labels.js';
import type {
  AnyObject,
  KubeObject,
  LabelSelector,
  OwnerReference,
  Service,
  StringMap,
} from '../../../api/objects/objects.js';
import { controllerOf } from '../../../api/objects/owners.js';
import type { FrameworkHandle } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { bothOf } from './spread-constraint.js';

/** Where services and owners come from. */
export type ObjectSource = Pick<FrameworkHandle, 'objects'> & {
  /** Finds one object by `namespace/name`; without it every object of the kind is looked at. */
  readonly object?: ((kind: string, key: string) => AnyObject | undefined) | undefined;
  /** Tells of each object of a kind that comes, changes or goes; without it services are looked at for every pod. */
  readonly onChange?: ((kind: string, listener: () => void) => void) | undefined;
};

/** Owners by `apiVersion/kind`; any other owner says nothing. */
const CONTROLLERS = new Set(['v1/ReplicationController', 'apps/v1/ReplicaSet', 'apps/v1/StatefulSet']);

/** What the absence of a selector means, and one that cannot be read. */
const MATCHES_NOTHING = compileLabelSelector(undefined);

/** What is meant where neither service nor owner says anything. */
const EMPTY = compileLabelSelector({ matchLabels: {} });

/** What owners have in common, a plain map of labels in a ReplicationController. */
type Controller = KubeObject & { readonly spec: { readonly selector?: LabelSelector | StringMap } };

/** The last answer for a shape and what it was made of. */
interface Answer {
  /** Of the services, among which {@link Answer.services} were found. */
  revision: number;
  readonly services: readonly Service[];
  readonly controller: Controller | undefined;
  readonly selector: Selector;
}

/** See the file header. */
export class DefaultSelectors {
  readonly #source: ObjectSource;
  readonly #answers = new WeakMap<PodShape, Answer>();
  /** Services of the pod that is being looked at. */
  readonly #services: Service[] = [];
  /** Rises when a service comes, changes or goes. */
  #revision = 0;

  constructor(source: ObjectSource) {
    this.#source = source;
    source.onChange?.('Service', () => {
      this.#revision += 1;
    });
  }

  /** The selector; empty when neither service nor owner says anything. */
  selectorOf({ pod, shape }: PodInfo): Selector {
    const revision = this.#revision;
    const known = this.#answers.get(shape);
    const isCurrent = known?.revision === revision && this.#source.onChange !== undefined;
    const services = isCurrent ? known.services : this.#findServices(shape);
    const owner = controllerOf(pod);
    const controller = owner === undefined ? undefined : this.#findController(owner, shape.namespace);
    if (known !== undefined && known.controller === controller && isSameList(known.services, services)) {
      known.revision = revision;
      return known.selector;
    }
    const isSaid = services.length > 0 || controller !== undefined;
    const selector = isSaid ? selectorBy(services, controller) : EMPTY;
    this.#answers.set(shape, { revision, services: [...services], controller, selector });
    return selector;
  }

  /** A service without selector selects nothing, one with an empty selector everything. */
  #findServices({ namespace, labels }: PodShape): readonly Service[] {
    const services = this.#services;
    services.length = 0;
    for (const object of this.#source.objects('Service')) {
      if (object.metadata.namespace !== namespace) continue;
      const service = object as Service;
      const { selector } = service.spec;
      if (selector !== undefined && matchesLabels(selector, labels)) services.push(service);
    }
    return services;
  }

  /** By name alone: neither its uid nor whether it selects the pod is asked. */
  #findController({ apiVersion, kind, name }: OwnerReference, namespace: string): Controller | undefined {
    if (!CONTROLLERS.has(`${apiVersion}/${kind}`)) return undefined;
    const { object } = this.#source;
    if (object !== undefined) return object(kind, `${namespace}/${name}`) as Controller | undefined;
    for (const each of this.#source.objects(kind)) {
      if (each.metadata.name === name && each.metadata.namespace === namespace) return each as Controller;
    }
    return undefined;
  }
}

function selectorBy(services: readonly Service[], controller: Controller | undefined): Selector {
  const labels: Record<string, string> = {};
  for (const { spec } of services) Object.assign(labels, spec.selector);
  const selector = controller?.spec.selector;
  if (controller?.kind === 'ReplicationController') {
    Object.assign(labels, selector);
    return compileLabelSelector({ matchLabels: labels });
  }
  const served = compileLabelSelector({ matchLabels: labels });
  const owned = compileLabelSelector(selector);
  return owned === MATCHES_NOTHING ? served : bothOf(served, owned);
}

function isSameList(a: readonly Service[], b: readonly Service[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
