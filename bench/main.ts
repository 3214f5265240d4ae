/** `npm run bench -- [WORKLOAD…] [options]`: the command `kubeloom bench` of this clone. */
process.argv.splice(2, 0, 'bench');
await import('../src/cli/main.js');
