import test from 'ava';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { DynamicResources } from '../../../../src/scheduler/plugins/dynamic-resources.js';
import { VolumeRestrictions } from '../../../../src/scheduler/plugins/volumes/volume-restrictions.js';
import { testNode, testPod } from '../../support/objects.js';
import { claimed } from './storage-objects.js';
import { verdictText, VolumeWorld } from './volume-world.js';

test('pods without claims pass, and there is nothing to deallocate for them', (t) => {
  const made = new VolumeWorld([() => new DynamicResources()]);
  made.seed(testNode('n1'));
  const attempt = made.begin(testPod('p'));
  t.is(attempt.outcome.status, undefined);
  t.true(attempt.state.skippedFilters.has('DynamicResources'));
  const { status } = new DynamicResources().postFilter(attempt.state);
  t.is(verdictText(status), 'Unschedulable DynamicResources: no new claims to deallocate');
});

test('PostFilter fails when PreFilter was stopped before', (t) => {
  const made = new VolumeWorld([(handle) => new VolumeRestrictions(handle), () => new DynamicResources()]);
  made.seed(testNode('n1'));
  const attempt = made.begin(testPod('p', { spec: { volumes: claimed('x') } }));
  t.is(
    verdictText(attempt.outcome.status),
    'UnschedulableAndUnresolvable VolumeRestrictions: persistentvolumeclaim "x" not found',
  );
  const { status } = new DynamicResources().postFilter(attempt.state);
  t.is(verdictText(status), 'Error DynamicResources: not found');
  t.is(verdictText(new DynamicResources().postFilter(new CycleState()).status), 'Error DynamicResources: not found');
});

test('pods with claims are refused', (t) => {
  const made = new VolumeWorld([() => new DynamicResources()]);
  made.seed(testNode('n1'));
  const resourceClaims = [{ name: 'gpu' }, { name: 'nic' }];
  t.is(
    made.judge(testPod('p', { spec: { resourceClaims } })),
    'UnschedulableAndUnresolvable DynamicResources: dynamic resource allocation is not simulated: pod has resource claims [gpu nic]',
  );
});
