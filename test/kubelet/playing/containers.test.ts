/** Containers that compute: what their programs say, how they end, what they read, and what asks them. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type ClusterOptions, type Draft } from '../../../src/index.js';

const QUICK = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 };

async function started(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 1, runtime: QUICK, ...options });
  await cluster.ready();
  return cluster;
}

interface PodPlan {
  readonly spec?: object;
  readonly container?: object;
  readonly metadata?: object;
}

function podOf(name: string, command: string | readonly string[], { spec, container, metadata }: PodPlan = {}): Draft {
  const words = typeof command === 'string' ? ['sh', '-c', command] : command;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'busybox:1.37', command: words, ...container }],
      ...spec,
    },
  };
}

/** Plays one pod for a while. */
async function played(t: ExecutionContext, plan: Draft, limit = '1m', options?: ClusterOptions): Promise<Cluster> {
  const cluster = await started(options);
  t.teardown(() => cluster.dispose());
  cluster.apply(plan);
  await cluster.run({ limit });
  return cluster;
}

const ended = (cluster: Cluster, pod = 'p'): object | undefined =>
  cluster.get('Pod', pod)?.status.containerStatuses?.[0]?.state?.terminated;

test('containers › a script plays in virtual time: its output is the log, its exit code the container’s', async (t) => {
  const cluster = await played(
    t,
    podOf('p', 'echo begin; for i in 1 2 3; do sleep 5; echo $i; done; echo bad >&2; exit 3'),
  );
  t.is(cluster.logs('p'), 'begin\n1\n2\n3\nbad\n');
  t.is(cluster.logs('p', { tailLines: 1 }), 'bad\n');
  t.like(ended(cluster), { exitCode: 3, reason: 'Error' });
  t.is(cluster.get('Pod', 'p')?.status.phase, 'Failed');
});

test('containers › a run begins anew after a restart, and the log of the one before stays', async (t) => {
  const cluster = await played(
    t,
    podOf('p', 'echo run $(date +%S); sleep 3; exit 1', { spec: { restartPolicy: 'OnFailure' } }),
    '5s',
  );
  const first = cluster.logs('p', { previous: true });
  t.regex(first, /^run \d\d\n$/);
  t.not(cluster.logs('p'), first);
  t.is(cluster.get('Pod', 'p')?.status.containerStatuses?.[0]?.restartCount, 1);
});

test('containers › SIGTERM: a trap is heard, and a process without one is killed after its grace', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  cluster.apply(podOf('heard', "trap 'exit 0' TERM; while true; do sleep 1; done"));
  cluster.apply(podOf('deaf', ['sleep', '3600'], { spec: { terminationGracePeriodSeconds: 10 } }));
  await cluster.run({ limit: '5s' });
  cluster.delete('Pod', 'heard');
  cluster.delete('Pod', 'deaf');
  await cluster.run({ limit: '3s' });
  t.deepEqual(
    cluster.list('Pod').map(({ metadata }) => metadata.name),
    ['deaf'],
  );
  await cluster.run({ limit: '10s' });
  t.deepEqual(cluster.list('Pod'), []);
});

test('containers › files and variables come from config maps, secrets and the pod itself', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  cluster.create('ConfigMap', {
    metadata: { name: 'cm' },
    data: { a: 'one', 'b.txt': 'two' },
    binaryData: { bin: 'AAH/' },
  });
  cluster.create('Secret', { metadata: { name: 's' }, data: { key: Buffer.from('hidden').toString('base64') } });
  cluster.apply(
    podOf(
      'p',
      [
        'sh',
        '-c',
        'cat /cm/a /s/key; echo; wc -c < /cm/bin; stat -L -c %a /s/key /cm/x/b; cat /cm/x/b; echo; cat /down/labels; echo; ' +
          'cat /down/cpu; echo; echo $(A) $B $LIMIT $IP $PRE_a; cat /one; hostname; touch /cm/new || echo read-only',
      ],
      {
        metadata: { labels: { app: 'web' } },
        spec: {
          volumes: [
            {
              name: 'cm',
              configMap: {
                name: 'cm',
                items: [
                  { key: 'a', path: 'a' },
                  { key: 'bin', path: 'bin' },
                  { key: 'b.txt', path: 'x/b', mode: 0o400 },
                ],
              },
            },
            { name: 'all', configMap: { name: 'cm' } },
            { name: 's', secret: { secretName: 's', defaultMode: 0o440 } },
            {
              name: 'down',
              projected: {
                sources: [
                  {
                    downwardAPI: {
                      items: [
                        { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
                        {
                          path: 'cpu',
                          resourceFieldRef: { containerName: 'c', resource: 'limits.cpu', divisor: '1m' },
                        },
                      ],
                    },
                  },
                ],
              },
            },
          ],
        },
        container: {
          resources: { limits: { cpu: '250m', memory: '64Mi' } },
          env: [
            { name: 'A', value: 'first' },
            { name: 'B', value: '$(A)-$$(A)-$(NONE)' },
            { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
            { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          ],
          envFrom: [{ prefix: 'PRE_', configMapRef: { name: 'cm' } }],
          volumeMounts: [
            { name: 'cm', mountPath: '/cm' },
            { name: 's', mountPath: '/s' },
            { name: 'down', mountPath: '/down' },
            { name: 'all', mountPath: '/one', subPath: 'a' },
          ],
        },
      },
    ),
  );
  await cluster.run({ limit: '10s' });
  t.deepEqual(cluster.logs('p').split('\n'), [
    'onehidden',
    '3',
    '440',
    '400',
    'two',
    'app="web"',
    '250',
    'first first-$(A)-$(NONE) 64 10.0.0.1 one',
    'onep',
    'touch: /cm/new: Read-only file system',
    'read-only',
    '',
  ]);
});

test('containers › a change of a config map is seen within a minute, one of labels at once', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  cluster.create('ConfigMap', { metadata: { name: 'cm' }, data: { a: 'old' } });
  const volumes = [
    { name: 'v', configMap: { name: 'cm' } },
    { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: "metadata.labels['x']" } }] } },
  ];
  const volumeMounts = [
    { name: 'v', mountPath: '/v' },
    { name: 'd', mountPath: '/d' },
  ];
  cluster.apply(
    podOf('p', 'while true; do echo $(cat /v/a /d/l); sleep 5; done', {
      spec: { volumes },
      container: { volumeMounts },
      metadata: { labels: { x: '1' } },
    }),
  );
  await cluster.run({ limit: '21s' });
  cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { a: 'new' } });
  await cluster.run({ limit: '20s' });
  t.regex(cluster.logs('p', { tailLines: 1 }), /^old1\n$/);
  await cluster.run({ limit: '45s' });
  t.is(cluster.logs('p', { tailLines: 1 }), 'new1\n');
  cluster.patch('Pod', 'p', { metadata: { labels: { x: '2' } } });
  await cluster.run({ limit: '6s' });
  t.is(cluster.logs('p', { tailLines: 1 }), 'new2\n');
});

