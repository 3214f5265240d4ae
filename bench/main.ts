/**
 * `npm run bench -- [WORKLOAD…] [options]`: the command `kubeloom bench` of this clone, as it is built for users, or
 * `scale` (scale/main.ts).
 */
const isScale = process.argv[2] === 'scale';
process.argv.splice(2, isScale ? 1 : 0, ...(isScale ? [] : ['bench']));
await import(new URL(isScale ? 'scale/main.js' : '../bundle/src/main.js', import.meta.url).href);
