/** Which container a request is about, and which run of it, with the words of upstream where there is none. */
import type { Pod } from '../../api/objects/objects.js';
import { ApiError } from '../../api/errors/api-error.js';
import type { ContainerRun, NodeStreams } from './node-streams.js';

/**
 * The container that is meant: the one that is named, or the only one there is; pkg/registry/core/pod/strategy.go.
 *
 * @throws ApiError 400
 */
export function chosenContainer({ metadata, spec }: Pod, asked: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  if (asked !== '') {
    if (names.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only, ...others] = containers;
  if (only !== undefined && others.length === 0) return only.name;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`);
}

/** The node of a pod. @throws ApiError 404 where there is no such node, in the words of upstream */
export function checkNode({ spec }: Pod, nodes: Pick<NodeStreams, 'hasNode'>): void {
  const { nodeName = '' } = spec;
  if (nodeName === '' || nodes.hasNode(nodeName)) return;
  // Upstream takes the node's name for a pod's.
  throw new ApiError(404, 'NotFound', `pods ${JSON.stringify(nodeName)} not found`, { name: nodeName, kind: 'pods' });
}

/**
 * The run whose log is meant: the present one, the one before, or the last that there was; as
 * `validateContainerLogStatus` of pkg/kubelet/kubelet_pods.go.
 *
 * @throws ApiError 400
 */
export function chosenRun(
  { metadata, status }: Pod,
  container: string,
  isPrevious: boolean,
  toMs: (timestamp: string) => number,
): ContainerRun {
  const all = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  const [quotedContainer, quotedPod] = [JSON.stringify(container), JSON.stringify(metadata.name)];
  const subject = `container ${quotedContainer} in pod ${quotedPod}`;
  if (found === undefined) throw badRequest(`${subject} is not available`);
  const { state = {}, lastState = {} } = found;
  const ended = (run: { readonly startedAt?: string; readonly finishedAt?: string }): ContainerRun => ({
    startedMs: toMs(run.startedAt ?? ''),
    endedMs: toMs(run.finishedAt ?? ''),
  });
  if (isPrevious) {
    if (lastState.terminated === undefined) throw badRequest(`previous terminated ${subject} not found`);
    return ended(lastState.terminated);
  }
  if (state.running !== undefined) return { startedMs: toMs(state.running.startedAt ?? ''), endedMs: undefined };
  const last = state.terminated ?? lastState.terminated;
  if (last !== undefined) {
    if (last.startedAt === undefined) throw badRequest(`${subject} is terminated`);
    return ended(last);
  }
  const reason = state.waiting?.reason ?? '';
  if (state.waiting === undefined) throw badRequest(`${subject} is waiting to start - no logs yet`);
  throw badRequest(`${subject} is waiting to start: ${WAITING_WORDS.get(reason) ?? reason}`);
}

const WAITING_WORDS: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', "image can't be pulled"],
  ['ImagePullBackOff', 'trying and failing to pull image'],
]);

function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}
