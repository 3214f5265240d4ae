/** The scheduler's functions for callers without types. Within the house they are called as they are. */
import { guarded, withFields, LIST, MAPPING, TEXT, type Check } from '../options/option-checks.js';
import { readSchedulerConfig } from '../options/scheduler-config.js';
import { explainNode as nodeOf } from '../scheduler/explain/explain-node.js';
import { Code, createStatus as statusOf } from '../scheduler/framework/status.js';

const CODES: readonly unknown[] = Object.values(Code);
const CODE: Check = ['a value of Code', (value) => CODES.includes(value)];
const ATTEMPT: Check = withFields('an attempt of an explanation', { scores: LIST, rejections: LIST });

/** Builds a verdict of a plugin that is not plain success. @throws OptionError */
export const createStatus = guarded(statusOf, { code: CODE, plugin: TEXT });

/** What an attempt at a pod made of one node. @throws OptionError */
export const explainNode = guarded(nodeOf, { attempt: ATTEMPT, nodeName: TEXT });

/** Reads a KubeSchedulerConfiguration. @throws OptionError; SchedulerConfigError with everything that is wrong */
export const parseSchedulerConfig = guarded(readSchedulerConfig, {
  input: ['a text or an object', (value) => typeof value === 'string' || MAPPING[1](value)],
  source: TEXT,
});
