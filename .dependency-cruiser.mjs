/**
 * The plan of the house (ARCHITECTURE.md, "Rooms") as rules: which folder may import which, and where the
 * libraries may be used. Type-only imports count as imports.
 */

/** The parts of a control plane, and what they are made of. */
const parts = [
  'kernel',
  'api',
  'apiserver',
  'bus',
  'metrics',
  'machines',
  'kubelet',
  'controllers',
  'scheduler',
  'faults',
  'workload',
];

/** What each folder of src/ may import besides itself. */
const rooms = {
  kernel: [],
  api: ['kernel'],
  apiserver: ['kernel', 'api'],
  bus: ['kernel', 'api', 'apiserver'],
  machines: ['kernel'],
  shell: ['kernel'],
  kubelet: ['kernel', 'api', 'apiserver', 'bus', 'machines', 'shell'],
  controllers: ['kernel', 'api', 'apiserver', 'bus', 'metrics', 'machines'],
  scheduler: ['kernel', 'api', 'apiserver', 'bus'],
  faults: ['kernel', 'api', 'apiserver', 'bus'],
  workload: ['kernel', 'api', 'apiserver', 'bus'],
  'offered-load': ['kernel', 'api', 'bus', 'kubelet'],
  templates: ['kernel'],
  stages: [...parts, 'templates'],
  transfer: [...parts, 'options'],
  recording: [...parts, 'options', 'transfer'],
  requests: ['kernel', 'api', 'apiserver', 'bus', 'metrics'],
  metrics: ['kernel'],
  options: [...parts],
  assembly: [...parts, 'options'],
  observers: [...parts, 'options', 'assembly'],
  measurements: [...parts, 'options', 'assembly', 'observers'],
  report: ['kernel', 'options', 'measurements'],
  controls: [...parts, 'offered-load', 'options', 'assembly', 'observers', 'requests'],
  load: [...parts, 'templates', 'options', 'assembly', 'observers', 'measurements', 'cluster'],
  cluster: [
    ...parts,
    'offered-load',
    'options',
    'stages',
    'transfer',
    'assembly',
    'observers',
    'measurements',
    'controls',
    'requests',
    'server',
  ],
  laboratory: [...parts, 'offered-load', 'options', 'assembly', 'observers', 'measurements', 'cluster'],
  testing: [...parts, 'options', 'observers', 'cluster', 'server'],
  experiments: [...parts, 'options', 'transfer', 'measurements', 'report', 'cluster', 'laboratory'],
  sweep: [...parts, 'options', 'measurements', 'report', 'cluster', 'laboratory', 'experiments'],
  hosted: [...parts, 'options', 'assembly', 'observers', 'cluster'],
  server: ['kernel', 'api', 'apiserver', 'metrics', 'requests'],
  live: [...parts, 'options', 'assembly', 'observers', 'measurements', 'report', 'cluster'],
  doors: [
    ...parts,
    'options',
    'stages',
    'transfer',
    'assembly',
    'observers',
    'cluster',
    'laboratory',
    'hosted',
    'measurements',
    'report',
    'load',
    'live',
    'experiments',
    'sweep',
    'testing',
  ],
  cli: ['index.ts'],
};

/** Parts of the scheduler that know less of the house than the scheduler does. */
const schedulerRooms = {
  'scheduler/framework': ['kernel', 'api'],
  'scheduler/plugins': ['kernel', 'api', 'scheduler/framework'],
};

