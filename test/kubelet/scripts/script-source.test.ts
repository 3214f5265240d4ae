import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';
import { ImageScripts } from '../../../src/kubelet/scripts/image-scripts.js';
import { ScriptError } from '../../../src/kubelet/scripts/script-error.js';
import { NO_SCRIPT } from '../../../src/kubelet/scripts/script-layer.js';
import { createScriptSource, endsByItself } from '../../../src/kubelet/scripts/script-source.js';
import { scriptStream } from '../../../src/kubelet/scripts/script-stream.js';
import { containerOf, podOf, PROFILE, scriptOf, sourceOf } from './scripts.js';

test('the container, its pod, the rules and the image: the more specific wins, field by field', (t) => {
  const images = new ImageScripts();
  images.register('nginx:1.27', { startDelay: 1, readinessDelay: 1, shutdown: '1s', cpuMillis: 1, runs: '1s' });
  const rules = [{ selector: {}, script: { startDelay: 2, readinessDelay: 2, shutdown: '2s', cpuMillis: 2 } }];
  const pod = podOf({
    words: { 'start-delay.c': '4ms', 'start-delay': '3ms', 'readiness-delay': '3ms', shutdown: '3s' },
  });
  t.deepEqual(scriptOf(pod, 'c', sourceOf(rules, images)).script, {
    startDelay: 4,
    readinessDelay: 3,
    shutdown: { delay: 3000 },
    cpuMillis: { points: [[0, 2]] },
    runs: [{ duration: 1000 }],
  });
  t.is(scriptOf(pod, 'other', sourceOf(rules, images)).script.startDelay, 3);
});

test('kubeloom.dev/exit-code › is that of the runs that rules and images speak of', (t) => {
  const source = sourceOf([{ selector: {}, script: { runs: '1s exit 4, 2s oom, 3s' } }]);
  t.deepEqual(scriptOf(podOf({ words: { 'exit-code': '3' } }), 'c', source).script.runs, [
    { duration: 1000, exitCode: 3 },
    { duration: 2000, isOutOfMemory: true },
    { duration: 3000, exitCode: 3 },
  ]);
});

const ofJob = (fields: Draft = {}): Draft => ({
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }],
  ...fields,
});

test('an app container of a Job ends by itself after the profile, unless its script speaks of runs', (t) => {
  const spec = { restartPolicy: 'OnFailure' };
  const runs = [{ duration: 10_000 }];
  const source = sourceOf();
  const [first, second] = ['a', 'b'].map((name) => podOf({ name, metadata: ofJob(), spec }));
  t.deepEqual(first && scriptOf(first, 'c', source).script, { runs });
  t.is(first && scriptOf(first, 'c', source).script, second && scriptOf(second, 'c', source).script);
  const annotated = (word: string, text: string): unknown =>
    scriptOf(podOf({ metadata: ofJob({ annotations: { [`kubeloom.dev/${word}`]: text } }), spec })).script;
  t.deepEqual(annotated('cpu', '1'), { runs, cpuMillis: { points: [[0, 1000]] } });
  t.deepEqual(annotated('exit-code', '3'), { runs: [{ duration: 10_000, exitCode: 3 }] });
  t.deepEqual(annotated('runs', 'forever'), { runs: [{}] });
});

test('other pods, sidecars of a Job and pods that are always restarted run until they are stopped', (t) => {
  const spec = {
    restartPolicy: 'Never',
    initContainers: [
      { name: 'i', image: 'x' },
      { name: 's', image: 'x', restartPolicy: 'Always' },
    ],
  };
  const pod = podOf({ metadata: ofJob(), spec });
  t.deepEqual(
    ['i', 's', 'c'].map((name) => scriptOf(pod, name).script),
    [NO_SCRIPT, NO_SCRIPT, { runs: [{ duration: 10_000 }] }],
  );
  t.is(scriptOf(podOf({ metadata: ofJob() })).script, NO_SCRIPT);
  const owned = (kind: string, apiVersion: string, controller: boolean): unknown => {
    const ownerReferences = [{ apiVersion, kind, name: 'x', uid: 'x', controller }];
    return scriptOf(podOf({ metadata: { ownerReferences }, spec })).script;
  };
  t.is(owned('ReplicaSet', 'apps/v1', true), NO_SCRIPT);
  t.is(owned('Job', 'example.com/v1', true), NO_SCRIPT);
  t.is(owned('Job', 'batch/v1', false), NO_SCRIPT);
});

test('kubeloom.dev/exit-code › makes an init container end so after the profile', (t) => {
  const spec = { initContainers: [{ name: 'i', image: 'x' }] };
  const { script } = scriptOf(podOf({ words: { 'exit-code': '3' }, spec }), 'i');
  t.deepEqual(script, { runs: [{ duration: 1000, exitCode: 3 }] });
});

test('endsByItself › is so for runs with an end and for memory that comes over its limit', (t) => {
  const source = sourceOf();
  const ends = (words: Readonly<Record<string, string>>): boolean => {
    const containers = [{ name: 'c', image: 'x', resources: { limits: { memory: '1Gi' } } }];
    return endsByItself(source, podOf({ words, spec: { containers } }));
  };
  t.deepEqual(
    [{}, { 'run-for': '1m' }, { runs: 'forever' }, { memory: '0s=1Mi, 1h=2Gi' }, { memory: '1Gi' }].map(ends),
    [false, true, false, true, false],
  );
});

