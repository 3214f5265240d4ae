/** A random sequence of requests: workloads come, are scaled, changed, disturbed and deleted; equal seeds give equal ones. */
import type { RandomStream } from '../../src/kernel/random.js';
import type { SeenObject, ToldStory } from './recorder.js';

const SCALED = ['deployments', 'statefulsets'] as const;
const ROLLED = ['deployments', 'statefulsets', 'daemonsets'] as const;
/** After a request: sometimes the next one comes while the controllers are still at work. */
const QUIET_MS = [100, 400, 1200, 1200, 1200];

/** Plays one story; see the file header. */
export class RandomStory {
  readonly #story: ToldStory;
  readonly #random: RandomStream;
  readonly #nodes: readonly string[];
  #created = 0;

  constructor(story: ToldStory, random: RandomStream, nodes: readonly string[]) {
    this.#story = story;
    this.#random = random;
    this.#nodes = nodes;
  }

  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.#step();
      await this.#story.rest(this.#pick(QUIET_MS), 8000);
    }
    await this.#story.rest(2000, 20_000);
    this.#story.mark('end');
  }

  #step(): Promise<unknown> {
    const draw = this.#random.unit();
    if (this.#created < 3 || draw < 0.25) return this.#create();
    if (draw < 0.4) return this.#onOne(SCALED, (of, name) => this.#story.scale(of, name, this.#random.int(0, 6)));
    if (draw < 0.55) return this.#onOne(ROLLED, (of, name) => this.#story.image(of, name, this.#image()));
    if (draw < 0.65) return this.#onOne(['pods'], (of, name) => this.#story.del(of, name));
    if (draw < 0.73) return this.#onOne(['pods'], (_of, name) => this.#story.evict(name));
    if (draw < 0.81) return this.#onOne([...ROLLED, 'jobs'], (of, name) => this.#story.del(of, name, PROPAGATION));
    return this.#disturb(this.#pick(this.#nodes));
  }

  #create(): Promise<unknown> {
    this.#created += 1;
    const name = `x${this.#created}`;
    const resource = this.#pick(['deployments', 'deployments', 'statefulsets', 'daemonsets', 'jobs', 'budgets']);
    if (resource === 'budgets') {
      const selector = { matchLabels: { app: `x${this.#random.int(1, this.#created)}` } };
      return this.#story.create('poddisruptionbudgets', {
        ...headOf('policy/v1', 'PodDisruptionBudget', name),
        spec: { minAvailable: this.#random.int(0, 3), selector },
      });
    }
    return this.#story.create(resource, workload(resource, name, this.#random));
  }

  #disturb(node: string): Promise<unknown> {
    const story = this.#story;
    const taint = { key: 'drawn', value: 'x', effect: this.#pick(['NoSchedule', 'NoExecute']) };
    switch (this.#random.int(0, 3)) {
      case 0:
        return story.smp(
          'nodes',
          node,
          { spec: { unschedulable: this.#random.int(0, 1) === 1 } },
          `cordon or not ${node}`,
        );
      case 1:
        return story.json('nodes', node, [{ op: 'add', path: '/spec/taints', value: [taint] }], `taint ${node}`);
      case 2:
        return story.json('nodes', node, [{ op: 'add', path: '/spec/taints', value: [] }], `untaint ${node}`);
      default: {
        const disk = this.#pick(['ssd', null]);
        return story.smp('nodes', node, { metadata: { labels: { disk } } }, `label ${node}`);
      }
    }
  }

  /** A request for an object that is there and not on its way out; another one comes instead where there is none. */
  #onOne<R extends string>(
    resources: readonly R[],
    request: (resource: R, name: string) => Promise<unknown>,
  ): Promise<unknown> {
    const known = resources.flatMap((resource) =>
      this.#story
        .list(resource)
        .filter(isStaying)
        .map(({ metadata }) => [resource, metadata.name] as const),
    );
    if (known.length === 0) return this.#create();
    const [resource, name] = this.#pick(known.toSorted(([, left], [, right]) => (left < right ? -1 : 1)));
    return request(resource, name);
  }

  #image(): string {
    return `app:v${this.#random.int(2, 5)}`;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random.int(0, list.length - 1)] as T;
  }
}

function isStaying({ metadata }: SeenObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

const PROPAGATION = { propagationPolicy: 'Background' };

function headOf(apiVersion: string, kind: string, name: string): object {
  return { apiVersion, kind, metadata: { name } };
}

function workload(resource: string, name: string, random: RandomStream): object {
  const labels = { app: name };
  const requests = { cpu: `${random.int(1, 4)}00m`, memory: '64Mi' };
  const containers = [{ name: 'c', image: 'app:v1', resources: { requests } }];
  const template = { metadata: { labels }, spec: { containers } };
  const selector = { matchLabels: labels };
  const replicas = random.int(1, 6);
  switch (resource) {
    case 'statefulsets': {
      const podManagementPolicy = random.int(0, 1) === 1 ? 'Parallel' : 'OrderedReady';
      const spec = { replicas, selector, serviceName: name, podManagementPolicy, template };
      return { ...headOf('apps/v1', 'StatefulSet', name), spec };
    }
    case 'daemonsets': {
      const nodeSelector = random.int(0, 1) === 1 ? { disk: 'ssd' } : {};
      const spec = { selector, template: { ...template, spec: { ...template.spec, nodeSelector } } };
      return { ...headOf('apps/v1', 'DaemonSet', name), spec };
    }
    case 'jobs': {
      const spec = {
        parallelism: replicas,
        completions: replicas,
        template: { spec: { containers, restartPolicy: 'Never' } },
      };
      return { ...headOf('batch/v1', 'Job', name), spec };
    }
    default: {
      const rollingUpdate = { maxSurge: random.int(0, 2), maxUnavailable: random.int(1, 2) };
      return {
        ...headOf('apps/v1', 'Deployment', name),
        spec: { replicas, selector, template, strategy: { rollingUpdate } },
      };
    }
  }
}
