import type { Command } from 'commander';

const NAME = 'completion';
/** What the scripts call; hidden. */
const SUGGEST = 'complete';

/**
 * Adds `kubeloom completion`, by which shells complete commands and options. The code behind it is loaded when a shell
 * asks. To be called once all other commands are there.
 *
 * @param argv - the arguments of the command line
 */
export async function addCompletionCommand(program: Command, argv: readonly string[]): Promise<void> {
  if (argv[0] !== NAME && argv[0] !== SUGGEST) {
    program
      .command(NAME)
      .description('print a script by which bash, zsh, fish or PowerShell complete commands and options')
      .argument('<shell>', 'bash, zsh, fish or powershell');
    return;
  }
  const { default: complete } = await import('@bomb.sh/tab/commander');
  complete(program, { completionCommandName: NAME });
}