/** Which of some images a pattern matches. */
function matching(pattern: string): readonly string[] {
  const images = new ImageScripts();
  images.register(pattern, { startDelay: 1 });
  const all = [
    'nginx',
    'nginx:1.27',
    'docker.io/library/nginx:latest',
    'registry.example/a/nginx:1.27',
    'nginx@sha256:00',
  ];
  return all.filter((image) => {
    const pod = podOf({ spec: { containers: [{ name: 'c', image }] } });
    return scriptOf(pod, 'c', sourceOf([], images)).script.startDelay === 1;
  });
}

test('registered images › match as they are written, by their full reference, or by a glob', (t) => {
  t.deepEqual(matching('nginx'), ['nginx', 'docker.io/library/nginx:latest']);
  t.deepEqual(matching('docker.io/library/nginx:1.27'), ['nginx:1.27']);
  t.deepEqual(matching('nginx:*'), ['nginx:1.27']);
  t.deepEqual(matching('docker.io/*'), ['nginx', 'nginx:1.27', 'docker.io/library/nginx:latest', 'nginx@sha256:00']);
  t.deepEqual(matching('registry.example/*:1.2?'), ['registry.example/a/nginx:1.27']);
  t.deepEqual(matching('registryXexample/*'), []);
  t.deepEqual(matching('*'), [
    'nginx',
    'nginx:1.27',
    'docker.io/library/nginx:latest',
    'registry.example/a/nginx:1.27',
    'nginx@sha256:00',
  ]);
});

test('registered images › the last registered that matches wins, until it is taken back', (t) => {
  const images = new ImageScripts();
  const source = sourceOf([], images);
  const delay = (): unknown => scriptOf(podOf(), 'c', source).script.startDelay;
  t.is(delay(), undefined);
  const takeExactBack = images.register('nginx:1.27', { startDelay: 1 });
  const takeGlobBack = images.register('nginx:*', { startDelay: 2 });
  images.register('other', { startDelay: 3 });
  t.is(delay(), 2);
  takeGlobBack();
  takeGlobBack();
  t.is(delay(), 1);
  takeExactBack();
  t.is(delay(), undefined);
});

test('registered images › a function is asked for each container, with a stream of its own', (t) => {
  const images = new ImageScripts();
  images.register('nginx:*', (pod, { name }, random) =>
    pod.metadata.name === 'silent' ? undefined : { startDelay: random.int(0, 1_000_000), processes: name.length },
  );
  const draw = (name: string, container: string): unknown =>
    scriptOf(podOf({ name }), container, sourceOf([], images)).script;
  t.is(draw('silent', 'c'), draw('silent', 'other'));
  const all = [draw('p', 'c'), draw('p', 'other'), draw('q', 'c')] as { startDelay: number; processes: object }[];
  t.is(new Set(all.map(({ startDelay }) => startDelay)).size, 3);
  t.deepEqual(all[1]?.processes, { points: [[0, 5]] });
  t.deepEqual(draw('p', 'c'), all[0]);
});

test('registered images › what cannot be used is refused, when it is registered or returned', (t) => {
  const images = new ImageScripts();
  const message = (act: () => unknown): string => t.throws(act, { instanceOf: ScriptError }).message;
  t.is(
    message(() => images.register(' ', {})),
    'pattern must be an image such as nginx:1.27, or a glob such as registry.example/*, got " "',
  );
  t.is(
    message(() => images.register('nginx', { runs: [{ exitCode: 256 }] })),
    'behaviour.runs[0].exitCode must be an integer in 0..255, got 256',
  );
  images.register('*', () => ({ startDelay: 'soon' }));
  t.regex(
    message(() => scriptOf(podOf(), 'c', sourceOf([], images))),
    /^registerImage\("\*"\) for container c of pod default\/p: script\.startDelay must be milliseconds >= 0 or a duration .*, got "soon"$/,
  );
});

test('scriptStream › depends on seed, pod, container and purpose alone, and is opened at its first draw', (t) => {
  const opened: string[] = [];
  const kernel = createKernel({ seed: 'streams' });
  const counting = {
    random: (name: string) => {
      opened.push(name);
      return kernel.random(name);
    },
  };
  const pod = podOf();
  const stream = scriptStream(counting, pod, containerOf(pod), 'run/0');
  t.deepEqual(opened, []);
  const drawn = [stream.bits(), stream.int(0, 9), stream.unit()];
  t.deepEqual(opened, ['script/default/p/c/run/0']);
  const again = kernel.random('script/default/p/c/run/0');
  t.deepEqual(drawn, [again.bits(), again.int(0, 9), again.unit()]);
});

test('a script opens no stream by itself', (t) => {
  const kernel = { random: () => t.fail() };
  const images = new ImageScripts();
  images.register('*', { startDelay: { uniform: [1, 2] } });
  images.register('nginx:*', () => ({ startDelay: 5 }));
  const source = createScriptSource({ kernel, profile: PROFILE, images });
  t.deepEqual(scriptOf(podOf({ words: { 'run-for': 'uniform(1s, 2s)' } }), 'c', source).script, {
    startDelay: 5,
    runs: [{ duration: { uniform: [1000, 2000] } }],
  });
});
