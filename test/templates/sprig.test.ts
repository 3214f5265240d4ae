/** sprig's functions, against the examples of its documentation. */
import test, { type ExecutionContext } from 'ava';
import { randomStream } from '../../src/kernel/random.js';
import { sprigFunctions } from '../../src/templates/sprig/sprig.js';
import { parseTemplate } from '../../src/templates/template.js';
import { dictOf } from '../../src/templates/values.js';

function rendered(text: string, seed = 's'): string {
  const functions = sprigFunctions({
    random: randomStream(seed, 'templates'),
    nowMs: () => Date.parse('2030-01-02T03:04:05.678Z'),
    environment: { HOME: '/home/me' },
  });
  return parseTemplate('t', text, { functions }).render(dictOf({ n: 3, s: '7' }, 'yaml'));
}

function prints(t: ExecutionContext, cases: Readonly<Record<string, string>>): void {
  for (const [text, expected] of Object.entries(cases)) t.is(rendered(text), expected, text);
}

test('texts', (t) => {
  prints(t, {
    '{{trim "   hello    "}}|{{trimAll "$" "$5.00"}}|{{trimSuffix "-" "hello-"}}|{{trimPrefix "-" "-hello"}}':
      'hello|5.00|hello|hello',
    '{{upper "hello"}} {{title "hello world"}} {{untitle "Hello World"}} {{repeat 3 "ab"}} {{substr 0 5 "hello world"}}':
      'HELLO Hello World hello world ababab hello',
    '{{nospace "hello w o r l d"}} {{trunc 5 "hello world"}} {{trunc -5 "hello world"}} {{abbrev 5 "hello world"}}':
      'helloworld hello world he...',
    '{{contains "cat" "catch"}} {{hasPrefix "cat" "catch"}} {{hasSuffix "x" "catch"}} {{quote "a" 1}} {{squote "a"}} {{cat "hello" "beautiful" "world"}}':
      'true true false "a" "1" \'a\' hello beautiful world',
    '{{indent 4 "a\\nb"}}|{{nindent 2 "a"}}|{{replace " " "-" "I Am Henry"}}|{{plural "one" "many" .n}}':
      '    a\n    b|\n  a|I-Am-Henry|many',
    '{{snakecase "FirstName"}} {{camelcase "http_server"}} {{kebabcase "FirstName"}} {{swapcase "aB"}} {{initials "First Try"}}':
      'first_name HttpServer first-name Ab FT',
    '{{join "-" (list "a" 1 true)}} {{splitList "$" "foo$bar"}} {{(split "$" "foo$bar")._1}} {{regexMatch "^[a-z]+$" "abc"}} {{regexReplaceAll "a(x*)b" "-ab-axxb-" "$1 W"}}':
      'a-1-true [foo bar] bar true - W-xx W-',
    '{{default "foo" .missing}} {{default "foo" "bar"}} {{empty 0}} {{coalesce 0 1 2}} {{ternary "a" "b" true}} {{toString .n}}':
      'foo bar true 1 a 3',
    '{{wrap 5 "ab cd ef"}} {{env "HOME"}} {{expandenv "$HOME/x"}}': 'ab cd\nef /home/me /home/me/x',
  });
});

test('numbers', (t) => {
  prints(t, {
    '{{add 1 2 3}} {{add1 .n}} {{sub 5 2}} {{mul 1 2 3}} {{div 7 2}} {{mod 7 3}} {{div -7 2}} {{max 1 2 3}} {{min 1 2 3}}':
      '6 4 3 6 3 1 -3 3 1',
    '{{add .s 1}} {{int "12"}} {{int64 3.7}} {{float64 "2.5"}} {{atoi "x"}} {{toDecimal "777"}}': '8 12 3 2.5 0 511',
    '{{floor 123.9999}} {{ceil 123.001}} {{round 123.555555 3}} {{addf 1.5 2}} {{divf 10 4}} {{mulf 1.5 2}}':
      '123 124 123.556 3.5 2.5 3',
    '{{until 5}} {{untilStep 3 6 2}} {{seq 5}} {{seq -3}} {{seq 0 2}} {{seq 0 2 10}} {{seq 2 -2}}':
      '[0 1 2 3 4] [3 5] 1 2 3 4 5 1 0 -1 -2 -3 0 1 2 0 2 4 6 8 10 2 1 0 -1 -2',
  });
  t.throws(() => rendered('{{div 1 0}}'), { message: /error calling div: runtime error: integer divide by zero/ });
});

