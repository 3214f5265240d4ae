/**
 * The compact texts of a script's fields, as annotations carry them: `10s exit 1, forever`, `ok 5m, fail 30s`.
 * Each form says what it allows, and reads a text into plain data.
 */
import { ApiError } from '../../api/errors/api-error.js';
import { parseLabelSelector } from '../../api/selectors/labels.js';
import { parseDistribution, parseDurationMs, type Distribution } from '../../kernel/distribution.js';
import type {
  CreationScript,
  HookScript,
  ImagePullScript,
  PeerScript,
  PlayedImage,
  ProbeScript,
  RequestCostScript,
  RunScript,
  ShutdownScript,
} from './script-types.js';
import { definedOf, need, refuse, splitList, splitRemark, textForm, Words, type TextForm } from './text-form.js';

const LARGEST_EXIT_CODE = 255;
/** Names under which a container that could not be created waits. */
const REASONS = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'] as const;

export const DURATION: TextForm<Distribution> = {
  allowed:
    'a duration such as 500ms or 1m30s, uniform(1s, 3s), exponential(10s), lognormal(10s, 0.5) or choice(1s, 5s)',
  parse: parseDistribution,
};

export const ONE_EXIT_CODE: TextForm<number> = {
  allowed: 'an integer in 0..255',
  parse: (text) => (/^\s*\d{1,3}\s*$/.test(text) && Number(text) <= LARGEST_EXIT_CODE ? Number(text) : undefined),
};

export const EXIT_CODE: TextForm<number | readonly number[]> = textForm(
  'an integer in 0..255, or choice(0, 1) of several',
  (text) => {
    const [, list] = /^\s*choice\s*\(([^()]*)\)\s*$/.exec(text) ?? [];
    return list === undefined ? need(ONE_EXIT_CODE, text) : list.split(',').map((code) => need(ONE_EXIT_CODE, code));
  },
);

/** How many attempts fail; Infinity = all. */
export const FAILURES: TextForm<number> = {
  allowed: 'an integer >= 0, or all',
  parse(text) {
    if (text.trim() === 'all') return Infinity;
    return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
  },
};

export const CREATION_REASON: TextForm<(typeof REASONS)[number]> = {
  allowed: `one of ${REASONS.join(', ')}`,
  parse: (text) => REASONS.find((reason) => reason === text.trim()),
};

export const RUNS: TextForm<readonly RunScript[]> = textForm(
  'runs such as 10s exit 1, uniform(1m, 2m) exit choice(0, 1), 20s oom, forever: each a duration, then how it ends',
  (text) => splitList(text).map(readRun),
);

function readRun(text: string): RunScript {
  const words = new Words(text);
  if (words.takeIf('forever')) {
    words.end();
    return {};
  }
  const duration = need(DURATION, words.take());
  const isOutOfMemory = words.takeIf('oom') ? true : undefined;
  const exitCode = words.takeIf('exit') ? need(EXIT_CODE, words.take()) : undefined;
  words.end();
  if (isOutOfMemory !== undefined && exitCode !== undefined) refuse();
  return definedOf<RunScript>({ duration, exitCode, isOutOfMemory });
}

export const IMAGE_PULL: TextForm<ImagePullScript> = textForm(
  'how pulls go, such as 5s, fail 2, 5s fail 2 or fail all: connection refused',
  (text) => {
    const { head, remark: error } = splitRemark(text);
    const words = new Words(head);
    const duration = words.takeUnless(DURATION, 'fail');
    const failures = words.takeIf('fail') ? need(FAILURES, words.take()) : undefined;
    words.end();
    if (failures === undefined && (duration === undefined || error !== undefined)) refuse();
    return definedOf<ImagePullScript>({ duration, failures, error });
  },
);

export const CREATION: TextForm<CreationScript> = textForm(
  `how attempts to create it go, such as fail 2 or fail all CreateContainerError: no such device, with ${CREATION_REASON.allowed}`,
  (text) => {
    const { head, remark: error } = splitRemark(text);
    const words = new Words(head);
    if (!words.takeIf('fail')) refuse();
    const failures = need(FAILURES, words.take());
    const reason = words.takeUnless(CREATION_REASON);
    words.end();
    return definedOf<CreationScript>({ failures, reason, error });
  },
);

export const SHUTDOWN: TextForm<ShutdownScript> = textForm(
  'what it does on SIGTERM, such as 5s, exit 143, 5s exit 143 or ignore',
  (text) => {
    const words = new Words(text);
    const ignoresTerm = words.takeIf('ignore') ? true : undefined;
    const delay = ignoresTerm === undefined ? words.takeUnless(DURATION, 'exit') : undefined;
    const exitCode = ignoresTerm === undefined && words.takeIf('exit') ? need(ONE_EXIT_CODE, words.take()) : undefined;
    words.end();
    if (ignoresTerm === undefined && delay === undefined && exitCode === undefined) refuse();
    return definedOf<ShutdownScript>({ ignoresTerm, delay, exitCode });
  },
);

