/** Plain shell in virtual time: what BusyBox prints for the same scripts. */
import test from 'ava';
import { play } from './play.js';

/* eslint-disable no-template-curly-in-string -- braces are the shell's */

/** Scripts with what they print, and their exit codes. */
const SCRIPTS: readonly (readonly [title: string, script: string, stdout: string, exitCode?: number])[] = [
  ['words and quotes', `a='x  y'; echo $a "$a" '$a' \\$a`, 'x y x  y $a $a\n'],
  ['defaults', 'echo ${a:-one} ${a-two} ${a:=three} $a ${a:+four}', 'one two three three four\n'],
  [
    'parts of values',
    'p=/a/b.tar.gz; echo ${p#*/} ${p##*/} ${p%.*} ${p%%.*} ${#p}',
    'a/b.tar.gz b.tar.gz /a/b.tar /a/b 11\n',
  ],
  ['replacements', 'v=banana; echo ${v/an/X} ${v//an/X} ${v:1:3}', 'bXana bXXa ana\n'],
  [
    'arithmetic',
    'i=3; echo $((i*2+1)) $(( (i<<2) % 5 )) $((i>2?7:8)) $((i+=4)) $i 0x10=$((0x10))',
    '7 2 7 7 7 0x10=16\n',
  ],
  ['commands in words', 'echo "$(echo a; echo b)" `echo c`', 'a\nb c\n'],
  ['fields', `IFS=:; v=a:b::c; for f in $v; do echo "[$f]"; done`, '[a]\n[b]\n[]\n[c]\n'],
  [
    'all arguments',
    'set -- a "b c"; for f in "$@"; do echo "[$f]"; done; echo $# "$*"; shift; echo $1',
    '[a]\n[b c]\n2 a b c\nb c\n',
  ],
  ['no arguments are no field', 'set --; for f in "$@"; do echo x; done; echo done', 'done\n'],
  ['patterns', 'cd /tmp; touch a.txt b.txt c.md; echo *.txt [bc]* "*"', 'a.txt b.txt b.txt c.md *\n'],
  [
    'if and case',
    'for x in a bb 5; do case $x in a) echo one;; [0-9]) echo digit;; *) echo other;; esac; done',
    'one\nother\ndigit\n',
  ],
  [
    'loops',
    'i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done',
    '1\n3\n',
  ],
  ['until', 'i=0; until [ $i -ge 2 ]; do echo $i; i=$((i+1)); done', '0\n1\n'],
  ['functions', 'f() { local v=in; echo $v $1; return 3; }; v=out; f x; echo $? $v', 'in x\n3 out\n'],
  ['subshells keep what they change', 'v=1; (v=2; echo $v); echo $v; { v=3; }; echo $v', '2\n1\n3\n'],
  ['pipes', 'printf "b\\na\\nb\\n" | sort | uniq -c | while read n w; do echo $w:$n; done', 'a:1\nb:2\n'],
  ['the last of a pipe counts', 'false | true; echo $?; true | false; echo $?; ! true; echo $?', '0\n1\n1\n'],
  ['pipefail', 'set -o pipefail; false | true; echo $?', '1\n'],
  ['a reader that has enough ends its writer', 'yes | head -n 2; echo end', 'y\ny\nend\n'],
  [
    'redirections',
    'cd /tmp; echo a > f; echo b >> f; cat < f; { echo o; echo e >&2; } > all 2>&1; cat all',
    'a\nb\no\ne\n',
  ],
  ['here-documents', "x=1; cat <<EOF\na $x\nEOF\ncat <<'EOF'\n$x\nEOF\n", 'a 1\n$x\n'],
  ['not found', 'nothing-here; echo $?; /bin/nothing; echo $?', '127\n127\n'],
  ['not executable', 'echo x > /tmp/f; /tmp/f; echo $?', '126\n'],
  [
    'scripts',
    'printf "#!/bin/sh\\necho run \\$1\\n" > /tmp/s; chmod +x /tmp/s; /tmp/s arg; . /tmp/s',
    'run arg\nrun\n',
  ],
  ['exit codes', '(exit 3); echo $?; exit 9', '3\n', 9],
  ['set -e', 'set -e; if false; then echo x; fi; false || echo y; false; echo z', 'y\n', 1],
  ['and, or', 'true && echo a || echo b; false && echo a || echo b', 'a\nb\n'],
  ['test', '[ -n a -a 1 -lt 2 ] && [ ! -e /none ] && [ -d /tmp ] && test a != b && echo yes', 'yes\n'],
  ['printf', `printf '%s|%5d|%-4s|%03d|%x\\n' a 42 b 7 255; printf '%s\\n' x y`, 'a|   42|b   |007|ff\nx\ny\n'],
  ['sed and grep', `printf 'one\\ntwo\\nthree\\n' | sed -e 's/o/0/g' -e '2d' | grep -n -v '^x'`, '1:0ne\n2:three\n'],
  [
    'bytes in hexadecimal',
    'printf "\\336\\312ab" | hexdump -C',
    '00000000  de ca 61 62                                       |..ab|\n00000004\n',
  ],
  ['tr and cut', `echo a:B:c | tr a-z A-Z | cut -d: -f1,3`, 'A:C\n'],
  [
    'modes',
    'umask 027; echo x > /tmp/m; ls -l /tmp/m | cut -c1-10; chmod u+x,o=r /tmp/m; stat -c %a /tmp/m',
    '-rw-r-----\n744\n',
  ],
  ['bytes', 'printf "é" | wc -c; echo é', '2\né\n'],
  ['dates', 'date -u +%Y-%m-%dT%H:%M:%S; sleep 61; date +%M:%S; date +%s', '2030-01-01T00:00:00\n01:01\n1893456061\n'],
  ['environment', 'export A=1; B=2; C=3 env | grep "^[ABC]="', 'A=1\nC=3\n'],
  ['background and wait', '(sleep 2; exit 4) & p=$!; wait $p; echo $?', '4\n'],
  ['a trap at the end', "trap 'echo bye $?' EXIT; exit 5", 'bye 5\n', 5],
  ['eval and exec', "x='echo hi'; eval $x; exec echo last; echo never", 'hi\nlast\n'],
];

