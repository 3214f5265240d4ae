/** Tests: `npm test` and `npm run test:long` play the bundled ones, `npx ava dist/test/…` a single file. */
import { statSync } from 'node:fs';

export default {
  concurrency: 2,
  files: ['dist/test/**/*.test.js', 'dist/rooms/test/**/*.test.js', '.build/*/test/**/*.test.js'],
  nodeArguments: ['--enable-source-maps'],
  require: ['./test/compile-cache.mjs'],
  // The largest rooms first, so that none is played at the end with the other processor idle.
  sortTestFiles: (one, other) => statSync(other).size - statSync(one).size || (one < other ? -1 : 1),
  timeout: '10m',
};
