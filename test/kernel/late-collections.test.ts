import test from 'ava';
import fc from 'fast-check';
import { LateMap, LateSet } from '../../src/kernel/late-collections.js';

const KEYS = fc.constantFrom('a', 'b', 'c');
const STEPS = fc.array(fc.record({ what: fc.constantFrom('put', 'delete', 'clear'), key: KEYS, value: fc.nat(9) }), {
  maxLength: 30,
});

test('a late map and a late set are, after any steps, what a Map and a Set are', (t) => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const [map, set] = [new Map<string, number>(), new Set<string>()];
      const [lateMap, lateSet] = [new LateMap<string, number>(), new LateSet<string>()];
      for (const { what, key, value } of steps) {
        if (what === 'put') {
          map.set(key, value);
          lateMap.set(key, value);
          set.add(key);
          lateSet.add(key);
        } else if (what === 'delete') {
          t.is(lateMap.delete(key), map.delete(key));
          t.is(lateSet.delete(key), set.delete(key));
        } else for (const each of [map, set, lateMap, lateSet]) each.clear();
        t.is(lateMap.size, map.size);
        t.is(lateSet.size, set.size);
        t.is(lateMap.get(key), map.get(key));
        t.is(lateMap.has(key), map.has(key));
        t.is(lateSet.has(key), set.has(key));
        t.deepEqual([...lateMap], [...map]);
        t.deepEqual([...lateMap.keys()], [...map.keys()]);
        t.deepEqual([...lateMap.values()], [...map.values()]);
        t.deepEqual([...lateSet], [...set]);
      }
    }),
  );
});
