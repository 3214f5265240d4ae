import type { Container, Pod } from '../api/objects/objects.js';
import { logLines } from '../kubelet/scripts/log-text.js';
import { NO_SCRIPT } from '../kubelet/scripts/script-layer.js';
import type { ContainerScript } from '../kubelet/scripts/script-types.js';
import type { NodeStreams } from '../server/streams/node-streams.js';
import type { ClusterParts } from './cluster-parts.js';

/** What nodes give to clients over the network: what the scripts of their containers say. */
export function createNodeStreams({ server, scripts, kernel }: ClusterParts): NodeStreams {
  const { clock, timestamps } = kernel;
  const scriptOf = (pod: Pod, name: string): ContainerScript => {
    const container = containersOf(pod).find((each) => each.name === name);
    return container === undefined ? NO_SCRIPT : scripts.scriptOf(pod, container, () => undefined);
  };
  return {
    pod: (namespace, name) => server.get('Pod', { namespace, name }),
    logLines: (pod, container, { startedMs, endedMs = clock.now() }) =>
      logLines(scriptOf(pod, container).logs, startedMs, endedMs),
    command(pod, container, words) {
      const known = scriptOf(pod, container).exec?.find(({ command }) => command === words.join(' '));
      return { stdout: known?.stdout ?? '', stderr: known?.stderr ?? '', exitCode: known?.exitCode ?? 0 };
    },
    toMs: (timestamp) => timestamps.toMs(timestamp),
    toTime: (ms) => timestamps.toTime(ms),
    nowMs: () => clock.now(),
  };
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}
