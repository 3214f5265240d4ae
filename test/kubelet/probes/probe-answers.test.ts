import test from 'ava';
import fc from 'fast-check';
import { randomStream } from '../../../src/kernel/random.js';
import { drawAnswers, UP_AT_ONCE, type AnswerTimeline } from '../../../src/kubelet/probes/probe-answers.js';
import type { ContainerScript, ProbeScript } from '../../../src/kubelet/scripts/script-types.js';

function answersOf(script: ContainerScript, runningMs = 0, seed = 's') {
  return drawAnswers(script, runningMs, randomStream(seed, 'delays'), (kind) => randomStream(seed, kind));
}

function turns(readiness: ProbeScript, runningMs = 0): AnswerTimeline {
  return answersOf({ readiness }, runningMs).readiness;
}

test('an application without a script answers every probe well, and shares that with all others', (t) => {
  t.is(answersOf({}), UP_AT_ONCE);
  t.is(answersOf({ startDelay: 0, readinessDelay: 0 }), UP_AT_ONCE);
  t.deepEqual(UP_AT_ONCE.liveness.at(123), { answer: 'ok', untilMs: Infinity });
});

test('success and failure take turns from the start of the run', (t) => {
  const timeline = turns({ okFor: 5000, failFor: 2000 }, 1000);
  t.deepEqual(timeline.at(1000), { answer: 'ok', untilMs: 6000 });
  t.deepEqual(timeline.at(5999), { answer: 'ok', untilMs: 6000 });
  t.deepEqual(timeline.at(6000), { answer: 'failing', untilMs: 8000 });
  t.deepEqual(timeline.at(8000), { answer: 'ok', untilMs: 13_000 });
});

test('without an end a turn lasts for ever', (t) => {
  t.deepEqual(turns({}).at(1e12), { answer: 'ok', untilMs: Infinity });
  t.deepEqual(turns({ okFor: 5 }).at(5), { answer: 'failing', untilMs: Infinity });
  t.deepEqual(turns({ okFor: 0 }).at(0), { answer: 'failing', untilMs: Infinity });
});

test('time goes on even where every turn is drawn as nothing', (t) => {
  t.deepEqual(turns({ okFor: 0, failFor: { choice: [0] } }).at(3), { answer: 'failing', untilMs: 4 });
});

test('each kind of probe has turns of its own, drawn anew for each run', (t) => {
  const script: ContainerScript = {
    readiness: { okFor: { uniform: [0, 1e6] } },
    liveness: { okFor: { uniform: [0, 1e6] } },
  };
  const ends = [answersOf(script, 0, 'a'), answersOf(script, 0, 'b')].flatMap(({ readiness, liveness }) => [
    readiness.at(0).untilMs,
    liveness.at(0).untilMs,
  ]);
  t.is(new Set(ends).size, 4);
});

test('answers do not depend on when they are read, nor on what is forgotten', (t) => {
  const script: ProbeScript = { okFor: { exponential: { meanMs: 700 } }, failFor: { uniform: [0, 900] } };
  const moments = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(moments, fc.array(fc.boolean()), (looks, forgets) => {
        const inOrder = turns(script);
        const sorted = new Map(looks.toSorted((a, b) => a - b).map((ms) => [ms, inOrder.at(ms)]));
        const anyhow = turns(script);
        const forgetting = turns(script);
        return (
          looks.every((ms) => sameSpan(anyhow.at(ms), sorted.get(ms))) &&
          [...sorted].every(([ms, span], index) => {
            if (forgets[index] === true) forgetting.forgetBefore(ms);
            return sameSpan(forgetting.at(ms), span);
          })
        );
      }),
    ),
  );
});

function sameSpan(a: ReturnType<AnswerTimeline['at']>, b: ReturnType<AnswerTimeline['at']> | undefined): boolean {
  return a.answer === b?.answer && a.untilMs === b.untilMs;
}
