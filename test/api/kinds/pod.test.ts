import test from 'ava';
import type { Draft, Pod, PodSpec } from '../../../src/api/objects/objects.js';
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const CONTAINER = { name: 'c', image: 'nginx' };

function draft(spec: object = {}, metadata: object = {}): Draft {
  return { metadata: { name: 'x', ...metadata }, spec: { containers: [CONTAINER], ...spec } };
}

function refusal(spec: object, metadata: object = {}): string {
  return answerOf(() => created('Pod', draft(spec, metadata)));
}

function withContainer(extra: object): object {
  return { containers: [{ ...CONTAINER, ...extra }] };
}

test('a minimal pod gets every default', (t) => {
  const { spec, status } = created('Pod', draft());
  t.deepEqual(spec, {
    containers: [
      {
        name: 'c',
        image: 'nginx',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
  } as PodSpec);
  t.deepEqual(status, { phase: 'Pending', qosClass: 'BestEffort' });
});

test('images without a tag are always pulled, others when they are absent', (t) => {
  const images = [
    'nginx',
    'nginx:latest',
    'nginx:1.2',
    'r:5000/nginx',
    'nginx@sha256:0',
    'r:5000/a/nginx:1@sha256:0',
    'A_b',
    '../a',
    'HOST/a',
  ];
  t.deepEqual(
    images.map((image) => created('Pod', draft(withContainer({ image }))).spec.containers[0]?.imagePullPolicy),
    [
      'Always',
      'Always',
      'IfNotPresent',
      'Always',
      'IfNotPresent',
      'IfNotPresent',
      'IfNotPresent',
      'IfNotPresent',
      'Always',
    ],
  );
});

test('quantities are kept in canonical form and requests follow limits', (t) => {
  const { spec, status } = created(
    'Pod',
    draft(withContainer({ resources: { limits: { cpu: 0.5, memory: '1024Mi' }, requests: { memory: '1000m' } } })),
  );
  t.deepEqual(spec.containers[0]?.resources, {
    limits: { cpu: '500m', memory: '1Gi' },
    requests: { cpu: '500m', memory: '1' },
  });
  t.is(status.qosClass, 'Burstable');
});

test('pods of one template share their spec, and defaults are a fixed point', (t) => {
  const spec = { containers: [CONTAINER], nodeSelector: { a: 'b' } };
  const [first, second] = ['a', 'b'].map((name) => created('Pod', { metadata: { name }, spec }));
  t.is(first?.spec, second?.spec);
  t.is(first?.status, second?.status);
  const stored = first as unknown as Draft;
  t.is(kindRegistry.Pod.applyDefaults(stored), stored);
  const copy = { ...stored, spec: { ...(stored['spec'] as object) } };
  t.deepEqual(kindRegistry.Pod.applyDefaults(copy), copy);
});

test('a gated pod says so and may not have a node', (t) => {
  const schedulingGates = [{ name: 'a.b/c' }];
  t.deepEqual(created('Pod', draft({ schedulingGates })).status.conditions, [
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ]);
  t.is(
    refusal({ schedulingGates, nodeName: 'n' }),
    'Pod "x" is invalid: spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  );
});

test('label keys are merged into selectors with the values of the pod', (t) => {
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'z',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: {},
      matchLabelKeys: ['h', 'gone'],
    },
  ];
  const spec = { containers: [CONTAINER], topologySpreadConstraints };
  const one = created('Pod', { metadata: { name: 'x', labels: { h: '1' } }, spec });
  const again = created('Pod', { metadata: { name: 'y', labels: { h: '1' } }, spec });
  t.deepEqual(one.spec.topologySpreadConstraints?.[0]?.labelSelector, {
    matchExpressions: [{ key: 'h', operator: 'In', values: ['1'] }],
  });
  t.is(one.spec, again.spec);
});

test('everything wrong with a pod is said at once, in order', (t) => {
  const spec = {
    containers: [
      { name: 'c', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      { name: 'c', image: 'i', ports: [{ containerPort: 70_000 }] },
    ],
    restartPolicy: 'Sometimes',
    tolerations: [{ operator: 'Equal', value: 'a' }],
  };
  t.is(
    refusal(spec),
    `Pod "x" is invalid: [${[
      'spec.containers[0].image: Required value',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[1].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[1].name: Duplicate value: "c"',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ].join(', ')}]`,
  );
});

test('frequent mistakes have the texts of Kubernetes', (t) => {
  const cases: readonly (readonly [object, string])[] = [
    [{ containers: [] }, 'spec.containers: Required value'],
    [
      withContainer({ resources: { requests: { 'nvidia.com/gpu': '1' } } }),
      'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      withContainer({ resources: { requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': '2' } } }),
      'spec.containers[0].resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2',
    ],
    [
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      withContainer({ livenessProbe: {} }),
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
    ],
    [
      withContainer({ startupProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
      'spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1',
    ],
    [
      { initContainers: [{ ...CONTAINER, name: 'i', lifecycle: { preStop: { exec: { command: ['a'] } } } }] },
      'spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [{ initContainers: [CONTAINER] }, 'spec.initContainers[0].name: Duplicate value: "c"'],
    [
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
    ],
    [
      { tolerations: [{ key: 'a', effect: 'Never' }] },
      'spec.tolerations[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      { activeDeadlineSeconds: 0 },
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
    [
      { resources: { requests: { cpu: '1' } }, ...withContainer({ resources: { requests: { cpu: '2' } } }) },
      'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
    [
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
          { maxSkew: 2, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
    ],
  ];
  for (const [spec, text] of cases) t.is(refusal(spec), `Pod "x" is invalid: ${text}`);
});

function change(before: Pod, spec: Partial<PodSpec>): string {
  return answerOf(() => updated('Pod', { ...before, spec: { ...before.spec, ...spec } }, before));
}

const ONLY_THESE =
  'Pod "x" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function refusalOfPages(amount: string): string {
  const limits = { memory: '1Gi', 'hugepages-2Mi': amount };
  return refusal(withContainer({ resources: { limits } }));
}

test('huge pages come as a whole', (t) => {
  const why = 'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi';
  const places = ['limits', 'requests'].map((part) => `spec.containers[0].resources.${part}[hugepages-2Mi]: ${why}`);
  t.true(refusalOfPages('3Mi').endsWith(`[${places.join(', ')}]`), refusalOfPages('3Mi'));
  t.notThrows(() =>
    created('Pod', draft(withContainer({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } } }))),
  );
});

test('an update may change images, add tolerations and lower the deadline, nothing else', (t) => {
  const pod = created('Pod', draft({ tolerations: [{ key: 'a', operator: 'Exists' }], activeDeadlineSeconds: 10 }));
  const [container] = pod.spec.containers;
  t.is(change(pod, { containers: [{ ...container, name: 'c', image: 'other' }] }), 'accepted');
  t.is(change(pod, { tolerations: [...(pod.spec.tolerations ?? []), { operator: 'Exists' }] }), 'accepted');
  t.is(change(pod, { activeDeadlineSeconds: 9 }), 'accepted');
  t.is(
    change(pod, { activeDeadlineSeconds: 11 }),
    'Pod "x" is invalid: spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value',
  );
  t.is(
    change(pod, { tolerations: [] }),
    'Pod "x" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
  );
  t.is(
    change(pod, { containers: [...pod.spec.containers, { name: 'd', image: 'i' }] }),
    'Pod "x" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers',
  );
  const refused = (fields: Partial<PodSpec>): readonly [what: string, difference: string] => {
    const [what = '', ...difference] = change(pod, fields).split('\n');
    return [what, difference.filter((line) => /^[-+]/.test(line)).join()];
  };
  t.deepEqual(refused({ nodeSelector: { a: 'b' } }), [
    ONLY_THESE,
    '- "NodeSelector": null,,+ "NodeSelector": {,+  "a": "b",+ },',
  ]);
  t.is(refused({ priority: 5 })[0], ONLY_THESE);
});

test('a gated pod may lose gates and become choosier about nodes', (t) => {
  const pod = created('Pod', draft({ schedulingGates: [{ name: 'g/a' }], nodeSelector: { a: 'b' } }));
  t.is(change(pod, { schedulingGates: [] }), 'accepted');
  t.is(change(pod, { nodeSelector: { a: 'b', c: 'd' } }), 'accepted');
  t.is(
    change(pod, { nodeSelector: { a: 'z' } }),
    'Pod "x" is invalid: spec.nodeSelector: Invalid value: {"a":"z"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
  );
  t.is(
    change(pod, { schedulingGates: [{ name: 'g/a' }, { name: 'g/b' }] }),
    'Pod "x" is invalid: spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate \'g/b\'',
  );
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
    },
  };
  t.is(change(pod, { affinity: { nodeAffinity } }), 'accepted');
});

