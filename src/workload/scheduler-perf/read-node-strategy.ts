import { printed } from '../input-error.js';
import type { Fields } from '../fields.js';
import type { NodeStrategy } from './operations.js';

const FIELDS = ['nodeAllocatableStrategy', 'labelNodePrepareStrategy', 'uniqueNodeLabelStrategy'] as const;

/** How the nodes of a createNodes are made ready; `undefined` = not at all. @throws SchedulerPerfError */
export function readNodeStrategy(fields: Fields): NodeStrategy | undefined {
  const [field, second] = FIELDS.filter((each) => fields.has(each));
  if (field === undefined) return undefined;
  if (second !== undefined) throw fields.refusal(second, `cannot stand beside ${field}`);
  const inner = fields.fields(field);
  const strategy = READERS[field](inner);
  inner.refuseUnknown();
  return strategy;
}

const READERS: Readonly<Record<(typeof FIELDS)[number], (inner: Fields) => NodeStrategy>> = {
  labelNodePrepareStrategy(inner) {
    const labelValues = inner.texts('labelValues');
    if (labelValues.length === 0) throw inner.refusal('labelValues', 'must hold at least one value');
    return { kind: 'label', labelKey: inner.text('labelKey'), labelValues };
  },
  uniqueNodeLabelStrategy: (inner) => ({ kind: 'uniqueLabel', labelKey: inner.text('labelKey') }),
  nodeAllocatableStrategy: (inner) => ({
    kind: 'allocatable',
    nodeAllocatable: readAmounts(inner),
    csiNodeAllocatable: readLimits(inner),
    migratedPlugins: inner.texts('migratedPlugins'),
  }),
};

function readAmounts(inner: Fields): Readonly<Record<string, string>> {
  const amounts = Object.entries(inner.mapping('nodeAllocatable') ?? {});
  return Object.fromEntries(
    amounts.map(([name, amount]) => {
      if (typeof amount === 'string' || typeof amount === 'number') return [name, String(amount)];
      throw inner.refusal('nodeAllocatable', `must hold a quantity under ${name}, got ${printed(amount)}`);
    }),
  );
}

function readLimits(inner: Fields): Readonly<Record<string, { readonly count?: number }>> {
  const drivers = inner.mapping('csiNodeAllocatable');
  if (drivers === undefined) return {};
  const byDriver = inner.fields('csiNodeAllocatable');
  return Object.fromEntries(
    Object.keys(drivers).map((driver) => {
      const limits = byDriver.fields(driver);
      const count = limits.count('count');
      limits.refuseUnknown();
      return [driver, count === undefined ? {} : { count }];
    }),
  );
}
