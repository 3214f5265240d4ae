import test from 'ava';
import { AddressPlan, PodRange } from '../../../src/kubelet/node/address-plan.js';

test('machines and their pod ranges follow one another', (t) => {
  const plan = new AddressPlan();
  t.deepEqual([plan.hostAddress(), plan.hostAddress()], ['172.16.0.1', '172.16.0.2']);
  t.deepEqual(
    [plan.podRange(110), plan.podRange(110), plan.podRange(500)].map((range) => range.take()),
    ['10.0.0.1', '10.0.1.1', '10.0.4.1'],
  );
});

test('an address is given once, and again only after all others', (t) => {
  const range = new PodRange(10 * 2 ** 24, 4);
  t.deepEqual([range.take(), range.take(), range.take()], ['10.0.0.1', '10.0.0.2', undefined]);
  range.free('10.0.0.1');
  t.is(range.take(), '10.0.0.1');
  const wide = new PodRange(10 * 2 ** 24, 8);
  wide.free(wide.take() ?? '');
  t.is(wide.take(), '10.0.0.2');
});

test('a machine for a million pods has further ranges as it needs them', (t) => {
  const plan = new AddressPlan();
  const range = plan.podRange(1_000_000);
  t.is(plan.podRange(110).take(), '10.0.32.1', 'its first range leaves room for others');
  const first = Array.from({ length: 8190 }, () => range.take());
  t.is(first.at(-1), '10.0.31.254');
  t.is(range.take(), '10.0.64.1');
  range.free('10.0.0.7');
  for (let more = 1; more < 8190; more += 1) range.take();
  t.is(range.take(), '10.0.0.7');
  t.is(range.take(), '10.0.96.1');
});