test('a status update keeps the QoS class and what only the server knows', (t) => {
  const resource = kindRegistry.Pod;
  const pod = created('Pod', draft());
  const previous: Pod = {
    ...pod,
    status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False', observedGeneration: 1 }] },
  };
  const sent: Pod = { ...previous, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  t.deepEqual(resource.prepareForStatusUpdate(sent, previous).status, {
    phase: 'Running',
    qosClass: 'BestEffort',
    conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
  });
  t.deepEqual(resource.validateStatusUpdate({ ...pod, status: { phase: 'Pending', qosClass: 'Guaranteed' } }, pod), [
    { type: 'FieldValueInvalid', field: 'status.qosClass', detail: 'Invalid value: "Guaranteed": field is immutable' },
  ]);
});

test('a container that has ended for good stays ended', (t) => {
  const pod = created('Pod', draft({ restartPolicy: 'OnFailure' }));
  const withState = (state: object): Pod => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state }],
    },
  });
  const errors = (exitCode: number): number =>
    kindRegistry.Pod.validateStatusUpdate(withState({ running: {} }), withState({ terminated: { exitCode } })).length;
  t.deepEqual([errors(0), errors(1)], [1, 0]);
});

function windows(hostProcess: boolean): object {
  return { securityContext: { windowsOptions: { hostProcess } } };
}

