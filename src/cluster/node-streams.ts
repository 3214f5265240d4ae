import type { Container, Pod } from '../api/objects/objects.js';
import type { ContainerInstance } from '../kubelet/containers/container-runtime.js';
import { logLines } from '../kubelet/scripts/log-text.js';
import { NO_SCRIPT } from '../kubelet/scripts/script-layer.js';
import type { ContainerScript } from '../kubelet/scripts/script-types.js';
import type { ContainerRun, NodeStreams } from '../server/streams/node-streams.js';
import type { ClusterParts } from './cluster-parts.js';

/** What nodes give to clients: what their containers compute, or what their scripts say. */
export function createNodeStreams({ server, scripts, kernel, fleet }: ClusterParts): NodeStreams {
  const { clock, timestamps } = kernel;
  const scriptOf = (pod: Pod, name: string): ContainerScript => {
    const container = containersOf(pod).find((each) => each.name === name);
    return container === undefined ? NO_SCRIPT : scripts.scriptOf(pod, container, () => undefined);
  };
  const runsOf = ({ metadata, spec }: Pod, name: string): readonly ContainerInstance[] => {
    const slots = fleet.kubelet(spec.nodeName ?? '')?.runtime.logged(metadata.uid);
    const slot = slots?.find((each) => each.name === name);
    return [slot?.current, slot?.previous].filter((each) => each !== undefined);
  };
  const isRun = ({ runningMs }: ContainerInstance, { startedMs }: ContainerRun): boolean =>
    timestamps.toMs(timestamps.toTime(runningMs)) === startedMs;
  return {
    pod: (namespace, name) => server.get('Pod', { namespace, name }),
    service: (namespace, name) => server.get('Service', { namespace, name }),
    hasNode: (name) => server.find('Node', { name }) !== undefined,
    servers: fleet.servers,
    logLines(pod, container, run) {
      const { startedMs, endedMs = clock.now() } = run;
      const { logs } = scriptOf(pod, container);
      const found = logs === undefined ? runsOf(pod, container).find((each) => isRun(each, run)) : undefined;
      return found?.program?.log ?? logLines(logs, startedMs, endedMs);
    },
    exec(pod, container, words, streams) {
      const { exec } = scriptOf(pod, container);
      const program = exec === undefined ? runsOf(pod, container)[0]?.program : undefined;
      if (program !== undefined) return program.exec(words, { ...streams, isFromOutside: true });
      const known = exec?.find(({ command }) => command === words.join(' '));
      const { stdout = '', stderr = '', exitCode = 0 } = known ?? {};
      if (stdout !== '') streams.onStdout(bytesOf(stdout));
      if (stderr !== '') streams.onStderr(bytesOf(stderr));
      streams.onEnd({ exitCode });
      return { input: () => undefined, kill: () => undefined };
    },
    toMs: (timestamp) => timestamps.toMs(timestamp),
    toTime: (ms) => timestamps.toTime(ms),
    nowMs: () => clock.now(),
  };
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