/** Which folders may use a library; elsewhere in src, workers and bench it is an error. */
const libraries = {
  xstate: ['src/machines', 'src/kubelet', 'src/controllers/runtime'],
  piscina: ['src/scheduler/parallel', 'src/laboratory/fuzz', 'src/experiments', 'src/sweep/executors', 'workers'],
  bullmq: ['src/sweep/executors'],
  '@kubernetes/client-node': ['src/recording', 'bench'],
  ioredis: ['src/sweep/executors'],
  pg: ['src/sweep/executors'],
  comlink: ['src/hosted', 'workers'],
  rxjs: [
    'src/machines',
    'src/bus',
    'src/kubelet',
    'src/controllers',
    'src/scheduler',
    'src/faults',
    'src/workload',
    'src/options',
    'src/observers',
    'src/measurements',
    'src/cluster',
    'src/laboratory',
    'src/load',
    'src/live',
    'src/hosted',
    'src/server',
    'src/cli',
    'src/index\\.ts',
    'workers',
    'bench',
  ],
  commander: ['src/cli'],
  croner: ['src/api'],
  'prom-client': ['src/metrics'],
  ws: ['src/server'],
  unbash: ['src/shell', 'src/kubelet/playing'],
  '@peculiar/x509': ['src/server'],
  '@bufbuild/protobuf': ['src/server'],
  'cli-progress': ['src/cli', 'bench'],
  'cli-table3': ['src/cli', 'bench'],
};

const anyOf = (names) => `(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})`;

const said = (allowed) =>
  parts.every((part) => allowed.includes(part))
    ? ['the parts', ...allowed.filter((room) => !parts.includes(room))]
    : allowed;

const roomRule = ([room, allowed]) => ({
  name: `rooms-${room.replace('/', '-')}`,
  comment: `${room} may import ${allowed.length === 0 ? 'nothing of ours' : said(allowed).join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(?:src|workers|bench)/', pathNot: `^src/${anyOf([room, ...allowed])}(?:/|$)` },
});

const libraryRule = ([library, places]) => ({
  name: `library-${library}`,
  comment: `${library} belongs in ${places.join(', ').replaceAll('\\', '')}`,
  severity: 'error',
  from: { path: '^(?:src|workers|bench)/', pathNot: `^(?:${places.join('|')})(?:/|$)` },
  to: { path: `(?:^|node_modules/)${library}(?:/|$)` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(rooms).map(roomRule),
    ...Object.entries(schedulerRooms).map(roomRule),
    ...Object.entries(libraries).map(libraryRule),
    {
      name: 'rooms-index',
      comment: 'the public door opens on src only, and never on the command line',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^(?:src/cli/|workers/|bench/)' },
    },
    {
      name: 'rooms-packages',
      comment: 'packages of their own know the public door alone, as any user does',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(?:src|workers|bench)/', pathNot: '^src/index\\.ts$' },
    },
    {
      name: 'rooms-known',
      comment: 'a new folder in src needs a rule in .dependency-cruiser.mjs',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(?:index\\.ts$|${anyOf(Object.keys(rooms))}/)` },
      to: {},
    },
    {
      name: 'not-to-test',
      comment: 'nothing but tests imports tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'not-to-command-line',
      comment: 'the command line and the benches are programs: only their tests import them',
      severity: 'error',
      from: { pathNot: '^(?:src/cli|bench|test)/' },
      to: { path: '^(?:src/cli|bench)/' },
    },
    {
      name: 'no-circular-folders',
      comment: 'folders that need each other are one folder, or lack a third',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src' },
      to: { circular: true },
    },
    {
      name: 'no-circular',
      comment: 'modules that need each other are one module, or lack a third',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'the imported file or package does not exist (examples name the package, which a build makes)',
      severity: 'error',
      from: { pathNot: '^examples/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'not-to-dev-dependency',
      comment: 'published code uses published dependencies',
      severity: 'error',
      from: { path: '^(?:src|workers|bench)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'not-to-dist',
      comment: 'sources import sources; examples import the package by its name, as programs of users do',
      severity: 'error',
      from: { pathNot: '^examples/' },
      to: { path: '^(?:dist|\\.build)/' },
    },
  ],
  options: {
    // TypeScript 7 has no parser for other programs, so SWC reads the sources.
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^dist/', '^\\.build/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
