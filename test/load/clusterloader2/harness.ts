/** Tests of clusterloader2 out of texts: files by path, in the place of a folder. */
import { runLoadTests, type LoadTestOptions, type LoadTestsResult } from '../../../src/index.js';

/** Plays `config.yaml` of these files. */
export function played(
  files: Readonly<Record<string, string>>,
  options: Partial<LoadTestOptions> = {},
): Promise<LoadTestsResult> {
  return runLoadTests({
    configs: ['t/config.yaml'],
    nodes: 5,
    seed: 7,
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no such file: ${path}`);
      return text;
    },
    ...options,
  });
}

/** The JSON of a result by the beginning of its file's name. */
export function resultOf(result: LoadTestsResult, name: string): unknown {
  const file = result.files.find((each) => each.name.startsWith(name));
  return file === undefined ? undefined : JSON.parse(file.text);
}

/** A Deployment whose size is drawn anew at each rendering. */
export const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{.Name}}
  labels: {group: load}
spec:
  replicas: {{RandIntRange .Min .Max}}
  selector: {matchLabels: {name: {{.Name}}}}
  template:
    metadata: {labels: {name: {{.Name}}, group: load}}
    spec:
      containers:
      - {name: main, image: "{{.ImageRegistry}}/pause:3.9", env: [{name: ROUND, value: "{{DefaultParam .Round 0}}"}]}
`;

/** Creates, scales and deletes Deployments, and waits for each. */
export const CONFIG = `
{{$namespaces := DefaultParam .CL2_NAMESPACES 2}}
name: small
namespace: {number: {{$namespaces}}}
tuningSets:
- name: even
  qpsLoad: {qps: 2}
- name: Spread
  RandomizedTimeLimitedLoad: {timeLimit: 10s}
steps:
- name: start
  measurements:
  - {Identifier: Startup, Method: PodStartupLatency, Params: {action: start, labelSelector: group = load, threshold: 1m}}
  - Method: WaitForControlledPodsRunning
    Instances:
    - {Identifier: Deployments, Params: {apiVersion: apps/v1, kind: Deployment}}
    Params: {action: start, labelSelector: group = load, operationTimeout: 2m}
  - {Identifier: Clock, Method: Timer, Params: {action: start, label: all}}
  - {Identifier: Net, Method: InClusterNetworkLatency, Params: {action: start}}
- module: {path: /modules/objects.yaml, params: {actionName: create, replicas: 3, min: 2, max: 4, namespaces: {{$namespaces}}}}
- module: {path: modules/objects.yaml, params: {actionName: scale, replicas: 3, min: 5, max: 5, round: 1, namespaces: {{$namespaces}}}}
- module: {path: modules/objects.yaml, params: {actionName: delete, replicas: 0, min: 0, max: 0, namespaces: {{$namespaces}}}}
- name: gather
  measurements:
  - {Identifier: Startup, Method: PodStartupLatency, Params: {action: gather}}
  - {Identifier: Clock, Method: Timer, Params: {action: stop, label: all}}
  - {Identifier: Net, Method: InClusterNetworkLatency, Params: {action: gather}}
- name: times
  measurements:
  - {Identifier: Clock, Method: Timer, Params: {action: gather}}
`;

export const MODULE = `
steps:
- name: {{.actionName}} deployments
  phases:
  - namespaceRange: {min: 1, max: {{.namespaces}}}
    replicasPerNamespace: {{.replicas}}
    tuningSet: {{if eq .actionName "create"}}even{{else}}Spread{{end}}
    objectBundle:
    - basename: app
      objectTemplatePath: deployment.yaml
      templateFillMap: {Min: {{.min}}, Max: {{.max}}, Round: {{DefaultParam .round 0}}}
- name: wait for {{.actionName}}
  measurements:
  - Method: WaitForControlledPodsRunning
    Instances: [{Identifier: Deployments}]
    Params: {action: gather}
`;

export const FILES = {
  't/config.yaml': CONFIG,
  't/modules/objects.yaml': MODULE,
  't/deployment.yaml': DEPLOYMENT,
} as const;
