/** All programs by their names: those of BusyBox, and those of the images that tests use. */
import type { Program } from '../processes/process.js';
import { agnhost, nonewprivs } from './agnhost.js';
import { FILE_PROGRAMS } from './file-programs.js';
import { NETWORK_PROGRAMS, OTHER_NETWORK_PROGRAMS } from './network-programs.js';
import { SEARCH_PROGRAMS } from './search-programs.js';
import { sh } from './shell-program.js';
import { SYSTEM_PROGRAMS } from './system-programs.js';
import { TEXT_PROGRAMS } from './text-programs.js';
import { WEB_SERVERS } from './web-servers.js';

/** Those that every image with a shell has. */
const BUSYBOX: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['sh', sh],
  ['ash', sh],
  ...TEXT_PROGRAMS,
  ...FILE_PROGRAMS,
  ...SEARCH_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  ...NETWORK_PROGRAMS,
]);

/** `busybox NAME ARGS`. */
const busybox: Program = function* applet(process, args) {
  const program = BUSYBOX.get(args[1] ?? '');
  if (program !== undefined) return yield* program(process, args.slice(1));
  process.complain(`${args[1] ?? 'busybox'}: applet not found\n`);
  return 127;
};

/** See the file header. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...BUSYBOX,
  ['busybox', busybox],
  ['bash', sh],
  ...OTHER_NETWORK_PROGRAMS,
  ...WEB_SERVERS,
  ['agnhost', agnhost],
  ['nnp', nonewprivs],
]);

/** Names of the programs that BusyBox has here. */
export const BUSYBOX_NAMES: readonly string[] = [...BUSYBOX.keys(), 'busybox'];
