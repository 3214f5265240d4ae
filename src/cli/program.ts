/**
 * The command line: reads arguments, runs a command, and turns its outcome into an exit code: 0 the
 * goal was reached, 1 it was not, 2 bad input, 130 or 143 a signal ended it. Results go to standard
 * output, all else to standard error.
 */
import { Command } from 'commander';
import { addBenchCommand } from './bench/bench-command.js';
import { addBurnerCommand } from './commands/burner-command.js';
import { addCompareCommand } from './commands/compare-command.js';
import { addCompletionCommand } from './commands/completion-command.js';
import { addDescribeCommand } from './describe/describe-command.js';
import { addDrainCommand } from './commands/drain-command.js';
import { addExplainCommand } from './commands/explain-command.js';
import { addFuzzCommand } from './commands/fuzz-command.js';
import { addInitCommand } from './commands/init-command.js';
import { addLoadCommand } from './commands/load-command.js';
import { addRecordCommand } from './commands/record-command.js';
import { addReplayCommand } from './commands/replay-command.js';
import { addReportCommand } from './commands/report-command.js';
import { addRunCommand } from './commands/run-command.js';
import { addScenarioCommand } from './commands/scenario-command.js';
import { addServeCommand } from './commands/serve-command.js';
import { addShutdownCommand } from './commands/shutdown-command.js';
import { addSweepCommand } from './commands/sweep-command.js';
import { addTimelineCommand } from './commands/timeline-command.js';
import { addWorkerCommand } from './commands/worker-command.js';
import { InterruptedError, interruption } from './input/interruption.js';
import { StandstillError } from '../index.js';
import { guardOutput } from './output.js';
import { userMessage } from './input/usage-error.js';
import { VERSION } from './input/version.js';
import { addHelpExamples } from './texts/help-examples.js';

/** All commands. @param finish - takes the exit code of a command */
export async function createProgram(argv: readonly string[], finish: (code: number) => void): Promise<Command> {
  const program = new Command('kubeloom')
    .description('A Kubernetes control plane inside a program: simulated nodes, pods, scheduler and controllers.')
    .version(VERSION, '-V, --version', 'print the version of the program')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addInitCommand(program);
  addRunCommand(program, finish);
  addServeCommand(program);
  addExplainCommand(program, finish);
  addDescribeCommand(program, finish);
  addTimelineCommand(program, finish);
  addDrainCommand(program, finish);
  addShutdownCommand(program, finish);
  addScenarioCommand(program, finish);
  addCompareCommand(program, finish);
  addSweepCommand(program, finish);
  addWorkerCommand(program, finish);
  addLoadCommand(program, finish);
  addBurnerCommand(program, finish);
  addFuzzCommand(program, finish);
  addRecordCommand(program, finish);
  addReplayCommand(program, finish);
  addReportCommand(program);
  addBenchCommand(program, finish);
  await addCompletionCommand(program, argv);
  addHelpExamples(program);
  return program;
}

/** @param argv - the arguments of the command line; @returns the exit code */
export async function runProgram(argv: readonly string[]): Promise<number> {
  guardOutput();
  interruption.listen();
  let exitCode = 0;
  const program = await createProgram(argv, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return interruption.exitCode === undefined ? exitCode : interrupted('');
  } catch (error) {
    if (interruption.isRaised && error instanceof InterruptedError) return interrupted(error.summary);
    return failed(error, program);
  }
}

function interrupted(summary: string): number {
  process.stderr.write(`kubeloom: interrupted${summary === '' ? '' : ` ${summary}`}\n`);
  return interruption.exitCode ?? 1;
}

function failed(error: unknown, program: Command): number {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'commander.helpDisplayed' || code === 'commander.version') return 0;
  if (code === 'commander.help') {
    process.stderr.write(program.helpInformation());
    return 2;
  }
  if (error instanceof StandstillError) {
    process.stderr.write(`kubeloom: ${error.message}\n`);
    return 1;
  }
  const message = userMessage(error);
  if (message === undefined) throw error;
  process.stderr.write(`kubeloom: ${message}\n`);
  return 2;
}
