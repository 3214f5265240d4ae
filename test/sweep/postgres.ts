/** A PostgreSQL of a test's own, where its programs are there; `undefined` where they are not. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** See the file header. */
export interface Postgres {
  readonly url: string;
  readonly stop: () => void;
}

/** PostgreSQL does not run as root. */
const NOBODY = 65_534;

/** See the file header. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const folders = (process.env['PATH'] ?? '').split(':');
  const programs = ['initdb', 'pg_ctl'];
  if (!programs.every((name) => folders.some((folder) => existsSync(join(folder, name))))) return undefined;
  const isRoot = userInfo().uid === 0;
  const root = mkdtempSync(join(tmpdir(), 'kubeloom-pg-'));
  chmodSync(root, 0o755);
  if (isRoot) chownSync(root, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const run = (program: string, ...args: readonly string[]): void => {
    execFileSync(program, args, { ...user, cwd: root, stdio: 'ignore' });
  };
  const data = join(root, 'data');
  const port = await freePort();
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync');
  const settings = `-p ${port} -c unix_socket_directories=${root} -c listen_addresses=127.0.0.1 -c fsync=off`;
  run('pg_ctl', '-D', data, '-o', settings, '-l', join(root, 'log'), '-w', 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
