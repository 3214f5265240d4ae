import test from 'ava';
import { goJsonLines, asGo, goJson, quoted } from '../../../src/api/go/go-json.js';

test('a structure is printed with Go’s names in Go’s order, and nothing is left out', (t) => {
  t.is(
    asGo('Taint', { effect: 'NoSchedule', key: 'k' }).text,
    '{"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}',
  );
  t.is(
    asGo('ServicePort', { port: 80, protocol: 'TCP' }).text,
    '{"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  );
  t.is(asGo('*VolumeNodeAffinity', undefined).text, 'null');
});

test('types that the server shares with the API are printed with the API’s names, without empty fields', (t) => {
  const selector = {
    matchExpressions: [{ values: [], operator: 'Exists', key: 'x' }],
    matchLabels: { b: '2', a: '1' },
  };
  t.is(
    asGo('*LabelSelector', selector).text,
    '{"matchLabels":{"a":"1","b":"2"},"matchExpressions":[{"key":"x","operator":"Exists"}]}',
  );
  t.is(asGo('LabelSelector', {}).text, '{}');
});

test('embedded structures have their fields among the others', (t) => {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [{ name: 'c', readinessProbe: { tcpSocket: { port: 'web' } } }],
    },
  };
  const { text } = asGo('PodTemplateSpec', template);
  t.true(
    text.startsWith(
      '{"labels":{"a":"b"},"Spec":{"Volumes":[{"Name":"v","HostPath":null,"EmptyDir":{"Medium":"","SizeLimit":null},',
    ),
    text,
  );
  t.true(
    text.includes(
      '"ReadinessProbe":{"Exec":null,"HTTPGet":null,"TCPSocket":{"Port":"web","Host":""},"GRPC":null,"InitialDelaySeconds":0,',
    ),
    text,
  );
  t.true(text.includes('"Resources":{"Limits":null,"Requests":null,"Claims":null}'), text);
});

test('maps are sorted, three characters are escaped, and texts are quoted as %q does', (t) => {
  t.is(goJson({ b: '<1>', a: '&' }), '{"a":"\\u0026","b":"\\u003c1\\u003e"}');
  t.is(goJson(undefined), 'null');
  t.is(quoted('a "b" \\ <c>\n\u0001\u007f é'), '"a \\"b\\" \\\\ <c>\\n\\x01\\x7f é"');
});

test('go json › the lines of a structure are indented by a space, and escaped as Go does', (t) => {
  const lines = goJsonLines('PersistentVolumeClaimSpec', {
    accessModes: ['ReadWriteOnce'],
    selector: { matchLabels: { a: '<b> & c' } },
  });
  t.deepEqual(lines.slice(0, 8), [
    '{',
    ' "AccessModes": [',
    '  "ReadWriteOnce"',
    ' ],',
    ' "Selector": {',
    '  "matchLabels": {',
    String.raw`   "a": "\u003cb\u003e \u0026 c"`,
    '  }',
  ]);
});
