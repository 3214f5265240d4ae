/** A sweep in parts, for machines that know nothing of each other: as a Kubernetes Job, as a workflow of GitHub. Pure. */
import { stringify } from 'yaml';

/** What is printed. */
export interface PrintedSweep {
  /** The file of the plan, by its path beside the other files. */
  readonly plan: string;
  /** How many parts. */
  readonly shards: number;
  /** Of the program, without its build. */
  readonly version: string;
  /** Texts of the plan and of all files that it needs, by their paths. */
  readonly files: Readonly<Record<string, string>>;
  readonly image: string;
}

const NAME = 'kubeloom-sweep';
/** GitHub puts the number of the part in its place. */
const MATRIX_SHARD = ['$', '{{ matrix.shard }}'].join('');
/** Texts stay on their lines, and nothing refers to something else. */
const FORM = { lineWidth: 0, aliasDuplicateObjects: false } as const;
/** A ConfigMap holds at most 1 MiB. */
const MOST_CONFIG = 1_000_000;

/**
 * An Indexed Job, the files of the sweep, and the claim that its rows go to; each index plays one part.
 *
 * @throws RangeError when the files are too large for a ConfigMap
 */
export function sweepJob({ plan, shards, version, files, image }: PrintedSweep): string {
  const size = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size > MOST_CONFIG)
    throw new RangeError(`the files of the plan have ${size} bytes; a ConfigMap holds ${MOST_CONFIG}`);
  const entries = Object.entries(files).map(([path, text], index) => ({ key: `file-${index}`, path, text }));
  const script = `exec npx --yes kubeloom@${version} sweep /plan/${plan} --out /results --shard $((JOB_COMPLETION_INDEX + 1))/${shards}`;
  const metadata = { name: NAME };
  const documents = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: Object.fromEntries(entries.map(({ key, text }) => [key, text])),
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '10Gi' } } },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        completionMode: 'Indexed',
        completions: shards,
        parallelism: shards,
        backoffLimitPerIndex: 3,
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [
              {
                name: 'sweep',
                image,
                command: ['sh', '-c', script],
                resources: { requests: { cpu: '1', memory: '1Gi' } },
                volumeMounts: [
                  { name: 'plan', mountPath: '/plan' },
                  { name: 'results', mountPath: '/results' },
                ],
              },
            ],
            volumes: [
              { name: 'plan', configMap: { name: NAME, items: entries.map(({ key, path }) => ({ key, path })) } },
              { name: 'results', persistentVolumeClaim: { claimName: NAME } },
            ],
          },
        },
      },
    },
  ];
  return documents.map((document) => stringify(document, FORM)).join('---\n');
}

/** A workflow: a matrix of parts, and a job that puts their rows together. */
export function sweepMatrix({ plan, shards, version }: Omit<PrintedSweep, 'files' | 'image'>): string {
  const setup = [{ uses: 'actions/checkout@v4' }, { uses: 'actions/setup-node@v4', with: { 'node-version': '24' } }];
  const sweep = `npx --yes kubeloom@${version} sweep ${plan} --out results`;
  return stringify(
    {
      name: 'sweep',
      on: 'workflow_dispatch',
      jobs: {
        shard: {
          'runs-on': 'ubuntu-latest',
          strategy: {
            'fail-fast': false,
            matrix: { shard: Array.from({ length: shards }, (_, index) => index + 1) },
          },
          steps: [
            ...setup,
            { run: `${sweep} --shard ${MATRIX_SHARD}/${shards}` },
            {
              if: 'always()',
              uses: 'actions/upload-artifact@v4',
              with: { name: `rows-${MATRIX_SHARD}`, path: 'results' },
            },
          ],
        },
        sweep: {
          'runs-on': 'ubuntu-latest',
          if: 'always()',
          needs: 'shard',
          steps: [
            ...setup,
            {
              uses: 'actions/download-artifact@v4',
              with: { pattern: 'rows-*', path: 'results', 'merge-multiple': true },
            },
            { run: sweep },
            { if: 'always()', uses: 'actions/upload-artifact@v4', with: { name: 'sweep', path: 'results' } },
          ],
        },
      },
    },
    FORM,
  );
}
