import type { Node, Pod, StringMap } from '../../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/objects/storage-objects.js';
import { claimClass } from '../../../api/volumes/volume-rules.js';
import { isSameJson } from '../../../api/values/canonical-json.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type { ColumnFilter, FilterPlugin, PreFilterPlugin, PreFilterResult } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { LabelColumns } from './label-columns.js';
import { claimNotFound, namesClaim, volumesOf } from './pod-claims.js';
import { VolumeListers, type VolumeHandle } from './volume-listers.js';
import { hasPlacedVolumes } from './placed-volumes.js';

const NAME = 'VolumeZone';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const NO_ZONE = createStatus(Code.UnschedulableAndUnresolvable, NAME, 'node(s) had no available volume zone');
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const TOPOLOGY_KEYS = [BETA_ZONE, BETA_REGION, ZONE, REGION];
/** Nodes may have the present label only. */
const PRESENT_KEYS: ReadonlyMap<string, string> = new Map([
  [BETA_ZONE, ZONE],
  [BETA_REGION, REGION],
]);
const ZONE_SEPARATOR = '__';

/** Where a volume is: a label of its own, with one value or a set of values. */
interface Topology {
  readonly key: string;
  readonly values: readonly string[];
}

class ZoneState implements StateData {
  constructor(readonly topologies: readonly Topology[]) {}

  clone(): ZoneState {
    return this;
  }
}

const STATE = new StateKey<ZoneState>(`PreFilter${NAME}`);

/** Rejects nodes outside the zones of the pod's volumes. Upstream: plugin VolumeZone of kube-scheduler v1.34. */
export class VolumeZone implements PreFilterPlugin, FilterPlugin {
  readonly name = NAME;
  readonly #listers: VolumeListers;
  readonly #inside = new LabelColumns();

  constructor(handle: VolumeHandle) {
    this.#listers = new VolumeListers(handle);
  }

  answersByShape({ spec }: PodShape): boolean {
    return !hasPlacedVolumes(spec);
  }

  preFilter(state: CycleState, { pod }: PodInfo): PreFilterResult | undefined {
    if (!hasPlacedVolumes(pod.spec)) return SKIPPED;
    const found = this.#topologiesOf(pod);
    if (typeof found === 'string') return { status: rejection(found) };
    if (found.length === 0) return SKIPPED;
    state.write(STATE, new ZoneState(found));
    return undefined;
  }

  compileFilter(state: CycleState, _pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    const topologies = state.read(STATE)?.topologies;
    if (topologies === undefined) return undefined;
    const inside = this.#inside.of(JSON.stringify(topologies), (labels) => areInside(topologies, labels), columns);
    return {
      filter: (slots, count, verdicts, base) => inside.reject(slots, count, verdicts, base + 1),
      statusOf: () => NO_ZONE,
    };
  }

  filter(state: CycleState, { pod }: PodInfo, { node }: NodeInfo): Status | undefined {
    const topologies = state.read(STATE)?.topologies ?? this.#topologiesOf(pod);
    if (typeof topologies === 'string') return rejection(topologies);
    return areInside(topologies, (node as Node).metadata.labels) ? undefined : NO_ZONE;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('StorageClass', ActionType.Add, (_pod, _old, added) =>
        hint((added as StorageClass).volumeBindingMode === 'WaitForFirstConsumer'),
      ),
      onEvent('Node', ActionType.Add | ActionType.UpdateNodeLabel),
      onEvent('PersistentVolumeClaim', ActionType.Add | ActionType.Update, (pod, _old, claim) =>
        hint(namesClaim(pod, claim as PersistentVolumeClaim)),
      ),
      onEvent('PersistentVolume', ActionType.Add | ActionType.Update, (_pod, before, after) => {
        if (before === undefined) return QueueingHint.Queue;
        const [old, present] = [before, after].map((volume) => topologiesOf(volume as PersistentVolume));
        return hint(!isSameJson(old, present));
      }),
    ];
  }

  /** Where the pod's volumes are, or why it cannot be told. */
  #topologiesOf(pod: Pod): readonly Topology[] | string {
    const topologies: Topology[] = [];
    for (const { persistentVolumeClaim } of volumesOf(pod)) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      if (claimName === '') return 'PersistentVolumeClaim had no name';
      const claim = this.#listers.claim(pod.metadata.namespace ?? '', claimName);
      if (claim === undefined) return claimNotFound(claimName);
      const { volumeName = '' } = claim.spec;
      if (volumeName === '') {
        const problem = this.#unboundProblem(claim);
        if (problem === undefined) continue;
        return problem;
      }
      const volume = this.#listers.volume(volumeName);
      if (volume === undefined) return `persistentvolume "${volumeName}" not found`;
      topologies.push(...topologiesOf(volume));
    }
    return topologies;
  }

  /** A claim may be without a volume only as long as its class waits for a pod. */
  #unboundProblem(claim: PersistentVolumeClaim): string | undefined {
    const className = claimClass(claim);
    if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name';
    const storageClass = this.#listers.storageClass(className);
    if (storageClass === undefined) return `storageclass.storage.k8s.io "${className}" not found`;
    const { volumeBindingMode } = storageClass;
    if (volumeBindingMode === undefined) return `VolumeBindingMode not set for StorageClass "${className}"`;
    return volumeBindingMode === 'WaitForFirstConsumer' ? undefined : 'PersistentVolume had no name';
  }
}

function rejection(text: string): Status {
  return createStatus(Code.UnschedulableAndUnresolvable, NAME, text);
}

function hint(isHelpful: boolean): QueueingHint {
  return isHelpful ? QueueingHint.Queue : QueueingHint.Skip;
}

/** A label with an empty name in its set is passed over. */
function topologiesOf({ metadata }: PersistentVolume): Topology[] {
  return TOPOLOGY_KEYS.flatMap((key) => {
    const text = metadata.labels?.[key];
    if (text === undefined) return [];
    const values = text.split(ZONE_SEPARATOR).map((value) => value.trim());
    return values.includes('') ? [] : [{ key, values: [...new Set(values)].sort() }];
  });
}

/** Nodes that do not tell where they are, are anywhere. */
function areInside(topologies: readonly Topology[], labels: StringMap | undefined): boolean {
  if (labels === undefined || !TOPOLOGY_KEYS.some((key) => labels[key] !== undefined)) return true;
  return topologies.every((topology) => isInside(topology, labels));
}

function isInside({ key, values }: Topology, labels: StringMap): boolean {
  const value = labels[key] ?? labels[PRESENT_KEYS.get(key) ?? key];
  return value !== undefined && values.includes(value);
}
