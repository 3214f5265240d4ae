import test from 'ava';
import {
  nextRevisionNumber,
  revisionHash,
  revisionName,
  sortedRevisions,
  templateData,
  templateOfRevision,
} from '../../../src/controllers/history/controller-revisions.js';
import type { ControllerRevision, PodTemplateSpec } from '../../../src/api/objects/objects.js';
import { meta } from '../objects.js';

/** The template of a recorded set, with the defaults that the API server filled in. */
function recordedTemplate(image: string): PodTemplateSpec {
  return {
    metadata: { labels: { a: 'b' } },
    spec: {
      containers: [
        {
          name: 'c',
          image,
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    },
  };
}

function revision(name: string, number: number, creationTimestamp: string): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: meta(name, { creationTimestamp }),
    revision: number,
    data: {},
  };
}

test('7.3.6 › a revision is called as upstream calls it', (t) => {
  t.is(revisionName('s', revisionHash(templateData(recordedTemplate('pause')), 0)), 's-7d9cfd995b');
  t.is(revisionName('s', revisionHash(templateData(recordedTemplate('v2')), 0)), 's-6b664b7bfb');
});

test('the hash does not depend on the order of keys, and changes with each collision', (t) => {
  const { metadata, spec } = recordedTemplate('pause');
  const hash = revisionHash(templateData({ spec, ...(metadata === undefined ? {} : { metadata }) }), 0);
  t.is(hash, '7d9cfd995b');
  t.not(revisionHash(templateData(recordedTemplate('pause')), 1), hash);
});

test('the hash is that of JSON as Go writes it', (t) => {
  t.is(revisionHash({ a: '<&>' }, 0), '869cb9b6b5');
});

test('a long owner leaves room for the hash', (t) => {
  t.is(revisionName('x'.repeat(250), 'abc'), `${'x'.repeat(223)}-abc`);
});

test('a template goes into a revision and comes back as the same object', (t) => {
  const template = recordedTemplate('pause');
  const data = templateData(template);
  t.deepEqual(data, { spec: { template: { ...template, $patch: 'replace' } } });
  t.is(templateOfRevision({ data }), template);
  const copy = structuredClone(data);
  t.deepEqual(templateOfRevision({ data: copy }), template);
  t.is(templateOfRevision({ data: copy }), templateOfRevision({ data: copy }));
});

test('revisions stand by number, then age, then name', (t) => {
  const early = '2030-01-01T00:00:00Z';
  const late = '2030-01-01T00:00:01Z';
  const revisions = [revision('d', 2, early), revision('c', 1, late), revision('b', 1, early), revision('a', 1, late)];
  const sorted = sortedRevisions(revisions);
  t.deepEqual(
    sorted.map(({ metadata }) => metadata.name),
    ['b', 'a', 'c', 'd'],
  );
  t.is(nextRevisionNumber(sorted), 3);
  t.is(nextRevisionNumber([]), 1);
});
