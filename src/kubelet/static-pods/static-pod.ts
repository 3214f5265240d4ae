/** A pod that its node's own files ask for, and the mirror of it in the API. Pure. Mirrors pkg/kubelet/config/common.go (v1.34). */
import { canonicalJson } from '../../api/values/canonical-json.js';
import { podKind } from '../../api/kinds/pod/pod.js';
import type { Draft, DraftOf, Pod } from '../../api/objects/objects.js';
import { MIRROR_ANNOTATION, SOURCE_ANNOTATION } from '../configuration/critical-pod.js';
import { apiReference } from './api-references.js';
import { hexDigest } from '../images/image-store.js';

const HASH_ANNOTATION = 'kubernetes.io/config.hash';
const SEEN_ANNOTATION = 'kubernetes.io/config.seen';
const UID_LENGTH = 32;
const EVER = { operator: 'Exists', effect: 'NoExecute' } as const;

/** A manifest that cannot be a static pod. */
export class StaticPodError extends Error {
  override readonly name = 'StaticPodError';
}

/**
 * The pod as its kubelet runs it: named after its node, and with a uid made of its manifest.
 *
 * @throws StaticPodError that names what is wrong with the manifest
 */
export function staticPod(manifest: Draft, nodeName: string, seenTime: string): Pod {
  const { metadata = {} } = manifest;
  if (typeof metadata.name !== 'string' || metadata.name === '') {
    throw new StaticPodError(`staticPods[].metadata.name must be a text, got ${JSON.stringify(metadata.name)}`);
  }
  const uid = hexDigest(`${nodeName}/${canonicalJson(manifest)}`).slice(0, UID_LENGTH);
  const spec = { ...(manifest['spec'] as Pod['spec'] | undefined), nodeName };
  const draft = podKind.applyDefaults({ ...manifest, spec });
  const defaulted = draft['spec'] as Pod['spec'];
  const annotations = {
    ...metadata.annotations,
    [HASH_ANNOTATION]: uid,
    [SEEN_ANNOTATION]: seenTime,
    [SOURCE_ANNOTATION]: 'file',
  };
  const pod = podKind.prepareForCreate({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `${metadata.name}-${nodeName}`,
      namespace: metadata.namespace ?? 'default',
      uid,
      resourceVersion: '',
      creationTimestamp: seenTime,
      annotations,
    },
    spec: { ...defaulted, tolerations: [...(defaulted.tolerations ?? []), EVER] },
    status: { phase: 'Pending' },
  });
  const [error] = podKind.validateCreate(pod);
  if (error !== undefined) {
    throw new StaticPodError(`staticPods[] ${metadata.name}: ${error.field}: ${error.detail}`);
  }
  const resource = apiReference(pod.spec);
  if (resource !== undefined) {
    throw new StaticPodError(`staticPods[] ${metadata.name}: static pods may not reference ${resource}`);
  }
  return pod;
}

/** What is written to the API, so that others see the pod. */
export function mirrorDraft({ metadata, spec }: Pod, nodeUid: string): DraftOf<'Pod'> {
  const { name, namespace = 'default', labels, uid } = metadata;
  const node = { apiVersion: 'v1', kind: 'Node', name: spec.nodeName ?? '', uid: nodeUid, controller: true };
  return {
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...metadata.annotations, [MIRROR_ANNOTATION]: uid },
      ownerReferences: [node],
    },
    spec,
  };
}

/** Whether the mirror shows that very pod. */
export function isMirrorOf(mirror: Pod, { metadata }: Pod): boolean {
  return mirror.metadata.annotations?.[MIRROR_ANNOTATION] === metadata.annotations?.[HASH_ANNOTATION];
}
