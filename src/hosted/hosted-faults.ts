import type { Remote } from 'comlink';
import type { Fault, LinkTarget, PartitionTarget, PartyTarget, VolumeChoice } from '../faults/fault.js';
import { unwrap, type ClusterHost } from './host-protocol.js';

/** A fault of a cluster on another thread. */
export interface HostedFault {
  /** Numbered from 1 within a cluster. */
  readonly id: number;
  readonly fault: Fault;
  /** Ends the fault; calling it twice is harmless. */
  heal(): Promise<void>;
}

/** See `FaultInjector`: the same faults, with every method as a promise. */
export class HostedFaults {
  /** @internal */
  constructor(private readonly host: Remote<ClusterHost>) {}

  /** Begins a fault. @throws Error named `FaultError` that names the field, what it got and what is allowed */
  async inject(fault: Fault): Promise<HostedFault> {
    const id = unwrap(await this.host.injectFault(fault));
    return { id, fault, heal: () => this.host.healFault(id) };
  }

  /** Cuts a link, one way or both ways. */
  cut(target: LinkTarget & { readonly direction?: 'in' | 'out' }): Promise<HostedFault> {
    return this.inject({ cut: target });
  }

  /** Keeps pods of some machines from reaching those of others. */
  partition(target: PartitionTarget): Promise<HostedFault> {
    return this.inject({ partition: target });
  }

  /** Takes a volume away from a node, even one in use, and keeps it away until healed. */
  breakAttachment(target: VolumeChoice & { readonly node: string }): Promise<HostedFault> {
    return this.inject({ breakAttachment: target });
  }

  /** Ends a kubelet's process; what runs on its node goes on. */
  stopKubelet(node: string): Promise<HostedFault> {
    return this.inject({ stopKubelet: { node } });
  }

  /** Switches a machine off, with all that runs on it; healed, it boots. */
  powerOff(node: string): Promise<HostedFault> {
    return this.inject({ powerOff: { node } });
  }

  /** Shuts a machine down in good order: its pods end in the time that its kubelet gives them, then it goes dark. */
  shutDown(node: string): Promise<HostedFault> {
    return this.inject({ shutDown: { node } });
  }

  /** Ends a controller as in a crash. */
  stopController(controller: string): Promise<HostedFault> {
    return this.inject({ stopController: { controller } });
  }

  /** Runs a controller once more beside itself; healed, the second instance ends. */
  runTwice(controller: string): Promise<HostedFault> {
    return this.inject({ runTwice: { controller } });
  }

  /** Puts a party's clock ahead, or behind. */
  skewClock(target: PartyTarget & { readonly by: number | string }): Promise<HostedFault> {
    return this.inject({ skewClock: target });
  }

  /** Ends every fault, the last one first. */
  healAll(): Promise<void> {
    return this.host.healFaults();
  }
}
