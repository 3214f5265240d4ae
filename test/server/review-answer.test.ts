import test from 'ava';
import { checkReview, patchShapeProblem, readReview } from '../../src/server/review-answer.js';

const ASKED = 'admission.k8s.io/v1';
const META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function refusal(status: number, text: string, contentType = 'application/json'): string | undefined {
  return problemOf(() => readReview({ status, text, contentType }));
}

test('statuses of webhooks are told as client-go tells them', (t) => {
  const stated = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'stated', code: 400 });
  t.is(refusal(400, stated), 'stated');
  t.is(refusal(400, 'x'), 'the server rejected our request for an unknown reason');
  t.is(refusal(403, 'denied', 'text/plain'), 'denied');
  t.is(refusal(500, 'boom'), 'an error on the server ("unknown") has prevented the request from succeeding');
  t.is(refusal(500, 'boom', 'text/plain'), 'an error on the server ("boom") has prevented the request from succeeding');
  t.is(refusal(302, ''), 'the server responded with the status code 302 but did not return more information');
  t.is(refusal(204, ''), '0-length response with status code: 204 and content type: application/json');
});

test('what is no review is told as Go reads it', (t) => {
  const failed = "couldn't get version/kind; json parse error:";
  t.is(refusal(200, '[]'), `${failed} json: cannot unmarshal array into Go value of type ${META}`);
  t.is(refusal(200, 'not json'), `${failed} json: cannot unmarshal string into Go value of type ${META}`);
  t.is(refusal(200, '{"a":'), `${failed} unexpected end of JSON input`);
  t.is(refusal(200, '{"kind":5}'), `${failed} json: cannot unmarshal number into Go struct field .kind of type string`);
});

test('fields of a review have their types', (t) => {
  const problem = (review: Readonly<Record<string, unknown>>): string | undefined =>
    problemOf(() => checkReview(review, ASKED));
  const field = (response: object): string | undefined => problem({ response });
  const failed = 'json: cannot unmarshal';
  t.is(
    field({ allowed: 'yes' }),
    `${failed} string into Go struct field AdmissionResponse.response.allowed of type bool`,
  );
  t.is(
    field({ warnings: [1] }),
    `${failed} number into Go struct field AdmissionResponse.response.warnings of type string`,
  );
  t.is(
    field({ status: { code: 'x' } }),
    `${failed} string into Go struct field Status.response.status.code of type int32`,
  );
  t.is(field({ patch: '!!' }), 'illegal base64 data at input byte 0');
  t.is(field({ allowed: true, status: null }), undefined);
  const kind = 'AdmissionReview';
  t.is(
    problem({ kind, apiVersion: 'admission.k8s.io/v1beta1' }),
    'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
  );
  t.is(
    problem({ kind: 'X', apiVersion: ASKED }),
    'no kind "X" is registered for version "admission.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"',
  );
  t.is(patchShapeProblem({}), `${failed} object into Go value of type jsonpatch.Patch`);
  t.is(patchShapeProblem([5]), `${failed} number into Go value of type jsonpatch.Operation`);
});
