/**
 * What users ask of a cluster, by classes: how often each is drawn, and its request. One that finds nothing to act on
 * sends none.
 */
import { isStaying, type Dealer } from './dealer.js';
import { DRAWN, drawnBudget, drawnImage, drawnLabels, HELD, nodeBody, OWN_NODE } from './drawn-objects.js';
import type { SeenObject, ToldStory } from './recorder.js';

/** What the requests of a story act on. */
export interface Stage {
  readonly story: ToldStory;
  readonly dealer: Dealer;
  /** Nodes of the fake kubelets. */
  readonly nodes: readonly string[];
}

/** One class; see the file header. */
export interface RequestClass {
  readonly name: string;
  /** Relative to the others. */
  readonly weight: number;
  /** Sends a request; `undefined` when there is nothing to act on. */
  readonly play: (stage: Stage) => Promise<unknown> | undefined;
}

const SCALED = ['deployments', 'statefulsets', 'replicasets', 'replicationcontrollers'] as const;
const ROLLED = ['deployments', 'statefulsets', 'daemonsets'] as const;
const OWNERS = [...SCALED, 'daemonsets', 'jobs', 'cronjobs'] as const;
const ALL = [...OWNERS, 'pods', 'services', 'poddisruptionbudgets', 'configmaps', 'persistentvolumeclaims'] as const;
const OTHERS = ['services', 'poddisruptionbudgets', 'configmaps', 'persistentvolumeclaims', 'cronjobs'] as const;

/** How often an object of each sort is created; 1 where nothing is said. */
const COMMON: Readonly<Record<string, number>> = {
  deployment: 5,
  'stateful set': 3,
  'daemon set': 3,
  job: 2,
  'job that may fail': 3,
  pod: 4,
  service: 4,
  'config map': 3,
  budget: 3,
};

const CREATIONS: readonly RequestClass[] = Object.entries(DRAWN).map(([sort, [resource, body]]) => ({
  name: `create a ${sort}`,
  weight: COMMON[sort] ?? 1,
  play: ({ story, dealer }) => story.create(resource, body(dealer, dealer.newName())),
}));

/** A class of requests for one of the objects of some resources. */
function on<R extends string>(
  name: string,
  weight: number,
  resources: readonly R[],
  request: (stage: Stage, resource: R, object: SeenObject) => Promise<unknown>,
  isMeant?: (object: SeenObject, resource: R) => boolean,
): RequestClass {
  return {
    name,
    weight,
    play: (stage) => {
      const found = stage.dealer.object(resources, isMeant);
      return found === undefined ? undefined : request(stage, found[0], found[1]);
    },
  };
}

