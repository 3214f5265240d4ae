import test from 'ava';
import { inputFile, kubeloom } from './command.js';

const manifest = inputFile(
  'describe.yaml',
  `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
    - name: app
      image: nginx:1.27
      ports: [{containerPort: 80}]
      resources: {requests: {cpu: 250m, memory: 64Mi}, limits: {memory: 128Mi}}
      readinessProbe: {httpGet: {path: /ready, port: 80}}
      env: [{name: A, value: b}]
  nodeSelector: {kubernetes.io/os: linux}
`,
);
const SCENE = ['--manifest', manifest, '--pods', '0', '--nodes', '1', '--limit', '1m'] as const;

/** Ids, images' digests, moments and durations are not what these tests are about. */
function plain(text: string): string {
  return text
    .replaceAll(/containerd:\/\/\w+/g, 'ID')
    .replaceAll(/sha256:\w+/g, 'DIGEST')
    .replaceAll(/Tue, 01 Jan 2030 [\d:]+ \+0000/g, 'DATE')
    .replaceAll(/ in [\d.ms]+ .*/g, ' in TIME')
    .replaceAll(/^( {2}Normal +\w+ +)\d+s( +)/gm, '$1AGE$2');
}

test('kubeloom describe › shows a pod as kubectl does', async (t) => {
  const { status, stdout, stderr } = await kubeloom('describe', 'web', ...SCENE);
  t.is(status, 0, stderr);
  const [object, events] = plain(stdout).split('Events:\n');
  t.is(
    object,
    `Name:             web
Namespace:        default
Priority:         0
Service Account:  default
Node:             node-0/172.16.0.1
Start Time:       DATE
Labels:           app=web
Annotations:      <none>
Status:           Running
IP:               10.0.0.1
IPs:
  IP:  10.0.0.1
Containers:
  app:
    Container ID:   ID
    Image:          nginx:1.27
    Image ID:       docker.io/library/nginx@DIGEST
    Port:           80/TCP
    Host Port:      0/TCP
    State:          Running
      Started:      DATE
    Ready:          True
    Restart Count:  0
    Limits:
      memory:  128Mi
    Requests:
      cpu:      250m
      memory:   64Mi
    Readiness:  http-get http://:80/ready delay=0s timeout=1s period=10s #success=1 #failure=3
    Environment:
      A:  b
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-24rst (ro)
Conditions:
  Type                       Status
  PodReadyToStartContainers  True
  Initialized                True
  Ready                      True
  ContainersReady            True
  PodScheduled               True
Volumes:
  kube-api-access-24rst:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:  3607
    ConfigMapName:           kube-root-ca.crt
    Optional:                false
    DownwardAPI:             true
QoS Class:                   Burstable
Node-Selectors:              kubernetes.io/os=linux
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
`,
  );
  t.deepEqual(
    (events ?? '').split('\n').map((line) => line.replaceAll(/ {2,}/g, ' ')),
    [
      ' Type Reason Age From Message',
      ' ---- ------ ---- ---- -------',
      ' Normal Scheduled AGE default-scheduler Successfully assigned default/web to node-0',
      ' Normal Pulling AGE kubelet, node-0 Pulling image "nginx:1.27"',
      ' Normal Pulled AGE kubelet, node-0 Successfully pulled image "nginx:1.27" in TIME',
      ' Normal Created AGE kubelet, node-0 Created container: app',
      ' Normal Started AGE kubelet, node-0 Started container app',
      '',
    ],
  );
});

test('kubeloom describe › shows a node with its pods and what they take', async (t) => {
  const { status, stdout } = await kubeloom('describe', 'node-0', ...SCENE);
  t.is(status, 0);
  t.regex(stdout, /^Name: +node-0\nRoles: +<none>\nLabels: +beta\.kubernetes\.io\/arch=amd64\n/);
  t.regex(stdout, /\n {2}Ready +True .* KubeletReady +kubelet is posting ready status\n/);
  t.regex(stdout, /\nNon-terminated Pods: +\(1 in total\)\n/);
  t.regex(stdout, /\n {2}default +web +250m \(0%\) +0 \(0%\) +64Mi \(0%\) +128Mi \(0%\) +\d+s\n/);
  t.regex(stdout, /\n {2}cpu +250m \(0%\) +0 \(0%\)\n {2}memory +64Mi \(0%\) +128Mi \(0%\)\n/);
  t.is((await kubeloom('describe', 'node/node-0', ...SCENE)).status, 0);
});

test('kubeloom describe › says in one line what it cannot find', async (t) => {
  t.deepEqual(await kubeloom('describe', 'nope', ...SCENE), {
    status: 2,
    stdout: '',
    stderr: 'kubeloom: pod "default/nope" not found\n',
  });
  t.is((await kubeloom('describe', 'node/nope', ...SCENE)).stderr, 'kubeloom: node "nope" not found\n');
});
