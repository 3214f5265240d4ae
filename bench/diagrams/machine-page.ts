/** The page docs/machines.md: every state machine of the product, drawn from its code. */
import { controllerMachine } from '../../src/controllers/runtime/controller-machine.js';
import { nodeMachine } from '../../src/kubelet/node-machine.js';
import { podMachine } from '../../src/kubelet/pods/pod-machine.js';
import { stateDiagram, type StateNode } from './state-diagram.js';

interface Chapter {
  readonly title: string;
  readonly file: string;
  readonly text: string;
  readonly root: unknown;
}

const CHAPTERS: readonly Chapter[] = [
  {
    title: 'A pod on its node',
    file: 'src/kubelet/pods/pod-machine.ts',
    text: 'One actor for each pod that is bound to the node, from its arrival to its end.',
    root: podMachine.root,
  },
  {
    title: 'A node',
    file: 'src/kubelet/node-machine.ts',
    text: 'One actor for each node; the pods of the node are its children.',
    root: nodeMachine.root,
  },
  {
    title: 'A controller',
    file: 'src/controllers/runtime/controller-machine.ts',
    text: 'One actor for each controller, in each process that it is a part of. Where `process.gone` comes, be that between two writes, its session is forgotten, and the next one lists everything anew.',
    root: controllerMachine.root,
  },
];

/** The whole page as Markdown. */
export function machinePage(): string {
  const chapters = CHAPTERS.map(
    ({ title, file, text, root }) =>
      `## ${title}\n\n${text} Defined in \`${file}\`.\n\n\`\`\`mermaid\n${stateDiagram(root as StateNode)}\n\`\`\`\n`,
  );
  return `# State machines\n\nDrawn from the code by \`npm run diagrams\`; a test fails when page and code differ.\nArrows read \`event [guard] / action\`.\n\n${chapters.join('\n')}`;
}
