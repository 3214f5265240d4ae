import test from 'ava';
import fc from 'fast-check';
import type { PodTemplateSpec } from '../../src/api/objects/objects.js';
import { recordedTemplates } from './recordings.js';
import { templateHash, areTemplatesEqual } from '../../src/api/go/template-hash.js';

function template(image: string, labels: Record<string, string> = { app: 'web' }): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
}

/** A template with the defaults that the API server fills in. */
function filledTemplate(spec: object = {}, container: object = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app: 'agent' } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'app:v1',
          resources: { requests: { cpu: '100m', memory: '64Mi' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
          ...container,
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      nodeSelector: { role: 'edge' },
      securityContext: {},
      schedulerName: 'default-scheduler',
      ...spec,
    },
  };
}

test('the hash is the one that upstream gives the same template', (t) => {
  t.is(templateHash(filledTemplate()), '85d7bdcbd9');
  t.is(templateHash(filledTemplate({ tolerations: [{ key: 'own', operator: 'Exists' }] })), '7c77bff98b');
  t.is(templateHash(filledTemplate({}, { image: 'app:v7' })), '5949ccd6c');
});

test('the hash of each recorded template is the recorded one', (t) => {
  const seen = new Map<string, string>();
  for (const recorded of recordedTemplates()) seen.set(recorded.hash, templateHash(recorded.template));
  t.deepEqual([...seen.values()], [...seen.keys()]);
});

test('the hash is short, safe in names and the same every time', (t) => {
  fc.assert(
    fc.property(fc.string(), (image) => /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/.test(templateHash(template(image)))),
  );
  t.is(templateHash(template('a')), templateHash(template('a')));
});

test('the hash tells templates and collision counts apart, but not the order of keys', (t) => {
  const hashes = [
    templateHash(template('a')),
    templateHash(template('b')),
    templateHash(template('a'), 0),
    templateHash(template('a'), 1),
  ];
  t.is(new Set(hashes).size, hashes.length);
  t.is(
    templateHash(template('a', { x: '1', y: '2' })),
    templateHash({ spec: { containers: [{ image: 'a', name: 'c' }] }, metadata: { labels: { y: '2', x: '1' } } }),
  );
});

test('templates are equal whatever their hash label says', (t) => {
  const hashed = template('a', { app: 'web', 'pod-template-hash': 'x' });
  t.true(areTemplatesEqual(template('a'), hashed));
  t.true(areTemplatesEqual({ spec: { containers: [] } }, { metadata: {}, spec: { containers: [] } }));
  t.false(areTemplatesEqual(template('a'), template('b')));
  t.false(areTemplatesEqual(template('a'), template('a', { app: 'db' })));
});
