/**
 * Draws what workloads of a kind differ in beside their size and their template: histories, partitions, init
 * containers, sidecars, ends of jobs; and what users do to nodes and claims. From a stream of its own, so that the
 * rest of a plan stays what it is.
 */
import type { RandomStream } from '../../kernel/random.js';
import { CONTAINER, oneIn } from './draw-templates.js';
import type { DrawnSite, DrawnWorkload } from './draw-workloads.js';
import type { PlannedAction, Range } from './plan-document.js';

type Fields = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;
const NOTICED_SECONDS = 120;
/** Nearly all that a node has: its kubelet evicts before the kernel would kill. */
const HOG_MEMORY = '130750Mi';

/** The same workload with its traits. */
export function withTraits(random: RandomStream, workload: DrawnWorkload): DrawnWorkload {
  const objects = workload.objects.map((object) => {
    const traits = TRAITS[String(object['kind'])];
    const spec = object['spec'] as Fields | undefined;
    return traits === undefined || spec === undefined ? object : { ...object, spec: traits(random, spec) };
  });
  const claimed = workload.objects.find(isWithClaims);
  if (claimed === undefined || workload.node !== undefined) return { ...workload, objects };
  return { ...workload, objects: [...objects, ...(oneIn(random, 2) ? [headless(workload.ref)] : [])] };
}

/** Workloads that not every plan needs: a host port that each node has once, and a pod that uses up a node's memory. */
export function drawOddities(
  random: RandomStream,
  { nodes }: DrawnSite,
  isCompared: boolean,
): readonly DrawnWorkload[] {
  const drawn = [oneIn(random, 5) ? porter(random, nodes) : undefined, oneIn(random, 8) ? hog(random) : undefined];
  // Whether the hog's remains are still there depends on what became of its node.
  return drawn.filter((each) => each !== undefined).filter(({ pod }) => !(isCompared && pod === 'hog'));
}

/** What users do to nodes, and to claims that are in use. */
export function drawUpkeep(
  random: RandomStream,
  nodes: readonly string[],
  { endMs, claims }: { readonly endMs: number; readonly claims: readonly string[] },
): readonly PlannedAction[] {
  const time = (): number => random.int(MINUTE_MS, Math.max(MINUTE_MS, endMs));
  const taints = Array.from({ length: random.int(0, 2) }, () => {
    const node = nodes[random.int(0, nodes.length - 1)] ?? '';
    const effect = EFFECTS[random.int(0, EFFECTS.length - 1)];
    const atMs = time();
    const taint = { node, key: 'maintenance', effect };
    return [action(atMs, 'taint', taint), action(atMs + random.int(20_000, 400_000), 'untaint', taint)];
  });
  const deletions = claims.map((claim) => {
    const atMs = time();
    const pod = claim.replace(/^[^-]*-/, '');
    return [
      action(atMs, 'delete', `persistentvolumeclaim/${claim}`),
      action(atMs + random.int(5000, MINUTE_MS), 'delete', `pod/${pod}`),
    ];
  });
  return [...taints, ...(oneIn(random, 2) ? deletions : [])].flat();
}

/** What is changed was read into an editor before, and is not to be put back from there. */
export function drawEdit(random: RandomStream, change: PlannedAction): readonly PlannedAction[] {
  const changed = (change['patch'] ?? change['scale']) as { readonly object?: string } | undefined;
  if (changed?.object === undefined) return [];
  const { object, ...rest } = changed as { readonly object: string; readonly namespace?: string };
  const namespace = rest.namespace === undefined ? {} : { namespace: rest.namespace };
  const atMs = Math.max(0, Number.parseInt(change.at, 10) - random.int(500, 5000));
  const patch = { metadata: { annotations: { note: String(atMs) } } };
  const edit = action(atMs, 'edit', { object, ...namespace, patch });
  return [{ ...edit, for: `${random.int(6, 40)}s` }];
}

/** All nodes at once, which is one fault: then it is rather the node controller that is cut off. */
export function drawBlackout(
  random: RandomStream,
  nodes: readonly string[],
  { atMs, lastSeconds: [least, most] }: { readonly atMs: number; readonly lastSeconds: Range },
): readonly PlannedAction[] {
  if (!oneIn(random, 6)) return [];
  // A shorter one goes unnoticed.
  const lastsSeconds = random.int(Math.max(least, Math.min(most, NOTICED_SECONDS)), most);
  return nodes.map((node) => ({ ...action(atMs, 'cut', { node }), for: `${lastsSeconds}s` }));
}

/** The claims that a user may delete while their pods run. */
export function claimsOf({ ref, objects, node }: DrawnWorkload): readonly string[] {
  return node === undefined && objects.some(isWithClaims) ? [`data-${ref.replace(/^.*\//, '')}-0`] : [];
}

const EFFECTS = ['NoSchedule', 'NoExecute', 'NoExecute', 'PreferNoSchedule'] as const;

