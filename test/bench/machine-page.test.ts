import { readFileSync } from 'node:fs';
import test from 'ava';
import { createMachine } from 'xstate';
import { machinePage } from '../../bench/diagrams/machine-page.js';
import { stateDiagram, type StateNode } from '../../bench/diagrams/state-diagram.js';

test('docs/machines.md shows the machines as the code has them (npm run diagrams renews it)', (t) => {
  t.is(readFileSync('docs/machines.md', 'utf8'), machinePage());
});

test('a diagram has states, entry actions, events, delays, guards and nested states', (t) => {
  const machine = createMachine({
    initial: 'off',
    states: {
      off: { on: { toggle: 'on' } },
      on: {
        entry: 'shine',
        after: { 1000: { target: 'off', guard: 'isTired' } },
        initial: 'dim',
        states: { dim: { always: { guard: 'isDark', target: 'bright' } }, bright: { type: 'final' } },
      },
    },
  });
  t.is(
    stateDiagram(machine.root as unknown as StateNode),
    `stateDiagram-v2
  [*] --> off
  state "off" as off
  state "on<br/>entry / shine" as on
  state on {
    [*] --> on_dim
    state "dim" as on_dim
    state "bright" as on_bright
    on_bright --> [*]
    on_dim --> on_bright : [isDark]
  }
  off --> on : toggle
  on --> off : after 1000 ms [isTired]`,
  );
});
