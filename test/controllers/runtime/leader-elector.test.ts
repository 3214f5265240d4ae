import test from 'ava';
import type { Lease } from '../../../src/api/objects/objects.js';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus } from '../../../src/bus/bus-types.js';
import { LeaderElector } from '../../../src/controllers/runtime/leader-elector.js';
import { createKernel, type Kernel } from '../../../src/kernel/engine/kernel.js';

const LEASE = { namespace: 'kube-system', name: 'kube-scheduler' };

/** Candidates of one lease, and when each began and ceased to lead. */
class Election {
  readonly kernel: Kernel = createKernel({ seed: 'election' });
  readonly server: ApiServer = createApiServer(this.kernel);
  readonly bus: Bus = createBus(this.kernel, this.server, { latency: 1 });
  readonly electors = new Map<string, LeaderElector>();
  readonly told: string[] = [];
  readonly leading = new Set<string>();
  /** Most that led at once. */
  mostLeading = 0;

  stand(identity: string, isAlone = false, isFirst = isAlone): LeaderElector {
    const elector = new LeaderElector({
      kernel: this.kernel,
      connection: this.bus.connect(identity),
      lease: LEASE.name,
      identity,
      component: 'default-scheduler',
      random: this.kernel.random(`election/${identity}`),
      isAlone,
      isFirst,
      renewLease: (renewals) => this.server.renewLease(LEASE.name, renewals, LEASE.namespace),
      onStartedLeading: () => {
        this.told.push(`${this.nowMs} ${identity} leads`);
        this.leading.add(identity);
        this.mostLeading = Math.max(this.mostLeading, this.leading.size);
      },
      onStoppedLeading: () => {
        this.told.push(`${this.nowMs} ${identity} ends`);
        this.leading.delete(identity);
      },
    });
    this.electors.set(identity, elector);
    elector.start();
    return elector;
  }

  /** As the process of a candidate ends in a crash. */
  crash(identity: string): void {
    this.electors.get(identity)?.stop();
    this.leading.delete(identity);
  }

  get nowMs(): number {
    return this.kernel.clock.now();
  }

  async runUntil(untilMs: number): Promise<void> {
    await this.kernel.clock.run({ untilMs });
  }

  /** Holder, transitions, and the times of acquisition and last renewal in milliseconds. */
  get lease(): readonly [string | undefined, number | undefined, number, number] {
    const { spec } = this.server.get('Lease', LEASE);
    const { timestamps } = this.kernel;
    return [
      spec?.holderIdentity,
      spec?.leaseTransitions,
      timestamps.toMs(spec?.acquireTime ?? ''),
      timestamps.toMs(spec?.renewTime ?? ''),
    ];
  }

  get events(): readonly string[] {
    return this.server
      .list('Event', { namespace: LEASE.namespace })
      .items.map(({ type, reason, message, involvedObject, source }) =>
        [type, reason, message, involvedObject.kind, involvedObject.apiVersion, source?.component].join(' '),
      );
  }

  dispose(): void {
    for (const elector of this.electors.values()) elector.stop();
    this.bus.dispose();
    this.kernel.clock.dispose();
  }
}

test('leader election › the first candidate takes the lease, tells so in an event, and renews every 2 s', async (t) => {
  const election = new Election();
  election.stand('a');
  election.stand('b');
  await election.runUntil(60_000);
  t.deepEqual(election.told, ['4 a leads']);
  const { metadata, spec } = election.server.get('Lease', LEASE);
  t.deepEqual([metadata.name, spec?.leaseDurationSeconds], ['kube-scheduler', 15]);
  const [holder, transitions, acquiredMs, renewedMs] = election.lease;
  t.deepEqual([holder, transitions, acquiredMs], ['a', 0, 0]);
  t.true(60_000 - renewedMs <= 2004, `renewed at ${renewedMs}`);
  t.deepEqual(election.events, [
    'Normal LeaderElection a became leader Lease coordination.k8s.io/v1 default-scheduler',
  ]);
  election.dispose();
});

test('leader election › a leader that is cut off ends 10 s after its first failed renewal, before another can lead', async (t) => {
  const election = new Election();
  election.stand('a');
  election.stand('b');
  await election.runUntil(30_000);
  const [, , , renewedMs] = election.lease;
  election.bus.link('a')?.cut();
  await election.runUntil(60_000);
  const [first, end, second] = election.told;
  t.deepEqual([first, end], ['4 a leads', `${renewedMs + 2 + 2000 + 10_000} a ends`]);
  const [leadsMs, who] = (second ?? '').split(' ');
  t.is(who, 'b');
  const sinceRenewalMs = Number(leadsMs) - renewedMs;
  t.true(sinceRenewalMs >= 15_000 && sinceRenewalMs <= 15_000 + 4400 + 4400 + 10, `after ${sinceRenewalMs} ms`);
  t.is(election.mostLeading, 1);
  t.deepEqual(election.lease.slice(0, 2), ['b', 1]);
  election.dispose();
});

