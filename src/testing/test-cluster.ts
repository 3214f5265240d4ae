import { createCluster, type Cluster } from '../cluster/cluster.js';
import type { ClusterOptions } from '../cluster/options.js';
import { checkValue, FUNCTION, type Check } from '../options/option-checks.js';

/**
 * What ends a cluster with its test: AVA's `t`, the context of node:test or of Vitest, or a function that takes what is
 * to be done at the end, such as Jest's and Vitest's `afterEach` or `onTestFinished`.
 */
export type TestScope =
  | { teardown(end: () => Promise<void>): void }
  | { after(end: () => Promise<void>): void }
  | { onTestFinished(end: () => Promise<void>): void }
  | ((end: () => Promise<void>) => void);

const SCOPE: Check = [
  'the context of a test (AVA, node:test, Vitest), or a function such as afterEach',
  (value) => register(value) !== undefined,
];

/**
 * A cluster for one test, disposed of when the test is over. Its nodes are ready.
 *
 * @example `const cluster = await testCluster(t, { nodes: 3 })`
 * @throws OptionError
 */
export async function testCluster(scope: TestScope, options: ClusterOptions = {}): Promise<Cluster> {
  checkValue('scope', scope, SCOPE);
  const cluster = createCluster(options);
  register(scope)?.(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

/**
 * Does something with a cluster whose nodes are ready, and disposes of it.
 *
 * @returns what `body` returned
 * @throws OptionError; what `body` throws
 */
export async function withCluster<T>(
  options: ClusterOptions,
  body: (cluster: Cluster) => T | PromiseLike<T>,
): Promise<T> {
  checkValue('body', body, FUNCTION);
  const cluster = createCluster(options);
  try {
    await cluster.ready();
    return await body(cluster);
  } finally {
    await cluster.dispose();
  }
}

/** How the end of a test is heard of. */
function register(scope: unknown): ((end: () => Promise<void>) => void) | undefined {
  if (typeof scope === 'function') return (end) => void (scope as (end: () => Promise<void>) => unknown)(end);
  if (typeof scope !== 'object' || scope === null) return undefined;
  const context = scope as Readonly<Record<string, unknown>>;
  const name = ['teardown', 'after', 'onTestFinished'].find((each) => typeof context[each] === 'function');
  return name === undefined
    ? undefined
    : (end) => void (context as Record<string, (end: () => Promise<void>) => unknown>)[name]?.(end);
}
