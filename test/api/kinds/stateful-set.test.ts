import test from 'ava';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';
import { answerOf } from '../object-pipeline.js';

const NAME = { namespace: 'default', name: 's' };

function setDraft(spec: object = {}): Draft {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'pause' }] } };
  return { metadata: { name: 's' }, spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec } };
}

function createServer(): ApiServer {
  return createApiServer(createKernel({ seed: 'stateful-set' }));
}

test('StatefulSet › is called by a label, since its pods’ host names begin with its name', (t) => {
  const refusal = answerOf(() => createServer().create('StatefulSet', { ...setDraft(), metadata: { name: 'a.b' } }));
  t.is(refusal, 'StatefulSet.apps "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots');
});

test('StatefulSet › drops what only a disabled feature reads', (t) => {
  const server = createServer();
  const rollingUpdate = { partition: 1, maxUnavailable: 2 };
  const { spec } = server.create('StatefulSet', setDraft({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
  t.deepEqual(spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { partition: 1 } });
  const body = { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '50%' } } } };
  const patched = server.patch('StatefulSet', NAME, { type: 'merge', body });
  t.deepEqual(patched.spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { partition: 1 } });
});

function strategyOf(updateStrategy?: object): object | undefined {
  const draft = setDraft(updateStrategy === undefined ? {} : { updateStrategy });
  return createServer().create('StatefulSet', draft).spec.updateStrategy;
}

test('StatefulSet › has a partition of 0 only where it states no strategy, or an empty rollingUpdate', (t) => {
  const withPartition = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
  t.deepEqual(strategyOf(), withPartition);
  t.deepEqual(strategyOf({}), withPartition);
  t.deepEqual(strategyOf({ rollingUpdate: {} }), withPartition);
  t.deepEqual(strategyOf({ type: 'RollingUpdate', rollingUpdate: {} }), withPartition);
  t.deepEqual(strategyOf({ type: 'RollingUpdate' }), { type: 'RollingUpdate' });
  t.deepEqual(strategyOf({ type: 'OnDelete' }), { type: 'OnDelete' });
});

test('StatefulSet › has a status whose numbers agree', (t) => {
  const server = createServer();
  server.create('StatefulSet', setDraft());
  const status = { replicas: 1, readyReplicas: 2, currentReplicas: -1, availableReplicas: 3, collisionCount: 1 };
  const answer = answerOf(() => server.patch('StatefulSet', NAME, { type: 'merge', body: { status } }, 'status'));
  t.is(
    answer,
    'StatefulSet.apps "s" is invalid: [status.currentReplicas: Invalid value: -1: must be greater than or equal to 0, status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas, status.availableReplicas: Invalid value: 3: cannot be greater than status.readyReplicas]',
  );
  const good = { replicas: 1, collisionCount: 2 };
  server.patch('StatefulSet', NAME, { type: 'merge', body: { status: good } }, 'status');
  const body = { status: { collisionCount: 1 } };
  t.is(
    answerOf(() => server.patch('StatefulSet', NAME, { type: 'merge', body }, 'status')),
    'StatefulSet.apps "s" is invalid: status.collisionCount: Invalid value: 1: cannot be decremented',
  );
});

test('StatefulSet › is scaled through its subresource', (t) => {
  const server = createServer();
  server.create('StatefulSet', setDraft());
  const { spec, status } = server.setScale('StatefulSet', NAME, 3);
  t.deepEqual([spec, status], [{ replicas: 3 }, { replicas: 0, selector: 'a=b' }]);
  t.is(server.get('StatefulSet', NAME).metadata.generation, 2);
});

test('ControllerRevision › holds an object that never changes, under a number that may', (t) => {
  const server = createServer();
  const name = { namespace: 'default', name: 'r' };
  const metadata = { name: 'r' };
  const refuse = (draft: Draft): string => answerOf(() => server.create('ControllerRevision', draft));
  t.is(
    refuse({ metadata, revision: -1 }),
    'ControllerRevision.apps "r" is invalid: [revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]',
  );
  t.is(
    refuse({ metadata, revision: 1, data: [] }),
    'ControllerRevision.apps "r" is invalid: data: Required value: data must be a valid JSON object',
  );
  server.create('ControllerRevision', { metadata, revision: 1, data: { a: 1 } });
  t.is(server.patch('ControllerRevision', name, { type: 'merge', body: { revision: 2 } }).revision, 2);
  t.regex(
    answerOf(() => server.patch('ControllerRevision', name, { type: 'merge', body: { data: { a: 2 } } })),
    /^ControllerRevision\.apps "r" is invalid: data: Invalid value: .*: field is immutable$/,
  );
});
