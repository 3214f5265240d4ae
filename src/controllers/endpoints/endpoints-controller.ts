/**
 * The endpoints controller: for each service that selects pods, one object of its name with their addresses and
 * ports, ready and not, a thousand at most. It knows nothing of slices, which carry the same and more. Mirrors
 * kube-controller-manager v1.34 pkg/controller/endpoint.
 *
 * One deliberate difference: syncs are spaced by the number of a service's pods, a millisecond each.
 */
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { isPodReady } from '../../api/objects/conditions.js';
import {
  parseKey,
  type core,
  type Draft,
  type Endpoints,
  type Pod,
  type Service,
  type StringMap,
} from '../../api/objects/objects.js';
import { addressOfType, addressTypesOf, endpointPorts, isEndpoint } from '../endpoint-slice/endpoints.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { EndpointsMemory } from './endpoints-memory.js';
import { isOverCapacity, truncated, type Place } from './subsets.js';

const MANAGER = 'endpoint-controller';
const MANAGED_BY_LABEL = 'endpoints.kubernetes.io/managed-by';
const HEADLESS_LABEL = 'service.kubernetes.io/headless';
const TRIGGER_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';
const CAPACITY_ANNOTATION = 'endpoints.kubernetes.io/over-capacity';

/** See the file header. */
export const endpointsController = defineController({
  name: 'endpoints-controller',
  component: MANAGER,
  maxRetries: 15,
  setup: (context) => new EndpointsMemory(context),
  reconcile(context, key, memory) {
    const service = memory.services.getByKey(key);
    if (service === undefined) {
      memory.forget(key);
      return remove(context, key);
    }
    const { type, selector } = service.spec;
    return type === 'ExternalName' || selector === undefined ? undefined : sync(context, memory, key, service);
  },
});

async function remove({ api }: ControllerContext, key: string): Promise<void> {
  try {
    await api.delete('Endpoints', parseKey(key));
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

async function sync(context: ControllerContext, memory: EndpointsMemory, key: string, service: Service): Promise<void> {
  const { subsets, trigger } = memory.look(key, service, placesOf);
  const current = memory.endpoints.getByKey(key);
  if (current !== undefined && isAsWanted(current, service, subsets)) return;
  const { namespace, name } = service.metadata;
  const annotations = annotationsOf(current?.metadata.annotations, trigger, isOverCapacity(subsets));
  const metadata = {
    ...(current === undefined ? { name, ...(namespace === undefined ? {} : { namespace }) } : current.metadata),
    labels: labelsOf(service),
    ...(Object.keys(annotations).length === 0 && current?.metadata.annotations === undefined ? {} : { annotations }),
  };
  const draft: Draft = { metadata, ...(subsets.length === 0 ? {} : { subsets: truncated(subsets) }) };
  try {
    if (current === undefined) await context.api.create('Endpoints', draft);
    else await context.api.update('Endpoints', draft);
  } catch (error) {
    if (error instanceof ApiError) tell(context, service, current, error);
    const isEnding =
      error instanceof ApiError && error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
    if (current === undefined && isEnding === true) return;
    throw error;
  }
}

function tell(
  { recorder }: ControllerContext,
  service: Service,
  current: Endpoints | undefined,
  { message, details }: ApiError,
): void {
  const { namespace = '', name } = service.metadata;
  if (current !== undefined) {
    const text = `Failed to update endpoint ${namespace}/${name}: ${message}`;
    recorder.record(current, 'Warning', 'FailedToUpdateEndpoint', text);
  } else if (details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') !== true) {
    const text = `Failed to create endpoint for service ${namespace}/${name}: ${message}`;
    recorder.record(service, 'Warning', 'FailedToCreateEndpoint', text);
  }
}

/** A pod that terminates serves no more, unless the service takes what is not ready. */
function placesOf(service: Service, pod: Pod): Place[] {
  const { publishNotReadyAddresses = false, ports = [], clusterIP } = service.spec;
  if (!isEndpoint(pod) || (pod.metadata.deletionTimestamp !== undefined && !publishNotReadyAddresses)) return [];
  const [type = 'IPv4'] = addressTypesOf(service);
  const ip = addressOfType(pod, type);
  if (ip === undefined) return [];
  const { hostname = '', subdomain = '', nodeName = '' } = pod.spec;
  const { namespace = '', name: podName, uid } = pod.metadata;
  const isNamed = hostname !== '' && subdomain === service.metadata.name;
  const address = {
    ip,
    nodeName,
    targetRef: { kind: 'Pod', namespace, name: podName, uid },
    ...(isNamed ? { hostname } : {}),
  };
  const isReady = publishNotReadyAddresses || isPodReady(pod);
  if (ports.length === 0) return clusterIP === 'None' ? [{ address, isReady, port: undefined }] : [];
  return endpointPorts(service, pod).map(({ name = '', port, protocol, appProtocol }) => ({
    address,
    isReady,
    port: {
      ...(name === '' ? {} : { name }),
      port: port ?? 0,
      ...(protocol === undefined ? {} : { protocol }),
      ...(appProtocol === undefined ? {} : { appProtocol }),
    },
  }));
}

function isAsWanted(current: Endpoints, service: Service, subsets: readonly core.EndpointSubset[]): boolean {
  const { labels = {}, annotations } = current.metadata;
  // More than one object holds is always written anew, as upstream does.
  return (
    isSameJson(current.subsets ?? [], subsets) &&
    labels[MANAGED_BY_LABEL] === MANAGER &&
    isSameJson(withoutOwn(labels), withoutOwn(service.metadata.labels ?? {})) &&
    annotations?.[CAPACITY_ANNOTATION] === undefined
  );
}

function withoutOwn(labels: StringMap): StringMap {
  const { [MANAGED_BY_LABEL]: _manager, [HEADLESS_LABEL]: _headless, ...others } = labels;
  return others;
}

function labelsOf({ metadata, spec: { clusterIP = '' } }: Service): StringMap {
  const { [HEADLESS_LABEL]: _own, ...labels } = metadata.labels ?? {};
  const isHeadless = clusterIP === '' || clusterIP === 'None';
  return { ...labels, ...(isHeadless ? { [HEADLESS_LABEL]: '' } : {}), [MANAGED_BY_LABEL]: MANAGER };
}

function annotationsOf(former: StringMap | undefined, trigger: string | undefined, isOver: boolean): StringMap {
  const { [TRIGGER_ANNOTATION]: _trigger, [CAPACITY_ANNOTATION]: _capacity, ...others } = former ?? {};
  return {
    ...others,
    ...(trigger === undefined ? {} : { [TRIGGER_ANNOTATION]: trigger }),
    ...(isOver ? { [CAPACITY_ANNOTATION]: 'truncated' } : {}),
  };
}
