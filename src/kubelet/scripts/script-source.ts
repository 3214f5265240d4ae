/**
 * Where the scripts of a cluster's containers come from, one source over the other, field by field: the annotations
 * for the container, those for all containers of its pod, the rules of the cluster (the later in the list
 * first), what is hinted of the pod, the image's registration, the node's runtime profile. It keeps nothing of any pod.
 */
import type { Container, Pod } from '../../api/objects/objects.js';
import { isSidecar } from '../../api/pods/pod-resources.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ImageScripts } from './image-scripts.js';
import { AnnotationScripts } from './script-annotations.js';
import { NO_SCRIPT, over, settled, type HabitProfile, type RunHabit, type ScriptLayer } from './script-layer.js';
import { RuleScripts, type ParsedScriptRule } from './script-rules.js';
import { scriptStream } from './script-stream.js';
import type { ContainerScript, ScriptProblem, ScriptSource } from './script-types.js';
import { outOfMemoryAfterMs } from './usage-curve.js';

/** What a source is made of. */
export interface ScriptSourceParts {
  readonly kernel: Pick<Kernel, 'random'>;
  readonly profile: HabitProfile;
  /** @defaultValue none */
  readonly rules?: readonly ParsedScriptRule[];
  /** @defaultValue none, ever */
  readonly images?: ImageScripts;
  /** What else is known of how a pod goes. @defaultValue nothing */
  readonly hints?: { layerOf(pod: Pod, container: Container): ScriptLayer };
}

/** See the file header. */
export function createScriptSource(parts: ScriptSourceParts): ScriptSource {
  return new LayeredScripts(parts);
}

class LayeredScripts implements ScriptSource {
  readonly #parts: ScriptSourceParts;
  readonly #annotations = new AnnotationScripts();
  readonly #rules: RuleScripts;
  /** Equal layers give the very same script. */
  readonly #settled: Readonly<Record<RunHabit, WeakMap<ScriptLayer, ContainerScript>>> = {
    service: new WeakMap(),
    init: new WeakMap(),
    job: new WeakMap(),
  };

  constructor(parts: ScriptSourceParts) {
    this.#parts = parts;
    this.#rules = new RuleScripts(parts.rules ?? []);
  }

  scriptOf(pod: Pod, container: Container, onProblem: (problem: ScriptProblem) => void): ContainerScript {
    const { kernel, images, hints } = this.#parts;
    const annotated = this.#annotations.read(pod, container);
    for (const problem of annotated.problems) onProblem(problem);
    const told = over(annotated.layer, this.#rules.layerOf(pod, container));
    const ruled = hints === undefined ? told : over(told, hints.layerOf(pod, container));
    const ofImage = images?.layerOf(pod, container, () => scriptStream(kernel, pod, container, 'image'));
    return this.#settle(ofImage === undefined ? ruled : over(ruled, ofImage), habitOf(pod, container));
  }

  #settle(layer: ScriptLayer, habit: RunHabit): ContainerScript {
    if (layer === NO_SCRIPT && habit !== 'job') return NO_SCRIPT;
    const known = this.#settled[habit];
    let script = known.get(layer);
    if (script === undefined) {
      script = settled(layer, habit, this.#parts.profile);
      known.set(layer, script);
    }
    return script;
  }
}

/** Whether the first run of an app container ends by itself, as its script says. */
export function endsByItself(source: ScriptSource, pod: Pod): boolean {
  return pod.spec.containers.some((container) => {
    const script = source.scriptOf(pod, container, () => undefined);
    return script.runs?.[0]?.duration !== undefined || outOfMemoryAfterMs(script, container) !== Infinity;
  });
}

/** How a container's runs go when no script says. A Job's app containers are there to end. */
function habitOf({ metadata, spec }: Pod, container: Container): RunHabit {
  if (spec.initContainers?.some(({ name }) => name === container.name) === true)
    return isSidecar(container) ? 'service' : 'init';
  if (metadata.ownerReferences === undefined || spec.restartPolicy === 'Always') return 'service';
  return metadata.ownerReferences.some(isJob) ? 'job' : 'service';
}

function isJob({ kind, apiVersion, controller }: { kind: string; apiVersion: string; controller?: boolean }): boolean {
  return kind === 'Job' && controller === true && apiVersion.startsWith('batch/');
}
