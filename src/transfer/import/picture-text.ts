import type { ClusterPicture } from './picture.js';

/** Kinds that are named before the others are only counted. */
const MAIN_KINDS: readonly string[] = ['Node', 'Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'];

/** What is taken over of a cluster, and what is not, in one line. */
export function pictureText({ objects, time, hasMetrics, absentProvisioners, leftOut }: ClusterPicture): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = MAIN_KINDS.flatMap((kind) => (counts.has(kind) ? [`${counts.get(kind) ?? 0} ${kind}`] : []));
  const others = objects.length - MAIN_KINDS.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
  const taken = [...named, ...(others > 0 ? [others === 1 ? '1 other' : `${others} others`] : [])].join(', ');
  const missing = [
    ...[...leftOut.transient].map(([kind, count]) => `${count} ${kind}`),
    ...(leftOut.strandedPods > 0 ? [`${counted(leftOut.strandedPods, 'pod')} on nodes that are not in it`] : []),
    ...(leftOut.lostOwners > 0 ? [`${counted(leftOut.lostOwners, 'reference')} to owners that are not in it`] : []),
    ...(leftOut.secrets > 0 ? [`contents of ${leftOut.secrets} Secret`] : []),
    ...[...leftOut.unknown].map(([kind, count]) => `${count} ${kind}, not simulated`),
  ];
  const since = time === undefined ? '' : `; its time goes on from ${time}`;
  const metrics = hasMetrics ? '' : '; it has no metrics server';
  const drivers =
    absentProvisioners.length === 0 ? '' : `; nobody runs ${absentProvisioners.join(', ')}, so that claims wait for it`;
  return `taken over: ${taken}${since}${metrics}${drivers}${missing.length === 0 ? '' : `; left out: ${missing.join(', ')}`}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
