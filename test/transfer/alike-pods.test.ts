/** Pods that are alike share what was found out of the first of them, and nothing else. */
import test from 'ava';
import { createCluster } from '../../src/index.js';

const SPEC = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }], tolerations: [] };
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { capacity: { cpu: '4', memory: '8Gi', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
};

function pod(name: string, spec: object, metadata: object = {}): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ownerReferences: [owner], ...metadata }, spec };
}

test('pods of one template are what each of them would be alone', async (t) => {
  const pods = [
    pod('a', { ...SPEC, nodeName: 'n' }),
    pod('b', { ...SPEC, nodeName: 'n' }),
    pod('c', SPEC),
    pod('d', { ...SPEC, containers: [{ ...SPEC.containers[0], image: 'other' }], nodeName: 'n' }),
    pod('e', { ...SPEC, priority: 5, nodeName: 'n' }),
    pod('f', { ...SPEC, nodeName: 'n' }, { ownerReferences: [] }),
  ];
  const together = createCluster({ from: [NODE, ...pods] });
  for (const each of pods) {
    const alone = createCluster({ from: [NODE, each] });
    const [expected] = alone.list('Pod');
    const name = expected?.metadata.name ?? '';
    t.deepEqual(together.get('Pod', name).spec, expected?.spec);
    t.deepEqual(together.get('Pod', name).status, expected?.status);
    await alone.dispose();
  }
  t.is(together.get('Pod', 'a').spec.containers, together.get('Pod', 'b').spec.containers);
  await together.dispose();
});

test('what is wrong with a pod is refused also where others with its spec were right', (t) => {
  const refusal = (...pods: readonly object[]): string | undefined =>
    t.throws(() => createCluster({ from: [NODE, ...pods] }), { name: 'ImportError' })?.message;
  const right = pod('a', SPEC);
  t.regex(refusal(right, pod('B', SPEC)) ?? '', /Pod default\/B: .*metadata.name: Invalid value: "B"/);
  t.regex(refusal(right, pod('b', SPEC, { labels: { 'a b': 'x' } })) ?? '', /metadata.labels: Invalid value: "a b"/);
  t.regex(refusal(right, pod('b', { ...SPEC, containers: [] })) ?? '', /spec.containers: Required value/);
  const wrong = { ...SPEC, restartPolicy: 'Perhaps' };
  t.regex(refusal(pod('b', wrong), pod('c', wrong)) ?? '', /Pod default\/b: .*spec.restartPolicy: Unsupported value/);
});
