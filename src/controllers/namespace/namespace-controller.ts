/**
 * The namespace controller: empties namespaces that are being deleted, pods first and everything else
 * once no pod is left, tells in conditions what holds it up, and lets the namespace go at the end.
 * It never marks a namespace itself. Mirrors kube-controller-manager v1.34 pkg/controller/namespace
 * with ordered deletion.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { definitionOf, isCondition, storageVersion } from '../../api/custom/definition.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import { keyOf, type Kind, type Namespace } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { Informer } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { inMapOrder } from '../runtime/map-order.js';
import { RetryError } from '../runtime/retry-error.js';
import { namespaceConditions, type Remainder } from './namespace-conditions.js';

/** Milliseconds that pass after an event before a namespace is emptied. */
const START_DELAY_MS = 5000;
/** Seconds that are estimated for content which waits for finalizers only. */
const FINALIZER_ESTIMATE_SECONDS = 15;

/** A kind with its resource as conditions tell it, such as `deployments.apps`, and as errors do. */
type Content = readonly [kind: Kind, resource: string, versioned: string];

const NAMESPACED: readonly Content[] = Object.values(kindRegistry)
  .filter(({ isNamespaced }) => isNamespaced)
  .map(({ kind, plural, group, version }) => [kind, `${plural}.${group}`, `${group}/${version}, Resource=${plural}`]);
const PODS = NAMESPACED.filter(([kind]) => kind === 'Pod');
/** What a namespace is emptied of once its pods are gone. */
const CONTENT = NAMESPACED.filter(([kind]) => kind !== 'Pod');

/** See the file header. */
export const namespaceController = defineController({
  name: 'namespace-controller',
  concurrentSyncs: 10,
  // It asks much and deletes much (v1.34 cmd/kube-controller-manager/app/core.go).
  clientLimit: ({ kubeAPIQPS, kubeAPIBurst }) => ({ qps: kubeAPIQPS * 20, burst: kubeAPIBurst * 100 }),
  retryDelays: { baseDelayMs: 5, maxDelayMs: 60_000 },
  setup(context) {
    const enqueue = (namespace: Namespace): void => {
      if (namespace.metadata.deletionTimestamp !== undefined) context.queue.addAfter(keyOf(namespace), START_DELAY_MS);
    };
    context.watch('Namespace', { onAdd: enqueue, onUpdate: (_previous, namespace) => enqueue(namespace) });
    return context.informer('CustomResourceDefinition');
  },
  reconcile: (context, key, definitions) => syncNamespace(context, key, definitions),
});

type Definitions = Informer<'CustomResourceDefinition'>;

