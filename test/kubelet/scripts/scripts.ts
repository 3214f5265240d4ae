import type { Container, Draft, Pod } from '../../../src/api/objects/objects.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';
import { ImageScripts } from '../../../src/kubelet/scripts/image-scripts.js';
import { problemText } from '../../../src/kubelet/scripts/script-annotations.js';
import { parseScriptRules } from '../../../src/kubelet/scripts/script-rules.js';
import { createScriptSource } from '../../../src/kubelet/scripts/script-source.js';
import type { ContainerScript, ScriptSource } from '../../../src/kubelet/scripts/script-types.js';

export const PROFILE = { initRunFor: 1000, jobRunFor: 10_000 };

/** What a test's pod has besides its containers `c` and `other`. */
export interface PodParts {
  readonly name?: string;
  /** Without their prefix. */
  readonly words?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Draft;
  readonly spec?: Draft;
}

export function podOf({ name = 'p', words = {}, labels = {}, metadata = {}, spec = {} }: PodParts = {}): Pod {
  const annotations = Object.fromEntries(Object.entries(words).map(([key, text]) => [`kubeloom.dev/${key}`, text]));
  const containers = ['c', 'other'].map((each) => ({ name: each, image: 'nginx:1.27' }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '',
      labels,
      annotations,
      ...metadata,
    },
    spec: { restartPolicy: 'Always', containers, ...spec },
    status: { phase: 'Pending' },
  };
}

export function containerOf(pod: Pod, name = 'c'): Container {
  const found = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

/** A source of a test, with its rules and images. */
export function sourceOf(rules: unknown = [], images: ImageScripts = new ImageScripts()): ScriptSource {
  return createScriptSource({
    kernel: createKernel({ seed: 'scripts' }),
    profile: PROFILE,
    rules: parseScriptRules(rules, 'scripts'),
    images,
  });
}

/** The script of a container, and what its annotations were told. */
export function scriptOf(
  pod: Pod,
  name = 'c',
  source: ScriptSource = sourceOf(),
): { readonly script: ContainerScript; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const script = source.scriptOf(pod, containerOf(pod, name), (problem) => problems.push(problemText(problem)));
  return { script, problems };
}
