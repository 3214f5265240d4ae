import type { Deployment, LabelSelector, PodTemplateSpec, ReplicaSet, StringMap } from '../../api/objects/objects.js';
import { POD_TEMPLATE_HASH, areTemplatesEqual } from '../../api/go/template-hash.js';
import { byCreation } from './rolling-arithmetic.js';
import { SUBDOMAIN_MAX_LENGTH } from '../../api/values/names.js';

/** The oldest replica set with the Deployment's template. */
export function findNewReplicaSet(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const ordered = [...replicaSets].sort(byCreation);
  return ordered.find(({ spec }) => areTemplatesEqual(spec.template, deployment.spec.template));
}

/** `<deployment>-<hash>`, the former cut so that the whole is a valid name. */
export function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, SUBDOMAIN_MAX_LENGTH - hash.length - 1)}-${hash}`;
}

/** Labels with the hash among them. */
function withHash(labels: StringMap | undefined, hash: string): StringMap {
  return { ...labels, [POD_TEMPLATE_HASH]: hash };
}

/** A template with the hash among its labels; everything else is shared with the original. */
export function templateWithHash(template: PodTemplateSpec, hash: string): PodTemplateSpec {
  return { ...template, metadata: { ...template.metadata, labels: withHash(template.metadata?.labels, hash) } };
}

/** A selector of the pods that carry the hash. */
export function selectorWithHash(selector: LabelSelector, hash: string): LabelSelector {
  return { ...selector, matchLabels: withHash(selector.matchLabels, hash) };
}
