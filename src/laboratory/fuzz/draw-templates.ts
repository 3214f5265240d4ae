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

/**
 * Pods that run on. Whatever goes wrong in them ends: a workload that is never whole says nothing.
 *
 * @param mayFlap - it goes anyway: its probes may fail again and again
 */
export function runningTemplate(random: RandomStream, app: string, mayFlap = false): DrawnTemplate {
  const graceSeconds = random.int(1, 40);
  const isProbed = oneIn(random, 3);
  const preStop = oneIn(random, 5) ? { preStop: { sleep: { seconds: random.int(1, Math.min(5, graceSeconds)) } } } : {};
  const postStart = oneIn(random, 8) ? { postStart: { exec: { command: ['warm-up'] } } } : {};
  const isHooked = Object.keys({ ...preStop, ...postStart }).length > 0;
  return {
    metadata: { labels: { app }, annotations: misbehaviour(random, isProbed, mayFlap) },
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

/** Slow ends, probes that fail at first or from time to time, a process that crashes some times and then goes on. */
function misbehaviour(random: RandomStream, isProbed: boolean, mayFlap: boolean): Texts {
  const shutdown = random.int(0, 1) === 1 ? { 'kubeloom.dev/shutdown': `${random.int(1, 20)}s` } : {};
  const flapping = `ok ${random.int(40, 200)}s, fail ${random.int(40, 90)}s`;
  const lateness = `${random.int(20, 60)}s`;
  const isLate = isProbed && oneIn(random, 6);
  const mayServe =
    mayFlap && isProbed
      ? { 'kubeloom.dev/readiness': flapping }
      : isLate
        ? { 'kubeloom.dev/readiness-delay': lateness }
        : {};
  // Two crashes soon after one another are a loop: the third start is put off for 10 s, the fourth for 20 s.
  const again = Array.from({ length: random.int(0, 2) }, () => `, ${random.int(2, 8)}s exit 1`).join('');
  const runs = `${random.int(5, 240)}s exit ${random.int(0, 1)}${again}, forever`;
  return {
    ...shutdown,
    ...mayServe,
    ...(oneIn(random, 5) ? { 'kubeloom.dev/runs': runs } : {}),
  };
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