export const PROBE: TextForm<ProbeScript> = textForm(
  'how it answers, such as ok, fail, ok 5m, fail 30s or ok 5m, timeout 30s or ok 5m, error: first ok, then not, and so on; after a colon what a failing probe says',
  (text) => {
    const { head, remark: output } = splitRemark(text);
    const [first = '', second, ...rest] = splitList(head);
    if (rest.length > 0) refuse();
    const words = new Words(first);
    if (!words.takeIf('ok')) return second === undefined ? readFailing(words, 0, output) : refuse();
    const okFor = words.takeUnless(DURATION);
    words.end();
    if (okFor === undefined && second === undefined && output === undefined) return {};
    return okFor === undefined || second === undefined ? refuse() : readFailing(new Words(second), okFor, output);
  },
);

/** A container that is never ok fails for ever: a duration would promise what never comes. */
function readFailing(words: Words, okFor: Distribution, output: string | undefined): ProbeScript {
  const word = words.take();
  if (word !== 'fail' && word !== 'timeout' && word !== 'error') refuse();
  const isTimeout = word === 'timeout' ? true : undefined;
  const isError = word === 'error' ? true : undefined;
  const failFor = okFor === 0 ? undefined : words.takeUnless(DURATION);
  words.end();
  return definedOf<ProbeScript>({ okFor, failFor, output, isTimeout, isError });
}

/** Labels as `kubectl --selector` takes them. */
export const SELECTOR: TextForm<string> = {
  allowed: 'a label selector such as app=etcd',
  parse(text) {
    try {
      return parseLabelSelector(text).isEmpty ? undefined : text.trim();
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  },
};

/** How many pods. */
export const PEER_COUNT: TextForm<number> = {
  allowed: 'an integer >= 1',
  parse: (text) => (/^\s*[1-9]\d{0,8}\s*$/.test(text) ? Number(text) : undefined),
};

/** Milliseconds of one core. */
export const CPU_TIME: TextForm<number> = {
  allowed: 'CPU time such as 20ms or 0.5ms',
  parse(text) {
    const ms = parseDurationMs(text);
    return ms === undefined || ms === 0 ? undefined : ms;
  },
};

export const REQUEST_COST: TextForm<RequestCostScript> = textForm(
  'the CPU time of a request, and how many may wait, such as 20ms or 20ms queue 100',
  (text) => {
    const words = new Words(text);
    const cpuMs = need(CPU_TIME, words.take());
    const queue = words.takeIf('queue') ? need(PEER_COUNT, words.take()) : undefined;
    words.end();
    return definedOf<RequestCostScript>({ cpuMs, queue });
  },
);

export const NEEDS: TextForm<PeerScript> = textForm(
  'how many pods of which labels it must reach, such as 2 of app=etcd, 2 of app=etcd or exit 1 after 30s, or 1 of app=db or fail liveness',
  (text) => {
    const [, count, labels, otherwise = ''] = /^\s*(\d+) of (.+?)(?: or ((?:exit|fail) .*))?\s*$/.exec(text) ?? [];
    const atLeast = need(PEER_COUNT, count);
    const selector = need(SELECTOR, labels);
    const words = new Words(otherwise);
    if (words.takeIf('fail')) {
      if (!words.takeIf('liveness')) refuse();
      words.end();
      return { atLeast, selector, failsLiveness: true };
    }
    if (!words.takeIf('exit')) return { atLeast, selector };
    const exitCode = words.takeUnless(ONE_EXIT_CODE, 'after');
    if (!words.takeIf('after')) refuse();
    const exitAfter = need(DURATION, words.take());
    words.end();
    return definedOf<PeerScript>({ atLeast, selector, exitAfter, exitCode });
  },
);

export const HOOK: TextForm<HookScript> = textForm(
  'how the handler goes, such as 2s, fail, 2s fail or fail: no such file',
  (text) => {
    const { head, remark: error } = splitRemark(text);
    const words = new Words(head);
    const duration = words.takeUnless(DURATION, 'fail');
    const fails = words.takeIf('fail') ? true : undefined;
    words.end();
    if (fails === undefined && (duration === undefined || error !== undefined)) refuse();
    return definedOf<HookScript>({ duration, fails, error });
  },
);

const PLAYED_IMAGES: readonly PlayedImage[] = [
  'busybox',
  'alpine',
  'agnhost',
  'bash',
  'nginx',
  'httpd',
  'perl',
  'nothing',
];

/** An image whose programs stand in for those of another. */
export const PLAYED_IMAGE: TextForm<PlayedImage> = textForm(`one of ${PLAYED_IMAGES.join(', ')}`, (text) =>
  need({ parse: (each) => PLAYED_IMAGES.find((image) => image === each) }, text),
);
