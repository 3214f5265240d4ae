import test from 'ava';
import fc from 'fast-check';
import { TokenBucket, type RateLimit } from '../../src/kernel/token-bucket.js';

test('a burst goes at once, what follows at the rate', (t) => {
  const bucket = new TokenBucket({ qps: 20, burst: 30 });
  const due = Array.from({ length: 33 }, () => bucket.reserve(1000));
  t.deepEqual(new Set(due.slice(0, 30)), new Set([1000]));
  t.deepEqual(due.slice(30), [1050, 1100, 1150]);
});

test('300 requests at 20 a second, 30 of them at once, take 13.5 s', (t) => {
  const bucket = new TokenBucket({ qps: 20, burst: 30 });
  const due = Array.from({ length: 300 }, () => bucket.reserve(0));
  t.is(due.at(-1), 13_500);
});

test('tokens come back with time, up to the burst and no further', (t) => {
  const bucket = new TokenBucket({ qps: 10, burst: 2 });
  t.deepEqual([bucket.reserve(0), bucket.reserve(0), bucket.reserve(0)], [0, 0, 100]);
  t.deepEqual([bucket.reserve(250), bucket.reserve(250)], [250, 300]);
  t.deepEqual([bucket.reserve(60_000), bucket.reserve(60_000), bucket.reserve(60_000)], [60_000, 60_000, 60_100]);
});

test('a taker that may not wait takes what is there, and reserves nothing', (t) => {
  const bucket = new TokenBucket({ qps: 5, burst: 2 });
  t.deepEqual(
    [bucket.tryTake(0), bucket.tryTake(0), bucket.tryTake(0), bucket.tryTake(199)],
    [true, true, false, false],
  );
  t.deepEqual([bucket.tryTake(200), bucket.tryTake(200)], [true, false]);
});

test('a rate that no millisecond divides does not drift: a million requests end to the millisecond', (t) => {
  const bucket = new TokenBucket({ qps: 3, burst: 1 });
  let last = 0;
  for (let index = 0; index <= 3_000_000; index += 1) last = bucket.reserve(0);
  t.is(last, 1_000_000_000);
});

/** As golang.org/x/time/rate computes it: a balance of tokens that time adds to. */
class Balance {
  #tokens: number;
  #lastMs = 0;

  constructor(private readonly limit: RateLimit) {
    this.#tokens = limit.burst;
  }

  reserve(nowMs: number): number {
    const { qps, burst } = this.limit;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#lastMs) * qps) / 1000) - 1;
    this.#lastMs = nowMs;
    return this.#tokens >= 0 ? nowMs : nowMs + (-this.#tokens * 1000) / qps;
  }
}

test('the moments are those of golang.org/x/time/rate, whenever requests come', (t) => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 40 }), gaps, (qps, burst, waits) => {
      const [bucket, balance] = [new TokenBucket({ qps, burst }), new Balance({ qps, burst })];
      let nowMs = 0;
      for (const wait of waits) {
        nowMs += wait;
        const [got, exact] = [bucket.reserve(nowMs), balance.reserve(nowMs)];
        if (Math.abs(got - exact) > 1.000_001 || got < exact - 0.000_001) return false;
      }
      return true;
    }),
  );
  t.pass();
});
