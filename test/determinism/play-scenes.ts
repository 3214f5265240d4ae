/** Plays every scene and prints its trace hash, as JSON: for a Node of another version than that of the tests. */
import { SCENES } from './scenes.js';

const hashes: Record<string, string> = {};
for (const [name, play] of Object.entries(SCENES)) hashes[name] = await play();
process.stdout.write(`${JSON.stringify(hashes, undefined, 2)}\n`);
