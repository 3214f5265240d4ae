import type { ControllerRevision, Draft, StatefulSet } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import { templateOfRevision } from '../history/controller-revisions.js';
import { claimVolumes } from './claim-templates.js';
import { identityLabels, podNameOf, REVISION_LABEL } from './identity.js';

type Volumes = NonNullable<StatefulSet['spec']['template']['spec']['volumes']>;

/** The pod of an ordinal as a revision describes it. All of a revision's pods share what does not name them. */
export function podDraft(set: StatefulSet, revision: ControllerRevision, ordinal: number): Draft {
  const template = templateOfRevision(revision);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name, namespace } = set.metadata;
  const hostname = podNameOf(set, ordinal);
  const { serviceName } = set.spec;
  const volumes = podVolumes(set, ordinal, template.spec.volumes);
  return {
    metadata: {
      name: hostname,
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, ...identityLabels(set, ordinal), [REVISION_LABEL]: revision.metadata.name },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(set)],
    },
    spec: {
      ...template.spec,
      hostname,
      ...(serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName }),
      ...(volumes === undefined ? {} : { volumes }),
    },
  };
}

/** The volumes of a pod: its claims, and those of the template that no claim takes the place of. */
export function podVolumes(set: StatefulSet, ordinal: number, volumes: Volumes | undefined): Volumes | undefined {
  const own = claimVolumes(set, ordinal);
  if (own.length === 0) return volumes;
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(volumes ?? []).filter(({ name }) => !names.has(name))];
}