async function syncNamespace(context: ControllerContext, name: string, definitions: Definitions): Promise<void> {
  let namespace: Namespace;
  try {
    namespace = await context.api.get('Namespace', { name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return context.queue.drop(name);
    throw error;
  }
  if (namespace.metadata.deletionTimestamp === undefined) return;
  if ((namespace.spec?.finalizers ?? []).length === 0) return;
  const estimateSeconds = await empty(context, namespace, definitions);
  if (estimateSeconds > 0) context.queue.addAfter(name, (Math.trunc(estimateSeconds / 2) + 1) * 1000);
  else await context.api.finalizeNamespace(name);
}

/** Deletes what is there; answers with the seconds that the rest is estimated to need, 0 when nothing is left. */
async function empty(context: ControllerContext, namespace: Namespace, definitions: Definitions): Promise<number> {
  const pods = await deleteKinds(context, namespace, PODS);
  if (pods.remaining.size > 0) {
    // Upstream tells of what remains only after the second stage.
    await putConditions(context, namespace, { ...pods, remaining: new Map(), finalizers: new Map() });
    return finish(pods);
  }
  const content = await deleteKinds(context, namespace, [...CONTENT, ...customContent(definitions)]);
  await putConditions(context, namespace, content);
  return finish(content);
}

/** The kinds of definitions, which upstream finds by discovery: those that are served. */
function customContent(definitions: Definitions): readonly Content[] {
  return [...definitions.list()].flatMap((stored): readonly Content[] => {
    const { spec, status } = definitionOf(stored);
    const version = storageVersion(spec)?.name;
    if (spec.scope !== 'Namespaced' || version === undefined || !isCondition(status, 'Established')) return [];
    const { kind, plural } = spec.names;
    const { group } = spec;
    return [[`${kind}.${group}` as Kind, `${plural}.${group}`, `${group}/${version}, Resource=${plural}`]];
  });
}

/** Names kinds that may have objects in the namespace, which keeps it. */
function undiscovered({ discoveryFailure }: Emptied): unknown {
  return discoveryFailure === '' ? undefined : new RetryError(discoveryFailure);
}

interface Emptied extends Remainder {
  readonly estimateSeconds: number;
  readonly error: unknown;
}

function finish(emptied: Emptied): number {
  const error = emptied.error ?? undiscovered(emptied);
  if (error !== undefined) throw error as Error;
  return emptied.estimateSeconds;
}

async function deleteKinds(
  context: ControllerContext,
  namespace: Namespace,
  kinds: readonly Content[],
): Promise<Emptied> {
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  let estimateSeconds = 0;
  let failure: unknown;
  const { mapOrder } = context;
  const compare =
    mapOrder && (([left]: Content, [right]: Content) => mapOrder.kinds(namespace.metadata.name, left, right));
  for (const [kind, resource, versioned] of inMapOrder(kinds, compare)) {
    try {
      const left = await deleteKind(context, namespace, kind);
      if (left.count > 0) remaining.set(resource, left.count);
      for (const finalizer of left.finalizers) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
      estimateSeconds = Math.max(estimateSeconds, left.estimateSeconds);
      if (left.count > 0 && left.estimateSeconds === 0) throw unexpected(namespace, versioned);
    } catch (error) {
      failure ??= error;
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  const discoveryFailure = discoveryFailureOf(context.settings);
  return { remaining, finalizers, failures, discoveryFailure, estimateSeconds, error: failure };
}

/** What upstream's discovery client says of group versions that cannot be asked. */
function discoveryFailureOf({ discoveryFailure, staleApis }: ControllerContext['settings']): string {
  const stale = staleApis().map((each) => `${each}: stale GroupVersion discovery: ${each}`);
  if (stale.length === 0) return discoveryFailure;
  const list = stale.toSorted().join(', ');
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${list}`;
}

/** Something is left that neither a grace period nor a finalizer explains. */
function unexpected({ metadata }: Namespace, versioned: string): RetryError {
  return new RetryError(`unexpected items still remain in namespace: ${metadata.name} for gvr: ${versioned}`);
}

interface Left {
  readonly count: number;
  readonly finalizers: readonly string[];
  readonly estimateSeconds: number;
}

async function deleteKind(context: ControllerContext, { metadata }: Namespace, kind: Kind): Promise<Left> {
  const { api } = context;
  const selection = { namespace: metadata.name };
  const graceSeconds = kind === 'Pod' ? await graceEstimate(context, metadata) : 0;
  await api.deleteCollection(kind, selection, { propagationPolicy: 'Background' });
  const { items } = await api.list(kind, selection);
  const finalizers = items.flatMap((item) => item.metadata.finalizers ?? []);
  const finalizerSeconds = finalizers.length > 0 ? FINALIZER_ESTIMATE_SECONDS : 0;
  const waitSeconds = graceSeconds > 0 ? graceSeconds : finalizerSeconds;
  return { count: items.length, finalizers, estimateSeconds: items.length > 0 ? waitSeconds : 0 };
}

/** The longest grace of any pod; 0 once that much time has passed since the namespace was marked. */
async function graceEstimate({ api, kernel }: ControllerContext, metadata: Namespace['metadata']): Promise<number> {
  const { items } = await api.list('Pod', { namespace: metadata.name });
  let mostSeconds = 0;
  for (const pod of items) {
    const { phase } = pod.status;
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    mostSeconds = Math.max(mostSeconds, pod.spec.terminationGracePeriodSeconds ?? 0);
  }
  const sinceMs = kernel.clock.now() - kernel.timestamps.toMs(metadata.deletionTimestamp ?? '');
  return sinceMs > mostSeconds * 1000 ? 0 : mostSeconds;
}

async function putConditions(context: ControllerContext, namespace: Namespace, remainder: Remainder): Promise<void> {
  const current = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(current, remainder, context.timestamp());
  if (isSameJson(current, conditions)) return;
  await context.api.change(
    'Namespace',
    namespace.metadata,
    (latest) => ({ ...latest, status: { ...latest.status, conditions } }),
    {
      subresource: 'status',
    },
  );
}
