/** The door `kubeloom/faults`: faults as data, what holds them, and fencing. */
export type { FencingOptions } from '../options/fencing-options.js';
export type { FencingAction } from '../controllers/fencing/fencing-settings.js';
export type { Fault, FaultVerb, LinkTarget, PartitionTarget, PartyTarget, VolumeChoice } from '../faults/fault.js';
export type { FaultCount } from '../faults/fault-tally.js';
export { FAULT_VERBS } from '../faults/read-fault.js';
export { FaultError } from '../faults/fault-error.js';
export type { FaultHandle, FaultInjector } from '../faults/fault-injector.js';
