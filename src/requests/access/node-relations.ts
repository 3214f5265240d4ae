/** What belongs to a node: pods that are bound to it, what these name, and what is made for the node itself. */
import { podClaimsOf, referenceOf } from '../../api/devices/pod-claims.js';
import type { core, Pod } from '../../api/objects/objects.js';
import { configReferences, type ConfigKind } from '../../api/pods/config-references.js';
import { claimedVolumes } from '../../api/volumes/claimed-volumes.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';

/** Kinds of which a kubelet may have those objects that belong to its node. */
export type OwnedKind =
  | ConfigKind
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'Pod'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'ServiceAccount'
  | 'VolumeAttachment';

interface Owned {
  readonly kind: OwnedKind;
  readonly namespace: string;
  readonly name: string;
}

type Stored = Pick<ApiServer, 'find' | 'list'>;

const MIRROR = 'kubernetes.io/config.mirror';

/** See the file header. */
export function isOfNode(server: Stored, node: string, { kind, namespace, name }: Owned): boolean {
  const hasPod = (names: (pod: Pod) => boolean): boolean => podsOn(server, node, namespace).some(names);
  switch (kind) {
    case 'Pod':
      return server.find('Pod', { namespace, name })?.spec.nodeName === node;
    case 'ConfigMap':
      return hasPod((pod) => namesOf(pod, kind).includes(name));
    case 'Secret':
      return hasPod((pod) => namesOf(pod, kind).includes(name)) || isOfVolume(server, node, namespace, name);
    case 'ServiceAccount':
      return hasPod((pod) => !isMirror(pod) && pod.spec.serviceAccountName === name);
    case 'PersistentVolumeClaim':
      return hasPod((pod) => !isMirror(pod) && claimedVolumes(pod).some(({ claimName }) => claimName === name));
    case 'PersistentVolume': {
      const claim = server.find('PersistentVolume', { name })?.spec.claimRef;
      return claim !== undefined && isOfNode(server, node, claimOf(claim));
    }
    case 'ResourceClaim':
      return hasPod((pod) => !isMirror(pod) && deviceClaimsOf(pod).includes(name));
    case 'ResourceSlice':
      return server.find('ResourceSlice', { name })?.spec.nodeName === node;
    case 'VolumeAttachment':
      return server.find('VolumeAttachment', { name })?.spec.nodeName === node;
  }
}

function podsOn(server: Stored, node: string, namespace: string): readonly Pod[] {
  return server.list('Pod', { namespace, fieldSelector: `spec.nodeName=${node}` }).items;
}

/** A node may not get at anything by a pod that it made up. */
function isMirror({ metadata: { annotations } }: Pod): boolean {
  return annotations?.[MIRROR] !== undefined;
}

function claimOf({ namespace = '', name = '' }: core.ObjectReference): Owned {
  return { kind: 'PersistentVolumeClaim', namespace, name };
}

function namesOf(pod: Pod, kind: ConfigKind): readonly string[] {
  if (isMirror(pod)) return [];
  const { spec } = pod;
  const { containers, ephemeralContainers = [], volumes = [] } = spec;
  const named = configReferences({ ...spec, containers: [...containers, ...ephemeralContainers] })
    .filter((each) => each.kind === kind)
    .map(({ name }) => name);
  return kind === 'Secret' ? [...named, ...volumes.flatMap((volume) => sourceSecrets(volume))] : named;
}

/** Sources with a secret, in pods and in volumes alike. */
const WITH_SECRET = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const;

type Sources = Readonly<
  Partial<Record<(typeof WITH_SECRET)[number], { readonly secretRef?: { readonly name?: string } }>>
> &
  Pick<core.Volume, 'azureFile'> & { readonly csi?: { readonly nodePublishSecretRef?: { readonly name?: string } } };

function sourceSecrets(sources: Sources): readonly string[] {
  const { azureFile, csi } = sources;
  return [
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...WITH_SECRET.map((source) => sources[source]?.secretRef?.name),
  ].filter((name): name is string => name !== undefined && name !== '');
}

/** Whether a volume of the node's pods needs a secret on its node. */
function isOfVolume(server: Stored, node: string, namespace: string, name: string): boolean {
  return server.list('PersistentVolume').items.some(({ spec }) => {
    const { claimRef } = spec;
    if (claimRef === undefined || !volumeSecrets(spec).includes(`${namespace}/${name}`)) return false;
    return isOfNode(server, node, claimOf(claimRef));
  });
}

/** By namespace and name: those that the kubelet sees. */
function volumeSecrets(spec: core.PersistentVolumeSpec): readonly string[] {
  const ownNamespace = spec.claimRef?.namespace ?? '';
  const { azureFile, csi } = spec;
  const references: readonly (core.SecretReference | undefined)[] = [
    azureFile && { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? ownNamespace },
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
    ...WITH_SECRET.map((source) => spec[source]?.secretRef),
  ];
  return references.flatMap((each) =>
    each?.name === undefined ? [] : [`${each.namespace || ownNamespace}/${each.name}`],
  );
}

function deviceClaimsOf(pod: Pod): readonly string[] {
  return podClaimsOf(pod).flatMap((entry) => {
    const reference = referenceOf(pod, entry);
    return 'name' in reference && reference.name !== undefined ? [reference.name] : [];
  });
}
