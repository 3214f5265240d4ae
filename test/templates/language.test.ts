/** The language of text/template; what is expected is what Go's documentation and its own tests say. */
import test, { type ExecutionContext } from 'ava';
import { parseTemplate, type TemplateSettings } from '../../src/templates/template.js';
import { dictOf } from '../../src/templates/values.js';

const DATA = {
  name: 'web',
  count: 3,
  ratio: 0.5,
  empty: '',
  list: ['a', 'b', 'c'],
  map: { two: 2, one: 1 },
  nested: { deep: { value: 'found' } },
  nothing: null,
  yes: true,
};

function rendered(text: string, settings: TemplateSettings = {}): string {
  return parseTemplate('t.yaml', text, settings).render(dictOf(DATA, 'yaml'));
}

/** Texts by what they print. */
function prints(t: ExecutionContext, cases: Readonly<Record<string, string>>): void {
  for (const [text, expected] of Object.entries(cases)) t.is(rendered(text), expected, text);
}

/** Texts by the message that refuses them. */
function refuses(t: ExecutionContext, cases: Readonly<Record<string, string>>): void {
  for (const [text, message] of Object.entries(cases)) t.throws(() => rendered(text), { message }, text);
}

function at(column: number, context: string, problem: string): string {
  return `template: t.yaml:1:${column}: executing "t.yaml" at <${context}>: ${problem}`;
}

test('text, fields, variables and constants print', (t) => {
  prints(t, {
    'plain text': 'plain text',
    '{{.name}}-{{.count}} {{.ratio}}': 'web-3 0.5',
    '{{.nested.deep.value}} {{$.nested.deep.value}}': 'found found',
    '{{$x := .nested}}{{$x.deep.value}}': 'found',
    '{{$x := 1}}{{$x = 2}}{{$x}}': '2',
    '{{"a\\tb\\u00e9\\x41"}} {{`raw\\n`}}': 'a\tbéA raw\\n',
    "{{'a'}} {{1e3}} {{0x1F}} {{0o17}} {{017}} {{1_000}} {{-4}} {{1.50}}": '97 1000 31 15 15 1000 -4 1.5',
    '{{true}} {{.yes}} {{.}}':
      'true true map[count:3 empty: list:[a b c] map:map[one:1 two:2] name:web nested:map[deep:map[value:found]] nothing:<nil> ratio:0.5 yes:true]',
    '{{(index .list 1)}} {{(.nested).deep.value}}': 'b found',
  });
});

test('trim markers take the spaces on their side, comments print nothing', (t) => {
  prints(t, {
    '"{{23 -}} < {{- 45}}"': '"23<45"',
    'a \n {{- 1 -}} \n b': 'a1b',
    'a{{/* a comment */}}b': 'ab',
    'a {{- /* a comment\n over lines */ -}} b': 'ab',
    '{{- /* first */ -}}\n{{.name}}': 'web',
  });
});

test('if, with and range choose by what is empty', (t) => {
  prints(t, {
    '{{if .empty}}a{{else if .nothing}}b{{else if 0}}c{{else if 0.0}}d{{else}}e{{end}}': 'e',
    '{{if .list}}list{{end}}{{if not .map}}no{{else}}map{{end}}': 'listmap',
    '{{with .nested.deep}}{{.value}} {{$.name}}{{else}}none{{end}}': 'found web',
    '{{with .empty}}x{{else with .name}}{{.}}{{end}}': 'web',
    '{{with $x := .count}}{{$x}}{{end}}': '3',
    '{{range .list}}<{{.}}>{{end}}': '<a><b><c>',
    '{{range $i, $e := .list}}{{$i}}={{$e}} {{end}}': '0=a 1=b 2=c ',
    '{{range $e := .list}}{{$e}}{{end}}': 'abc',
    '{{range $k, $v := .map}}{{$k}}:{{$v}};{{end}}': 'one:1;two:2;',
    '{{range .nothing}}x{{else}}empty{{end}}{{range .missing}}x{{else}}empty{{end}}': 'emptyempty',
    '{{range 3}}{{.}}{{end}}': '012',
    '{{range .list}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}': 'ac',
    '{{range .list}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}': 'a',
    '{{$x := "outer"}}{{if true}}{{$x := "inner"}}{{end}}{{$x}}': 'outer',
    '{{$x := "outer"}}{{range .list}}{{$x = .}}{{end}}{{$x}}': 'c',
  });
});

test('pipes hand a value on as the last argument', (t) => {
  prints(t, {
    '{{.count | printf "%03d"}}': '003',
    '{{"output" | printf "%s-%s" "put"}}': 'put-output',
    '{{printf "%d" (len .list)}}': '3',
    '{{.name | printf "%q" | len}}': '5',
  });
});

