/**
 * Pods whose names were drawn have other names where a history is played. What a user did to one of them there is done
 * here to a pod of the same owner: to one on the node of that name where there is one, and to another one each time.
 */
import type { Pod } from '../api/objects/objects.js';
import type { Cluster } from '../cluster/cluster.js';
import type { DrawnPod, HistoricRequest } from '../transfer/history/history.js';

const POD = /^(\/api\/v1\/namespaces\/([^/]+)\/pods\/)([^/?]+)/;

/** See the file header. */
export class Counterparts {
  /** By namespace and name there. */
  readonly #names = new Map<string, string>();
  /** Namespaces and names here. */
  readonly #taken = new Set<string>();

  constructor(private readonly cluster: Pick<Cluster, 'list'>) {}

  /** The request as it is made here. */
  put(request: HistoricRequest): HistoricRequest {
    const { path, body, drawn } = request;
    const [, , namespace, there] = POD.exec(path) ?? [];
    if (drawn === undefined || namespace === undefined || there === undefined) return request;
    const here = this.#nameOf(namespace, there, drawn);
    if (here === undefined || here === there) return request;
    return {
      ...request,
      path: path.replace(POD, `$1${here}`),
      ...(body === undefined ? {} : { body: renamed(body, here) }),
    };
  }

  #nameOf(namespace: string, there: string, drawn: DrawnPod): string | undefined {
    const key = `${namespace}/${there}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const pods = this.cluster.list('Pod', { namespace });
    if (pods.some(({ metadata }) => metadata.name === there)) return there;
    const here = this.#alike(pods, namespace, drawn)?.metadata.name;
    if (here === undefined) return undefined;
    this.#names.set(key, here);
    this.#taken.add(`${namespace}/${here}`);
    return here;
  }

  #alike(pods: readonly Pod[], namespace: string, { prefix, node }: DrawnPod): Pod | undefined {
    const alike = pods.filter(
      ({ metadata: { generateName, name, deletionTimestamp } }) =>
        generateName === prefix && deletionTimestamp === undefined && !this.#taken.has(`${namespace}/${name}`),
    );
    return (node === undefined ? undefined : alike.find(({ spec }) => spec.nodeName === node)) ?? alike[0];
  }
}

/** Where an object says its own name. */
function renamed(body: object, name: string): object {
  const { metadata } = body as { readonly metadata?: object };
  return metadata !== undefined && 'name' in metadata ? { ...body, metadata: { ...metadata, name } } : body;
}
