import type { PlanDocument } from '../../../../src/index.js';
import type { SourceChange } from './broken-program.js';

/** A variant of the program with a bug that could be written by mistake. */
export interface PlantedBug {
  readonly name: string;
  readonly changes: readonly SourceChange[];
  /** The promises that it breaks, whichever a search finds first. */
  readonly invariants: readonly string[];
  /** Brings about what plans do not; absent = they do. */
  readonly adapt?: (plan: PlanDocument) => PlanDocument;
  /** Seeds, from 1 on, within which a search finds it. */
  readonly seeds: number;
}

/** What the search is held to. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a StatefulSet controller that recreates before the object is gone',
    changes: [
      {
        file: 'controllers/stateful-set/set-pass',
        text: `if (isPodTerminal(pod))
            return`,
        becomes: `if (isTerminating(pod) && !isPodTerminal(pod))
            return writer.delete(pod).then(() => this.#createReplica(ordinal));
        if (isPodTerminal(pod))
            return`,
      },
      {
        file: 'controllers/stateful-set/pod-writer',
        text: "await this.#context.api.delete('Pod', metadata)",
        becomes:
          "await this.#context.api.delete('Pod', metadata, metadata.deletionTimestamp === undefined ? {} : { gracePeriodSeconds: 0 })",
      },
    ],
    invariants: ['removed-by-its-kubelet'],
    seeds: 30,
  },
  {
    name: 'a kubelet that reports a terminal phase while a process runs',
    changes: [
      {
        file: 'kubelet/pods/pod-worker',
        text: 'generateStatus({ pod, records, sandbox, verdict, last, hasEnded: false, resize }, this.node)',
        becomes:
          'generateStatus({ pod, records, sandbox, verdict, last, hasEnded: pod.metadata.deletionTimestamp !== undefined, resize }, this.node)',
      },
    ],
    invariants: ['terminal-after-processes'],
    seeds: 30,
  },
  {
    name: 'a ReplicaSet controller that trusts a stale cache without expectations',
    changes: [
      {
        file: 'controllers/replica-set/replica-set-memory',
        text: 'this.expectations = new Expectations(context.kernel.clock);',
        becomes:
          'this.expectations = new Expectations(context.kernel.clock);\n        this.expectations.isSatisfied = () => true;',
      },
    ],
    invariants: ['replicas-expected'],
    seeds: 300,
  },
  {
    name: 'a scheduler that forgets to un-assume after a failed bind',
    changes: [
      {
        file: 'scheduler/schedule-one',
        text: `framework.runUnreserve(state, assumed, nodeName);
        cache.forgetPod(assumed.pod);
        const { uid }`,
        becomes: `framework.runUnreserve(state, assumed, nodeName);
        const { uid }`,
      },
    ],
    invariants: ['liveness', 'no-wait-beside-room'],
    seeds: 300,
  },
  {
    name: 'a Job controller that counts a pod twice',
    changes: [
      {
        file: 'controllers/job/pod-tracking',
        text: 'of outcome.released)',
        becomes: 'of pods)',
      },
    ],
    invariants: ['counted-once'],
    adapt: withRefusals,
    seeds: 50,
  },
  {
    name: 'a watch that resumes one event late',
    changes: [
      {
        file: 'bus/watch-stream',
        text: 'wire.server.watch(kind, options, (event) => this.#tell(event))',
        becomes: `wire.server.watch(kind, options, (event) => {
            if (this.hasListed || event.type === 'BOOKMARK') this.#tell(event);
            this.hasListed = true;
        })`,
      },
      {
        file: 'bus/watch-stream',
        text: 'this.#list = undefined;',
        becomes: 'this.#list = undefined;\n        this.hasListed = true;',
      },
    ],
    invariants: ['caches-at-rest', 'liveness'],
    seeds: 300,
  },
  {
    name: 'an informer that drops a delete that came as a relist',
    changes: [
      {
        file: 'bus/object-cache',
        text: 'for (const key of vanished) {',
        becomes: 'for (const key of []) {',
      },
    ],
    invariants: ['caches-at-rest', 'liveness'],
    adapt: withLostHistory,
    seeds: 300,
  },
  {
    name: 'an eviction that reads a stale budget',
    changes: [
      {
        file: 'apiserver/requests/eviction',
        text: 'const BUDGETS =',
        becomes: 'const READ = new Map();\nconst BUDGETS =',
      },
      {
        file: 'apiserver/requests/eviction',
        text: 'refuseUnlessAllowed(budget);',
        becomes: `const { uid } = budget.metadata;
    if (!(READ.get(uid)?.untilMs > Date.parse(now))) READ.set(uid, { budget, untilMs: Date.parse(now) + 30_000 });
    const stale = READ.get(uid).budget;
    refuseUnlessAllowed(stale);`,
      },
      {
        file: 'apiserver/requests/eviction',
        text: '(current) => withDisruption(current, pod, now)',
        becomes: '(current) => ({ ...current, status: withDisruption(stale, pod, now).status })',
      },
    ],
    invariants: ['evictions-counted'],
    seeds: 300,
  },
  {
    name: 'an attach without compare-and-swap',
    changes: [
      {
        file: 'controllers/attach-detach/reconcile-pass',
        text: 'if (record !== undefined && record.nodeName !== nodeName && !others.includes(record.nodeName)) {',
        becomes: 'if (false) {',
      },
      {
        file: 'controllers/attach-detach/attach-records',
        text: 'if (record === undefined)\n                return { next',
        becomes: 'if (record?.nodeName !== nodeName)\n                return { next',
      },
      {
        file: 'controllers/attach-detach/attach-records',
        text: 'const next = withAttachRecord(volume, swap.next);',
        becomes:
          'const { resourceVersion: _, ...metadata } = volume.metadata;\n            const next = withAttachRecord({ ...volume, metadata }, swap.next);',
      },
    ],
    invariants: ['attach-records-swapped'],
    adapt: withTwoAttachers,
    seeds: 50,
  },
  {
    name: 'pod GC without quarantine',
    changes: [
      {
        file: 'controllers/pod-gc/pod-gc-memory',
        text: 'const QUARANTINE_MS = 40_000;',
        becomes: 'const QUARANTINE_MS = 0;',
      },
    ],
    invariants: ['orphans-quarantined'],
    adapt: withDeletedNode,
    seeds: 10,
  },
  {
    name: 'a node controller that compares the clocks of two machines',
    changes: [
      {
        file: 'controllers/node-lifecycle/lifecycle-memory',
        text: 'this.passes.from(Math.max(leaseMs ?? 0, statusMs ?? 0))',
        becomes:
          "this.passes.from(Math.max(this.#context.kernel.timestamps.toMs(this.#context.kernel.at('kubelet/' + name).timestamps.toMicroTime(leaseMs ?? 0)), statusMs ?? 0))",
      },
      {
        file: 'controllers/node-lifecycle/lifecycle-memory',
        text: 'return this.#context.kernel.clock.now() - this.stampMs(record) < SAFE_GRACE_MS;',
        becomes: 'return false;',
      },
    ],
    invariants: ['heard-nodes-stay', 'silent-nodes-given-up'],
    seeds: 300,
  },
];

/** A node is deleted, such as by an operator of its machine, and its kubelet registers it anew a little later. */
function withDeletedNode(plan: PlanDocument): PlanDocument {
  const actions = [
    { at: '200s', delete: 'node/node-1' },
    { at: '200s', for: '50s', stopKubelet: { node: 'node-1' } },
  ];
  return { ...plan, actions: [...plan.actions, ...actions] };
}

/** Two attach/detach controllers run for a while, over links on which they see things at different times. */
function withTwoAttachers(plan: PlanDocument): PlanDocument {
  const actions = [
    { at: '61s', for: '10m', runTwice: { controller: 'persistentvolume-attach-detach-controller' } },
    ...plan.actions,
  ];
  return { ...plan, cluster: { ...plan.cluster, latency: 1000 }, actions };
}

/** The API server refuses a part of what the controllers ask, from the time of the first pods on. */
function withRefusals(plan: PlanDocument): PlanDocument {
  const refuse = { component: 'kube-controller-manager', share: 0.3, with: 'InternalError' };
  return { ...plan, actions: [{ at: '1s', for: '10m', refuse }, ...plan.actions] };
}

/** A pod is gone when all list anew, and no watch has told of its end. */
function withLostHistory(plan: PlanDocument): PlanDocument {
  const actions = [
    { at: '150s', for: '30s', restartApiServer: { forgetsHistory: true } },
    { at: '160s', mayFail: true, delete: { object: 'pod/pin-0', force: true } },
  ];
  return { ...plan, actions: [...plan.actions, ...actions] };
}