test('functions of the language compute what their Go namesakes do', (t) => {
  prints(t, {
    '{{and 1 0}} {{and 1 2}} {{or 0 ""}} {{or 0 .name}} {{not 0}}': '0 2  web true',
    '{{and .empty (index .list 9)}}|{{or .name (index .list 9)}}': '|web',
    '{{eq .count 3}} {{eq .name "x" "web"}} {{ne 1 2}} {{lt 1 2}} {{le 2 2}} {{gt 1 2}} {{ge 2 2}}':
      'true true true true true false true',
    '{{lt "a" "b"}} {{lt 0.5 1.5}} {{eq nil nil}} {{eq .nothing nil}} {{eq .missing nil}}': 'true true true true true',
    '{{index .list 2}} {{index .map "two"}} {{index .nested "deep" "value"}} {{index "abc" 1}}': 'c 2 found 98',
    '{{slice "abcdef" 1 3}} {{slice .list 1}} {{len "né"}} {{len .map}}': 'bc [b c] 3 2',
    '{{print 1 2 "a" 3 "b" "c"}} {{println "x" 1}}': '1 2a3bc x 1\n',
    '{{html "<a href=\\"x\\">&"}} {{urlquery "a b&c"}} {{js "it\'s"}}':
      "&lt;a href=&#34;x&#34;&gt;&amp; a+b%26c it\\'s",
  });
});

test('what is not there prints as no value, or is refused where that is asked for', (t) => {
  prints(t, {
    '{{.missing}} {{.missing.deeper}} {{.nothing}} {{index .map "x"}}': '<no value> <no value> <no value> <no value>',
    '{{printf "%v" .missing}}': '<nil>',
    '{{if .missing}}x{{else}}absent{{end}}': 'absent',
  });
  const message = 'template: t.yaml:2:3: executing "t.yaml" at <.missing>: map has no entry for key "missing"';
  t.throws(() => rendered('\na{{.missing}}', { missingKey: 'error' }), { message });
});

test('templates are defined, called and put into a text of their own', (t) => {
  prints(t, {
    '{{define "T1"}}ONE {{.}}{{end}}{{template "T1" .name}} {{template "T1"}}': 'ONE web ONE <no value>',
    '{{block "B" .list}}{{len .}}{{end}}': '3',
    '{{define "a"}}a{{template "b" .}}{{end}}{{define "b"}}b{{.}}{{end}}{{template "a" 1}}': 'ab1',
  });
  const others = [{ name: 'envs.tpl', text: '{{define "env"}}- {{.}}{{end}}' }];
  t.is(rendered('{{template "env" .name}}', { others }), '- web');
  refuses(t, {
    '{{define "loop"}}{{template "loop"}}{{end}}{{template "loop"}}':
      'template: t.yaml:1:28: executing "loop" at <{{template "loop"}}>: exceeded maximum template depth (1000)',
    '{{template "none"}}':
      'template: t.yaml:1:11: executing "t.yaml" at <{{template "none"}}>: template "none" not defined',
  });
});

test('texts that are no templates are refused with their line', (t) => {
  refuses(t, {
    'a\n{{if .x}}b': 'template: t.yaml:2: unexpected EOF',
    '\n\n{{end}}': 'template: t.yaml:3: unexpected {{end}}',
    '{{nofunc 1}}': 'template: t.yaml:1: function "nofunc" not defined',
    '\n{{$x}}': 'template: t.yaml:2: undefined variable "$x"',
    '{{.a': 'template: t.yaml:1: unclosed action',
    '{{(1}}': 'template: t.yaml:1: unclosed left paren',
    '{{1)}}': 'template: t.yaml:1: unexpected right paren',
    '{{"a}}': 'template: t.yaml:1: unterminated quoted string',
    '{{/* a }}': 'template: t.yaml:1: unclosed comment',
    '{{}}': 'template: t.yaml:1: missing value for command',
    '{{if}}x{{end}}': 'template: t.yaml:1: missing value for if',
    '{{1 | 2}}': 'template: t.yaml:1: non executable command in pipeline stage 2',
    '{{break}}': 'template: t.yaml:1: {{break}} outside {{range}}',
    '{{else}}': 'template: t.yaml:1: unexpected {{else}}',
    '{{.a-b}}': 'template: t.yaml:1: bad character "-"',
    '{{if 1}}{{else}}{{else}}{{end}}': 'template: t.yaml:1: expected end; found {{else}}',
    '{{$a, $b := 1}}': 'template: t.yaml:1: too many declarations in command',
  });
});

test('what cannot be carried out is refused with its line and column', (t) => {
  refuses(t, {
    '{{eq 1 1.0}}': at(2, 'eq 1 1.0', 'error calling eq: incompatible types for comparison'),
    '{{lt .list 1}}': at(2, 'lt .list 1', 'error calling lt: invalid type for comparison'),
    '{{eq .list .list}}': at(
      2,
      'eq .list .list',
      'error calling eq: non-comparable types []interface {}: [a b c], []interface {}: [a b c]',
    ),
    '{{index .list 3}}': at(2, 'index .list 3', 'error calling index: index out of range: 3'),
    '{{printf 1}}': at(2, 'printf 1', 'wrong type for value; expected string; got int'),
    '{{len 3}}': at(2, 'len 3', 'error calling len: len of type int'),
    '{{not}}': at(2, 'not', 'wrong number of args for not: want 1 got 0'),
    '{{.name.x}}': at(2, '.name.x', "can't evaluate field x in type string"),
    '{{.nothing.x}}': at(2, '.nothing.x', 'nil pointer evaluating interface {}.x'),
    '{{nil}}': at(2, 'nil', 'nil is not a command'),
    '{{.name 1}}': at(2, '.name', 'name is not a method but has arguments'),
    '{{range .name}}{{end}}': at(8, '.name', "range can't iterate over web"),
  });
});
