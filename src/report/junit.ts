/** JUnit XML of a run: a test case for each check and each threshold, as CI systems show them. Pure. */
import { createTimestamps } from '../kernel/timestamps.js';
import { thresholdText } from '../measurements/thresholds.js';
import type { RunSummary } from './run-summary.js';

const SINCE_1970 = createTimestamps('1970-01-01T00:00:00Z');

interface Case {
  readonly group: string;
  readonly name: string;
  readonly seconds: number;
  /** Absent = it is well. */
  readonly failure: string | undefined;
}

/** The file. Times are simulated seconds. */
export function junitText(summary: RunSummary): string {
  const { title, kind, seed, traceHash, startMs, endMs } = summary;
  const cases = casesOf(summary);
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${(endMs - startMs) / 1000}"`;
  const name = `name="${xml(title)}"`;
  const properties = Object.entries({ seed, traceHash, version: summary.program }).map(
    ([property, value]) => `      <property name="${property}" value="${xml(value)}"/>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${name} ${counts}>`,
    // The schema of Jenkins' xunit plugin (junit-10.xsd) has `skipped` at a suite, and at no other place.
    `  <testsuite ${name} ${counts} skipped="0" timestamp="${SINCE_1970.toTime(summary.epochMs + startMs).replace('Z', '')}">`,
    '    <properties>',
    ...properties,
    '    </properties>',
    ...cases.flatMap((each) => caseLines(kind, each)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf({ checks, thresholds }: RunSummary): readonly Case[] {
  return [
    ...checks.map(({ name, ok, problem, atMs }) => ({
      group: 'checks',
      name,
      seconds: (atMs ?? 0) / 1000,
      failure: ok ? undefined : (problem ?? name),
    })),
    ...thresholds.map((threshold) => ({
      group: 'thresholds',
      name: `${threshold.metric}: ${threshold.expression}`,
      seconds: 0,
      failure: threshold.ok ? undefined : thresholdText(threshold),
    })),
  ];
}

function caseLines(kind: string, { group, name, seconds, failure }: Case): readonly string[] {
  const head = `    <testcase classname="kubeloom.${xml(kind)}.${group}" name="${xml(name)}" time="${seconds}"`;
  if (failure === undefined) return [`${head}/>`];
  return [`${head}>`, `      <failure message="${xml(failure)}" type="failed"/>`, '    </testcase>'];
}

/** Characters that XML 1.0 has no place for, not even as references, and halves of characters. */
const NOT_IN_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

function xml(text: string): string {
  return text.replace(NOT_IN_XML, '\uFFFD').replace(/[&<>"\n\r\t]/g, (character) => ENTITIES[character] ?? '');
}
