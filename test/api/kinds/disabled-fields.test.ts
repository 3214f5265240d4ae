/** Fields that are off by default, and two rules about pods that used to be missing. */
import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../../src/index.js';
import { errorOf } from '../../error-of.js';

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

test('fields of other kinds that are off by default are dropped, on creation and on update', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  await cluster.ready();
  const lease = cluster.create('Lease', { metadata: { name: 'l' }, spec: { strategy: 'OldestEmulationVersion' } });
  t.deepEqual(lease.spec, {});
  const driver = cluster.create('CSIDriver', {
    metadata: { name: 'd' },
    spec: { nodeAllocatableUpdatePeriodSeconds: 60, seLinuxMount: true },
  });
  t.false('nodeAllocatableUpdatePeriodSeconds' in driver.spec);
  t.true(driver.spec.seLinuxMount);
  cluster.patch('CSIDriver', 'd', { spec: { nodeAllocatableUpdatePeriodSeconds: 60 } }, 'merge');
  t.false('nodeAllocatableUpdatePeriodSeconds' in cluster.get('CSIDriver', 'd').spec);
  const node = cluster.patch('Node', 'node-0', { spec: { configSource: { configMap: { name: 'c' } } } }, 'merge');
  t.false('configSource' in node.spec);
  cluster.patch('Lease', 'l', { spec: { preferredHolder: 'me', holderIdentity: 'you' } }, 'merge');
  t.deepEqual(cluster.get('Lease', 'l').spec, { holderIdentity: 'you' });
  const slice = cluster.create('EndpointSlice', {
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'], deprecatedTopology: { a: 'b' } }],
  });
  t.deepEqual(slice.endpoints, [{ addresses: ['10.1.1.1'] }]);
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const workload = { metadata: { name: 'w' }, spec: { selector: { matchLabels: labels }, template, replicas: 0 } };
  for (const kind of ['Deployment', 'ReplicaSet'] as const) {
    const made = cluster.create(kind, workload);
    const updated = cluster.updateStatus(kind, { ...made, status: { ...made.status, terminatingReplicas: 3 } });
    t.false('terminatingReplicas' in updated.status);
  }
  await cluster.dispose();
});

test('a claim has its source in both fields, and none from another namespace', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let count = 0;
  const make = (spec: object) => {
    count += 1;
    return cluster.create('PersistentVolumeClaim', {
      metadata: { name: `c${count}` },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    }).spec;
  };
  const claim = { kind: 'PersistentVolumeClaim', name: 'x' };
  const own = { apiGroup: 'mine.example', kind: 'Picture', name: 'x' };
  const both = ({ dataSource, dataSourceRef }: ReturnType<typeof make>) => [dataSource, dataSourceRef];
  t.deepEqual(both(make({ dataSource: claim })), [claim, claim]);
  t.deepEqual(both(make({ dataSourceRef: claim })), [claim, claim]);
  t.deepEqual(both(make({ dataSourceRef: own })), [own, own]);
  t.deepEqual(both(make({ dataSource: own })), [undefined, undefined]);
  t.deepEqual(both(make({ dataSourceRef: { ...claim, namespace: 'other' } })), [undefined, undefined]);
  t.deepEqual(both(make({ dataSource: claim, dataSourceRef: { ...own, namespace: 'other' } })), [claim, claim]);
  t.is(
    errorOf(() => make({ dataSource: claim, dataSourceRef: own })),
    'ApiError: PersistentVolumeClaim "c7" is invalid: spec: Invalid value: {}: must match dataSourceRef',
  );
  t.regex(
    errorOf(() => make({ dataSourceRef: { kind: 'Picture', name: '' } })),
    /spec\.dataSource\.name: Required value, .*spec\.dataSourceRef: Invalid value: "Picture": must be 'PersistentVolumeClaim' when referencing the default apiGroup/,
  );
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
    'ApiError: Pod "p" is invalid: spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
  );
  t.is(
    refusal(cluster, 'Pod', pod(-1, { terminationGracePeriodSeconds: 5 })),
    'ApiError: Pod "p" is invalid: spec.containers[0].lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (5)',
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
      `ApiError: Pod "p" is invalid: metadata.annotations[${key}]: Invalid value: ${JSON.stringify(text)}: must be a 32bit integer`,
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
    `ApiError: Deployment.apps "d" is invalid: spec.template.annotations[${key}]: Invalid value: "+1": must be a 32bit integer`,
  );
  await cluster.dispose();
});
