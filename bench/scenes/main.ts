/**
 * `npm run scenes -- [SCENE…] [--seed TEXT]`: plays scenes in which much goes wrong or much time passes, and
 * prints how they go, each row with the seconds of real time that it took. A word names a scene or all of
 * its sizes; without words all run.
 */
import { programOptions } from '../program-options.js';
import { SCENE_CLIENT_LIMITS, type SceneLine } from './scene.js';
import { SCENES } from './scenes.js';

const { values, positionals } = programOptions('scenes', {
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' } },
});
const unknown = positionals.find((word) => !SCENES.some(({ name }) => isNamed(name, word)));
if (unknown === undefined) {
  const chosen = SCENES.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => isNamed(name, word)),
  );
  for (const { name, run } of chosen) {
    process.stdout.write(`${name} (clientLimits: ${SCENE_CLIENT_LIMITS})\n`);
    const startMs = performance.now();
    let lastMs = startMs;
    const tell = (line: SceneLine): void => {
      const nowMs = performance.now();
      const text = Object.entries(line).map(([key, value]) => (key === 'note' ? String(value) : `${key}=${value}`));
      process.stdout.write(`  ${text.join(' ')} seconds=${((nowMs - lastMs) / 1000).toFixed(1)}\n`);
      lastMs = nowMs;
    };
    await run({ seed: values.seed, tell });
    process.stdout.write(`  ${((performance.now() - startMs) / 1000).toFixed(1)} s of real time\n`);
  }
} else {
  process.stderr.write(`no scene is called ${unknown}; known: ${SCENES.map(({ name }) => name).join(', ')}\n`);
  process.exitCode = 2;
}

function isNamed(name: string, word: string): boolean {
  return name === word || name.startsWith(`${word}/`);
}
