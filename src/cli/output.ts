/** What of this process' output cannot be written: a full disk is told in one line, a reader that has left is no mistake. */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) process.stderr.write(`kubeloom: cannot write the output: ${error.message}\n`);
      process.exit(2);
    });
  }
}
