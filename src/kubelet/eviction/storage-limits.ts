/**
 * What a pod may use of its node's disk by its own spec: sizes of emptyDirs, limits of the pod and of its
 * containers. Mirrors localStorageEviction of the eviction manager (v1.34). Pure.
 */
import type { Pod } from '../../api/objects/objects.js';
import { podLimits } from '../../api/pods/pod-resources.js';
import { canonicalQuantity, formatQuantity, wholeValue } from '../../api/values/quantity.js';
import type { PodRecords } from '../containers/container-record.js';
import { addStorage, containersOf, volumeOf, type PodUse } from './pod-usage.js';
import { UsageSum } from '../scripts/usage-sum.js';

const STORAGE = 'ephemeral-storage';
const NANOS = 1_000_000_000n;

/** The message of the eviction, if a limit is exceeded. */
export function exceededLimit({ spec }: Pod, use: PodUse): string | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const size = emptyDir?.sizeLimit;
    if (size === undefined || wholeValue(size) <= 0) continue;
    const used = use.containers.reduce((sum, each) => sum + (each.volume === name ? each.volumeBytes : 0), 0);
    if (Math.trunc(used) > wholeValue(size)) {
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit "${canonicalQuantity(size)}". `;
    }
  }
  const total = podLimits(spec).get(STORAGE);
  if (total !== undefined && use.storageBytes > total) {
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${totalText(spec, total)}. `;
  }
  for (const { name, layerBytes } of use.containers) {
    const limit = spec.containers.find((container) => container.name === name)?.resources?.limits?.[STORAGE];
    if (limit !== undefined && wholeValue(limit) !== 0 && Math.trunc(layerBytes) > wholeValue(limit)) {
      const quoted = JSON.stringify(canonicalQuantity(limit));
      return `Container ${name} exceeded its local ephemeral storage limit ${quoted}. `;
    }
  }
  return undefined;
}

/** When, after `fromMs`, a limit of the pod will be exceeded next, or no longer. */
export function nextLimitMs({ spec }: Pod, records: PodRecords, fromMs: number): number {
  const containers = containersOf(records);
  if (containers.every(({ script }) => script.storageBytes === undefined)) return Infinity;
  let nextMs = Infinity;
  const consider = (members: typeof containers, limit: number): void => {
    const sum = new UsageSum();
    for (const record of members) addStorage(sum, record);
    nextMs = Math.min(nextMs, sum.at(fromMs) > limit ? fromMs : sum.nextCrossing(limit, fromMs));
  };
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const size = emptyDir?.sizeLimit;
    if (size === undefined || wholeValue(size) <= 0) continue;
    consider(
      containers.filter((record) => volumeOf(spec, record.spec) === name),
      wholeValue(size),
    );
  }
  const total = podLimits(spec).get(STORAGE);
  if (total !== undefined) consider(containers, total);
  for (const record of records.app) {
    const limit = record.spec.resources?.limits?.[STORAGE];
    if (limit === undefined || wholeValue(limit) === 0 || volumeOf(spec, record.spec) !== undefined) continue;
    consider([record], wholeValue(limit));
  }
  return nextMs;
}

/** As the sum of the containers' limits prints: in the form of the first. */
function totalText({ containers }: Pod['spec'], total: number): string {
  const first = containers.map(({ resources }) => resources?.limits?.[STORAGE]).find((limit) => limit !== undefined);
  const isBinary = first === undefined || first.endsWith('i');
  return formatQuantity({ nanos: BigInt(total) * NANOS, format: isBinary ? 'BinarySI' : 'DecimalSI' });
}