const TRAITS: Readonly<Record<string, (random: RandomStream, spec: Fields) => Fields>> = {
  Deployment: (random, spec) => ({ ...spec, ...history(random), ...template(random, spec) }),
  ReplicaSet: (random, spec) => ({ ...spec, ...template(random, spec) }),
  StatefulSet: (random, spec) => {
    const partition = random.int(1, 2);
    const isParted = oneIn(random, 3) && Number(spec['replicas']) > 1;
    const strategy = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } };
    return { ...spec, ...history(random), ...(isParted ? strategy : {}), ...template(random, spec) };
  },
  DaemonSet: (random, spec) => ({
    ...spec,
    ...history(random),
    ...daemonUpdate(random, spec),
    ...template(random, spec),
  }),
  Job: (random, spec) => {
    const ttl = oneIn(random, 3) ? { ttlSecondsAfterFinished: random.int(10, 60) } : {};
    return { ...spec, ...ttl, ...(oneIn(random, 3) ? { template: failing(spec['template'] as Template) } : {}) };
  },
  CronJob: (random, spec) => {
    const [successfulJobsHistoryLimit, failedJobsHistoryLimit] = [random.int(0, 2), random.int(0, 1)];
    return oneIn(random, 3) ? { ...spec, successfulJobsHistoryLimit, failedJobsHistoryLimit } : spec;
  },
  PodDisruptionBudget: (random, { selector, ...spec }) =>
    oneIn(random, 3) ? { selector, minAvailable: `${random.int(2, 8)}0%` } : { selector, ...spec },
};

interface Template {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } & Fields;
  readonly spec: { readonly containers: readonly Fields[] } & Fields;
}

function history(random: RandomStream): Fields {
  const revisionHistoryLimit = random.int(0, 2);
  return oneIn(random, 3) ? { revisionHistoryLimit } : {};
}

function daemonUpdate(random: RandomStream, spec: Fields): Fields {
  const [kind, maxUnavailable] = [random.int(0, 3), random.int(1, 2)];
  // Two pods of one node cannot have the same port.
  const hasPorts = (spec['template'] as Template).spec.containers.some((container) => 'ports' in container);
  if (kind === 0 && !hasPorts) return { updateStrategy: rolling({ maxSurge: 1, maxUnavailable: 0 }) };
  return kind === 1 ? { updateStrategy: rolling({ maxUnavailable }) } : {};
}

function rolling(rollingUpdate: Fields): Fields {
  return { type: 'RollingUpdate', rollingUpdate };
}

/** Containers that start before the others, or beside them; what a script says for the whole pod is about them too. */
function template(random: RandomStream, spec: Fields): Fields {
  const own = spec['template'] as Template;
  const [hasInit, hasSidecar] = [oneIn(random, 6), oneIn(random, 8)];
  const isScripted = Object.keys(own.metadata.annotations ?? {}).some((name) => name.startsWith('kubeloom.dev/run'));
  if (isScripted || !(hasInit || hasSidecar)) return {};
  const sidecar = { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' };
  const initContainers = [
    ...(hasInit ? [{ name: 'prepare', image: 'prepare:1' }] : []),
    ...(hasSidecar ? [sidecar] : []),
  ];
  return { template: { ...own, spec: { ...own.spec, initContainers } } };
}

/** One attempt in three fails. */
function failing(own: Template): Template {
  const annotations = { ...own.metadata.annotations, 'kubeloom.dev/exit-code': 'choice(0, 0, 1)' };
  return { ...own, metadata: { ...own.metadata, annotations } };
}

function porter(random: RandomStream, nodes: number): DrawnWorkload {
  const selector = { matchLabels: { app: 'porter' } };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'porter' },
    spec: {
      replicas: random.int(1, Math.max(1, nodes - 1)),
      selector,
      strategy: rolling({ maxSurge: 0, maxUnavailable: 1 }),
      template: {
        metadata: { labels: { app: 'porter' } },
        spec: {
          terminationGracePeriodSeconds: random.int(1, 10),
          containers: [{ name: CONTAINER, image: 'porter:1', ports: [{ containerPort: 8080, hostPort: 8080 }] }],
        },
      },
    },
  };
  return { ref: 'deployment/porter', objects: [set], isScalable: false, isUpdatable: true, pod: undefined };
}

function hog(random: RandomStream): DrawnWorkload {
  const memory = `0s=1Gi, ${random.int(60, 600)}s=${HOG_MEMORY}`;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'hog', annotations: { 'kubeloom.dev/memory': memory } },
    spec: { restartPolicy: 'Never', containers: [{ name: CONTAINER, image: 'hog:1' }] },
  };
  return { ref: 'pod/hog', objects: [pod], isScalable: false, isUpdatable: false, pod: 'hog', isDeletable: false };
}

function headless(ref: string): Fields {
  const name = ref.replace(/^.*\//, '');
  const spec = { clusterIP: 'None', selector: { app: name }, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

function isWithClaims({ kind, spec }: Fields): boolean {
  return kind === 'StatefulSet' && (spec as Fields)['volumeClaimTemplates'] !== undefined;
}

function action(ms: number, verb: string, fields: unknown): PlannedAction {
  return { at: `${ms}ms`, mayFail: true, [verb]: fields };
}