test('containers › an empty directory is shared, and outlives a run', async (t) => {
  const mounts = { volumeMounts: [{ name: 'e', mountPath: '/e' }] };
  const cluster = await played(t, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      restartPolicy: 'Never',
      volumes: [{ name: 'e', emptyDir: {} }],
      initContainers: [
        { name: 'i', image: 'busybox', command: ['sh', '-c', 'sleep 2; echo from init > /e/f'], ...mounts },
      ],
      containers: [
        {
          name: 'c',
          image: 'busybox',
          command: ['sh', '-c', 'cat /e/f; until [ -f /e/g ]; do sleep 1; done; cat /e/g'],
          ...mounts,
        },
        { name: 'd', image: 'busybox', command: ['sh', '-c', 'sleep 5; echo from d > /e/g'], ...mounts },
      ],
    },
  });
  t.is(cluster.logs('p', { container: 'c' }), 'from init\nfrom d\n');
  t.is(cluster.get('Pod', 'p')?.status.phase, 'Succeeded');
});

test('containers › last words are the container’s message: from its file, or from its log where it failed', async (t) => {
  const cluster = await played(t, podOf('p', 'echo words > /dev/termination-log; exit 1'));
  t.like(ended(cluster), { message: 'words\n' });
  cluster.apply(
    podOf('q', 'echo from the log; exit 1', { container: { terminationMessagePolicy: 'FallbackToLogsOnError' } }),
  );
  cluster.apply(podOf('r', 'echo from the log', { container: { terminationMessagePolicy: 'FallbackToLogsOnError' } }));
  await cluster.run({ limit: '10s' });
  t.like(ended(cluster, 'q'), { message: 'from the log\n' });
  t.is((ended(cluster, 'r') as { message?: string }).message, undefined);
});

test('containers › a probe runs its command in the container, at each attempt', async (t) => {
  const probe = { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1, failureThreshold: 1 };
  const cluster = await played(
    t,
    podOf('p', 'sleep 10; touch /tmp/ready; sleep 10; rm /tmp/ready; sleep 600', {
      container: { readinessProbe: probe },
    }),
    '5s',
  );
  const isReady = (): boolean | undefined => cluster.get('Pod', 'p')?.status.containerStatuses?.[0]?.ready;
  t.false(isReady());
  const [unhealthy] = cluster.list('Event').filter(({ reason }) => reason === 'Unhealthy');
  t.is(unhealthy?.message, "Readiness probe failed: cat: can't open '/tmp/ready': No such file or directory\n");
  await cluster.run({ limit: '10s' });
  t.true(isReady());
  await cluster.run({ limit: '10s' });
  t.false(isReady());
});

test('containers › a probe that takes too long has failed', async (t) => {
  const probe = { exec: { command: ['sleep', '5'] }, periodSeconds: 10, timeoutSeconds: 2, failureThreshold: 1 };
  const cluster = await played(
    t,
    podOf('p', ['sleep', '600'], {
      container: { livenessProbe: probe },
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
    }),
    '8s',
  );
  t.is(cluster.get('Pod', 'p')?.status.containerStatuses?.[0]?.restartCount, 1);
  const [unhealthy] = cluster.list('Event').filter(({ reason }) => reason === 'Unhealthy');
  t.is(unhealthy?.message, 'Liveness probe failed: command timed out: "sleep 5" timed out after 2s');
});

