import { hasPlace, isShort, neededOf } from '../framework/free-resources.js';
import type { ColumnFilter } from '../framework/interface.js';
import {
  AMOUNTS_SHIFT,
  PLACES,
  POD_COUNT,
  TOTAL_CPU,
  TOTAL_MEMORY,
  USED_CPU,
  USED_MEMORY,
} from '../framework/node-amounts.js';
import type { NodeColumns, ScalarColumns } from '../framework/node-columns.js';
import type { Status } from '../framework/status.js';
import { rejectionOf, TOO_MANY_PODS, type FitRequest, type Shortage } from './fit-shortage.js';

/** Bits of a code: what the node is short of, and whether any of it is beyond help. */
const PODS = 1 << 0;
const CPU = 1 << 1;
const MEMORY = 1 << 2;
const EPHEMERAL = 1 << 3;
const FIRST_SCALAR = 4;
const UNRESOLVABLE = 1 << 15;
/** Bits between the first scalar and the last one. */
const MAX_SCALARS = 11;

interface ScalarDemand {
  readonly amount: number;
  readonly bit: number;
  /** Absent while no node and no pod of the snapshot has the resource. */
  readonly column: ScalarColumns | undefined;
}

/** NodeResourcesFit's filter over columns; `undefined` for pods with more scalars than a code has bits. */
export function compileFitFilter(request: FitRequest, columns: NodeColumns): ColumnFilter | undefined {
  if (request.scalars.length > MAX_SCALARS) return undefined;
  const statuses = new Map<number, Status>();
  const scalars = request.scalars.map(([name, amount], index): ScalarDemand => ({
    amount,
    bit: 1 << (FIRST_SCALAR + index),
    column: columns.scalars.get(name),
  }));
  const cpu = neededOf(request.cpuMillis);
  const memory = neededOf(request.memoryBytes);
  const ephemeral = neededOf(request.ephemeralBytes);
  const hasMore = request.ephemeralBytes > 0 || scalars.length > 0;
  return {
    filter(slots, count, verdicts, base) {
      const { arrays } = columns;
      const { amounts, allocatableEphemeralBytes, ephemeralBytes } = arrays;
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        if (verdicts[slot] !== 0) continue;
        const row = slot << AMOUNTS_SHIFT;
        let code = hasPlace((amounts[row + PLACES] as number) - (amounts[row + POD_COUNT] as number)) ? 0 : PODS;
        const totalCpu = amounts[row + TOTAL_CPU] as number;
        if (isShort(cpu, totalCpu - (amounts[row + USED_CPU] as number)))
          code |= isShort(cpu, totalCpu) ? CPU | UNRESOLVABLE : CPU;
        const totalMemory = amounts[row + TOTAL_MEMORY] as number;
        if (isShort(memory, totalMemory - (amounts[row + USED_MEMORY] as number))) {
          code |= isShort(memory, totalMemory) ? MEMORY | UNRESOLVABLE : MEMORY;
        }
        if (hasMore) {
          const totalEphemeral = allocatableEphemeralBytes[slot] as number;
          if (isShort(ephemeral, totalEphemeral - (ephemeralBytes[slot] as number))) {
            code |= isShort(ephemeral, totalEphemeral) ? EPHEMERAL | UNRESOLVABLE : EPHEMERAL;
          }
          if (scalars.length > 0) code |= scalarCode(scalars, slot);
        }
        if (code !== 0) verdicts[slot] = base + code;
      }
    },
    statusOf(code) {
      let status = statuses.get(code);
      if (status === undefined) {
        status = statusOfCode(code, request);
        statuses.set(code, status);
      }
      return status;
    },
  };
}

function scalarCode(scalars: readonly ScalarDemand[], slot: number): number {
  let code = 0;
  for (const { amount, bit, column } of scalars) {
    const total = column === undefined ? 0 : (column.allocatable[slot] as number);
    const used = column === undefined ? 0 : (column.requested[slot] as number);
    if (isShort(amount, total - used)) code |= isShort(amount, total) ? bit | UNRESOLVABLE : bit;
  }
  return code;
}

function statusOfCode(code: number, request: FitRequest): Status {
  const isUnresolvable = (code & UNRESOLVABLE) !== 0;
  const shortages: Shortage[] = [];
  const add = (bit: number, reason: string): void => {
    if ((code & bit) !== 0) shortages.push({ reason, isUnresolvable });
  };
  add(PODS, TOO_MANY_PODS);
  add(CPU, 'Insufficient cpu');
  add(MEMORY, 'Insufficient memory');
  add(EPHEMERAL, 'Insufficient ephemeral-storage');
  request.scalars.forEach(([name], index) => add(1 << (FIRST_SCALAR + index), `Insufficient ${name}`));
  return rejectionOf(shortages) as Status;
}