const CHANGES: readonly RequestClass[] = [
  on(
    'scale',
    7,
    SCALED,
    ({ story, dealer }, of, { metadata }) => story.scale(of, metadata.name, dealer.int(0, 6)),
    // A Deployment undoes the other at once, and what its replica set passes through is chance.
    (object) => isStaying(object) && object.metadata.ownerReferences === undefined,
  ),
  on('roll out an image', 7, ROLLED, ({ story, dealer }, of, { metadata }) =>
    story.image(of, metadata.name, drawnImage(dealer)),
  ),
  on('undo a rollout', 2, ROLLED, ({ story }, of, { metadata }) => story.image(of, metadata.name, 'app:v1')),
  on('restart a rollout', 3, ROLLED, ({ story, dealer }, of, { metadata }) => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': `2026-01-01T00:00:${dealer.int(10, 59)}Z` };
    return story.smp(
      of,
      metadata.name,
      { spec: { template: { metadata: { annotations } } } },
      `restart ${metadata.name}`,
    );
  }),
  on('pause or resume a rollout', 3, ['deployments'], ({ story, dealer }, of, { metadata }) =>
    story.merge(of, metadata.name, { spec: { paused: dealer.isOneOf(2) } }),
  ),
  on('change a strategy', 2, ROLLED, changeStrategy),
  on('change minReadySeconds', 1, ROLLED, ({ story, dealer }, of, { metadata }) =>
    story.merge(of, metadata.name, { spec: { minReadySeconds: dealer.int(0, 2) } }),
  ),
  on('change a budget', 4, ['poddisruptionbudgets'], ({ story, dealer }, of, { metadata }) =>
    story.merge(of, metadata.name, { spec: { minAvailable: null, maxUnavailable: null, ...drawnBudget(dealer) } }),
  ),
  on("change a service's selector", 4, ['services'], ({ story, dealer }, of, { metadata }) =>
    story.json(
      of,
      metadata.name,
      [{ op: 'replace', path: '/spec/selector', value: drawnLabels(dealer) }],
      `select for ${metadata.name}`,
    ),
  ),
  on('suspend or resume a job', 3, ['jobs', 'cronjobs'], ({ story, dealer }, of, { metadata }) =>
    story.merge(of, metadata.name, { spec: { suspend: dealer.isOneOf(2) } }),
  ),
  on("change a job's parallelism", 3, ['jobs'], ({ story, dealer }, of, { metadata }) =>
    story.smp(of, metadata.name, { spec: { parallelism: dealer.int(0, 4) } }),
  ),
  on("change a pod's labels", 2, ['pods'], ({ story, dealer }, of, { metadata }) =>
    story.smp(of, metadata.name, {
      metadata: { labels: dealer.pick([{ app: 'other' }, { app: dealer.someName() }, { tier: 'front' }]) },
    }),
  ),
  on('annotate, by each kind of patch', 3, ALL, ({ story, dealer }, of, { metadata }) => {
    const annotations = { note: String(dealer.int(1, 9)) };
    const patch = dealer.pick(['merge', 'smp'] as const);
    return story[patch](of, metadata.name, { metadata: { annotations } }, `${patch} a note on ${metadata.name}`);
  }),
  on(
    'add a finalizer',
    3,
    ALL,
    ({ story }, of, { metadata }) =>
      story.merge(
        of,
        metadata.name,
        { metadata: { finalizers: [...(metadata.finalizers ?? []), HELD] } },
        `hold ${metadata.name}`,
      ),
    isFree,
  ),
  on(
    'remove a finalizer',
    4,
    ALL,
    ({ story }, of, { metadata }) => {
      const finalizers = (metadata.finalizers ?? []).filter((each) => each !== HELD);
      return story.merge(of, metadata.name, { metadata: { finalizers } }, `let ${metadata.name} go`);
    },
    (object) => !isFree(object),
  ),
  { name: 'add an owner', weight: 3, play: addOwner },
  on(
    'open a scheduling gate',
    6,
    ['pods'],
    ({ story }, of, { metadata }) =>
      story.json(
        of,
        metadata.name,
        [{ op: 'remove', path: '/spec/schedulingGates' }],
        `open the gate of ${metadata.name}`,
      ),
    ({ spec }) => spec?.schedulingGates !== undefined,
  ),
];

const GOINGS: readonly RequestClass[] = [
  on('delete a pod', 5, ['pods'], ({ story }, of, { metadata }) => story.del(of, metadata.name)),
  on('delete a pod with a grace of its own', 2, ['pods'], ({ story, dealer }, of, { metadata }) =>
    story.del(of, metadata.name, { gracePeriodSeconds: dealer.pick([0, 1, 5]) }),
  ),
  on('evict a pod', 6, ['pods'], ({ story }, _of, { metadata }) => story.evict(metadata.name)),
  on('evict a pod with options', 1, ['pods'], ({ story, dealer }, _of, { metadata }) =>
    story.evict(metadata.name, dealer.pick([{ dryRun: ['All'] }, { gracePeriodSeconds: 1 }])),
  ),
  ...(['Background', 'Foreground', 'Orphan'] as const).map((propagationPolicy) =>
    on(`delete an owner, ${propagationPolicy}`, 2, OWNERS, ({ story }, of, { metadata }) =>
      story.del(of, metadata.name, { propagationPolicy }),
    ),
  ),
  on('delete what owns nothing', 2, OTHERS, ({ story }, of, { metadata }) => story.del(of, metadata.name)),
  on(
    'delete again what is going',
    3,
    ALL,
    ({ story }, of, { metadata }) => story.del(of, metadata.name),
    (object) => !isStaying(object),
  ),
];

