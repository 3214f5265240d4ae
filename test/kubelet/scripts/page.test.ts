import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createCluster, parseScriptFile, type Cluster, type EventRecord, type Pod } from '../../../src/index.js';
import { MAIN } from '../../cli/main-file.js';

const DOOR = fileURLToPath(new URL('../../../src/index.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubeloom-page-'));

/** One example of the page: its blocks by kind, those of earlier examples that it builds upon included. */
interface Example {
  readonly title: string;
  readonly kind: 'manifest' | 'program' | 'command';
  readonly text: string;
  readonly rules: string | undefined;
  readonly manifest: string;
  /** What happens, as the page says. */
  readonly told: string;
}

/** The fenced blocks in order; a text tells what happens with the block before. */
function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = [];
  let [title, rules, manifest] = ['', undefined as string | undefined, ''];
  let open: Omit<Example, 'told'> | undefined;
  for (const [, heading, language, text = ''] of page.matchAll(/^#+ (.+)$|^```(\w+)\n([^]*?)^```$/gm)) {
    if (heading !== undefined) [title, rules] = [heading, undefined];
    else if (language === 'text' && open !== undefined) {
      examples.push({ ...open, told: text });
      open = undefined;
    } else if (language === 'yaml' && text.startsWith('- ')) rules = text;
    else if (language === 'yaml') {
      manifest = text;
      open = { title, kind: 'manifest', text, rules, manifest };
    } else if (language === 'js') open = { title, kind: 'program', text, rules, manifest };
    else if (language === 'sh') examples.push({ title, kind: 'command', text, rules, manifest, told: '' });
  }
  return examples;
}

const NO_TIME = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 };
const EVENTS: readonly string[] = ['BackOff', 'Failed', 'InvalidScript', 'Killing', 'Unhealthy'];

/** What is seen of a pod, one line for each change, with the whole seconds since its creation. */
class Story {
  readonly lines: string[] = [];
  readonly #cluster: Cluster;
  readonly #startMs: number;
  #last = '';

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#startMs = cluster.nowMs;
  }

  seePod(type: string, pod: Pod): void {
    const seen = type === 'DELETED' ? 'the pod is gone' : stateText(pod);
    if (seen !== undefined && seen !== this.#last) this.tell(seen);
    this.#last = seen ?? this.#last;
  }

  seeEvent({ type, reason = '', message = '' }: EventRecord): void {
    if (EVENTS.includes(reason))
      this.tell(`  ${type} ${reason}: ${message.replaceAll(/[\w-]+\(\S+\)|\(\S{36}\)/g, '…')}`);
  }

  tell(text: string): void {
    const seconds = Math.floor((this.#cluster.nowMs - this.#startMs) / 1000);
    this.lines.push(`${`${seconds}s`.padStart(4)} ${text}`);
  }
}

function stateText({ status }: Pod): string | undefined {
  const [container] = status.containerStatuses ?? [];
  if (container === undefined) return undefined;
  const { state = {}, ready, started, restartCount } = container;
  const restarts = restartCount === 0 ? '' : `, restarts ${restartCount}`;
  if (state.waiting !== undefined) return `waiting: ${state.waiting.reason}${restarts}`;
  if (state.terminated !== undefined) {
    return `terminated: ${state.terminated.reason}, exit code ${state.terminated.exitCode}${restarts}`;
  }
  const readiness = ready ? 'ready' : 'not ready';
  return `running, ${started === true ? readiness : 'not started'}${restarts}`;
}

/** Plays a manifest for as many lines as the page tells; `you delete it` is done at its second. */
async function play({ text, rules, told }: Example): Promise<readonly string[]> {
  const scripts = rules === undefined ? [] : parseScriptFile(rules, 'rules.yaml');
  const cluster = createCluster({ nodes: 1, latency: 0, runtime: NO_TIME, scripts });
  await cluster.ready();
  const story = new Story(cluster);
  const pods = cluster.watch('Pod').subscribe((event) => {
    story.seePod(event.type, event.object);
  });
  const events = cluster.events$.subscribe(({ event }) => story.seeEvent(event));
  cluster.apply(text);
  const [, deletedAt] = /^ *(\d+)s you delete it$/m.exec(told) ?? [];
  if (deletedAt !== undefined) {
    await cluster.run({ limit: Number(deletedAt) * 1000 });
    story.tell('you delete it');
    cluster.delete('Pod', cluster.list('Pod')[0]?.metadata.name ?? '');
  }
  const wanted = linesOf(told).length;
  await cluster.run({ until: () => story.lines.length >= wanted, limit: '10m' });
  pods.unsubscribe();
  events.unsubscribe();
  await cluster.dispose();
  return story.lines.slice(0, wanted);
}

function linesOf(told: string): readonly string[] {
  return told.split('\n').filter((line) => line !== '');
}

/** Runs a program of the page against these sources. */
function printed(program: string): string {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, program.replace("from 'kubeloom'", `from '${pathToFileURL(DOOR).href}'`));
  return spawnSync(process.execPath, [path], { encoding: 'utf8' }).stdout;
}

/** Runs a command of the page where its files are. */
function commandStatus(t: ExecutionContext, { text, rules = '', manifest }: Example): void {
  writeFileSync(join(folder, 'rules.yaml'), rules);
  writeFileSync(join(folder, 'pod.yaml'), manifest);
  const [npx, name, ...args] = text.trim().split(' ');
  t.deepEqual([npx, name], ['npx', 'kubeloom']);
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8' });
  t.is(status, 0, stderr);
}

const page = readFileSync('docs/container-scripts.md', 'utf8');
const examples = examplesOf(page);

test('container scripts › each block of the page belongs to an example', (t) => {
  const blocks = page.match(/^```\w+$/gm) ?? [];
  const rules = new Set(examples.map((example) => example.rules)).size - 1;
  const told = examples.filter((example) => example.told !== '');
  t.is(examples.length + told.length + rules, blocks.length);
});

for (const example of examples) {
  test(`container scripts › ${example.title} › its ${example.kind} does what the page says`, async (t) => {
    if (example.kind === 'command') commandStatus(t, example);
    else if (example.kind === 'program') t.is(printed(example.text), example.told);
    else t.deepEqual(await play(example), linesOf(example.told));
  });
}
