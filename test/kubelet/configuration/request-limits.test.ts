import test from 'ava';
import {
  resolveKubeletConfiguration,
  type KubeletConfiguration,
  type KubeletSettings,
} from '../../../src/kubelet/configuration/kubelet-configuration.js';

const limits = (given: KubeletConfiguration, ...rest: ['upstream' | 'unlimited'] | []): KubeletSettings['limits'] =>
  resolveKubeletConfiguration(given, 'kubelet', ...rest).limits;

const atOnce = (given: KubeletConfiguration): number => limits(given).imagePulls.mostAtOnce;

test('without a word of it a kubelet is limited as upstream’s', (t) => {
  t.deepEqual(limits({}), {
    api: { qps: 50, burst: 100 },
    events: { qps: 50, burst: 100 },
    imagePulls: { mostAtOnce: 1, limit: { qps: 5, burst: 10 } },
  });
});

test('0 means client-go’s own default to a client, the default to a burst, and no limit to registries', (t) => {
  const zeros = {
    kubeAPIQPS: 0,
    kubeAPIBurst: 0,
    eventRecordQPS: 0,
    eventBurst: 0,
    registryPullQPS: 0,
    registryBurst: 0,
  };
  t.deepEqual(limits(zeros), {
    api: { qps: 5, burst: 100 },
    events: { qps: 5, burst: 100 },
    imagePulls: { mostAtOnce: 1, limit: undefined },
  });
});

test('where clients are unlimited, what a configuration says holds all the same', (t) => {
  t.deepEqual(limits({ eventRecordQPS: 7, registryPullQPS: 1 }, 'unlimited'), {
    api: undefined,
    events: { qps: 7, burst: 100 },
    imagePulls: { mostAtOnce: 1, limit: { qps: 1, burst: 10 } },
  });
});

test('images are pulled in parallel when maxParallelImagePulls is 2 or more, or serializeImagePulls is false', (t) => {
  t.is(atOnce({ maxParallelImagePulls: 1 }), 1);
  t.is(atOnce({ maxParallelImagePulls: 4 }), 4);
  t.is(atOnce({ serializeImagePulls: false }), Infinity);
  t.is(atOnce({ serializeImagePulls: false, maxParallelImagePulls: 1 }), 1);
});

test('values that cannot be used are refused by name', (t) => {
  const refusals = [
    { kubeAPIQPS: -1 },
    { kubeAPIBurst: 1.5 },
    { eventRecordQPS: '50' },
    { registryBurst: Number.NaN },
    { maxParallelImagePulls: 0 },
    { serializeImagePulls: 'no' },
    { serializeImagePulls: true, maxParallelImagePulls: 3 },
  ].map((given) => t.throws(() => limits(given as KubeletConfiguration))?.message);
  t.deepEqual(refusals, [
    'kubelet.kubeAPIQPS must be an integer in 0..2147483647, got -1',
    'kubelet.kubeAPIBurst must be an integer in 0..2147483647, got 1.5',
    'kubelet.eventRecordQPS must be an integer in 0..2147483647, got "50"',
    'kubelet.registryBurst must be an integer in 0..2147483647, got NaN',
    'kubelet.maxParallelImagePulls must be an integer in 1..2147483647, got 0',
    'kubelet.serializeImagePulls must be true or false, got "no"',
    'kubelet.maxParallelImagePulls must be 1 unless serializeImagePulls is false, got 3',
  ]);
});
