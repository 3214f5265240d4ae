import type { Command } from 'commander';
import { readCluster, takeoverText, type ClusterPicture } from '../../index.js';
import { checkThere } from './read-input.js';
import { UsageError } from './usage-error.js';

const FORMS =
  'start from a cluster that others have written down: kubectl get -o yaml or json, kubectl cluster-info dump, a snapshot of kwokctl, must-gather, --save';

/** Declares `--from`. @param more - what else it does */
export function addFromOption(command: Command, more = ''): Command {
  return command.option('--from <file-or-folder>', `${FORMS}${more}`);
}

/** @throws UsageError, ImportError, ManifestError */
export function readFrom(path: string): ClusterPicture {
  checkThere('--from', path);
  return readCluster(path);
}

/** The cluster of a load test: what is taken over, and how many nodes come on top of it. */
export function fromOptions(
  { nodes, from }: { readonly nodes?: number; readonly from?: string },
  defaultNodes: number,
): { readonly nodes: number; readonly cluster?: { readonly from: ClusterPicture } } {
  if (from === undefined) {
    if (nodes === 0) throw new UsageError('--nodes must be at least 1 without --from, got 0');
    return { nodes: nodes ?? defaultNodes };
  }
  const picture = readFrom(from);
  process.stderr.write(`${takeoverText(picture)}\n`);
  return { nodes: nodes ?? 0, cluster: { from: picture } };
}
