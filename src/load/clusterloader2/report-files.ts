/** The files that a test leaves (pkg/test): results under upstream's names, junit.xml, and each config as it was played. */
import { stringify } from 'yaml';
import type { LoadConfig } from './load-config.js';
import type { LoadTestResult } from './load-test.js';

/** A file by its name in the folder of reports. */
export interface ReportFile {
  readonly name: string;
  readonly text: string;
}

/** A test with where it stands. */
export interface PlayedTest extends LoadTestResult {
  /** Of its config. */
  readonly path: string;
  /** Of a suite's test; may be empty. */
  readonly identifier: string;
}

const SUITE = 'ClusterLoaderV2';

/** `SUMMARY_TEST_TIME.json` of each result. @param timestampOf - a moment as RFC 3339 */
export function summaryFiles(
  { name, identifier, summaries }: PlayedTest,
  timestampOf: (atMs: number) => string,
): ReportFile[] {
  return summaries.map((summary) => ({
    name: `${summary.name}_${name}${identifier === '' ? '' : `_${identifier}`}_${timestampOf(summary.atMs)}.json`,
    text: summary.content,
  }));
}

/** The config with its modules in place. */
export function configFile({ name, plain }: LoadConfig): ReportFile {
  return { name: `generatedConfig_${name}.yaml`, text: stringify(plain) };
}

/** A case for each test as a whole and for each of its steps. @param tests - with the path of each one's config */
export function junitFile(tests: readonly PlayedTest[]): ReportFile {
  const cases = tests.flatMap(({ name, identifier, path, durationMs, errors, steps }) => {
    const title = identifier === '' ? name : identifier;
    return [
      { name: `${title} overall (${path})`, durationMs, errors },
      ...steps.map((step) => ({ ...step, name: `${title}: ${step.name}` })),
    ];
  });
  const failures = cases.filter(({ errors }) => errors.length > 0).length;
  const seconds = tests.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const lines = cases.flatMap((each) => {
    const open = `<testcase name="${escaped(each.name)}" classname="${SUITE}" time="${each.durationMs / 1000}"`;
    if (each.errors.length === 0) return [`      ${open}></testcase>`];
    return [
      `      ${open}>`,
      `          <failure type="Failure">${escaped(`[${each.errors.join('\n')}]`)}</failure>`,
      '      </testcase>',
    ];
  });
  const head = `<testsuite name="${SUITE}" tests="${cases.length}" failures="${failures}" errors="0" time="${seconds}">`;
  return {
    name: 'junit.xml',
    text: `<?xml version="1.0" encoding="UTF-8"?>\n  ${head}\n${lines.join('\n')}\n  </testsuite>\n`,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&#34;' };

/** Characters that XML cannot hold become spaces. */
function escaped(text: string): string {
  return Array.from(text, (character) =>
    character < ' ' && character !== '\n' ? ' ' : (ENTITIES[character] ?? character),
  ).join('');
}
