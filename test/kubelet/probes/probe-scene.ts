/** Scenes of one pod with probes, and short forms of what can be seen of it. */
import type { Draft } from '../../../src/api/objects/objects.js';
import { createRunningScene, IMAGE, podDraft, type Scene, type SceneOptions } from '../scene.js';

/** A scene with a kubelet that has run for a minute: its workers make their first attempts at once. */
export async function settledScene(options: SceneOptions = {}): Promise<Scene> {
  const scene = await createRunningScene(options);
  await scene.run(59_000);
  return scene;
}

/** A pod of one container with these probes, among other fields. */
export function probed(container: Draft, script: Readonly<Record<string, string>> = {}, spec: Draft = {}): Draft {
  return podDraft({ containers: [{ name: 'c', image: IMAGE, ...container }], ...spec }, script);
}

interface Shown {
  readonly name: string;
  readonly started?: boolean;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly reason?: string };
  };
}

/** What each write shows of containers and conditions, without those that show nothing new; time since the first. */
export function shown({ writes }: Scene): readonly string[] {
  const lines: string[] = [];
  let before = '';
  for (const { atMs, type, pod } of writes) {
    const { initContainerStatuses = [], containerStatuses = [], conditions = [], phase } = pod.status;
    const containers = [...initContainerStatuses, ...containerStatuses].map(shortStatus);
    const condition = (name: string): string => conditions.find((each) => each.type === name)?.status.charAt(0) ?? '?';
    const text = `${type} ${phase} ${containers.join(' ')} ContainersReady:${condition('ContainersReady')} Ready:${condition('Ready')}`;
    if (text !== before) lines.push(`${atMs - (writes[0]?.atMs ?? 0)} ${text}`);
    before = text;
  }
  return lines;
}

function shortStatus({ name, started, ready, restartCount, state }: Shown): string {
  const is = state?.running === undefined ? (state?.waiting?.reason ?? state?.terminated?.reason ?? '?') : 'up';
  return `${name}=${is}${started === true ? ' started' : ''}${ready ? ' ready' : ''}#${restartCount}`;
}

/** Events for these reasons: `<type> <reason> x<count>: <message>`. */
export function told(scene: Scene, ...reasons: readonly string[]): readonly string[] {
  return scene
    .events()
    .filter(({ reason = '' }) => reasons.includes(reason))
    .map(({ reason, message, count, type }) => `${type} ${reason} x${count}: ${message}`);
}

/** The line of `shown` for a pod of one container that is up; time since the first write. */
export function up(atMs: number, state: '' | ' started' | ' started ready', restarts = 0): string {
  const ready = state === ' started ready' ? 'T' : 'F';
  return `${atMs} MODIFIED Running c=up${state}#${restarts} ContainersReady:${ready} Ready:${ready}`;
}

/** Reasons of the events that a failing probe may cause. */
export const PROBES = ['Unhealthy', 'ProbeWarning', 'Killing'];
export const HTTP = { httpGet: { path: '/healthz', port: 8080 } };
/** What a failing one says. */
export const FAILED = 'HTTP probe failed with statuscode: 500';
/** When the first run of a pod starts to be seen, since its first write. */
export const UP_MS = 404;