test('lists and dictionaries', (t) => {
  prints(t, {
    '{{$l := list 1 2 3}}{{first $l}} {{last $l}} {{rest $l}} {{initial $l}} {{append $l 4}} {{prepend $l 0}} {{reverse $l}}':
      '1 3 [2 3] [1 2] [1 2 3 4] [0 1 2 3] [3 2 1]',
    '{{uniq (list 1 1 2)}} {{without (list 1 2 3) 2}} {{has 2 (list 1 2)}} {{compact (list 1 "" 2)}} {{concat (list 1) (list 2)}} {{chunk 2 (list 1 2 3)}} {{sortAlpha (list "b" "a")}}':
      '[1 2] [1 3] true [1 2] [1 2] [[1 2] [3]] [a b]',
    '{{$d := dict "a" 1 "b" "x"}}{{get $d "a"}} {{hasKey $d "c"}} {{len (keys $d)}} {{set $d "c" 3}} {{omit $d "a"}} {{pick $d "a"}} {{pluck "a" $d}}':
      '1 false 2 map[a:1 b:x c:3] map[b:x c:3] map[a:1] [1]',
    '{{merge (dict "a" 1) (dict "a" 2 "b" 3)}} {{dig "a" "b" "none" (dict "a" (dict "b" 5))}} {{dig "x" "none" (dict)}}':
      'map[a:1 b:3] 5 none',
    '{{kindOf 1}} {{kindOf "a"}} {{kindIs "slice" (list)}} {{typeOf 1.5}} {{deepEqual (list 1) (list 1)}}':
      'int string true float64 true',
  });
});

test('encodings and times', (t) => {
  prints(t, {
    '{{"abc" | b64enc}} {{b64dec "YWJj"}} {{b32enc "foo"}} {{sha256sum "a" | trunc 8}} {{adler32sum "Hello world!"}}':
      'YWJj abc MZXW6=== ca978112 487130206',
    '{{toJson (dict "b" 1 "a" (list "<x>" 2.5))}} {{toRawJson (list "<x>")}} {{(fromJson "{\\"a\\":[1]}").a}}':
      '{"a":["\\u003cx\\u003e",2.5],"b":1} ["<x>"] [1]',
    '{{now | date "2006-01-02 15:04:05"}} {{now | unixEpoch}} {{htmlDate now}} {{date "Mon Jan _2 3PM" now}}':
      '2030-01-02 03:04:05 1893553445 2030-01-02 Wed Jan  2 3AM',
  });
});

test('random values come from the seed', (t) => {
  const text = '{{randAlpha 5}} {{randAlphaNum 16}} {{randNumeric 4}} {{randInt 5 10}} {{uuidv4}} {{shuffle "abcdef"}}';
  t.regex(
    rendered(text),
    /^[a-zA-Z]{5} [a-zA-Z0-9]{16} \d{4} [5-9] [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12} [a-f]{6}$/,
  );
  t.is(rendered(text), rendered(text));
  t.not(rendered(text), rendered(text, 'other'));
});

test('fail ends the rendering with its message', (t) => {
  const message = 'template: t:1:2: executing "t" at <fail "no storage cla...>: error calling fail: no storage class';
  t.throws(() => rendered('{{fail "no storage class"}}'), { message });
});
