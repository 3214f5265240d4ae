/**
 * The endpoint slice mirroring controller: what users write as Endpoints for a service without a selector is in
 * slices, too, one for each set of ports and family of addresses. It never touches slices of the endpoint slice
 * controller. Mirrors kube-controller-manager v1.34 pkg/controller/endpointslicemirroring.
 */
import { isApiError, ApiError } from '../../api/errors/api-error.js';
import { type Draft, type Endpoints, type EndpointSlice } from '../../api/objects/objects.js';
import { controllerReference } from '../../api/objects/owners.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { MANAGED_BY_LABEL, SERVICE_LABEL } from '../endpoint-slice/slice-packing.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { isMirrored, MIRROR, MirroringMemory } from './mirroring-memory.js';
import { mirrorKey, mirrorOf, type MirroredSlice } from './mirrored-slices.js';

const NAME = 'endpoint-slice-mirroring-controller';
const RETRY_DELAYS = { baseDelayMs: 1000, maxDelayMs: 100_000 };
/** Annotations that are about the Endpoints alone. */
const OWN_ANNOTATIONS = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];
/** Upstream's --mirroring-max-endpoints-per-subset. */
const MOST_ADDRESSES = 1000;

/** See the file header. */
export const endpointSliceMirroringController = defineController({
  name: 'endpointslice-mirroring-controller',
  component: NAME,
  maxRetries: 15,
  retryDelays: RETRY_DELAYS,
  setup: (context) => new MirroringMemory(context),
  async reconcile(context, key, memory) {
    const endpoints = memory.endpoints.getByKey(key);
    const service = memory.services.getByKey(key);
    const existing = memory.slicesOf(key);
    if (
      endpoints === undefined ||
      !isMirrored(endpoints) ||
      service === undefined ||
      service.spec.selector !== undefined
    ) {
      memory.forget(key);
      for (const slice of existing) await context.api.delete('EndpointSlice', slice.metadata);
      return;
    }
    if (memory.trackerOf(key).isStale(existing)) throw new RetryError('EndpointSlice informer cache is out of date');
    await mirror(context, memory, key, endpoints, existing);
  },
});

/** Brings the slices of an object in line with it; one that is to go gives its name to one that is to come. */
async function mirror(
  { api, recorder }: ControllerContext,
  memory: MirroringMemory,
  key: string,
  endpoints: Endpoints,
  existing: readonly EndpointSlice[],
): Promise<void> {
  const tracker = memory.trackerOf(key);
  const { slices, skipped } = mirrorOf(endpoints.subsets ?? [], MOST_ADDRESSES);
  if (skipped > 0) {
    const text = `A max of ${MOST_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
    recorder.record(endpoints, 'Warning', 'TooManyAddressesToMirror', text);
  }
  const left = Map.groupBy(existing, ({ addressType, ports = [] }) => mirrorKey(addressType, ports));
  const wanted: { readonly slice: MirroredSlice; readonly name?: string }[] = [];
  const gone: EndpointSlice[] = [];
  for (const slice of slices) {
    const [first, ...others] = left.get(slice.key) ?? [];
    left.delete(slice.key);
    gone.push(...others);
    if (first === undefined) wanted.push({ slice });
    else if (isAsWanted(first, slice, endpoints)) memory.note(key, first);
    else wanted.push({ slice, name: first.metadata.name });
  }
  for (const slicesOfPorts of left.values()) gone.push(...slicesOfPorts);
  for (const { slice, name = heir(gone, slice) } of wanted) {
    const draft = draftOf(endpoints, slice, name);
    if (name !== undefined) tracker.noteWrite(await api.update('EndpointSlice', draft));
    else if (endpoints.metadata.deletionTimestamp === undefined) {
      const created = await unlessEnding(api.create('EndpointSlice', draft));
      if (created === undefined) return;
      tracker.noteWrite(created);
    }
  }
  for (const slice of gone) {
    await api.delete('EndpointSlice', slice.metadata);
    tracker.expectDeletion(slice);
  }
}

/** The name of a slice of the same family that would go; it is taken out of those. */
function heir(gone: EndpointSlice[], { addressType }: MirroredSlice): string | undefined {
  const at = gone.findIndex((slice) => slice.addressType === addressType);
  return at === -1 ? undefined : gone.splice(at, 1)[0]?.metadata.name;
}

/** Nothing comes into a namespace that is on its way out. */
async function unlessEnding(created: Promise<EndpointSlice>): Promise<EndpointSlice | undefined> {
  try {
    return await created;
  } catch (error) {
    const causes = error instanceof ApiError && isApiError(error, 'Forbidden') ? (error.details?.causes ?? []) : [];
    if (causes.some(({ reason }) => reason === 'NamespaceTerminating')) return undefined;
    throw error;
  }
}

function isAsWanted(slice: EndpointSlice, wanted: MirroredSlice, endpoints: Endpoints): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = slice.metadata;
  const { [MANAGED_BY_LABEL]: _manager, [SERVICE_LABEL]: _service, ...others } = labels;
  const owner = ownerReferences.find(({ kind, name }) => kind === 'Endpoints' && name === endpoints.metadata.name);
  return (
    isSameJson(slice.endpoints, wanted.endpoints) &&
    isSameJson(others, endpoints.metadata.labels ?? {}) &&
    isSameJson(annotations, annotationsOf(endpoints)) &&
    (owner === undefined || owner.uid === endpoints.metadata.uid)
  );
}

function annotationsOf({ metadata: { annotations = {} } }: Endpoints): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !OWN_ANNOTATIONS.includes(name)));
}

function draftOf(endpoints: Endpoints, { addressType, ports, endpoints: list }: MirroredSlice, name?: string): Draft {
  const { namespace, name: ofService, labels } = endpoints.metadata;
  const annotations = annotationsOf(endpoints);
  return {
    metadata: {
      ...(name === undefined ? { generateName: `${ofService}-` } : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, [SERVICE_LABEL]: ofService, [MANAGED_BY_LABEL]: MIRROR },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(endpoints)],
    },
    addressType,
    endpoints: list,
    ports,
  };
}