test('containers › hooks run in the container, and their servers are asked', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  cluster.apply(
    podOf('server', [], { container: { image: 'registry.k8s.io/e2e-test-images/agnhost:2.56', args: ['netexec'] } }),
  );
  await cluster.run({ limit: '2s' });
  const host = cluster.get('Pod', 'server')?.status.podIP;
  cluster.apply(
    podOf('p', 'sleep 1; cat /tmp/started; sleep 600', {
      spec: { terminationGracePeriodSeconds: 20 },
      container: {
        lifecycle: {
          postStart: { exec: { command: ['sh', '-c', 'sleep 4; echo hook > /tmp/started'] } },
          preStop: { httpGet: { host, port: 8080, path: '/echo?msg=stop' } },
        },
      },
    }),
  );
  await cluster.run({ limit: '3s' });
  t.not(cluster.get('Pod', 'p')?.status.phase, 'Running');
  await cluster.run({ limit: '5s' });
  t.is(cluster.get('Pod', 'p')?.status.phase, 'Running');
  cluster.delete('Pod', 'p');
  await cluster.run({ limit: '1m' });
  t.true(cluster.logs('server').includes('GET /echo?msg=stop'));
});

test('containers › a command runs beside the program, with input, in simulated time', async (t) => {
  const cluster = await played(t, podOf('p', 'echo one > /tmp/f; sleep 600'), '5s');
  const reading = cluster.exec('p', ['sh', '-c', 'cat /tmp/f; cat; sleep 2; exit 4'], { stdin: 'typed' });
  await cluster.run({ limit: '3s' });
  t.deepEqual(await reading, { stdout: 'one\ntyped', stderr: '', exitCode: 4 });
  const missing = cluster.exec('p', ['no-such-program']);
  await cluster.run({ limit: '1s' });
  t.is((await missing).exitCode, 126);
});

test('containers › a server of a container answers others and its own probes', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  const image = 'registry.k8s.io/e2e-test-images/agnhost:2.56';
  cluster.apply(
    podOf('server', [], {
      container: {
        image,
        args: ['liveness'],
        livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 3, failureThreshold: 1 },
      },
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
    }),
  );
  await cluster.run({ limit: '5s' });
  const host = cluster.get('Pod', 'server')?.status.podIP ?? '';
  cluster.apply(podOf('p', `wget -qO- http://${host}:8080/healthz; echo; wget -q http://${host}:81/ || echo $?`));
  await cluster.run({ limit: '10s' });
  t.is(cluster.logs('p'), `ok\nwget: can't connect to remote host (${host}): Connection refused\n1\n`);
  t.is(cluster.get('Pod', 'server')?.status.containerStatuses?.[0]?.restartCount, 1);
});

test('containers › what is not known runs until it is stopped, and so does what has no counterpart', async (t) => {
  const cluster = await played(t, podOf('p', 'exit 1', { container: { image: 'registry.example/app:1' } }));
  cluster.apply(podOf('q', 'apk add curl && exit 1', { container: { image: 'alpine' } }));
  cluster.apply(podOf('r', 'exit 1', { metadata: { annotations: { 'kubeloom.dev/plays': 'nothing' } } }));
  cluster.apply(
    podOf('s', 'exit 5', {
      container: { image: 'registry.example/app:1' },
      metadata: { annotations: { 'kubeloom.dev/plays': 'busybox' } },
    }),
  );
  await cluster.run({ limit: '1m' });
  t.deepEqual(
    cluster.list('Pod').map(({ status }) => status.phase),
    ['Running', 'Running', 'Running', 'Failed'],
  );
  t.like(ended(cluster, 's'), { exitCode: 5 });
});

test('containers › a job ends by itself, as its command says', async (t) => {
  const cluster = await started();
  t.teardown(() => cluster.dispose());
  cluster.apply({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: {
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [
            { name: 'c', image: 'busybox', command: ['sh', '-c', 'sleep $((JOB_COMPLETION_INDEX * 20)); exit 0'] },
          ],
        },
      },
    },
  });
  await cluster.run({ limit: '30s' });
  t.like(cluster.get('Job', 'j')?.status, { succeeded: 2, active: 1 });
  await cluster.run({ limit: '30s' });
  t.is(cluster.get('Job', 'j')?.status.succeeded, 3);
});

test('containers › the same seed gives the same run, whether the shell was loaded before or not, with any number of workers', async (t) => {
  const hashes: string[] = [];
  for (const workers of [0, 0, 2]) {
    const cluster = await started({ workers, nodes: 3, seed: 11 });
    for (let index = 0; index < 6; index += 1) {
      cluster.apply(
        podOf(
          `p${index}`,
          `sleep $((RANDOM % 7)); echo ${index} $RANDOM > /dev/termination-log; exit $((RANDOM % 2))`,
          { spec: { restartPolicy: 'OnFailure' } },
        ),
      );
    }
    await cluster.run({ limit: '2m' });
    hashes.push(cluster.traceHash);
    await cluster.dispose();
  }
  t.is(new Set(hashes).size, 1);
});
