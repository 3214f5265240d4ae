/**
 * Volumes of drivers that once were part of Kubernetes, as the CSI drivers know them that took over.
 * Mirrors csi-translation-lib (v1.34), as far as names, handles and zones go.
 */
import type { core, StringMap } from '../../../api/objects/objects.js';
import type { CSINode, PersistentVolume } from '../../../api/objects/storage-objects.js';

/** A volume as a CSI driver knows it. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** What a CSINode says of the drivers that took over. */
export interface MigratingNode {
  readonly metadata: Pick<CSINode['metadata'], 'annotations'>;
}

type Source = Pick<
  core.Volume & core.PersistentVolumeSpec,
  'awsElasticBlockStore' | 'gcePersistentDisk' | 'azureDisk' | 'cinder' | 'portworxVolume'
>;

/** One driver that moved out. */
interface InTreePlugin {
  readonly driver: string;
  /** Label of nodes by which the driver tells zones. */
  readonly topologyKey: string | undefined;
  /** The driver's name of the volume; `undefined` when the source is of another kind. */
  handleOf(source: Source, zone: string): string | undefined;
}

const UNKNOWN = 'UNSPECIFIED';
const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';
const ZONE = 'topology.kubernetes.io/zone';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const ZONE_SEPARATOR = '__';

const PLUGINS: ReadonlyMap<string, InTreePlugin> = new Map([
  [
    'kubernetes.io/aws-ebs',
    {
      driver: 'ebs.csi.aws.com',
      topologyKey: 'topology.ebs.csi.aws.com/zone',
      // aws://zone/vol-1 and vol-1 are the same.
      handleOf: ({ awsElasticBlockStore: source }) => source?.volumeID.slice(source.volumeID.lastIndexOf('/') + 1),
    },
  ],
  [
    'kubernetes.io/gce-pd',
    {
      driver: 'pd.csi.storage.gke.io',
      topologyKey: 'topology.gke.io/zone',
      handleOf: ({ gcePersistentDisk: source }, zone) =>
        source === undefined ? undefined : `projects/${UNKNOWN}/zones/${zone}/disks/${source.pdName}`,
    },
  ],
  [
    'kubernetes.io/azure-disk',
    {
      driver: 'disk.csi.azure.com',
      topologyKey: 'topology.disk.csi.azure.com/zone',
      handleOf: ({ azureDisk }) => azureDisk?.diskURI,
    },
  ],
  [
    'kubernetes.io/cinder',
    {
      driver: 'cinder.csi.openstack.org',
      topologyKey: 'topology.cinder.csi.openstack.org/zone',
      handleOf: ({ cinder }) => cinder?.volumeID,
    },
  ],
  [
    'kubernetes.io/portworx-volume',
    {
      driver: 'pxd.portworx.com',
      topologyKey: undefined,
      handleOf: ({ portworxVolume }) => portworxVolume?.volumeID,
    },
  ],
]);

/** A node on which every driver took over. */
export const ALL_MIGRATED: MigratingNode = {
  metadata: { annotations: { [MIGRATED_PLUGINS]: [...PLUGINS.keys()].join(',') } },
};

/** Which drivers took over on a node, as it says itself. */
export function migratedPlugins(csiNode: MigratingNode | undefined): string {
  return csiNode?.metadata.annotations?.[MIGRATED_PLUGINS] ?? '';
}

/** Whether a source is one that a CSI driver took over, on whatever node. */
export function isMigratable(source: Source): boolean {
  return findPlugin(source) !== undefined;
}

/** A source as the node's CSI driver knows it; `undefined` where none took over. */
export function migratedVolume(
  source: Source,
  csiNode: MigratingNode | undefined,
  labels?: StringMap,
): CsiVolume | undefined {
  const [name, plugin] = findPlugin(source) ?? [];
  if (name === undefined || plugin === undefined || !isMigratedOn(csiNode, name)) return undefined;
  const zone = labels?.[ZONE] ?? labels?.[BETA_ZONE] ?? UNKNOWN;
  return { driver: plugin.driver, handle: plugin.handleOf(source, zone) ?? '' };
}

/** The CSI driver behind a provisioner on a node: itself, or the one that took over; `undefined` where none did. */
export function migratedProvisioner(provisioner: string, csiNode: MigratingNode | undefined): string | undefined {
  const plugin = PLUGINS.get(provisioner);
  if (plugin === undefined) return provisioner;
  return isMigratedOn(csiNode, provisioner) ? plugin.driver : undefined;
}

/** The driver that took over from a source's plugin, whether or not on some node. */
export function driverOf(source: Source): string | undefined {
  return findPlugin(source)?.[1].driver;
}

function findPlugin(source: Source): readonly [name: string, plugin: InTreePlugin] | undefined {
  for (const entry of PLUGINS) if (entry[1].handleOf(source, '') !== undefined) return entry;
  return undefined;
}

function isMigratedOn(csiNode: MigratingNode | undefined, pluginName: string): boolean {
  return migratedPlugins(csiNode).split(',').includes(pluginName);
}

/**
 * The volume as the node sees it: where a CSI driver took over, zones go by the driver's own label.
 * Volumes of CSI drivers, and those that were not taken over, come back as they are.
 */
export function volumeOnNode(volume: PersistentVolume, csiNode: MigratingNode | undefined): PersistentVolume {
  const [name, plugin] = findPlugin(volume.spec) ?? [];
  const topologyKey = plugin?.topologyKey;
  if (name === undefined || topologyKey === undefined || !isMigratedOn(csiNode, name)) return volume;
  const required = volume.spec.nodeAffinity?.required;
  const terms = required?.nodeSelectorTerms ?? [];
  const hasZone = terms.some((term) => term.matchExpressions?.some(({ key }) => isZone(key)));
  if (hasZone)
    return withTerms(
      volume,
      terms.map((term) => renamed(term, topologyKey)),
    );
  const { labels } = volume.metadata;
  const zones = labels?.[ZONE] ?? labels?.[BETA_ZONE];
  if (zones === undefined) return volume;
  const inZones: core.NodeSelectorRequirement = {
    key: topologyKey,
    operator: 'In',
    values: zones.split(ZONE_SEPARATOR),
  };
  const known: core.NodeSelectorTerm[] = terms.length === 0 ? [{}] : [...terms];
  return withTerms(
    volume,
    known.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), inZones] })),
  );
}

function isZone(key: string): boolean {
  return key === ZONE || key === BETA_ZONE;
}

function renamed(term: core.NodeSelectorTerm, topologyKey: string): core.NodeSelectorTerm {
  if (term.matchExpressions === undefined) return term;
  const matchExpressions = term.matchExpressions.map((requirement) =>
    isZone(requirement.key) ? { ...requirement, key: topologyKey } : requirement,
  );
  return { ...term, matchExpressions };
}

function withTerms(volume: PersistentVolume, nodeSelectorTerms: core.NodeSelectorTerm[]): PersistentVolume {
  return { ...volume, spec: { ...volume.spec, nodeAffinity: { required: { nodeSelectorTerms } } } };
}
