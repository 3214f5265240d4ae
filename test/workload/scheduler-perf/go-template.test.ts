import test from 'ava';
import { parseGoTemplate } from '../../../src/workload/scheduler-perf/go-template.js';

function expanded(text: string, Index = 7, Count = 20): string {
  const parts = parseGoTemplate(text, (offset, problem) => new Error(`at ${offset}: ${problem}`));
  return parts.map((part) => (typeof part === 'string' ? part : part.evaluate({ Index, Count }))).join('');
}

const cases: readonly (readonly [title: string, text: string, expected: string])[] = [
  ['knows the number of the object and how many there are', 'pod-{{ .Index }} of {{.Count}}', 'pod-7 of 20'],
  ['calls a function', '8{{ Mod .Index 5 }}', '82'],
  ['knows the earlier names of functions', '{{ mod .Index 5 }} {{ div .Count 6 }}', '2 3'],
  ['calls within calls', '{{ AddInt 64 (Mod (MultiplyInt .Index 3360) 8000) }}Mi', '7584Mi'],
  ['hands a value on through a pipe as the last argument', '{{ .Index | SubtractInt 10 }}', '3'],
  ['cuts off what an integer has no room for', '{{ DivideInt 30000 .Index }} {{ SubtractInt 0.5 3 }}', '4285 -2'],
  [
    'keeps it in the other functions',
    '{{ DivideFloat .Index 4 }} {{ AddFloat 1 0.5 }} {{ MultiplyFloat 2 1.5 }}',
    '1.75 1.5 3',
  ],
  ['prints small numbers as Go does', '{{ DivideFloat 1 100000 }} {{ SubtractFloat 1 3 }}', '1e-05 -2'],
  ['takes numbers in texts', '{{ AddInt "2" `3` }}', '5'],
  ['keeps the sign of what is divided', '{{ Mod (SubtractInt 0 7) 3 }} {{ Mod (SubtractInt 0 6) 3 }}', '-1 0'],
  ['formats', '{{ printf "%05d|%3d|%v|%s|%%|%04d" .Index 5 1.5 "x" (SubtractInt 0 7) }}', '00007|  5|1.5|x|%|-007'],
  ['leaves out comments', 'a{{/* not this */}}b', 'ab'],
  ['trims where it is told to', 'a  {{- .Index -}}  b', 'a7b'],
  ['finds the end behind braces in a text', '{{ printf "}}%d" .Index }}', '}}7'],
];

for (const [title, text, expected] of cases) {
  test(`a template › ${title}`, (t) => {
    t.is(expanded(text), expected);
  });
}

const FUNCTIONS =
  'AddFloat, AddInt, DivideFloat, DivideInt, Mod, MultiplyFloat, MultiplyInt, SubtractFloat, SubtractInt, div, mod, printf';
const SUPPORTED = `is not supported; supported are .Index, .Count, parentheses, | and ${FUNCTIONS}`;

const refusals: readonly (readonly [title: string, text: string, message: string])[] = [
  ['a condition', 'x {{ if eq .Index 0 }}', `at 2: {{ if eq .Index 0 }}: if ${SUPPORTED}`],
  ['a variable', '{{ $x := 1 }}', `at 0: {{ $x := 1 }}: $x := 1 ${SUPPORTED}`],
  [
    'a field that nobody sets',
    '{{ .Name }}',
    'at 0: {{ .Name }}: .Name is not known; templates know .Index and .Count',
  ],
  ['a missing )', '{{ AddInt (Mod 1 2 }}', 'at 0: {{ AddInt (Mod 1 2 }}: a ) is missing'],
  [
    'a call as an argument',
    '{{ AddInt 1 Mod 2 3 }}',
    'at 0: {{ AddInt 1 Mod 2 3 }}: put the call of Mod in parentheses',
  ],
  ['nothing', '{{ }}', 'at 0: {{  }}: a value is missing'],
  ['two values', '{{ 1 2 }}', 'at 0: {{ 1 2 }}: cannot go on with 2'],
  ['a value behind a pipe', '{{ 1 | 2 }}', 'at 0: {{ 1 | 2 }}: only a function can come after |'],
  ['an action without an end', 'ab {{ .Index', 'at 3: has {{ without }}'],
];

for (const [title, text, message] of refusals) {
  test(`a template › is refused for ${title}`, (t) => {
    t.is(t.throws(() => expanded(text)).message, message);
  });
}

const faults: readonly (readonly [text: string, message: string])[] = [
  ['{{ DivideInt 1 0 }}', 'division by zero'],
  ['{{ Mod 1 0 }}', 'division by zero'],
  ['{{ Mod 1 }}', 'Mod needs two numbers, got 1'],
  ['{{ AddInt "a" 1 }}', '"a" is no number'],
  ['{{ printf "%x" 1 }}', 'printf cannot do %x; it can do %d, %s and %v'],
  ['{{ printf "%d" "a" }}', 'printf needs an integer for %d, got "a"'],
  ['{{ printf "%d" }}', 'printf lacks a value for %d'],
  ['{{ printf "a" 1 }}', 'printf has 1 values too many'],
  ['{{ printf 1 }}', 'printf needs a format'],
];

for (const [text, message] of faults) {
  test(`a template › says of ${text} that ${message}`, (t) => {
    t.is(t.throws(() => expanded(text), { instanceOf: RangeError }).message, message);
  });
}