const NODES: readonly RequestClass[] = [
  onNode('cordon a node', 2, ({ story }, node) =>
    story.smp('nodes', node, { spec: { unschedulable: true } }, `cordon ${node}`),
  ),
  onNode('uncordon a node', 2, ({ story }, node) =>
    story.smp('nodes', node, { spec: { unschedulable: null } }, `uncordon ${node}`),
  ),
  onNode('taint a node', 3, ({ story, dealer }, node) => {
    const taint = { key: 'drawn', value: 'x', effect: dealer.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) };
    return story.json('nodes', node, [{ op: 'add', path: '/spec/taints', value: [taint] }], `taint ${node}`);
  }),
  onNode('untaint a node', 3, ({ story }, node) =>
    story.json('nodes', node, [{ op: 'add', path: '/spec/taints', value: [] }], `untaint ${node}`),
  ),
  onNode('label a node', 3, ({ story, dealer }, node) =>
    story.smp('nodes', node, { metadata: { labels: { disk: dealer.pick(['ssd', null]) } } }, `label ${node}`),
  ),
  onNode('delete a node', 2, ({ story }, node) => story.del('nodes', node)),
  {
    name: 'a deleted node returns',
    weight: 3,
    play: ({ story, dealer, nodes }) => {
      const gone = nodes.filter((name) => !isNode(story, name));
      return gone.length === 0 ? undefined : story.create('nodes', nodeBody(dealer.pick(gone)));
    },
  },
];

/** Every class, in an order that never changes: it is part of what a seed means. */
export const REQUEST_CLASSES: readonly RequestClass[] = [
  ...CREATIONS,
  ...CHANGES,
  ...GOINGS,
  ...NODES,
  { name: 'a kubelet tells of its pods', weight: 14, play: tellOfOwnPod },
  { name: 'wait', weight: 2, play: ({ story, dealer }) => story.rest(dealer.pick([3000, 6000]), 20_000) },
];

function onNode(name: string, weight: number, request: (stage: Stage, node: string) => Promise<unknown>): RequestClass {
  return {
    name,
    weight,
    play: (stage) => {
      const present = stage.nodes.filter((node) => isNode(stage.story, node));
      return present.length === 0 ? undefined : request(stage, stage.dealer.pick(present));
    },
  };
}

function isNode(story: ToldStory, name: string): boolean {
  return story.list('nodes').some(({ metadata }) => metadata.name === name);
}

function isFree({ metadata }: SeenObject): boolean {
  return isStaying({ metadata }) && metadata.finalizers?.includes(HELD) !== true;
}

function changeStrategy(
  { story, dealer }: Stage,
  of: (typeof ROLLED)[number],
  { metadata: { name } }: SeenObject,
): Promise<unknown> {
  if (of === 'deployments') {
    const strategy = dealer.pick([
      { type: 'Recreate', rollingUpdate: null },
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: dealer.int(1, 3), maxUnavailable: 0 } },
    ]);
    return story.merge(of, name, { spec: { strategy } }, `strategy of ${name}`);
  }
  const rollingUpdate =
    of === 'statefulsets' ? { partition: dealer.int(0, 2) } : { maxSurge: 0, maxUnavailable: dealer.int(1, 3) };
  const updateStrategy = dealer.pick([
    { type: 'OnDelete', rollingUpdate: null },
    { type: 'RollingUpdate', rollingUpdate },
  ]);
  return story.merge(of, name, { spec: { updateStrategy } }, `strategy of ${name}`);
}

/** A config map is collected with a workload, or with the second of two. */
function addOwner({ story, dealer }: Stage): Promise<unknown> | undefined {
  const map = dealer.object(['configmaps'])?.[1];
  const owner = dealer.object(['deployments', 'statefulsets', 'daemonsets', 'replicasets'])?.[1];
  if (map === undefined || owner === undefined) return undefined;
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  const ownerReferences = [
    ...(map.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== metadata.uid),
    reference,
  ];
  return story.merge(
    'configmaps',
    map.metadata.name,
    { metadata: { ownerReferences } },
    `${metadata.name} owns ${map.metadata.name}`,
  );
}

/** Of a pod on the story's own node: it runs, turns, ends or is gone, whichever comes next for it. */
function tellOfOwnPod({ story, dealer }: Stage): Promise<unknown> | undefined {
  const pod = dealer.object(['pods'], (object) => isOwn(object) && (isAtWork(object) || !isStaying(object)))?.[1];
  if (pod === undefined) return undefined;
  const { metadata, status } = pod;
  const { name } = metadata;
  if (!isStaying(pod)) return story.podGone(name);
  if (status?.podIP === undefined) return story.podRuns(name, { ready: !dealer.isOneOf(3) });
  const isJob = metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true;
  if (isJob || dealer.isOneOf(4)) return story.podEnds(name, { exitCode: dealer.pick([0, 0, 1, 1, 3]) });
  const isReady = status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
  return story.podReady(name, !isReady);
}

function isOwn({ spec }: SeenObject): boolean {
  return spec?.nodeName === OWN_NODE;
}

function isAtWork({ status }: SeenObject): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
