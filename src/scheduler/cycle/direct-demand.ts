/** What a pod asks for, and how its scores weigh; millicores and bytes. */
export interface DirectDemand {
  /** What has to be free; below every number where nothing is asked for. */
  freeCpu: number;
  freeMemory: number;
  /** Of the score by free resources, with defaults counted. */
  leastCpu: number;
  leastMemory: number;
  leastWeight: number;
  cpuWeight: number;
  memoryWeight: number;
  /** Of the score by balance; weight 0 = it is not asked. */
  balancedCpu: number;
  balancedMemory: number;
  balancedWeight: number;
}

/** To be filled in. */
export function noDemand(): DirectDemand {
  return {
    freeCpu: 0,
    freeMemory: 0,
    leastCpu: 0,
    leastMemory: 0,
    leastWeight: 0,
    cpuWeight: 0,
    memoryWeight: 0,
    balancedCpu: 0,
    balancedMemory: 0,
    balancedWeight: 0,
  };
}
