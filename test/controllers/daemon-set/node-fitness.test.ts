import test from 'ava';
import type { Node, PodSpec } from '../../../src/api/objects/objects.js';
import { NodeFitness } from '../../../src/controllers/daemon-set/node-fitness.js';
import { meta } from '../objects.js';

const SPEC: PodSpec = { containers: [{ name: 'c', image: 'pause' }] };

/** Whether a pod should run on the node, and whether one that is there may stay. */
function verdict(spec: object, taints: readonly string[], labels: Readonly<Record<string, string>> = {}): string {
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta('n1', { labels }),
    spec: {
      taints: taints.map((text) => {
        const [key = '', effect = ''] = text.split(':');
        return { key, effect };
      }),
    },
    status: {},
  };
  const { shouldRun, shouldContinue } = new NodeFitness({ ...SPEC, ...spec }).of(node);
  return `${shouldRun ? 'run' : 'not'}, ${shouldContinue ? 'stay' : 'leave'}`;
}

test('7.4.1 › a node of another name, or that affinity rules out, gets no pod and keeps none', (t) => {
  t.is(verdict({ nodeName: 'n1' }, []), 'run, stay');
  t.is(verdict({ nodeName: 'n2' }, []), 'not, leave');
  t.is(verdict({ nodeSelector: { a: 'b' } }, []), 'not, leave');
  t.is(verdict({ nodeSelector: { a: 'b' } }, [], { a: 'b' }), 'run, stay');
});

test('7.4.1 › taints keep new pods off, and those that are there only if they are NoExecute', (t) => {
  t.is(verdict({}, ['mine:NoSchedule']), 'not, stay');
  t.is(verdict({}, ['mine:NoExecute']), 'not, leave');
  t.is(verdict({}, ['mine:PreferNoSchedule']), 'run, stay');
  t.is(verdict({ tolerations: [{ key: 'mine', operator: 'Exists' }] }, ['mine:NoExecute']), 'run, stay');
});

test('7.4.1 › what a node suffers is tolerated, but for a not-ready or unreachable one no new pod is made', (t) => {
  const prefix = 'node.kubernetes.io';
  for (const name of ['unschedulable', 'disk-pressure', 'memory-pressure', 'pid-pressure']) {
    t.is(verdict({}, [`${prefix}/${name}:NoSchedule`]), 'run, stay', name);
  }
  for (const name of ['not-ready', 'unreachable']) {
    t.is(verdict({}, [`${prefix}/${name}:NoExecute`]), 'run, stay', name);
    t.is(verdict({}, [`${prefix}/${name}:NoSchedule`]), 'not, stay', name);
  }
  t.is(verdict({}, [`${prefix}/network-unavailable:NoSchedule`]), 'not, stay');
  t.is(verdict({ hostNetwork: true }, [`${prefix}/network-unavailable:NoSchedule`]), 'run, stay');
});