test('processes of a Windows node are all of a pod or none, and use its network', (t) => {
  const sidecar = { ...CONTAINER, name: 'i' };
  t.is(
    refusal({ ...withContainer(windows(true)), initContainers: [sidecar] }),
    'Pod "x" is invalid: [spec: Invalid value: "": If pod contains any hostProcess containers then all containers ' +
      'must be HostProcess containers, spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod ' +
      'contains any hostProcess containers]',
  );
  t.is(
    refusal({ ...withContainer(windows(false)), ...windows(true), initContainers: [sidecar], hostNetwork: true }),
    'Pod "x" is invalid: [spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod ' +
      'hostProcess value must be identical if both are specified, was true, spec: Invalid value: "": If pod ' +
      'contains any hostProcess containers then all containers must be HostProcess containers]',
  );
  t.notThrows(() => created('Pod', draft({ ...windows(true), hostNetwork: true })));
});

test('profiles that annotations state become fields, or must be what the fields say', (t) => {
  const warnings: string[] = [];
  const prepared = (value: string, context: object = {}): unknown => {
    const metadata = { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': value } };
    const pod = { ...created('Pod', draft()), ...draft({ ...withContainer(context) }, metadata) } as unknown as Pod;
    const { spec } = kindRegistry.Pod.prepareForCreate(pod, (text) => warnings.push(text));
    return spec.containers[0]?.securityContext?.appArmorProfile;
  };
  t.deepEqual(prepared('unconfined'), { type: 'Unconfined' });
  t.deepEqual(prepared('localhost/a'), { type: 'Localhost', localhostProfile: 'a' });
  t.is(prepared('localhost/'), undefined);
  t.is(warnings.length, 3);
  const stated = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
  t.deepEqual(prepared('unconfined', stated), { type: 'RuntimeDefault' });
  t.deepEqual(
    new Set(warnings),
    new Set([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the ' +
        '"appArmorProfile" field instead',
    ]),
  );
  t.is(
    refusal(
      { ...withContainer(stated) },
      { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
    ),
    'Pod "x" is invalid: spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
  );
  const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'localhost/a' };
  const seccomp = (profile: object): string =>
    refusal({ securityContext: { seccompProfile: profile } }, { annotations });
  t.is(
    seccomp({ type: 'Unconfined' }),
    'Pod "x" is invalid: spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
  );
  t.is(
    seccomp({ type: 'Localhost', localhostProfile: 'b' }),
    'Pod "x" is invalid: spec.securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in ' +
      'annotation and field must match',
  );
});
