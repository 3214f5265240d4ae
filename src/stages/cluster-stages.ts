/**
 * The stages of a cluster: those of pods are hints for the scripts of containers, those of nodes stop kubelets, and
 * those of every other kind are played by a controller of their own. What stages of pods and nodes do beside their
 * statuses (events, finalizers, deletions, other objects) is played as well.
 */
import { ApiError } from '../api/errors/api-error.js';
import { resolveKind } from '../api/kinds/registry.js';
import type { Draft, Kind } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import { listen } from '../bus/rx/listen.js';
import type { ControllerDefinition } from '../controllers/runtime/controller-definition.js';
import { NodeStages, type NodeStageParts } from './node-stages.js';
import { PodHints } from './pod-hints.js';
import type { Stage, StageStep } from './stage.js';
import { stageController } from './stage-controller.js';
import { writesStatus } from './stage-patches.js';

/** What stages act with; parts that are made later are asked for when they are needed. */
export interface StageParts extends NodeStageParts {
  readonly server: ApiServer;
  readonly controllers: () => { add(definition: ControllerDefinition): unknown };
  readonly onFailure: (message: string) => void;
}

const KUBELET_KINDS: readonly string[] = ['Pod', 'Node'];

/** See the file header. */
export class ClusterStages {
  readonly hints: PodHints;
  readonly #parts: StageParts;
  readonly #nodes: NodeStages;
  /** By name: a stage that comes again takes the place of the one before. */
  readonly #stages = new Map<string, Stage>();
  readonly #played = new Set<Kind>();
  #awaitsKinds = false;

  constructor(parts: StageParts) {
    this.#parts = parts;
    this.hints = new PodHints(parts.kernel);
    this.#nodes = new NodeStages(parts);
  }

  /** From now on these are played, too. */
  add(stages: readonly Stage[]): void {
    if (stages.length === 0) return;
    for (const stage of stages) this.#stages.set(stage.name, stage);
    this.hints.stages = this.#of('v1', 'Pod');
    this.#nodes.stages = this.#of('v1', 'Node');
    this.#startControllers();
  }

  #of(apiVersion: string, kind: string): readonly Stage[] {
    return [...this.#stages.values()].filter((each) => each.apiVersion === apiVersion && each.kind === kind);
  }

  /** Kinds whose definitions are not there yet are waited for. */
  #startControllers(): void {
    for (const { apiVersion, kind } of this.#stages.values()) {
      const found = this.#kindOf(apiVersion, kind);
      if (found === undefined) this.#awaitKinds();
      else if (!this.#played.has(found)) this.#start(found, apiVersion, kind);
    }
  }

  #start(found: Kind, apiVersion: string, kind: string): void {
    const hasKubelets = apiVersion === 'v1' && KUBELET_KINDS.includes(kind);
    const stages = (): readonly Stage[] => {
      const all = this.#of(apiVersion, kind);
      return hasKubelets ? all.filter(actsBesideStatus) : all;
    };
    if (stages().length === 0) return;
    this.#played.add(found);
    const { onFailure } = this.#parts;
    const definition = stageController({
      kind: found,
      stages,
      hasKubelets,
      kindOf: (draft) => this.#appliedKind(draft),
      onFailure,
    });
    this.#parts.controllers().add(definition);
  }

  #awaitKinds(): void {
    if (this.#awaitsKinds) return;
    this.#awaitsKinds = true;
    const { lookout, kernel } = this.#parts;
    listen(lookout.watch('CustomResourceDefinition'), ({ type }) => {
      if (type !== 'DELETED') kernel.clock.schedule(0, () => this.#startControllers());
    });
  }

  #kindOf(apiVersion: string, kind: string): Kind | undefined {
    const [group = ''] = apiVersion.split('/', 1);
    const custom = this.#parts.server.customKinds.find((each) => each.kind === kind && each.group === group);
    return custom === undefined ? resolveKind(apiVersion, kind) : (`${kind}.${group}` as Kind);
  }

  #appliedKind({ apiVersion, kind }: Draft): { readonly kind: Kind; readonly isNamespaced: boolean } {
    const found = this.#kindOf(String(apiVersion), String(kind));
    if (found !== undefined) return { kind: found, isNamespaced: this.#parts.server.describe(found).isNamespaced };
    throw new ApiError(404, 'NotFound', `no matches for kind "${String(kind)}" in version "${String(apiVersion)}"`);
  }
}

/** Whether a stage of pods or nodes does more than kubelets do by themselves. */
function actsBesideStatus({ steps, source }: Stage): boolean {
  const writes = steps.some(({ patch }) => patch !== undefined && writesStatus(patch));
  if (steps.some(({ deletes }) => deletes) && isOfDeletion(source)) return false;
  return steps.some((step) => acts(step) || (step.event !== undefined && !writes));
}

function acts({ finalizers, deletes, patch, apply }: StageStep): boolean {
  return finalizers !== undefined || deletes || apply !== undefined || (patch !== undefined && !writesStatus(patch));
}

/** Whether a stage selects what is being deleted: the end of it is the kubelet's. */
function isOfDeletion(source: Stage['source']): boolean {
  const text = JSON.stringify(source);
  return (
    /"key":"\.metadata\.deletionTimestamp","operator":"Exists"/.test(text) ||
    /[^!]has\(self\.metadata\.deletionTimestamp\)/.test(text)
  );
}
