/**
 * The state of each zone after a pass, and how fast it may lose pods: none does while every zone is gone, for
 * then it is rather the controller that is cut off. Mirrors handleDisruption (pkg/controller/nodelifecycle,
 * v1.34).
 */
import { ApiError } from '../../api/errors/api-error.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { LifecycleMemory } from './lifecycle-memory.js';
import { READ_FIRST, taintFit, withNoExecuteTaint } from './no-execute-taints.js';
import { noteZone } from './zone-metrics.js';
import { evictionRate, zoneStateOf, type ZoneCount, type ZoneState } from './zone-state.js';

/** See the file header. */
export async function handleDisruption(
  context: ControllerContext,
  memory: LifecycleMemory,
  passMs: number,
): Promise<void> {
  const { settings, metrics } = context;
  const counts = countZones(memory);
  // A zone without nodes that count is new when such a node comes.
  for (const [key, zone] of memory.zones) {
    if (counts.has(key) || zone.state === 'Initial') continue;
    zone.state = 'Initial';
    noteZone(metrics, key, { ready: 0, notReady: 0 });
  }
  const states = new Map<string, ZoneState>();
  for (const [key, count] of counts) {
    noteZone(metrics, key, count);
    states.set(key, zoneStateOf(count, settings));
  }
  const areAllLost = [...states.values()].every((state) => state === 'FullDisruption');
  const wereAllLost = [...counts.keys()].every((key) => memory.zones.get(key)?.state === 'FullDisruption');
  if (areAllLost && wereAllLost) return;
  if (areAllLost) return stopEvictions(context, memory, passMs);
  if (wereAllLost) for (const record of memory.records.values()) record.floorMs = passMs;
  for (const [key, state] of states) {
    const zone = memory.zones.get(key);
    if (zone === undefined || (zone.state === state && !wereAllLost)) continue;
    zone.state = state;
    const { ready = 0, notReady = 0 } = counts.get(key) ?? {};
    zone.queue.setRate(evictionRate(state, ready + notReady, settings), passMs);
    memory.armZone(key);
  }
}

function countZones(memory: LifecycleMemory): Map<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>();
  for (const record of memory.records.values()) {
    if (!record.isKnown || !record.isCounted) continue;
    let count = counts.get(record.zone);
    if (count === undefined) {
      count = { ready: 0, notReady: 0 };
      counts.set(record.zone, count);
    }
    if (record.ready === 'True') count.ready += 1;
    else count.notReady += 1;
  }
  return counts;
}

async function stopEvictions(context: ControllerContext, memory: LifecycleMemory, passMs: number): Promise<void> {
  for (const record of memory.records.values()) {
    const { metadata } = record.node;
    memory.zoneOf(record).queue.remove(metadata.name);
    // It waits again from the next pass on, for as long as it takes.
    if (record.ready !== 'True') memory.lookAt(metadata.name);
    if (taintFit(record.node, 'True') === 'right') continue;
    try {
      await context.api.change('Node', metadata, (node) => withNoExecuteTaint(node, 'True', ''), READ_FIRST);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof LinkDownError)) throw error;
    }
  }
  for (const zone of memory.zones.values()) {
    zone.state = 'FullDisruption';
    zone.queue.setRate(0, passMs);
  }
}
