import test from 'ava';
import { pathReader } from '../../../src/requests/custom/json-path.js';

test('paths of columns › brackets without an index are of all items', (t) => {
  const object = { spec: { http: [{ hosts: ['a', 'b'] }, { hosts: ['c'] }, {}] } };
  t.deepEqual(pathReader('.spec.http[].hosts')(object), [['a', 'b'], ['c']]);
  t.deepEqual(pathReader('.spec.http[*].hosts[0]')(object), ['a', 'c']);
  t.deepEqual(pathReader('.spec.none[].hosts')(object), []);
});
