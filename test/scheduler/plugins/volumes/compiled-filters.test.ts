import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../../../src/api/objects/objects.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from '../../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { NodeVolumeLimits } from '../../../../src/scheduler/plugins/volumes/node-volume-limits.js';
import { VolumeBinding } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding.js';
import type { VolumeHandle } from '../../../../src/scheduler/plugins/volumes/volume-listers.js';
import { VolumeZone } from '../../../../src/scheduler/plugins/volumes/volume-zone.js';
import { testNode, testPod } from '../../support/objects.js';
import { RandomVolumes } from './random-volumes.js';
import { attachment, boundClaim, claimed, csiNode, storageClass, volume } from './storage-objects.js';
import { verdictText, VolumeWorld } from './volume-world.js';

type VolumeFilter = PreFilterPlugin & FilterPlugin;
type BuildFilter = (handle: VolumeHandle) => VolumeFilter;

/** How often something was seen: what never comes up is not tested. */
interface Sights {
  compiled: number;
  passesAll: number;
  rejected: number;
  passed: number;
}

/** A plugin as the scheduler has it, and one that keeps nothing from attempt to attempt. */
function pairOf(build: BuildFilter): {
  readonly world: VolumeWorld;
  readonly pair: () => [VolumeFilter, VolumeFilter];
} {
  const built: VolumeFilter[] = [];
  const world = new VolumeWorld([
    (handle) => {
      const forgetful = { ...handle };
      delete forgetful.onChange;
      const plugin = build(handle);
      built.push(plugin, build(forgetful));
      return plugin;
    },
  ]);
  return { world, pair: () => built as [VolumeFilter, VolumeFilter] };
}

/** Judges a pod on every node in all forms. */
function compare(
  t: ExecutionContext,
  world: VolumeWorld,
  pair: [VolumeFilter, VolumeFilter],
  pod: Pod,
  sights: Sights,
): void {
  const [plugin, forgetful] = pair;
  const { snapshot } = world;
  world.cache.updateSnapshot(snapshot);
  const info = new PodInfo(pod);
  const [state, plainState] = [new CycleState(), new CycleState()];
  const result = plugin.preFilter(state, info, snapshot);
  t.deepEqual(result, forgetful.preFilter(plainState, info, snapshot));
  if (result !== undefined) return;
  const expected = snapshot.nodes.map((node) => verdictText(forgetful.filter(plainState, info, node)));
  const passesAll = plugin.passesAll?.(state, info) === true;
  if (passesAll) t.deepEqual([...new Set(expected)], expected.length === 0 ? [] : ['fits']);
  const { columns, order, size } = snapshot;
  const compiled = plugin.compileFilter?.(state, info, columns);
  if (compiled !== undefined) {
    const verdicts = new Int32Array(columns.capacity);
    compiled.filter(order, size, verdicts, 1 << 16);
    const statuses = Array.from(order.subarray(0, size), (slot) => {
      const verdict = verdicts[slot] as number;
      return verdictText(verdict === 0 ? undefined : compiled.statusOf(verdict - (1 << 16)));
    });
    t.deepEqual(statuses, expected);
    sights.rejected += statuses.filter((text) => text !== 'fits').length;
    sights.passed += statuses.filter((text) => text === 'fits').length;
  }
  t.deepEqual(
    snapshot.nodes.map((node) => verdictText(plugin.filter(state, info, node))),
    expected,
  );
  sights.compiled += compiled === undefined ? 0 : 1;
  sights.passesAll += passesAll ? 1 : 0;
}

const agree = test.macro((t, build: BuildFilter, least: Sights) => {
  const sights: Sights = { compiled: 0, passesAll: 0, rejected: 0, passed: 0 };
  for (let seed = 0; seed < 30; seed += 1) {
    const { world, pair } = pairOf(build);
    const random = new RandomVolumes(`${seed}`, world);
    for (let step = 0; step < 150; step += 1) {
      random.change();
      compare(t, world, pair(), random.pod(), sights);
    }
  }
  for (const [sight, count] of Object.entries(least))
    t.true(sights[sight as keyof Sights] >= count, `${sight} ${JSON.stringify(sights)}`);
});

test(
  'NodeVolumeLimits says by what it keeps of nodes what it says when it counts anew',
  agree,
  (handle: VolumeHandle) => new NodeVolumeLimits(handle),
  {
    compiled: 500,
    passesAll: 100,
    rejected: 500,
    passed: 500,
  },
);

test(
  'VolumeBinding says of bound claims for all nodes what it says of each',
  agree,
  (handle: VolumeHandle) => new VolumeBinding(handle),
  {
    compiled: 500,
    passesAll: 100,
    rejected: 500,
    passed: 500,
  },
);

test('VolumeZone says for all nodes what it says of each', agree, (handle: VolumeHandle) => new VolumeZone(handle), {
  compiled: 300,
  passesAll: 0,
  rejected: 300,
  passed: 300,
});

test('NodeVolumeLimits stops asking about single nodes as soon as every node has room again', (t) => {
  const { world, pair } = pairOf((handle) => new NodeVolumeLimits(handle));
  world.seed(testNode('n1'), testNode('n2'), csiNode('n1', { 'csi.example.com': 1 }), storageClass());
  for (const name of ['a', 'b']) world.seed(volume(`pv-${name}`), boundClaim(name, `pv-${name}`));
  const hasRoom = (): boolean => {
    const { state, pod } = world.begin(testPod('p', { spec: { volumes: claimed('a') } }));
    return pair()[0].passesAll?.(state, pod) === true;
  };
  t.true(hasRoom());
  const there = testPod('there', { spec: { volumes: claimed('b'), nodeName: 'n1' } });
  world.seed(there);
  t.false(hasRoom());
  world.cache.removePod(there);
  t.true(hasRoom());
  world.put(attachment('va', 'n1', 'pv-b'));
  t.false(hasRoom());
  world.put(csiNode('n1', { 'csi.example.com': 2 }));
  t.true(hasRoom());
});
