import test from 'ava';
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  maskTrailingDash,
  portName,
  qualifiedName,
} from '../../src/api/values/names.js';

test('good names have nothing wrong with them', (t) => {
  t.deepEqual(
    [
      dns1123Label('a-1'),
      dns1123Subdomain('a.b-c.1'),
      dns1035Label('a-1'),
      qualifiedName('example.com/My_name.1'),
      qualifiedName('a'),
      labelValue(''),
      labelValue('A.b_c-1'),
      portName('http-2'),
    ].flat(),
    [],
  );
});

function tooLong(length: number): readonly string[] {
  return [`must be no more than ${length} characters`];
}

test('lengths are checked just past the limit', (t) => {
  t.deepEqual(dns1123Label('a'.repeat(63)), []);
  t.deepEqual(dns1123Label('a'.repeat(64)), tooLong(63));
  t.deepEqual(dns1123Subdomain('a'.repeat(253)), []);
  t.deepEqual(dns1123Subdomain('a'.repeat(254)), tooLong(253));
  t.deepEqual(labelValue('a'.repeat(64)), tooLong(63));
  t.deepEqual(portName('a'.repeat(16)), tooLong(15));
  t.deepEqual(qualifiedName('a'.repeat(64)), ['name part must be no more than 63 characters']);
});

test('faults of names are told in the words of Kubernetes', (t) => {
  t.deepEqual(dns1123Label('A_'), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  t.deepEqual(dns1035Label('1a'), [
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ]);
  t.deepEqual(labelValue('-'), [
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ]);
  t.is(qualifiedName('/a')[0], 'prefix part must be non-empty');
  t.is(qualifiedName('a/')[0], 'name part must be non-empty');
  t.regex(
    qualifiedName('a/b/c')[0] ?? '',
    /^a qualified name must consist of .* with an optional DNS subdomain prefix/,
  );
  t.deepEqual(portName('9--'), [
    'must contain at least one letter (a-z)',
    'must not contain consecutive hyphens',
    'must not begin or end with a hyphen',
  ]);
});

test('the dash at the end of a generateName is not held against it', (t) => {
  t.deepEqual(['web-', 'web', '-'].map(maskTrailingDash), ['wea', 'web', '-']);
});
