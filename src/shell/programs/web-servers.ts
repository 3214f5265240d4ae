/** Web servers of common images: they give the files of their directory, and go when they are told to. */
import type { Program } from '../processes/process.js';
import { fileServer, listen, serve } from './servers.js';

/** @param root - the directory with its files */
function webServer(name: string, port: number, root: string): Program {
  return function* server(process, args) {
    if (args.includes('-v')) {
      process.print(`${name} version\n`);
      return 0;
    }
    const files = fileServer(process, root);
    listen(process, port, (request) => {
      const response = files(request);
      const time = process.table.toTime(process.nowMs);
      process.print(
        `${request.from} - - [${time}] "${request.method} ${request.path} HTTP/1.1" ${response.status} ${response.body.length}\n`,
      );
      return response;
    });
    return yield* serve(process, { onTerm: 0 });
  };
}

/** It waits, without a word, as the container that holds a sandbox does. */
const pause: Program = function* waits(process) {
  return yield* serve(process, { onTerm: 0 });
};

export const WEB_SERVERS: readonly (readonly [string, Program])[] = [
  ['nginx', webServer('nginx', 80, '/usr/share/nginx/html')],
  ['httpd-foreground', webServer('httpd', 80, '/usr/local/apache2/htdocs')],
  ['httpd', webServer('httpd', 80, '/usr/local/apache2/htdocs')],
  ['pause', pause],
];
