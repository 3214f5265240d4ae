/** The laboratory's functions for callers without types. Within the house they are called as they are. */
import { foundText as textOf, parseFound as readFound } from '../laboratory/fuzz/found-file.js';
import { parseBase as readBase } from '../laboratory/fuzz/plan-base.js';
import { parseBounds as readBounds } from '../laboratory/fuzz/read-bounds.js';
import { parseScenario as readScenario } from '../laboratory/scenario/read-scenario.js';
import { FUNCTION, guarded, withFields, MAPPING, orAbsent, TEXT, type Check } from '../options/option-checks.js';

const FOUND: Check = withFields('a discovery of a search', { shrunk: MAPPING, shrunkOutcome: MAPPING });
/** What readers of files are given. */
const FILE = { text: TEXT, source: TEXT };

/** Reads a scenario; the files that it names are read by `readFile`. @throws OptionError; ScenarioError; ManifestError */
export const parseScenario = guarded(readScenario, { ...FILE, readFile: orAbsent(FUNCTION) });

/** Reads the bounds of a search: a mapping such as `faults: [0, 20]`. @throws OptionError; ScenarioError */
export const parseBounds = guarded(readBounds, FILE);

/** Reads the base of a search out of a scenario. @throws OptionError; ScenarioError; ManifestError */
export const parseBase = guarded(readBase, { ...FILE, readFile: orAbsent(FUNCTION) });

/** Reads what a search has written down, for `playPlan`. @throws OptionError; ScenarioError */
export const parseFound = guarded(readFound, FILE);

/** The text of the file that keeps a discovery. @throws OptionError */
export const foundText = guarded(textOf, { discovery: FOUND, version: TEXT });
