/** Does what an action of a scenario says, as a user or an operator would: through the cluster's public methods. */
import { ApiError } from '../../api/errors/api-error.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { Draft, Taint } from '../../api/objects/objects.js';
import { applyMergePatch } from '../../api/patches/patch.js';
import type { Fault } from '../../faults/fault.js';
import { FaultError } from '../../faults/fault-error.js';
import type { FaultHandle } from '../../faults/fault-injector.js';
import type { Applied } from '../../cluster/apply.js';
import { DrainError } from '../../cluster/drain/drain.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { NodeChoice, ScenarioAction, ScenarioFault, Step, TargetObject } from './scenario.js';

/** An action that could not be taken, for a reason that shows only while the scenario is played. */
class ActionError extends Error {
  override readonly name = 'ActionError';
}

/** An object as requests name it, and as the output does. */
interface Target {
  readonly ref: { readonly namespace: string; readonly name: string };
  readonly text: string;
}

type ObjectStep = Extract<Step, { readonly target: TargetObject }>;
type EditStep = Extract<Step, { readonly verb: 'edit' }>;
type NodeStep = Extract<Step, { readonly node: NodeChoice }>;

/** Called with what actions lead to. */
export interface ActionListener {
  /** Something that an action told while it went on. */
  told(action: ScenarioAction, text: string): void;
  /** An action was refused, or could not be finished. */
  failed(action: ScenarioAction, reason: string): void;
  /** Something began that ends by itself, after the time that its step says. */
  lasts(action: ScenarioAction, end: () => void): void;
}

/** See the file header. Remembers what actions were about, for those that refer to them. */
export class ActionTaker {
  readonly #cluster: Cluster;
  readonly #listener: ActionListener;
  readonly #faults = new Map<ScenarioAction, FaultHandle>();
  readonly #nodes = new Map<string, string>();
  readonly #drains = new Set<string>();

  constructor(cluster: Cluster, listener: ActionListener) {
    this.#cluster = cluster;
    this.#listener = listener;
  }

  /** The node that is meant; `undefined` while that is open. */
  nodeName(choice: NodeChoice): string | undefined {
    if ('name' in choice) return choice.name;
    if ('ofAction' in choice) return this.#nodes.get(choice.ofAction);
    if ('ofPods' in choice) {
      const pods = this.#cluster.list('Pod', { labelSelector: choice.ofPods });
      return pods.find(({ spec }) => spec.nodeName !== undefined)?.spec.nodeName;
    }
    const [namespace, name] = choice.ofPod.split('/');
    const pods = this.#cluster.list('Pod', { ...(namespace === undefined ? {} : { namespace }) });
    return pods.find(({ metadata }) => metadata.name === name)?.spec.nodeName;
  }

  /** Drains that are still going on. */
  get unfinished(): readonly string[] {
    return [...this.#drains];
  }

  /** @returns what was done, in a few words; `undefined` when it was refused, which the listener has been told then */
  take(action: ScenarioAction): string | undefined {
    try {
      return this.#do(action, action.step);
    } catch (error) {
      const isExpected = [ActionError, ApiError, FaultError].some((each) => error instanceof each);
      if (!isExpected || !(error instanceof Error)) throw error;
      this.#listener.failed(action, error.message);
      return undefined;
    }
  }

  #do(action: ScenarioAction, step: Step): string {
    if ('target' in step) return this.#doToObject(action, step, this.#target(action, step.target));
    if ('node' in step) return this.#doToNode(action, step, this.#node(action, step.node));
    if (step.verb === 'apply') return this.#cluster.apply(step.objects).map(appliedText).join(', ');
    if (step.verb === 'load') return this.#load(step);
    return step.verb === 'heal' ? this.#heal(step.action) : this.#inject(action, step.fault, step.forMs);
  }

