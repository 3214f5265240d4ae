/**
 * Images that are played: what they start by themselves, and which programs are in them. All others run until they are
 * stopped, as their scripts say.
 */

/** What is in an image. */
export type ImageKind = 'busybox' | 'agnhost' | 'nginx' | 'httpd' | 'perl' | 'pause' | 'nonewprivs';

/** One of them. */
export interface KnownImage {
  readonly kind: ImageKind;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** What it starts by itself is played from the start; else only once something asks it. @defaultValue false */
  readonly startsAtOnce?: boolean;
  /** The user that its program runs as. @defaultValue 0 */
  readonly uid?: number;
}

const SHELL: readonly string[] = ['sh'];

/** By the last name of the image, without registry, tag and digest. */
const IMAGES: ReadonlyMap<string, KnownImage> = new Map<string, KnownImage>([
  ['busybox', { kind: 'busybox', entrypoint: [], command: SHELL }],
  ['alpine', { kind: 'busybox', entrypoint: [], command: ['/bin/sh'] }],
  ['nonroot', { kind: 'busybox', entrypoint: [], command: SHELL, uid: 1234 }],
  ['debian', { kind: 'perl', entrypoint: [], command: ['bash'] }],
  ['ubuntu', { kind: 'perl', entrypoint: [], command: ['bash'] }],
  ['bash', { kind: 'perl', entrypoint: [], command: ['bash'] }],
  ['jessie-dnsutils', { kind: 'perl', entrypoint: [], command: ['bash'] }],
  ['perl', { kind: 'perl', entrypoint: [], command: ['sleep', 'infinity'] }],
  ['agnhost', { kind: 'agnhost', entrypoint: ['/agnhost'], command: ['pause'], startsAtOnce: true }],
  ['nonewprivs', { kind: 'nonewprivs', entrypoint: [], command: ['/nnp'], startsAtOnce: true }],
  ['nginx', { kind: 'nginx', entrypoint: ['nginx'], command: ['-g', 'daemon off;'] }],
  ['httpd', { kind: 'httpd', entrypoint: [], command: ['httpd-foreground'] }],
  ['pause', { kind: 'pause', entrypoint: ['/pause'], command: [] }],
]);

/** The image that a name stands for; `undefined` = it is not known. */
export function knownImage(image: string): KnownImage | undefined {
  const path = image.split('@', 1)[0] ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1).split(':', 1)[0] ?? '';
  return IMAGES.get(name);
}

/** The image of a kind that a script names. */
export function imageOfKind(kind: string): KnownImage | undefined {
  return IMAGES.get(kind);
}

/** Programs that images have and that are not played: a container that starts one runs until it is stopped. */
const UNPLAYED: ReadonlySet<string> = new Set(
  (
    'acpid addgroup adduser adjtimex apk apt apt-get ar arping awk blkid bunzip2 bzip2 chroot chrt chvt cksum clear cmp ' +
    'comm conspy cpio crond crontab cryptpw dc deallocvt depmod devmem diff dmesg dnsd dpkg du dumpkmap ed eject expand ' +
    'factor fallocate fbset fdisk fgconsole flock fold free fsck ftpd fuser gawk getopt git go gunzip gzip halt hd ' +
    'httpd ifconfig inetd init inotifyd insmod install iostat ip iptables java join killall klogd last less ' +
    'logger login logread losetup lsof lzcat make man mkfifo mknod modprobe more mpstat mysql netcat netstat nginx nl ' +
    'node npm nsenter ntpd od openssl openvt passwd paste patch perl pgrep ping pip pkill pmap poweroff psql pstree ' +
    'python python3 pwdx reboot redis-cli redis-server renice reset rmmod route rsync ruby run-parts script sendmail ' +
    'service setsid shuf split ssh start-stop-daemon strace strings stty su sudo swapoff swapon switch_root ' +
    'syslogd tar taskset tcpdump telnet telnetd tftp time top traceroute tunctl udhcpc umount uncompress unexpand ' +
    'unxz unzip uptime users uuencode vi vim watch watchdog xxd xz yarn zcat'
  ).split(' '),
);

/** Whether a program exists in real images, and has no counterpart here. */
export function isUnplayed(program: string): boolean {
  return UNPLAYED.has(program);
}
