/** `npm run schemas`: writes the schemas of the files that users write, from what their readers check by. */
import { writeFileSync } from 'node:fs';
import { SCHEMA_FILES } from './schema-files.js';

for (const [name, schema] of Object.entries(SCHEMA_FILES)) {
  writeFileSync(`schemas/${name}`, `${JSON.stringify(schema, undefined, 2)}\n`);
}
