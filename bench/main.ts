/** `npm run bench -- [WORKLOAD…] [options]`: the command `kubeloom bench` of this clone, or `scale` (scale/main.ts). */
const isScale = process.argv[2] === 'scale';
process.argv.splice(2, isScale ? 1 : 0, ...(isScale ? [] : ['bench']));
await import(isScale ? './scale/main.js' : '../src/cli/main.js');