  #load({ service, rate }: Extract<Step, { readonly verb: 'load' }>): string {
    this.#cluster.load(service).set(rate);
    return `load of service/${service.name} is ${typeof rate === 'object' ? 'that of its table' : rate}`;
  }

  #doToObject(action: ScenarioAction, step: ObjectStep, { ref, text }: Target): string {
    const cluster = this.#cluster;
    const { kind } = step.target;
    switch (step.verb) {
      case 'delete':
        cluster.delete(kind, ref, step.options);
        return `${text} ${step.options.force === true ? 'force deleted' : 'deleted'}`;
      case 'evict':
        cluster.evict(ref);
        return `${text} evicted`;
      case 'scale':
        cluster.scale(step.target.kind, ref, step.replicas);
        return `${text} scaled to ${step.replicas}`;
      case 'patch':
        cluster.patch(kind, ref, step.body, step.type);
        return `${text} patched`;
      case 'edit':
        return this.#edit(action, step, { ref, text });
    }
  }

  /** As `kubectl edit` does: what is put back names the version that was read. */
  #edit(action: ScenarioAction, { target: { kind }, body }: EditStep, { ref, text }: Target): string {
    const read = this.#cluster.get(kind, ref);
    this.#listener.lasts(action, () => {
      try {
        this.#cluster.update(kind, applyMergePatch(read, body) as Draft);
        this.#listener.told(action, `${text} edited`);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#listener.failed(action, error.message);
      }
    });
    return `${text} is being edited`;
  }

  #doToNode(action: ScenarioAction, step: NodeStep, node: string): string {
    switch (step.verb) {
      case 'cordon':
      case 'uncordon':
        this.#cluster.patch('Node', node, { spec: { unschedulable: step.verb === 'cordon' ? true : null } });
        return `node/${node} ${step.verb}ed`;
      case 'taint':
        this.#retaint(node, (taints) => withTaint(taints, step.taint));
        return `node/${node} tainted with ${taintText(step.taint)}`;
      case 'untaint':
        this.#retaint(node, (taints) =>
          taints.filter(({ key, effect }) => key !== step.key || (step.effect ?? effect) !== effect),
        );
        return `node/${node} untainted of ${step.key}`;
      case 'drain':
        return this.#drain(action, node, step.options);
    }
  }

  #node(action: ScenarioAction, choice: NodeChoice): string {
    const node = this.nodeName(choice);
    if (node === undefined) {
      const whose = whyUnknown(choice);
      throw new ActionError(`no node is known: ${whose}`);
    }
    if (action.name !== undefined) this.#nodes.set(action.name, node);
    return node;
  }

  #target(action: ScenarioAction, { kind, namespace, name }: TargetObject): Target {
    const known = typeof name === 'string' ? name : this.#node(action, name);
    return { ref: { namespace, name: known }, text: `${kind.toLowerCase()}/${known}` };
  }

  #retaint(node: string, change: (taints: readonly Taint[]) => readonly Taint[]): void {
    const { spec } = this.#cluster.get('Node', node);
    this.#cluster.patch('Node', node, { spec: { taints: change(spec.taints ?? []) } }, 'merge');
  }

  #drain(action: ScenarioAction, node: string, options: Parameters<Cluster['drain']>[1]): string {
    const what = `drain of node/${node}`;
    this.#drains.add(what);
    this.#cluster.drain(node, options).subscribe({
      next: ({ text }) => this.#listener.told(action, text),
      error: (error: unknown) => {
        this.#drains.delete(what);
        const isExpected = [DrainError, ApiError, LinkDownError].some((each) => error instanceof each);
        if (!isExpected || !(error instanceof Error)) throw error;
        this.#listener.failed(action, error.message);
      },
      complete: () => this.#drains.delete(what),
    });
    return `node/${node} is being drained`;
  }

  #inject(action: ScenarioAction, { verb, node: choice, target }: ScenarioFault, forMs: number | undefined): string {
    const node = choice === undefined ? undefined : this.#node(action, choice);
    const fault = faultOf(verb, { ...(node === undefined ? {} : { node }), ...target });
    const handle = this.#cluster.faults.inject(fault);
    this.#faults.set(action, handle);
    const text = faultText(verb, node, target);
    if (forMs !== undefined) {
      this.#listener.lasts(action, () => {
        if (!handle.isActive) return;
        handle.heal();
        this.#listener.told(action, `healed: ${text}`);
      });
    }
    return text;
  }

  #heal(name: string | undefined): string {
    let healed = 0;
    for (const [action, handle] of this.#faults) {
      if (!handle.isActive || (name !== undefined && action.name !== name)) continue;
      handle.heal();
      healed += 1;
    }
    if (healed === 0) throw new ActionError(name === undefined ? 'nothing is broken' : `${name} is not broken`);
    return name === undefined ? `healed ${healed} faults` : `healed ${name}`;
  }
}

function appliedText(applied: Applied): string {
  if (applied.action === 'ignored') return `${applied.ignored.kind.toLowerCase()}/${applied.ignored.name} ignored`;
  const { kind, metadata } = applied.object;
  return `${kind.toLowerCase()}/${metadata.name} ${applied.action}`;
}

/** The fault that a verb and its fields make. */
export function faultOf(verb: ScenarioFault['verb'], target: Readonly<Record<string, unknown>>): Fault {
  return { [verb]: target } as unknown as Fault;
}

function whyUnknown(choice: NodeChoice): string {
  if ('ofPod' in choice) return `pod ${choice.ofPod} is not there, or bound to no node`;
  return 'ofPods' in choice
    ? `no pod with ${choice.ofPods} is bound to a node`
    : 'the action that it names had no node';
}

/** The node or other target of a fault, and then its other fields. */
function faultText(verb: string, node: string | undefined, target: Readonly<Record<string, unknown>>): string {
  const { component, controller, direction, ...others } = target;
  const whom = node ?? component ?? controller;
  const said = Object.entries(others).map(([field, value]) => `${field} ${plainText(value)}`);
  const how = direction === undefined ? said : [plainText(direction), ...said];
  return [whom === undefined ? verb : `${verb} ${plainText(whom)}`, ...how].join(', ');
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  return [...taints.filter(({ key, effect }) => key !== taint.key || effect !== taint.effect), taint];
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined ? '' : `=${value}`}:${effect}`;
}
