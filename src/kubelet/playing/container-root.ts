/** The files of a container before its program starts: those of its image, those that the kubelet writes, its mounts. */
import type { Container, core, Pod } from '../../api/objects/objects.js';
import { FileError } from '../../shell/files/file-error.js';
import {
  bytesOf,
  newComputedFile,
  newDevice,
  newDirectory,
  newFile,
  newLink,
  newProgramFile,
  type Directory,
  type FileContent,
  type FileNode,
} from '../../shell/files/file-node.js';
import { FileTree, normalPath, ROOT } from '../../shell/files/file-tree.js';
import { BUSYBOX_NAMES } from '../../shell/programs/programs.js';
import type { KnownImage } from './known-images.js';
import { subPathOf } from './sub-path.js';

/** What a container's files are made of. */
export interface RootMeans {
  readonly pod: Pod;
  readonly container: Container;
  readonly image: KnownImage;
  readonly address: string;
  readonly hostname: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly nowMs: () => number;
  readonly directory: (volume: core.Volume) => {
    readonly node: FileNode;
    readonly type: string;
    readonly isReadOnly: boolean;
  };
  /** Written by the kubelet, the same for all containers of a pod. */
  readonly hosts: FileContent;
}

/** A container's files, and the one that its last words are read from. */
export interface ContainerRoot {
  readonly tree: FileTree;
  readonly terminationLog: FileContent;
}

const CLUSTER_DNS = '10.96.0.10';

export function makeRoot(means: RootMeans): ContainerRoot {
  const { pod, container, hostname } = means;
  const root = imageRoot(means.image);
  const isReadOnlyRoot = container.securityContext?.readOnlyRootFilesystem === true;
  const tree = new FileTree(root, means.nowMs, isReadOnlyRoot);
  const writable = { isReadOnly: false, type: 'ext4' };
  tree.mount('/proc', { node: procDirectory(pod), isReadOnly: false, type: 'proc' });
  tree.mount('/dev', { node: deviceDirectory(), isReadOnly: false, type: 'tmpfs' });
  tree.mount('/etc/hostname', { node: newFile(`${hostname}\n`), ...writable });
  tree.mount('/etc/resolv.conf', { node: newFile(resolverText(pod)), ...writable });
  const mounted = new Set((container.volumeMounts ?? []).map(({ mountPath }) => normalPath(mountPath, '/')));
  if (!mounted.has('/etc/hosts')) tree.mount('/etc/hosts', { node: means.hosts, ...writable });
  const terminationLog = newFile('', { mode: 0o666 });
  const { terminationMessagePath = '/dev/termination-log' } = container;
  if (terminationMessagePath !== '') tree.mount(terminationMessagePath, { node: terminationLog, ...writable });
  for (const mount of container.volumeMounts ?? []) addMount(tree, mount, means);
  return { tree, terminationLog };
}

function addMount(
  tree: FileTree,
  mount: NonNullable<Container['volumeMounts']>[number],
  { pod, directory, environment, nowMs }: RootMeans,
): void {
  const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
  if (volume === undefined) return;
  const { node, type, isReadOnly } = directory(volume);
  const path = subPathOf(mount, (name) => environment.get(name));
  const shown = path === '' || node.kind !== 'directory' ? node : below(node, path, nowMs);
  tree.mount(mount.mountPath, { node: shown, type, isReadOnly: isReadOnly || mount.readOnly === true });
}

/** What a path below a volume names; a directory is made where nothing is. */
function below(volume: Directory, path: string, nowMs: () => number): FileNode {
  const tree = new FileTree(volume, nowMs);
  let walked = '';
  for (const name of normalPath(path, '/')
    .split('/')
    .filter((each) => each !== '')) {
    walked = `${walked}/${name}`;
    const place = tree.locate(walked, ROOT);
    if (place.node !== undefined) continue;
    place.parent.entries.set(name, newDirectory({ mode: 0o750, gid: place.parent.gid, changedMs: nowMs() }));
  }
  const { node } = tree.locate(path, ROOT);
  if (node === undefined) throw new FileError('ENOENT');
  return node;
}

