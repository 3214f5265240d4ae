/**
 * How often containers were started anew between `start` and `gather` (container_restarts.go): exact, from what their
 * statuses count, where upstream asks Prometheus.
 */
import type { Subscription } from 'rxjs';
import { parse } from 'yaml';
import type { Pod } from '../../../api/objects/objects.js';
import { printed } from '../../../workload/input-error.js';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { jsonText } from './perf-data.js';

const METHOD = 'ContainerRestarts';

/** As Go prints it: its fields have no names of their own in JSON. */
interface Restarts {
  readonly Container: string;
  readonly Pod: string;
  readonly Namespace: string;
  readonly RestartCount: number;
}

/** Pods by a pattern in which `*` is any text, and how often their containers may be started anew. */
interface Allowance {
  readonly pods: RegExp;
  readonly restarts: number;
}

export function containerRestarts(means: MeasurementMeans): Measurement {
  return new ContainerRestarts(means);
}

class ContainerRestarts implements Measurement {
  readonly #means: MeasurementMeans;
  /** What they counted when it began, of those that had been started anew. */
  readonly #before = new Map<string, number>();
  /** Those that were started anew since then, of pods that are gone as well. */
  readonly #since = new Map<string, Restarts>();
  #watch: Subscription | undefined;

  constructor(means: MeasurementMeans) {
    this.#means = means;
  }

  execute(call: Call): Promise<Outcome> {
    return Promise.resolve(actionOf(call, ['start', 'gather']) === 'start' ? this.#start() : this.#gather(call));
  }

  dispose(): void {
    this.#watch?.unsubscribe();
    this.#watch = undefined;
  }

  #start(): Outcome {
    const { cluster, connection } = this.#means.player;
    this.dispose();
    this.#before.clear();
    this.#since.clear();
    for (const pod of cluster.list('Pod')) {
      for (const [name, count] of countsOf(pod)) if (count > 0) this.#before.set(keyOf(pod, name), count);
    }
    this.#watch = connection.watch('Pod').subscribe((delivery) => {
      if ('object' in delivery) this.#note(delivery.object);
    });
    return done();
  }

  #note(pod: Pod): void {
    for (const [name, count] of countsOf(pod)) {
      if (count === 0) continue;
      const restarts = count - (this.#before.get(keyOf(pod, name)) ?? 0);
      if (restarts > 0) this.#since.set(keyOf(pod, name), restartsOf(pod, name, restarts));
    }
  }

  #gather({ params }: Call): Outcome {
    const standard = params.integer('defaultAllowedRestarts', 0, 0);
    const others = allowances({ params });
    const isFailure = params.flag('failureEnabled', true) && params.flag('enableViolations', false);
    this.dispose();
    const present = this.#means.player.cluster
      .list('Pod')
      .flatMap((pod) => countsOf(pod).map(([name]) => [keyOf(pod, name), restartsOf(pod, name, 0)] as const));
    const all = [...new Map([...present, ...this.#since]).values()];
    const summaries = [{ name: METHOD, content: jsonText(all) }];
    const bad = all.flatMap((each) => {
      const most = others.filter(({ pods }) => pods.test(each.Pod)).map(({ restarts }) => restarts);
      const allowed = Math.max(standard, ...most);
      const { Container, Pod: pod, Namespace, RestartCount: count } = each;
      const info = `{Container:${Container} Pod:${pod} Namespace:${Namespace}}`;
      return count > allowed ? [`restartCount(${info}) = ${count}, expected <= ${allowed}`] : [];
    });
    if (bad.length === 0 || !isFailure) return { summaries };
    return { summaries, error: `container restarts: container restart count validation: [${bad.join(' ')}]` };
  }
}

/** Of the YAML in `customAllowedRestarts`. @throws LoadError */
function allowances({ params }: Pick<Call, 'params'>): readonly Allowance[] {
  const field = 'customAllowedRestarts';
  const text = params.text(field, '');
  let value: unknown;
  try {
    value = parse(text) ?? [];
  } catch {
    value = text;
  }
  const entries: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  return entries.map((entry) => {
    const { pod = '', allowedRestarts: restarts = 0 } = (entry ?? {}) as { pod?: unknown; allowedRestarts?: unknown };
    if (entry === undefined || typeof pod !== 'string' || !Number.isSafeInteger(restarts)) {
      const allowed = 'a list of pod (a text) and allowedRestarts (an integer), as YAML';
      throw params.refusal(field, `must be ${allowed}, got ${printed(text)}`);
    }
    const pattern = pod.replace(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`).replaceAll('*', '.*');
    return { pods: new RegExp(`^${pattern}$`), restarts: restarts as number };
  });
}

function countsOf({ status }: Pod): readonly (readonly [name: string, count: number])[] {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  return [...initContainerStatuses, ...containerStatuses].map(({ name, restartCount }) => [name, restartCount]);
}

function keyOf({ metadata }: Pod, container: string): string {
  return `${metadata.uid} ${container}`;
}

function restartsOf({ metadata }: Pod, container: string, count: number): Restarts {
  return { Container: container, Pod: metadata.name, Namespace: metadata.namespace ?? '', RestartCount: count };
}
