import test from 'ava';
import {
  DEFAULT_RUNTIME_PROFILE,
  resolveRuntimeProfile,
  RuntimeProfileError,
  type RuntimeProfile,
} from '../../../src/kubelet/scripts/runtime-profile.js';

function refusal(profile: unknown): string | undefined {
  try {
    resolveRuntimeProfile(profile as Partial<RuntimeProfile>);
    return undefined;
  } catch (error) {
    return error instanceof RuntimeProfileError ? error.message : String(error);
  }
}

test('a profile is filled up with the defaults', (t) => {
  t.deepEqual(resolveRuntimeProfile(), DEFAULT_RUNTIME_PROFILE);
  t.deepEqual(resolveRuntimeProfile({ sandbox: { choice: [1, 2] } }), {
    ...DEFAULT_RUNTIME_PROFILE,
    sandbox: { choice: [1, 2] },
  });
});

test('a profile names the field that cannot be used, what it got and what is allowed', (t) => {
  t.is(
    refusal({ sandbox: -1 }),
    'runtime.sandbox must be milliseconds >= 0, or one of {uniform: [min, max]}, {exponential: {meanMs}}, ' +
      '{lognormal: {medianMs, sigma}}, {choice: [ms, …]}, got -1',
  );
  t.is(
    refusal({ speed: 1 }),
    'runtime.speed is unknown; allowed are imagePull, imageCheck, sandbox, containerStart, initRunFor, jobRunFor, volumeMount, volumeUnmount, volumeExpand, shutdown',
  );
  for (const bad of [null, 'fast', {}, { uniform: [2, 1] }, { choice: [] }, { lognormal: { medianMs: 1 } }]) {
    t.regex(refusal({ shutdown: bad }) ?? '', /^runtime\.shutdown must be /);
  }
});
