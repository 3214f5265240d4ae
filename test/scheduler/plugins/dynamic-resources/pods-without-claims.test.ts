import test from 'ava';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { DynamicResources } from '../../../../src/scheduler/plugins/dynamic-resources/dynamic-resources.js';
import { VolumeRestrictions } from '../../../../src/scheduler/plugins/volumes/volume-restrictions.js';
import { testNode, testPod } from '../../support/objects.js';
import { claimed } from '../volumes/storage-objects.js';
import { verdictText, VolumeWorld } from '../volumes/volume-world.js';

test('pods without claims pass, and there is nothing to deallocate for them', (t) => {
  const made = new VolumeWorld([(handle) => new DynamicResources(handle)]);
  made.seed(testNode('n1'));
  const attempt = made.begin(testPod('p'));
  t.is(attempt.outcome.status, undefined);
  t.true(attempt.state.skippedFilters.has('DynamicResources'));
  const { status } = new DynamicResources(made.handle).postFilter(attempt.state, attempt.pod);
  t.is(verdictText(status), 'Unschedulable DynamicResources: no new claims to deallocate');
});

test('PostFilter fails when PreFilter was stopped before', (t) => {
  const made = new VolumeWorld([(handle) => new VolumeRestrictions(handle), (handle) => new DynamicResources(handle)]);
  made.seed(testNode('n1'));
  const attempt = made.begin(testPod('p', { spec: { volumes: claimed('x') } }));
  t.is(
    verdictText(attempt.outcome.status),
    'UnschedulableAndUnresolvable VolumeRestrictions: persistentvolumeclaim "x" not found',
  );
  const { status } = new DynamicResources(made.handle).postFilter(attempt.state, attempt.pod);
  t.is(verdictText(status), 'Error DynamicResources: not found');
  const missing = new DynamicResources(made.handle).postFilter(new CycleState(), attempt.pod);
  t.is(verdictText(missing.status), 'Error DynamicResources: not found');
});
