import test from 'ava';
import fc from 'fast-check';
import type { core, StringMap } from '../../../../src/api/objects/objects.js';
import { isReachable, type VolumeCandidate } from '../../../../src/api/volumes/volume-rules.js';
import { CandidateTable } from '../../../../src/scheduler/plugins/volumes/volume-binding/candidate-table.js';
import { volume } from './storage-objects.js';

const KEYS = ['host', 'zone'];
const VALUES = ['a', 'b', 'c'];

const requirement = fc.record({
  key: fc.constantFrom(...KEYS),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 2 }),
});
const selector = fc.array(fc.record({ matchExpressions: fc.array(requirement, { maxLength: 2 }) }), { maxLength: 2 });
const affinity: fc.Arbitrary<core.VolumeNodeAffinity | undefined> = fc.option(
  selector.map((nodeSelectorTerms) => ({ required: { nodeSelectorTerms } })),
  { nil: undefined },
);
const labels: fc.Arbitrary<StringMap> = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES));

/** Every volume looked at, one after the other. */
function slowBest(
  candidates: readonly VolumeCandidate[],
  own: StringMap,
  taken: ReadonlySet<string>,
): string | undefined {
  for (const { volume: each, isPreBound } of candidates) {
    if (taken.has(each.metadata.name)) continue;
    if (isReachable(each, own)) return each.metadata.name;
    if (isPreBound) return undefined;
  }
  return undefined;
}

test('finds the same volume as a walk over all of them', (t) => {
  const candidate = fc.record({ nodeAffinity: affinity, isPreBound: fc.boolean(), isTaken: fc.boolean() });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 8 }), labels, (drawn, own) => {
      const candidates = drawn.map(({ nodeAffinity, isPreBound }, place) => ({
        volume: volume(`pv${place}`, nodeAffinity === undefined ? {} : { nodeAffinity }),
        isPreBound,
      }));
      const taken = new Set(drawn.flatMap(({ isTaken }, place) => (isTaken ? [`pv${place}`] : [])));
      const found = new CandidateTable(candidates).findBest(own, taken);
      return found?.metadata.name === slowBest(candidates, own, taken);
    }),
  );
  t.pass();
});
