import test from 'ava';
import { ApiError } from '../../src/api/errors/api-error.js';
import { matchesFields, parseFieldSelector } from '../../src/api/selectors/field-selector.js';

test('requirements come in the order of their texts, with values unescaped', (t) => {
  t.deepEqual(parseFieldSelector('spec.nodeName=n1,status.phase!=Running,a==b,metadata.name='), [
    { field: 'a', operator: '=', value: 'b' },
    { field: 'metadata.name', operator: '=', value: '' },
    { field: 'spec.nodeName', operator: '=', value: 'n1' },
    { field: 'status.phase', operator: '!=', value: 'Running' },
  ]);
  t.deepEqual(parseFieldSelector(String.raw`a=x\,y\=z`), [{ field: 'a', operator: '=', value: 'x,y=z' }]);
  t.deepEqual(parseFieldSelector(''), []);
});

test('a term without an operator is refused', (t) => {
  const error = t.throws(() => parseFieldSelector('a=b,foo'), { instanceOf: ApiError });
  t.deepEqual([error.code, error.message], [400, "invalid selector: 'a=b,foo'; can't understand 'foo'"]);
});

test('all requirements must hold', (t) => {
  const fields: Readonly<Record<string, string>> = { phase: 'Running', node: '' };
  const matches = (text: string): boolean => matchesFields(parseFieldSelector(text), (field) => fields[field] ?? '');
  t.deepEqual(['phase=Running,node=', 'phase=Running,node!=', 'phase!=Pending'].map(matches), [true, false, true]);
});
