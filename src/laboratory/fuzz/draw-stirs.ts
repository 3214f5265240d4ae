/** What users do to a workload so that a fault which lasts meets some work of it. */
import type { RandomStream } from '../../kernel/random.js';
import { CONTAINER } from './draw-templates.js';
import type { DrawnWorkload } from './draw-workloads.js';
import type { PlannedAction } from './plan-document.js';

/** When, simulated ms: shortly after the fault has begun, and when it is over. */
export interface StirTimes {
  readonly fault: PlannedAction;
  readonly atMs: number;
  readonly soonMs: number;
  readonly endMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** What must have been before an operation of a runtime or a volume comes about. */
const BEFORE_MS = 60_000;

/** See the file header; nothing where the workload gives no occasion for it. */
export function stirring(random: RandomStream, workload: DrawnWorkload, times: StirTimes): readonly PlannedAction[] {
  const { soonMs, endMs } = times;
  if (workload.node !== undefined) return ofPinned(workload, times);
  if (workload.isUpdatable && random.int(0, 2) > 0) return [action(soonMs, 'patch', release(workload, soonMs))];
  if (workload.isScalable) {
    return [action(soonMs, 'scale', { ...named(workload), replicas: random.int(0, 6) })];
  }
  if (workload.isUpdatable) return [action(soonMs, 'patch', release(workload, soonMs))];
  if (workload.pod !== undefined) {
    return [action(soonMs, 'delete', { ...named(workload), object: `pod/${workload.pod}` })];
  }
  if (!workload.ref.startsWith('job/')) return [];
  const suspend = (isSuspended: boolean): Fields => ({ ...named(workload), patch: { spec: { suspend: isSuspended } } });
  return [action(soonMs, 'patch', suspend(true)), action(Math.max(soonMs + 20_000, endMs), 'patch', suspend(false))];
}

/** An operation of the node that the pod always comes back to. */
function ofPinned(workload: DrawnWorkload, { fault, atMs, soonMs, endMs }: StirTimes): readonly PlannedAction[] {
  const { operation } = (fault['failVolume'] ?? fault['failRuntime'] ?? {}) as { readonly operation?: string };
  const scale = (ms: number, replicas: number): PlannedAction => action(ms, 'scale', { ...named(workload), replicas });
  switch (operation) {
    case 'attach':
      return [scale(Math.max(0, atMs - BEFORE_MS), 0), scale(soonMs, 1)];
    case 'detach':
      return [scale(soonMs, 0), scale(endMs, 1)];
    case 'pullImage':
      return [action(soonMs, 'patch', release(workload, soonMs))];
    default:
      return [action(soonMs, 'delete', { ...named(workload), object: `pod/${workload.pod ?? ''}` })];
  }
}

/** A new image. */
function release(workload: DrawnWorkload, ms: number): Fields {
  const image = `${workload.ref.replace(/^.*\//, '')}:${ms}`;
  const containers = [{ name: CONTAINER, image }];
  return { ...named(workload), patch: { spec: { template: { spec: { containers } } } } };
}

function named({ ref, namespace }: DrawnWorkload): Fields {
  return { object: ref, ...(namespace === undefined ? {} : { namespace }) };
}

function action(ms: number, verb: string, fields: Fields): PlannedAction {
  return { at: `${ms}ms`, mayFail: true, [verb]: fields };
}
