/** Makes claims of templates, and notes in a pod's status which are its own (resourceclaim/controller.go, v1.34). */
import { ApiError } from '../../api/errors/api-error.js';
import { POD_CLAIM_NAME, podClaimsOf, referenceOf, strangerProblem } from '../../api/devices/pod-claims.js';
import { nameKey, type OwnerReference, type Pod } from '../../api/objects/objects.js';
import type { ResourceClaim } from '../../api/objects/device-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { countCreation } from './claim-metrics.js';

/** Leaves room for a hyphen and five letters in a label. */
const LONGEST_BASE = 57;

/** The index of claims by the uid of the pod for which they were made. */
export const BY_OWNER = 'pod-owner';

type PodClaim = ReturnType<typeof podClaimsOf>[number];

/** The pod for which a claim was made. */
export function ownerOf({ metadata }: ResourceClaim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, apiVersion, kind }) => controller === true && apiVersion === 'v1' && kind === 'Pod',
  );
}

/** See the file header. */
export class ClaimMaker {
  readonly #context: ControllerContext;
  readonly #claims: Lister<'ResourceClaim'>;
  readonly #templates: Lister<'ResourceClaimTemplate'>;
  /** Claims that were made and are not in the cache yet, by the uid of their pod. */
  readonly #made = new Map<string, ResourceClaim[]>();

  constructor(context: ControllerContext, claims: Lister<'ResourceClaim'>, templates: Lister<'ResourceClaimTemplate'>) {
    this.#context = context;
    this.#claims = claims;
    this.#templates = templates;
  }

  /** An error after which the key is tried again. */
  failure(text: string): Error {
    return new RetryError(text);
  }

  /** Makes what a pod lacks. */
  async makeFor(pod: Pod): Promise<void> {
    const made: { name: string; resourceClaimName: string }[] = [];
    for (const entry of podClaimsOf(pod)) {
      try {
        const claim = await this.#makeOne(pod, entry);
        if (claim !== undefined) made.push({ name: entry.name, resourceClaimName: claim.metadata.name });
      } catch (error) {
        const text = `PodResourceClaim ${entry.name}: ${error instanceof Error ? error.message : String(error)}`;
        this.#context.recorder.record(pod, 'Warning', 'FailedResourceClaimCreation', text);
        throw error;
      }
    }
    if (made.length === 0) return;
    const name = { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' };
    await this.#context.api.change(
      'Pod',
      name,
      (current) => ({ ...current, status: { ...current.status, resourceClaimStatuses: made } }),
      { subresource: 'status' },
    );
  }

  /** A claim that is in the cache now needs not be remembered. */
  forget({ metadata }: ResourceClaim, owner: OwnerReference | undefined): void {
    if (owner === undefined) return;
    const left = this.#made.get(owner.uid)?.filter((each) => each.metadata.uid !== metadata.uid) ?? [];
    if (left.length === 0) this.#made.delete(owner.uid);
    else this.#made.set(owner.uid, left);
  }

  /** The claim of an entry that the pod's status does not tell of. */
  async #makeOne(pod: Pod, entry: PodClaim): Promise<ResourceClaim | undefined> {
    const reference = referenceOf(pod, entry);
    if ('problem' in reference && !reference.isMissing) {
      throw new RetryError(`checking for claim before creating it: ${reference.problem}`);
    }
    if (!('problem' in reference)) {
      if (reference.name === undefined) return undefined;
      const claim = this.#claims.getByKey(nameKey(pod.metadata.namespace, reference.name));
      const isOwn = claim !== undefined && (!reference.isGenerated || strangerProblem(pod, claim) === undefined);
      if (isOwn) return undefined;
    }
    const { resourceClaimTemplateName: templateName } = entry;
    if (templateName === undefined) return undefined;
    return this.#find(pod, entry.name) ?? (await this.#create(pod, entry.name, templateName));
  }

  #find({ metadata: { uid } }: Pod, entryName: string): ResourceClaim | undefined {
    const known = [...this.#claims.byIndex(BY_OWNER, uid), ...(this.#made.get(uid) ?? [])];
    return known.find(({ metadata }) => metadata.annotations?.[POD_CLAIM_NAME] === entryName);
  }

  async #create(pod: Pod, entryName: string, templateName: string): Promise<ResourceClaim> {
    const { namespace = '', name, uid } = pod.metadata;
    const template = this.#templates.getByKey(nameKey(namespace, templateName));
    if (template === undefined) {
      const text = `resourceclaimtemplate.resource.k8s.io ${JSON.stringify(templateName)} not found`;
      throw new RetryError(`resource claim template ${JSON.stringify(templateName)}: ${text}`);
    }
    const { metrics, api } = this.#context;
    const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
    const { metadata = {}, spec } = template.spec;
    const draft = {
      metadata: {
        namespace,
        generateName: generatedPrefix(name, entryName),
        ownerReferences: [owner],
        annotations: { ...metadata.annotations, [POD_CLAIM_NAME]: entryName },
        ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      },
      spec,
    };
    try {
      const claim = await api.create('ResourceClaim', draft);
      countCreation(metrics, spec, true);
      this.#made.set(uid, [...(this.#made.get(uid) ?? []), claim]);
      return claim;
    } catch (error) {
      countCreation(metrics, spec, false);
      if (!(error instanceof ApiError)) throw error;
      throw new RetryError(`create ResourceClaim : ${error.message}`);
    }
  }
}

/** Names of pod and entry that are too long lose so much that both stay to be seen. */
function generatedPrefix(podName: string, entryName: string): string {
  const whole = `${podName}-${entryName}-`;
  if (whole.length <= LONGEST_BASE) return whole;
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * LONGEST_BASE) / whole.length));
  return `${cut(podName)}-${cut(entryName)}`;
}
