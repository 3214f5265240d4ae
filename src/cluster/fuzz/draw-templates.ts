/** Draws pods: what they ask for, how they start, serve and stop, and what goes wrong in them by itself. */
import type { RandomStream } from '../../kernel/random.js';

/** A template as a workload has it. */
export interface DrawnTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly annotations: Texts };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly Readonly<Record<string, unknown>>[];
  };
}

type Texts = Readonly<Record<string, string>>;

/** Name of every container, so that patches can name it. */
export const CONTAINER = 'app';

/** What workloads are drawn for. */
export interface DrawnSite {
  /** How many. */
  readonly nodes: number;
  /** When everything that happens has begun, simulated ms. */
  readonly endMs: number;
  /** Whether the end must be the same without faults: then nothing goes on for ever. */
  readonly isCompared: boolean;
}

/** Pods that run on. Whatever goes wrong in them ends: a workload that is never whole says nothing. */
export function runningTemplate(random: RandomStream, app: string, { isCompared }: DrawnSite): DrawnTemplate {
  const graceSeconds = random.int(1, 40);
  const isProbed = oneIn(random, 3);
  const preStop = oneIn(random, 5) ? { preStop: { sleep: { seconds: random.int(1, Math.min(5, graceSeconds)) } } } : {};
  const postStart = oneIn(random, 8) ? { postStart: { exec: { command: ['warm-up'] } } } : {};
  const isHooked = Object.keys({ ...preStop, ...postStart }).length > 0;
  return {
    metadata: { labels: { app }, annotations: misbehaviour(random, isProbed && !isCompared) },
    spec: {
      terminationGracePeriodSeconds: graceSeconds,
      ...placement(random, app),
      containers: [
        {
          name: CONTAINER,
          image: `${app}:1`,
          resources: { requests: { cpu: `${random.int(1, 5) * 100}m`, memory: '64Mi' } },
          ...(isProbed ? { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 } } : {}),
          ...(isHooked ? { lifecycle: { ...preStop, ...postStart } } : {}),
        },
      ],
    },
  };
}

/** Pods that end by themselves. */
export function endingTemplate(random: RandomStream, app: string): DrawnTemplate {
  return {
    metadata: { labels: { app }, annotations: { 'kubeloom.dev/run-for': `uniform(1s, ${random.int(10, 120)}s)` } },
    spec: {
      restartPolicy: random.int(0, 1) === 1 ? 'Never' : 'OnFailure',
      containers: [{ name: CONTAINER, image: `${app}:1`, resources: { requests: { cpu: '100m' } } }],
    },
  };
}

/** The same pods with claims mounted. */
export function withClaims(template: DrawnTemplate, claims: Texts): DrawnTemplate {
  const { metadata, spec } = template;
  const volumeMounts = Object.keys(claims).map((name) => ({ name, mountPath: `/${name}` }));
  const volumes = Object.entries(claims).flatMap(([name, claimName]) =>
    // A claim template gives its pods their volume by itself.
    claimName === '' ? [] : [{ name, persistentVolumeClaim: { claimName } }],
  );
  const containers = spec.containers.map((container) => ({ ...container, volumeMounts }));
  return { metadata, spec: { ...spec, containers, ...(volumes.length === 0 ? {} : { volumes }) } };
}

export function oneIn(random: RandomStream, many: number): boolean {
  return random.int(1, many) === 1;
}

/** Slow ends, a probe that fails for a while, a process that crashes once or twice and then goes on. */
function misbehaviour(random: RandomStream, mayFlap: boolean): Texts {
  const shutdown = random.int(0, 1) === 1 ? { 'kubeloom.dev/shutdown': `${random.int(1, 20)}s` } : {};
  // Again and again, and so seldom that all pods of a workload are ready at once sooner or later.
  const readiness =
    mayFlap && oneIn(random, 2)
      ? { 'kubeloom.dev/readiness': `ok ${random.int(400, 900)}s, fail ${random.int(45, 75)}s` }
      : {};
  const run = `${random.int(5, 120)}s exit ${random.int(0, 1)}`;
  const runs = oneIn(random, 6) ? { 'kubeloom.dev/runs': `${run}, forever` } : {};
  return { ...shutdown, ...readiness, ...runs };
}

/** Wishes of place that never keep a pod waiting for good. */
function placement(random: RandomStream, app: string): Readonly<Record<string, unknown>> {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } };
  switch (random.int(0, 7)) {
    case 0:
      return {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
          },
        },
      };
    case 1: {
      const { topologyKey, labelSelector } = term;
      const whenUnsatisfiable = 'ScheduleAnyway';
      return { topologySpreadConstraints: [{ maxSkew: 1, topologyKey, labelSelector, whenUnsatisfiable }] };
    }
    default:
      return {};
  }
}
