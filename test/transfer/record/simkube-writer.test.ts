import { decode } from '@msgpack/msgpack';
import test from 'ava';
import { SimkubeWriter } from '../../../src/transfer/record/simkube-writer.js';

interface Trace {
  readonly events: readonly { readonly applied_objs: readonly object[] }[];
}

function pod(name: string, spec: object, set: object): Parameters<SimkubeWriter['begin']>[1] {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'kubectl', fieldsV1: set }] },
    spec,
  };
}

test('pods of a trace can be created: without containers that came later, and not of a part that users changed', (t) => {
  const writer = new SimkubeWriter(0);
  const containers = [{ name: 'c', image: 'i' }];
  writer.begin(
    'Pod',
    pod('debugged', { containers, ephemeralContainers: [{ name: 'd', image: 'i' }] }, { 'f:spec': {} }),
  );
  writer.begin('Pod', pod('left-by-its-owner', { containers }, { 'f:metadata': { 'f:labels': { 'f:x': {} } } }));
  const { events } = decode(writer.end(1000, []), { useBigInt64: true }) as Trace;
  t.deepEqual(
    events.flatMap(({ applied_objs }) => applied_objs),
    [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'debugged', namespace: 'a' }, spec: { containers } }],
  );
});
