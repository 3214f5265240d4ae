/** What a search has come to, as a line of JSON, and what several have come to together. Pure. */
import { NOTHING, together as exercisedTogether } from '../../laboratory/fuzz/plan-outcome.js';
import type { SearchSummary } from '../../laboratory/fuzz/search.js';

/** Of no seed at all. */
export const NO_SEARCH: SearchSummary = {
  seeds: 0,
  virtualMs: 0,
  actions: new Map(),
  refused: 0,
  asked: 0,
  discoveries: [],
  evaluated: NOTHING.evaluated,
  faults: NOTHING.faults,
  crashes: NOTHING.crashes,
  failedRequests: 0,
  podsCreated: 0,
  processesStarted: 0,
};

/** JSON has no maps: one becomes a mapping with this field alone. */
const MAP = '$map';

/** One line; names in the order in which they were first counted. */
export function searchLine(summary: SearchSummary): string {
  return JSON.stringify(summary, (_, value: unknown) => (value instanceof Map ? { [MAP]: [...value] } : value));
}

/** What {@link searchLine} wrote. */
export function parseSearchLine(line: string): SearchSummary {
  return JSON.parse(line, (_, value: unknown) => {
    const isMap = typeof value === 'object' && value !== null && MAP in value;
    return isMap ? new Map(value[MAP] as readonly [string, unknown][]) : value;
  }) as SearchSummary;
}

/** Both; discoveries by their seeds. */
export function together(left: SearchSummary, right: SearchSummary): SearchSummary {
  const actions = new Map(left.actions);
  for (const [verb, count] of right.actions) actions.set(verb, (actions.get(verb) ?? 0) + count);
  return {
    ...exercisedTogether(left, right),
    actions,
    seeds: left.seeds + right.seeds,
    virtualMs: left.virtualMs + right.virtualMs,
    refused: left.refused + right.refused,
    asked: left.asked + right.asked,
    discoveries: [...left.discoveries, ...right.discoveries].toSorted((a, b) => a.seed - b.seed),
  };
}