test('leader election › a leader that crashes gives nothing back: the standby waits until it has seen no renewal for 15 s', async (t) => {
  const election = new Election();
  election.stand('a');
  election.stand('b');
  await election.runUntil(30_000);
  const [, , , renewedMs] = election.lease;
  election.crash('a');
  await election.runUntil(60_000);
  const [leadsMs = '', who] = (election.told[1] ?? '').split(' ');
  t.is(who, 'b');
  t.true(Number(leadsMs) - renewedMs >= 15_000);
  const [holder, transitions, acquiredMs] = election.lease;
  t.deepEqual([holder, transitions], ['b', 1]);
  t.true(acquiredMs > renewedMs);
  election.dispose();
});

test('leader election › a short cut changes nothing', async (t) => {
  const election = new Election();
  election.stand('a');
  election.stand('b');
  await election.runUntil(30_000);
  election.bus.link('a')?.cut();
  await election.runUntil(36_000);
  election.bus.link('a')?.restore();
  await election.runUntil(120_000);
  t.deepEqual(election.told, ['4 a leads']);
  t.true(120_000 - election.lease[3] <= 2004);
  election.dispose();
});

test('leader election › however candidates crash and are cut off, no two lead at once', async (t) => {
  const election = new Election();
  const random = election.kernel.random('plan');
  const names = ['a', 'b', 'c'];
  for (const name of names) election.stand(name);
  for (let atMs = 0; atMs < 1_200_000; atMs += random.int(500, 9000)) {
    await election.runUntil(atMs);
    const name = names[random.int(0, 2)] ?? '';
    const what = random.int(0, 3);
    if (what === 0) election.bus.link(name)?.cut();
    else if (what === 1) for (const each of names) election.bus.link(each)?.restore();
    else if (what === 2) election.crash(name);
    // A process that ended, whatever the reason, comes back with the memory of a new one.
    else for (const each of names) if (election.electors.get(each)?.isStanding === false) election.stand(each);
  }
  t.is(election.mostLeading, 1);
  t.true((election.lease[1] ?? 0) > 5, `${election.lease[1]} transitions`);
  election.dispose();
});

test('leader election › one that is alone leads at once, and costs nothing while it has no rival', async (t) => {
  const election = new Election();
  election.stand('a', true);
  t.deepEqual(election.told, ['0 a leads']);
  await election.runUntil(1000);
  const { ticks } = election.kernel.clock;
  const { version } = election.server;
  await election.runUntil(3_500_000);
  t.deepEqual([election.kernel.clock.ticks, election.server.version], [ticks, version]);
  const [holder, transitions, acquiredMs, renewedMs] = election.lease;
  t.deepEqual([holder, transitions, acquiredMs], ['a', 0, 0]);
  t.true(3_500_000 - renewedMs < 2000, `renewed at ${renewedMs}`);
  t.is(election.events.length, 1);
  election.dispose();
});

test('leader election › one that is alone and cut off shows its last renewal, ends in time, and its next life waits like any other', async (t) => {
  const election = new Election();
  election.stand('a', true);
  await election.runUntil(601_000);
  election.bus.link('a')?.cut();
  await election.runUntil(700_000);
  const [, , , renewedMs] = election.lease;
  t.true(601_000 - renewedMs < 2000, `renewed at ${renewedMs}`);
  t.deepEqual(election.told.slice(1), [`${renewedMs + 12_000} a ends`]);
  election.crash('a');
  election.bus.link('a')?.restore();
  election.stand('a2', true, false);
  await election.runUntil(715_000);
  t.is(election.told.length, 2);
  await election.runUntil(725_000);
  t.true(election.electors.get('a2')?.isLeading);
  t.deepEqual(election.lease.slice(0, 2), ['a2', 1]);
  election.dispose();
});

test('leader election › one that is alone rests again after a short cut', async (t) => {
  const election = new Election();
  election.stand('a', true);
  await election.runUntil(600_000);
  election.bus.link('a')?.cut();
  await election.runUntil(606_000);
  election.bus.link('a')?.restore();
  await election.runUntil(620_000);
  t.deepEqual(election.told, ['0 a leads']);
  const { ticks } = election.kernel.clock;
  await election.runUntil(900_000);
  t.is(election.kernel.clock.ticks, ticks);
  t.true(900_000 - election.lease[3] < 2000);
  election.dispose();
});

/** Writes the lease as another candidate would. */
function overwrite({ server }: Election, change: (spec: NonNullable<Lease['spec']>) => Lease['spec']): void {
  server.change('Lease', LEASE, (lease) => ({ ...lease, spec: change(lease.spec ?? {}) }) as Lease);
}

test('leader election › one that is alone ends when another takes its lease, and makes it anew when it is deleted', async (t) => {
  const election = new Election();
  election.stand('a', true);
  await election.runUntil(60_000);
  election.server.delete('Lease', LEASE);
  await election.runUntil(70_000);
  t.is(election.lease[0], 'a');
  t.deepEqual(election.told, ['0 a leads']);
  overwrite(election, (spec) => ({ ...spec, holderIdentity: 'thief', leaseDurationSeconds: 3600 }));
  await election.runUntil(90_000);
  t.is(election.lease[0], 'thief');
  t.is(election.told[1]?.split(' ').slice(1).join(' '), 'a ends');
  election.dispose();
});
