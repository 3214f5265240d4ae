/** Fields that are off by default, and two rules about pods that used to be missing. */
import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../../src/index.js';

const SOURCES = [
  { clusterTrustBundle: { name: 'b', path: 'p' } },
  { podCertificate: { signerName: 's', keyType: 'ED25519' }, configMap: { name: 'm' } },
];

/** A pod that says everything that is off by default. */
const SPEC = {
  hostnameOverride: 'h',
  initContainers: [
    { name: 'side', image: 'i', restartPolicy: 'Always', restartPolicyRules: [{ action: 'Restart' }] },
    { name: 'init', image: 'i', restartPolicy: 'Never' },
  ],
  containers: [
    {
      name: 'c',
      image: 'i',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart' }],
      lifecycle: { stopSignal: 'SIGUSR1' },
      env: [
        {
          name: 'E',
          valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' }, fieldRef: { fieldPath: 'metadata.name' } },
        },
      ],
      volumeMounts: [
        { name: 'artifact', mountPath: '/a' },
        { name: 'v', mountPath: '/v' },
      ],
    },
    {
      name: 'd',
      image: 'i',
      lifecycle: { stopSignal: 'SIGUSR1', preStop: { sleep: { seconds: 5 } } },
    },
  ],
  volumes: [
    { name: 'artifact', image: { reference: 'r' } },
    { name: 'v', projected: { sources: SOURCES } },
  ],
};

function refusal(cluster: Cluster, kind: 'Pod' | 'Deployment', draft: object): string {
  return errorOf(() => cluster.create(kind, draft as Draft));
}

function errorOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

test('fields of pods that are off by default are dropped, of pods and of templates', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.create('Pod', { metadata: { name: 'p' }, spec: SPEC });
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: SPEC };
  cluster.create('Deployment', {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: labels }, template },
  });
  for (const spec of [cluster.get('Pod', 'p').spec, cluster.get('Deployment', 'd').spec.template.spec]) {
    const text = JSON.stringify(spec);
    t.notRegex(
      text,
      /stopSignal|restartPolicyRules|fileKeyRef|hostnameOverride|artifact|clusterTrustBundle|podCertificate/,
    );
    t.deepEqual(
      spec.initContainers?.map(({ restartPolicy }) => restartPolicy),
      ['Always', undefined],
    );
    t.deepEqual(
      spec.containers.map(({ restartPolicy, lifecycle }) => [restartPolicy, lifecycle]),
      [
        [undefined, undefined],
        [undefined, { preStop: { sleep: { seconds: 5 } } }],
      ],
    );
    t.deepEqual(
      spec.containers[0]?.volumeMounts?.map(({ name }) => name).filter((name) => !name.startsWith('kube-api-access')),
      ['v'],
    );
  }
  await cluster.dispose();
});

function pod(seconds: number, more: object = {}): object {
  return {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds } } } }], ...more },
  };
}

test('a sleep of a hook lasts no longer than the grace period', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.is(
    refusal(cluster, 'Pod', pod(31)),
    'Pod "p" is invalid: spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
  );
  t.is(
    refusal(cluster, 'Pod', pod(-1, { terminationGracePeriodSeconds: 5 })),
    'Pod "p" is invalid: spec.containers[0].lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (5)',
  );
  t.is(refusal(cluster, 'Pod', pod(0)), 'accepted');
  t.is(
    refusal(cluster, 'Pod', { ...pod(31, { terminationGracePeriodSeconds: 31 }), metadata: { name: 'q' } }),
    'accepted',
  );
  await cluster.dispose();
});

test('the cost of a deletion is a 32-bit integer without a plus sign or leading zeros', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const key = 'controller.kubernetes.io/pod-deletion-cost';
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  for (const text of ['+1', '01', '', '-', '1.5', '2147483648', 'high']) {
    t.is(
      refusal(cluster, 'Pod', { metadata: { name: 'p', annotations: { [key]: text } }, spec }),
      `Pod "p" is invalid: metadata.annotations[${key}]: Invalid value: ${JSON.stringify(text)}: must be a 32bit integer`,
    );
  }
  for (const [index, text] of ['0', '-1', '-07', '2147483647', '-2147483648'].entries()) {
    t.is(refusal(cluster, 'Pod', { metadata: { name: `p${index}`, annotations: { [key]: text } }, spec }), 'accepted');
  }
  t.regex(
    errorOf(() => cluster.patch('Pod', 'p0', { metadata: { annotations: { [key]: '+1' } } })),
    /must be a 32bit integer$/,
  );
  const labels = { a: 'b' };
  const template = { metadata: { labels, annotations: { [key]: '+1' } }, spec };
  t.is(
    refusal(cluster, 'Deployment', { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } }),
    `Deployment.apps "d" is invalid: spec.template.annotations[${key}]: Invalid value: "+1": must be a 32bit integer`,
  );
  await cluster.dispose();
});
