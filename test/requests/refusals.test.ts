/** Objects that a real API server refused (v1.34.2), with what it said: refusals.jsonl, a refusal a line. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createRoom } from './ask.js';

interface Refusal {
  readonly path: string;
  readonly body: { readonly kind: string };
  readonly message: string;
}

const refusals = readFileSync('test/requests/refusals.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Refusal);
const byKind = Map.groupBy(refusals, ({ body }) => body.kind);

for (const [kind, ofKind] of byKind) {
  test(`${kind} › what a real server refuses is refused in its words`, (t) => {
    const { ask } = createRoom();
    for (const { path, body, message } of ofKind) {
      const { status, body: answer } = ask('POST', path, { body });
      t.deepEqual([status, (answer as { readonly message: string }).message], [422, message]);
    }
  });
}

test('plain kinds › an update is judged as a new object is, and what it may not change stays', (t) => {
  const { ask } = createRoom();
  const patch = (path: string, body: object): string => {
    const seen = ask('PATCH', path, { contentType: 'application/merge-patch+json', body });
    return (seen.body as { readonly message: string }).message;
  };
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
  ask('POST', roles, { body: { metadata: { name: 'b' }, roleRef: { kind: 'Role', name: 'r' } } });
  t.is(
    patch(`${roles}/b`, { roleRef: { name: 'other' } }),
    'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: ' +
      '{"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
  );
  const quotas = '/api/v1/namespaces/default/resourcequotas';
  ask('POST', quotas, { body: { metadata: { name: 'q' }, spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } } });
  t.is(
    patch(`${quotas}/q`, { spec: { scopes: ['NotBestEffort'] } }),
    'ResourceQuota "q" is invalid: spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable',
  );
  t.is(
    patch(`${quotas}/q/status`, { status: { used: { pods: '-1' } } }),
    'ResourceQuota "q" is invalid: status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
  );
  const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
  ask('POST', autoscalers, { body: { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 2 } } });
  t.is(
    patch(`${autoscalers}/h`, { spec: { maxReplicas: 0 } }),
    'HorizontalPodAutoscaler.autoscaling "h" is invalid: [spec.maxReplicas: Invalid value: 0: must be greater than 0, ' +
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]',
  );
});