const USERS = [
  'root:x:0:0:root:/root:/bin/sh',
  'daemon:x:1:1:daemon:/usr/sbin:/bin/false',
  'bin:x:2:2:bin:/bin:/bin/false',
  'sys:x:3:3:sys:/dev:/bin/false',
  'mail:x:8:8:mail:/var/spool/mail:/bin/false',
  'www-data:x:33:33:www-data:/var/www:/bin/false',
  'nobody:x:65534:65534:nobody:/home:/bin/false',
];
const GROUPS = [
  'root:x:0:',
  'daemon:x:1:',
  'bin:x:2:',
  'sys:x:3:',
  'adm:x:4:',
  'tty:x:5:',
  'disk:x:6:',
  'wheel:x:10:root',
  'www-data:x:33:',
  'users:x:100:',
  'nobody:x:65534:',
];

function folder(entries: readonly (readonly [string, FileNode])[] = [], mode = 0o755): Directory {
  const directory = newDirectory({ mode });
  for (const [name, node] of entries) directory.entries.set(name, node);
  return directory;
}

function imageRoot({ kind }: KnownImage): Directory {
  const programs = kind === 'pause' ? [] : BUSYBOX_NAMES;
  const bin = folder(programs.map((name) => [name, newProgramFile(name)] as const));
  const local = folder();
  const root = folder([
    ['bin', bin],
    ['dev', folder()],
    [
      'etc',
      folder([
        ['passwd', newFile(`${USERS.join('\n')}\n`)],
        ['group', newFile(`${GROUPS.join('\n')}\n`)],
      ]),
    ],
    ['home', folder()],
    ['proc', folder()],
    ['root', folder([], 0o700)],
    ['sys', folder()],
    ['tmp', folder([], 0o1777)],
    [
      'usr',
      folder([
        ['bin', folder([['env', newProgramFile('env')]])],
        ['local', local],
        ['sbin', folder()],
        ['share', folder()],
      ]),
    ],
    [
      'var',
      folder([
        ['log', folder()],
        ['run', folder()],
        ['www', folder()],
        ['tmp', folder([], 0o1777)],
      ]),
    ],
  ]);
  const add = (path: string, node: FileNode): void => {
    const tree = new FileTree(root, () => 0);
    let walked = '';
    const names = path.split('/').slice(1);
    for (const name of names.slice(0, -1)) {
      walked = `${walked}/${name}`;
      const place = tree.locate(walked, ROOT);
      if (place.node === undefined) place.parent.entries.set(name, folder());
    }
    const place = tree.locate(path, ROOT);
    place.parent.entries.set(place.name, node);
  };
  switch (kind) {
    case 'agnhost':
      for (const path of ['/agnhost', '/agnhost-2']) add(path, newProgramFile('agnhost'));
      for (const name of ['curl', 'dig', 'getent']) add(`/bin/${name}`, newProgramFile(name));
      add('/uploads', folder());
      break;
    case 'perl':
      for (const name of ['bash', 'curl', 'dig', 'getent']) add(`/bin/${name}`, newProgramFile(name));
      break;
    case 'nginx':
      for (const name of ['bash', 'curl']) add(`/bin/${name}`, newProgramFile(name));
      add('/usr/sbin/nginx', newProgramFile('nginx'));
      add('/etc/nginx/nginx.conf', newFile(''));
      add('/usr/share/nginx/html/index.html', newFile('<h1>Welcome to nginx!</h1>\n'));
      break;
    case 'httpd':
      add('/bin/bash', newProgramFile('bash'));
      for (const name of ['httpd', 'httpd-foreground']) add(`/usr/local/bin/${name}`, newProgramFile(name));
      add('/usr/local/apache2/htdocs/index.html', newFile('<html><body><h1>It works!</h1></body></html>\n'));
      break;
    case 'pause':
      add('/pause', newProgramFile('pause'));
      break;
    case 'nonewprivs':
      add('/nnp', newProgramFile('nnp'));
      break;
    case 'busybox':
      add('/sbin/init', newLink('/bin/busybox'));
      break;
  }
  return root;
}