for (const [title, script, stdout, exitCode = 0] of SCRIPTS) {
  test(`shell › ${title}`, (t) => {
    const played = play(script);
    t.deepEqual([played.stdout, played.exitCode], [stdout, exitCode], played.stderr);
  });
}

test('shell › sleep takes the time that it says, and no more', (t) => {
  t.deepEqual(play('sleep 1.5; sleep 2m; echo up'), { stdout: 'up\n', stderr: '', exitCode: 0, ms: 121_500 });
});

test('shell › a trap runs once the command that is under way has ended, and at once in a wait', (t) => {
  const term = [{ atMs: 1500, signal: 15 }];
  t.like(play("trap 'echo term; exit 7' TERM; while true; do sleep 1; done", { signals: term }), {
    stdout: 'term\n',
    exitCode: 7,
    ms: 2000,
  });
  t.like(play("trap 'echo term; exit 7' TERM; sleep 60 & wait", { signals: term }), { exitCode: 7, ms: 1500 });
});

test('shell › the first process of a container goes on where it has no handler for a signal', (t) => {
  t.like(play('sleep 5; echo done', { signals: [{ atMs: 1000, signal: 15 }] }), {
    stdout: 'done\n',
    exitCode: 0,
    ms: 5000,
  });
});

test('shell › a loop without an end takes bounded steps, and runs on', (t) => {
  const { exitCode, ms } = play('while true; do :; done');
  t.is(exitCode, undefined);
  t.true(ms <= 11_000, `${ms}`);
  t.is(play("trap 'exit 3' TERM; while :; do :; done", { signals: [{ atMs: 60_000, signal: 15 }] }).exitCode, 3);
});

test('shell › recursion, large values and files without an end are refused, and nothing hangs', (t) => {
  t.is(play('f() { f; }; f').exitCode, 2);
  t.is(play('a=xxxxxxxxxxxxxxxx; while true; do a="$a$a"; done').exitCode, 2);
  t.is(play('cat /dev/zero > /tmp/f').exitCode, 1);
  t.is(play('if true; then').exitCode, 2);
});

test('shell › input is read line by line', (t) => {
  const script = 'read a b; echo "$b $a"; while read -r line; do echo "<$line>"; done';
  t.is(play(script, { input: 'one two three\nx\\y\nlast' }).stdout, 'two three one\n<x\\y>\n');
});
