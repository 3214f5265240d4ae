import test from 'ava';
import { findNewReplicaSet, replicaSetName, templateWithHash } from '../../../src/controllers/deployment/template.js';
import { deployment, replicaSet } from '../objects.js';

test('7.2.2 › the hash label does not make a template another one, and everything else is shared', (t) => {
  const d = deployment();
  const template = templateWithHash(d.spec.template, 'abc');
  t.is(template.spec, d.spec.template.spec);
  const newer = replicaSet('d-2', { template }, {}, { creationTimestamp: '2030-01-01T00:05:00Z' });
  const older = replicaSet('d-1', { template });
  t.is(findNewReplicaSet(d, [newer, older]), older);
});

test('7.2.2 › a name of a replica set is cut to 253 characters', (t) => {
  t.is(replicaSetName('web', 'abc'), 'web-abc');
  t.is(replicaSetName('x'.repeat(253), 'abc'), `${'x'.repeat(249)}-abc`);
});
