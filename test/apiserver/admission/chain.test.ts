import test from 'ava';
import type { AdmissionPlugin } from '../../../src/apiserver/admission/chain/admission-plugin.js';
import { AdmissionPending, RequestAttempts } from '../../../src/apiserver/store/request-context.js';
import { ApiError } from '../../../src/api/errors/api-error.js';
import type { ConfigMap } from '../../../src/api/objects/config-objects.js';
import { createBus } from '../../../src/bus/bus.js';
import { createRequests } from '../../../src/requests/requests.js';
import { createFixture, refusal } from '../fixtures.js';

const ofConfigMaps: AdmissionPlugin['handles'] = ({ resource, operation, subresource }) =>
  resource.kind === 'ConfigMap' && operation !== 'DELETE' && subresource === '';

function marked(object: unknown, key: string): ConfigMap {
  const map = object as ConfigMap;
  return { ...map, data: { ...map.data, [key]: String(Object.keys(map.data ?? {}).length) } };
}

/** Asks something outside about each object once, and remembers the answer for the attempts of its request. */
function asking(asked: string[], wait: (work: Promise<unknown>) => void): AdmissionPlugin {
  return {
    name: 'Asking',
    handles: ofConfigMaps,
    mayWait: true,
    validate: ({ object, attempts }) => {
      const uid = object?.metadata.uid ?? '';
      const answer = attempts.memory.get(uid) as string | undefined;
      if (answer === undefined) {
        asked.push(uid);
        const settled = Promise.resolve().then(() => attempts.memory.set(uid, 'heard'));
        wait(settled);
        throw new AdmissionPending(settled);
      }
    },
  };
}

test('all plugins change an object before the first of them judges it, in their order', (t) => {
  const seen: string[] = [];
  const plugin = (name: string): AdmissionPlugin => ({
    name,
    handles: ofConfigMaps,
    mutate: (attributes) => {
      attributes.object = marked(attributes.object, name);
      seen.push(`mutate ${name}`);
    },
    validate: ({ operation, user }) => seen.push(`validate ${name} ${operation} ${user.name}`),
  });
  const { server } = createFixture({ admission: () => [plugin('a'), plugin('b')] });
  const { data } = server.create('ConfigMap', { metadata: { name: 'm' } });
  t.deepEqual(data, { a: '0', b: '1' });
  t.deepEqual(seen, ['mutate a', 'mutate b', 'validate a CREATE admin', 'validate b CREATE admin']);
});

test('what the second phase refuses is not stored', (t) => {
  const no: AdmissionPlugin = {
    name: 'No',
    handles: ofConfigMaps,
    validate: (attributes) => {
      throw attributes.refusal('not now');
    },
  };
  const { server } = createFixture({ admission: () => [no] });
  const { code, message } = refusal(t, () => server.create('ConfigMap', { metadata: { generateName: 'm-' } }));
  t.is(code, 403);
  t.regex(message, /^configmaps "m-\w{5}" is forbidden: not now$/);
  t.is(server.count('ConfigMap'), 0);
});

test('plugins are asked again whether they see a subject when what that hangs on has changed', (t) => {
  const { server } = createFixture({
    admission: (store) => {
      const classes = store.shelf('StorageClass');
      return [
        {
          name: 'WithClasses',
          handles: (subject) => ofConfigMaps(subject) && classes.table.size > 0,
          sources: [classes],
          mutate: (attributes) => {
            attributes.object = marked(attributes.object, 'seen');
          },
        },
      ];
    },
  });
  t.is(server.create('ConfigMap', { metadata: { name: 'before' } }).data, undefined);
  server.create('StorageClass', { metadata: { name: 'c' }, provisioner: 'p' });
  t.deepEqual(server.create('ConfigMap', { metadata: { name: 'after' } }).data, { seen: '0' });
});

test('a request that a plugin has wait is the same one when it is tried again', async (t) => {
  const asked: string[] = [];
  const { kernel, server } = createFixture({ admission: () => [asking(asked, () => undefined)] });
  const requests = createRequests({ kernel, server });
  const attempts = new RequestAttempts();
  const body = { text: JSON.stringify({ metadata: { generateName: 'm-' } }) };
  const path = '/api/v1/namespaces/default/configmaps';
  const request = { method: 'POST', path, query: new URLSearchParams(), headers: {}, body };
  const pending = t.throws(() => requests.answer(request, attempts), { instanceOf: AdmissionPending });
  t.is(server.count('ConfigMap'), 0);
  await pending.settled;
  t.is(requests.answer(request, attempts).type, 'object');
  const [stored] = server.list('ConfigMap').items;
  t.deepEqual(asked, [stored?.metadata.uid]);
});

test("a component's request waits for a plugin, and its answer comes afterwards", async (t) => {
  const asked: string[] = [];
  const holds: ((work: Promise<unknown>) => void)[] = [];
  const { kernel, server, at } = createFixture({ admission: () => [asking(asked, (work) => holds[0]?.(work))] });
  holds.push((work) => kernel.clock.hold(work));
  const { client } = createBus(kernel, server, { latency: 5 }).connect('kubelet/node-0');
  const answers: (string | undefined)[] = [];
  client.create('ConfigMap', { metadata: { name: 'm' } }, (error, object) => {
    answers.push(error instanceof ApiError ? error.message : `${object?.metadata.uid} at ${kernel.clock.now()}`);
  });
  await at(100);
  t.is(asked.length, 1);
  t.deepEqual(answers, [`${asked[0]} at 10`]);
});

test('a call that cannot wait is refused with the reason', (t) => {
  const { server } = createFixture({ admission: () => [asking([], () => undefined)] });
  const call = (): unknown => server.create('ConfigMap', { metadata: { name: 'm' } });
  t.throws(call, { instanceOf: AdmissionPending, message: /admission waits for an answer: this call cannot/ });
});
