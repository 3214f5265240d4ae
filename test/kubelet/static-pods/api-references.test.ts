/** A static pod runs without an API server: it may name nothing of it. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createScene, IMAGE } from '../scene.js';

const CLAIM = { claimName: 'data' };
const TOKEN = { serviceAccountToken: { path: 'token' } };

function sceneWith(spec: Draft): unknown {
  const pod = { metadata: { name: 's' }, spec: { containers: [{ name: 'c', image: IMAGE }], ...spec } };
  return createScene({ setup: { staticPods: [pod] } });
}

for (const [spec, resource] of [
  [{ serviceAccountName: 'runner' }, 'serviceaccounts'],
  [{ imagePullSecrets: [{ name: 'registry' }] }, 'secrets'],
  [{ volumes: [{ name: 'v', configMap: { name: 'app' } }] }, 'configmaps'],
  [{ volumes: [{ name: 'v', persistentVolumeClaim: CLAIM }] }, 'persistentvolumeclaims'],
  [{ volumes: [{ name: 'v', projected: { sources: [TOKEN] } }] }, 'serviceaccounts (via projected volumes)'],
] as const) {
  test(`static pods may not reference ${resource}`, (t) => {
    t.throws(() => sceneWith(spec), { message: `staticPods[] s: static pods may not reference ${resource}` });
  });
}

test('static pods may have volumes of their own', (t) => {
  t.notThrows(() => sceneWith({ volumes: [{ name: 'v', emptyDir: {} }] }));
});
