import { assert } from '../../../kernel/assert.js';
import type { CycleState } from '../../framework/cycle-state.js';
import { filterVerdict } from '../../framework/framework.js';
import type { ColumnFilter, FilterPlugin } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Status } from '../../framework/status.js';

/** The plain form of a filter behind the column form's interface; equal statuses share a code. */
export function plainColumnFilter(
  plugin: FilterPlugin,
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): ColumnFilter {
  const { nodes } = columns;
  assert(nodes !== undefined, `${plugin.name} is asked about nodes of which there are columns only`);
  const codes = new Map<string, number>();
  const statuses: Status[] = [];
  const codeOfStatus = (status: Status): number => {
    const content = `${status.code}\u0000${status.plugin}\u0000${status.reasons.join('\u0000')}`;
    let code = codes.get(content);
    if (code === undefined) {
      code = statuses.push(status);
      codes.set(content, code);
    }
    return code;
  };
  return {
    mayFail: true,
    filter(slots, count, verdicts, base) {
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        const node = nodes[slot];
        if (verdicts[slot] !== 0 || node === undefined) continue;
        const status = plugin.filter(state, pod, node);
        const verdict = status === undefined ? undefined : filterVerdict(plugin, status);
        if (verdict !== undefined) verdicts[slot] = base + codeOfStatus(verdict);
      }
    },
    statusOf: (code) => statuses[code - 1] as Status,
  };
}
