/** `npm run diagrams`: writes docs/machines.md from the state machines' code. */
import { writeFileSync } from 'node:fs';
import { machinePage } from './machine-page.js';

writeFileSync('docs/machines.md', machinePage());
