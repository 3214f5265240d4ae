import test from 'ava';
import fc from 'fast-check';
import type { PodTemplateSpec } from '../../src/api/objects.js';
import { templateHash, templatesEqual } from '../../src/api/template-hash.js';

function template(image: string, labels: Record<string, string> = { app: 'web' }): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
}

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
  t.true(templatesEqual(template('a'), hashed));
  t.true(templatesEqual({ spec: { containers: [] } }, { metadata: {}, spec: { containers: [] } }));
  t.false(templatesEqual(template('a'), template('b')));
  t.false(templatesEqual(template('a'), template('a', { app: 'db' })));
});
