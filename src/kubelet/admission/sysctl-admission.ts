/** Which sysctls pods may set. Pure. Mirrors pkg/kubelet/sysctl (v1.34). */
import type { Pod } from '../../api/objects/objects.js';
import type { Rejection } from './rejection.js';

/** Those that affect the pod alone. */
const SAFE: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

/** See the file header. */
export function sysctlRejection({ spec }: Pod, allowedUnsafe: readonly string[]): Rejection | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemOf(
      name.replaceAll('/', '.'),
      spec.hostNetwork === true,
      spec.hostIPC === true,
      allowedUnsafe,
    );
    if (problem !== undefined) {
      return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${JSON.stringify(name)} ${problem}` };
    }
  }
  return undefined;
}

function problemOf(
  name: string,
  hasHostNetwork: boolean,
  hasHostIpc: boolean,
  allowedUnsafe: readonly string[],
): string | undefined {
  const covers = (pattern: string): boolean =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
  if (!SAFE.includes(name) && !allowedUnsafe.some(covers)) return 'not allowlisted';
  if (name.startsWith('net.') && hasHostNetwork) return 'not allowed with host net enabled';
  if (name.startsWith('kernel.') && hasHostIpc) return 'not allowed with host ipc enabled';
  return undefined;
}
