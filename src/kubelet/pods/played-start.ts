/** How a container that computes is started by the steps of its pod's worker. */
import type { ReadConfig } from '../config/config-cache.js';
import type { ContainerRecord } from '../containers/container-record.js';
import { exitReason, type ContainerInstance } from '../containers/container-runtime.js';
import { makeEnvironment } from '../playing/container-environment.js';
import { playPlan } from '../playing/play-plan.js';
import { playedAnswers } from '../playing/played-answers.js';
import { hasOwnHabit } from '../scripts/script-layer.js';
import { subPathProblem } from '../playing/sub-path.js';
import { askOf } from './played-hooks.js';
import type { PodWorker } from './pod-worker.js';
import { drawEnd } from './run-script.js';

const NOT_READ = { problem: { text: 'not registered', isMissing: true } } as const;
/** A run that ends by nothing but what it uses. */
const ENDLESS = [{}] as const;

/** Starts a container whose command is played. @returns `false` = it is none */
export function startPlayed(worker: PodWorker, record: ContainerRecord, drawn: ContainerInstance): boolean {
  const { node, pod, sandbox } = worker;
  const { spec, script, slot } = record;
  if (!hasOwnHabit(script)) return false;
  const plan = playPlan(spec, script);
  if (plan === undefined) return false;
  const { players, runtime, kernel } = node;
  const address = sandbox.address ?? '';
  const ask = askOf(node);
  const begun: (() => void)[] = [];
  const means = { clock: kernel.clock, container: spec, address, program: () => instance.program, ask };
  const awaited = plan.isDefault ? { onceBegun: (listener: () => void) => void begun.push(listener) } : undefined;
  const isProbed = (spec.readinessProbe ?? spec.livenessProbe) !== undefined;
  const answers = plan.isDefault && !isProbed ? drawn.answers : playedAnswers({ ...means, ...awaited }, drawn.answers);
  const instance: ContainerInstance = { ...drawn, answers };
  const usual = (): ReturnType<typeof drawEnd> => drawEnd(node, pod, record, instance);
  const own = plan.isDefault
    ? usual()
    : drawEnd(node, pod, { ...record, script: { ...script, runs: ENDLESS } }, instance);
  instance.program = players.begin({
    sandbox,
    container: spec,
    plan,
    attempt: instance.attempt,
    read: readerOf(worker),
    onBegun: () => begun.forEach((tell) => tell()),
    onEnd({ code, startError, message }) {
      if (slot.current !== instance || instance.exit !== undefined) return;
      const reason = startError === undefined ? exitReason(code) : 'StartError';
      const text = startError ?? message;
      runtime.exit(sandbox, slot, { code, reason, ...(text === undefined ? {} : { message: text }) });
    },
    onUnplayed() {
      const end = slot.current === instance ? usual() : undefined;
      if (end !== undefined) runtime.foresee(sandbox, slot, end);
    },
  });
  runtime.run(sandbox, slot, instance, own);
  return true;
}

/** Why its mounts cannot be made, in upstream's words. */
export function subPathFault(worker: PodWorker, { spec }: ContainerRecord): string | undefined {
  if (spec.volumeMounts === undefined) return undefined;
  const { node, pod, sandbox } = worker;
  return subPathProblem(spec, () => {
    const { ground, hostIp, allocatable } = node.players;
    const services = ground.view.services(pod.metadata.namespace ?? '');
    const podIp = sandbox.address ?? '';
    return makeEnvironment(pod, spec, { read: readerOf(worker), services, podIp, hostIp, allocatable });
  });
}

function readerOf({ volumes }: PodWorker): ReadConfig {
  return (kind, name) => volumes?.read(kind, name) ?? NOT_READ;
}
