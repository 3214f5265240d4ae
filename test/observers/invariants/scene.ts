/** Scenes in which a promise is broken by a planted bug, and kept without it. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import * as whole from '../../../src/index.js';
import type { Cluster, ClusterOptions } from '../../../src/index.js';
import { mutatedModules, readMutants, type Mutant } from '../../mutants/mutant.js';
import { loadMutant } from '../../laboratory/fuzz/planted/broken-program.js';

/** What brings a promise to the test. */
export interface Scene {
  readonly promise: string;
  /** One of those that are kept as data. */
  readonly bug: string;
  readonly options?: ClusterOptions;
  readonly play: (cluster: Cluster) => Promise<void>;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface Shape extends Fields {
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly pod?: Fields;
  readonly container?: Fields;
}

export function template(name: string, { annotations = {}, pod = {}, container = {} }: Shape): Fields {
  const containers = [{ name: 'app', image: `${name}:1`, ...container }];
  return { metadata: { labels: { app: name }, annotations }, spec: { ...pod, containers } };
}

export function workload(kind: string, name: string, shape: Shape, spec: Fields = {}): Draft {
  const { replicas = 1 } = shape;
  const selector = { matchLabels: { app: name } };
  const own = { replicas, selector, template: template(name, shape), ...spec };
  return { apiVersion: 'apps/v1', kind, metadata: { name }, spec: own };
}

export function simple(apiVersion: string, kind: string, name: string, rest: Fields): Draft {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

export const service = (name: string): Draft =>
  simple('v1', 'Service', name, { spec: { selector: { app: name }, ports: [{ port: 80 }] } });

export function volume(name: string): Draft {
  const csi = { driver: 'disk.example.com', volumeHandle: name };
  const capacity = { storage: '1Gi' };
  return simple('v1', 'PersistentVolume', name, {
    spec: { capacity, accessModes: ['ReadWriteOnce'], storageClassName: '', csi },
  });
}

export function claim(name: string): Draft {
  const resources = { requests: { storage: '1Gi' } };
  return simple('v1', 'PersistentVolumeClaim', name, {
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources },
  });
}

export const pod = (name: string, spec: Fields = {}): Draft =>
  simple('v1', 'Pod', name, { spec: { containers: [{ name: 'app', image: 'app' }], ...spec } });

/** Something is written: most promises are looked at with writes. */
export const stir = (cluster: Cluster, name: string): void => void cluster.apply(pod(name));

export const ofNode = (cluster: Cluster, app: string): string =>
  cluster.list('Pod', { labelSelector: `app=${app}` })[0]?.spec.nodeName ?? '';

export function milliOf(cpu: string): number {
  return cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number(cpu) * 1000;
}

async function broken(
  { createCluster }: Pick<typeof whole, 'createCluster'>,
  scene: Scene,
): Promise<readonly string[]> {
  const cluster = createCluster({ nodes: 3, invariants: true, ...scene.options });
  await cluster.ready();
  await scene.play(cluster);
  cluster.invariants.checkAtRest();
  const names = new Set(cluster.invariants.faults.map(({ invariant }) => invariant));
  await cluster.dispose();
  return [...names];
}

const MUTANTS = new Map(readMutants().map((mutant) => [mutant.bug, mutant]));
/** Of all scenes of this thread, whatever file they are in. */
const planted = new Set<Mutant>();
let modules: ReadonlyMap<Mutant, string> | undefined;

/** Compiled all at once, when the first is asked for: a process of the compiler costs more than what it compiles. */
function moduleOf(mutant: Mutant): string | undefined {
  if (modules === undefined) {
    const texts = mutatedModules([...planted]);
    modules = new Map(Array.from(planted, (each, index) => [each, texts[index] ?? '']));
  }
  return modules.get(mutant);
}

/** Each scene with its bug and without it. */
export function testScenes(scenes: readonly Scene[]): void {
  for (const scene of scenes) testScene(scene);
}

function testScene(scene: Scene): void {
  const { promise, bug } = scene;
  const mutant = MUTANTS.get(bug);
  if (mutant === undefined) throw new Error(`${promise}: test/mutants/mutants.jsonl has no bug named ${bug}`);
  planted.add(mutant);
  test(`${promise} › is broken by this: ${bug}`, async (t) => {
    const program = await loadMutant(mutant, moduleOf(mutant));
    t.true((await broken(program, scene)).includes(promise));
  });

  test(`${promise} › is kept without this: ${bug}`, async (t) => {
    t.deepEqual(await broken(whole, scene), []);
  });
}
