/** A server waits for the headers of a request for twenty seconds, in real time. */
import { connect as connectTls } from 'node:tls';
import test from 'ava';
import { ask, serve } from '../../server/wire-client.js';

test('cluster.listen › a request whose headers do not end is given up, and the server answers others meanwhile', async (t) => {
  t.timeout(120_000);
  const served = await serve(t);
  const { hostname, port } = new URL(served.url);
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
  const slow = connectTls(options, () => slow.write('GET /version HTTP/1.1\r\nhost: a\r\n'));
  slow.on('error', () => undefined).resume();
  const drip = setInterval(() => slow.write('x: y\r\n'), 1000);
  const closed = new Promise<void>((resolve) => {
    slow.on('close', resolve);
  });
  t.is((await ask(served, '/version')).status, 200);
  await closed;
  clearInterval(drip);
  t.is((await ask(served, '/version')).status, 200);
});
