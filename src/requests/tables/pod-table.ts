/** The table of pods (printPod, pkg/printers/internalversion, v1.34). */
import { ageOf, count, humanDuration, list, NONE, part, text, type CellTime, type Fields } from './cells.js';
import type { KindTable } from './columns.js';

/** What a pod's containers come to. */
interface Summary {
  reason: string;
  readonly total: number;
  ready: number;
  restarts: number;
  /** Of the last restart, as text. */
  restartedAt: string;
}

export const podTable: KindTable = {
  columns: 'Name|Ready|Status|Restarts|Age|IP*|Node*|Nominated Node*|Readiness Gates*',
  readsStored: true,
  cells: (pod, time) => {
    const { reason, total, ready, restarts, restartedAt } = summaryOf(pod);
    const metadata = part(pod, 'metadata');
    const status = part(pod, 'status');
    const [first] = list(status, 'podIPs');
    return [
      text(metadata['name']),
      `${ready}/${total}`,
      reason,
      restartedAt === '' || restarts === 0 ? String(restarts) : `${restarts} (${agoOf(restartedAt, time)} ago)`,
      ageOf(metadata['creationTimestamp'], time),
      text(first?.['ip'], NONE),
      text(part(pod, 'spec')['nodeName'], NONE) || NONE,
      text(status['nominatedNodeName'], NONE) || NONE,
      gatesText(pod),
    ];
  },
};

function agoOf(at: string, { timestamps, nowMs }: CellTime): string {
  return humanDuration(nowMs - timestamps.toMs(at));
}

function gatesText(pod: Fields): string {
  const gates = list(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const conditions = list(pod, 'status', 'conditions');
  const passed = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  return `${passed.length}/${gates.length}`;
}

function summaryOf(pod: Fields): Summary {
  const sidecars = sidecarNames(pod);
  const status = part(pod, 'status');
  const summary: Summary = {
    reason: baseReason(status),
    total: list(pod, 'spec', 'containers').length + sidecars.size,
    ready: 0,
    restarts: 0,
    restartedAt: '',
  };
  const sidecarRestarts = { restarts: 0, restartedAt: '' };
  const isInitializing = walkInit(pod, sidecars, summary, sidecarRestarts);
  if (!isInitializing || hasCondition(status, 'Initialized')) walkContainers(status, summary, sidecarRestarts);
  const metadata = part(pod, 'metadata');
  if (metadata['deletionTimestamp'] === undefined) return summary;
  if (status['reason'] === 'NodeLost') summary.reason = 'Unknown';
  else if (status['phase'] !== 'Succeeded' && status['phase'] !== 'Failed') summary.reason = 'Terminating';
  return summary;
}

function baseReason(status: Fields): string {
  const scheduled = list(status, 'conditions').find(({ type }) => type === 'PodScheduled');
  if (scheduled?.['reason'] === 'SchedulingGated') return 'SchedulingGated';
  return text(status['reason']) || text(status['phase']);
}

function sidecarNames(pod: Fields): ReadonlySet<string> {
  const init = list(pod, 'spec', 'initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  return new Set(init.map(({ name }) => text(name)));
}

interface Restarts {
  restarts: number;
  restartedAt: string;
}

function noteRestarts(into: Restarts, container: Fields): void {
  into.restarts += count(container['restartCount']);
  const at = text(part(container, 'lastState', 'terminated')['finishedAt']);
  if (at > into.restartedAt) into.restartedAt = at;
}

/** Whether one of the init containers still holds the pod up. */
function walkInit(pod: Fields, sidecars: ReadonlySet<string>, summary: Summary, ofSidecars: Restarts): boolean {
  const all = list(pod, 'spec', 'initContainers').length;
  for (const [index, container] of list(pod, 'status', 'initContainerStatuses').entries()) {
    noteRestarts(summary, container);
    const isSidecar = sidecars.has(text(container['name']));
    if (isSidecar) noteRestarts(ofSidecars, container);
    const { terminated, waiting } = part(container, 'state');
    if (isDone(terminated)) continue;
    if (isSidecar && container['started'] === true) {
      if (container['ready'] === true) summary.ready += 1;
      continue;
    }
    summary.reason = `Init:${initReason(terminated, waiting) || `${index}/${all}`}`;
    return true;
  }
  return false;
}

function isDone(terminated: unknown): boolean {
  return terminated !== undefined && count((terminated as Fields)['exitCode']) === 0;
}

function initReason(terminated: unknown, waiting: unknown): string {
  if (terminated !== undefined) return exitReason(terminated as Fields);
  const reason = text((waiting as Fields | undefined)?.['reason']);
  return reason === 'PodInitializing' ? '' : reason;
}

function exitReason(terminated: Fields): string {
  const reason = text(terminated['reason']);
  if (reason !== '') return reason;
  const signal = count(terminated['signal']);
  return signal === 0 ? `ExitCode:${count(terminated['exitCode'])}` : `Signal:${signal}`;
}

/** From the last to the first: the first container with something to say has the last word. */
function walkContainers(status: Fields, summary: Summary, ofSidecars: Restarts): void {
  summary.restarts = ofSidecars.restarts;
  summary.restartedAt = ofSidecars.restartedAt;
  let isRunning = false;
  for (const container of list(status, 'containerStatuses').toReversed()) {
    noteRestarts(summary, container);
    const { waiting, terminated, running } = part(container, 'state');
    const reason = text((waiting as Fields | undefined)?.['reason']);
    if (reason !== '') summary.reason = reason;
    else if (terminated !== undefined) summary.reason = exitReason(terminated as Fields);
    else if (container['ready'] === true && running !== undefined) {
      isRunning = true;
      summary.ready += 1;
    }
  }
  if (summary.reason === 'Completed' && isRunning)
    summary.reason = hasCondition(status, 'Ready') ? 'Running' : 'NotReady';
}

function hasCondition(status: Fields, wanted: string): boolean {
  return list(status, 'conditions').some((each) => each['type'] === wanted && each['status'] === 'True');
}