function deviceDirectory(): Directory {
  return folder([
    ['null', newDevice('null')],
    ['zero', newDevice('zero')],
    ['random', newDevice('random')],
    ['urandom', newDevice('random')],
    ['tty', newDevice('tty')],
    ['stdin', newDevice('stdin')],
    ['stdout', newDevice('stdout')],
    ['stderr', newDevice('stderr')],
    ['shm', folder([], 0o1777)],
  ]);
}

function procDirectory({ spec }: Pod): Directory {
  const system = folder();
  for (const { name, value } of spec.securityContext?.sysctls ?? []) {
    const names = name.replaceAll('/', '.').split('.');
    let directory = system;
    for (const each of names.slice(0, -1)) {
      const next = directory.entries.get(each);
      const inner = next?.kind === 'directory' ? next : folder();
      directory.entries.set(each, inner);
      directory = inner;
    }
    directory.entries.set(names.at(-1) ?? name, newFile(`${value}\n`));
  }
  const own = folder([['status', newComputedFile(() => statusText(spec))]]);
  return folder([
    ['sys', system],
    ['self', own],
    ['cpuinfo', newFile('processor\t: 0\n')],
    ['meminfo', newFile('MemTotal:        4000000 kB\n')],
    ['loadavg', newFile('0.00 0.00 0.00 1/1 1\n')],
    ['uptime', newFile('0.00 0.00\n')],
  ]);
}

function statusText({ containers }: Pod['spec']): string {
  const noNew = containers[0]?.securityContext?.allowPrivilegeEscalation === false ? 1 : 0;
  return `Name:\tsh\nNoNewPrivs:\t${noNew}\n`;
}

/** As the kubelet writes it for the pod's DNS policy. */
function resolverText({ metadata, spec }: Pod): string {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork } = spec;
  const isOfCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  const searches = isOfCluster
    ? [`${metadata.namespace ?? 'default'}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local']
    : [];
  const servers = [
    ...(isOfCluster ? [CLUSTER_DNS] : dnsPolicy === 'None' ? [] : ['172.16.0.254']),
    ...(dnsConfig.nameservers ?? []),
  ];
  const options = [
    ...(isOfCluster ? ['ndots:5'] : []),
    ...(dnsConfig.options ?? []).map(({ name = '', value }) => (value === undefined ? name : `${name}:${value}`)),
  ];
  const search = [...searches, ...(dnsConfig.searches ?? [])];
  return bytesOf(
    [
      ...(search.length > 0 ? [`search ${search.join(' ')}`] : []),
      ...servers.map((server) => `nameserver ${server}`),
      ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** The hosts file that the kubelet writes for a pod. */
export function hostsText({ spec }: Pod, hostname: string, domain: string, address: string): string {
  const isOfHost = spec.hostNetwork === true;
  const lines = [
    isOfHost ? '# Kubernetes-managed hosts file (host network).' : '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
  ];
  if (!isOfHost) lines.push(`${address}\t${domain === '' ? '' : `${hostname}.${domain}\t`}${hostname}`);
  const aliases = spec.hostAliases ?? [];
  if (aliases.length > 0) {
    lines.push(
      '',
      '# Entries added by HostAliases.',
      ...aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What a pod calls itself, and the domain that it is in. As GeneratePodHostNameAndDomain (v1.34). */
export function podNames(
  { metadata, spec }: Pod,
  nodeName: string,
): { readonly hostname: string; readonly domain: string } {
  if (spec.hostNetwork === true) return { hostname: nodeName, domain: '' };
  const hostname = spec.hostname ?? metadata.name.slice(0, 63).replace(/[-.]+$/, '');
  const domain = spec.subdomain === undefined ? '' : `${spec.subdomain}.${metadata.namespace ?? ''}.svc.cluster.local`;
  return { hostname, domain };
}
