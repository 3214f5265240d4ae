import test from 'ava';
import fc from 'fast-check';
import { createRoom } from './ask.js';

const SEGMENTS = ['api', 'apis', 'v1', 'apps', 'namespaces', 'default', 'pods', 'deployments', 'a', 'status', 'scale'];
const TYPES = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
];
const OPTIONS = ['watch', 'limit', 'continue', 'resourceVersion', 'dryRun', 'fieldManager', 'fieldSelector', 'force'];

const key = fc.constantFrom('metadata', 'spec', 'name', 'labels', 'containers', '__proto__', '$patch', 'kind', 'x');
const { json } = fc.letrec((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
  list: fc.array(tie('json'), { maxLength: 3 }),
  map: fc.dictionary(key, tie('json'), { maxKeys: 4 }),
}));

test('requests › whatever is asked is answered, and breaks nothing', (t) => {
  const { ask } = createRoom();
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  ask('POST', '/api/v1/namespaces/default/pods', { body: pod });
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'BREW'),
      fc.array(fc.oneof(fc.constantFrom(...SEGMENTS), fc.string({ minLength: 1, maxLength: 4 })), { maxLength: 8 }),
      fc.array(fc.tuple(fc.constantFrom(...OPTIONS), fc.string({ maxLength: 5 })), { maxLength: 3 }),
      fc.constantFrom(...TYPES),
      fc.oneof(json, fc.string()),
      (method, segments, options, contentType, body) => {
        const path = `/${segments.map(encodeURIComponent).join('/')}?${new URLSearchParams(options).toString()}`;
        const { status } = ask(method, path, { contentType, body });
        return status >= 100 && status < 600;
      },
    ),
    { numRuns: 3000, seed: 17 },
  );
  t.is(ask('GET', '/api/v1/namespaces/default/configmaps').status, 200);
});
