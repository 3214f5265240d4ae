/**
 * What a container that computes answers to probes: commands are run in it, servers in it are asked, each attempt when it
 * is made. A command that takes longer than it may counts as one without an answer.
 */
import type { Container, core } from '../../api/objects/objects.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { AnswerSpan, AnswerTimeline, RunAnswers } from '../probes/probe-answers.js';
import { portNumber } from '../probes/probe-outcome.js';
import { probeSettings, type ProbeKind } from '../probes/probe-settings.js';
import type { ProbeScript } from '../scripts/script-types.js';
import type { PlayedProgram, PortAnswer } from '../containers/played-program.js';

/** How servers are asked; `undefined` = nothing listens there. */
export type AskServer = (
  host: string,
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
) => PortAnswer | undefined;

/** What it takes. */
export interface PlayedAnswersMeans {
  readonly clock: Clock;
  readonly container: Container;
  readonly address: string;
  readonly program: () => PlayedProgram | undefined;
  readonly ask: AskServer;
  /** Set where the program is the server of an image, which begins when something asks for it: tells when it has. */
  readonly onceBegun?: (listener: () => void) => void;
}

interface Result {
  readonly atMs: number;
  span: AnswerSpan;
  script: ProbeScript | undefined;
  timer?: Timer;
}

const OK: AnswerSpan = { answer: 'ok', untilMs: Infinity };
/** Attempts whose results are kept: an attempt may be looked at more than once. */
const KEPT = 16;

/** Answers of a run, for the kinds of probes that its container has and its script leaves alone. */
export function playedAnswers(means: PlayedAnswersMeans, scripted: RunAnswers): RunAnswers {
  const { onceBegun } = means;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const timeline = (kind: ProbeKind, own: AnswerTimeline | undefined): AnswerTimeline | undefined => {
    const settings = probeSettings(means.container, kind);
    if (settings === undefined || own?.script !== undefined) return own;
    const played = new PlayedTimeline(means, settings.spec, settings.timeoutMs, tell);
    if (own === undefined || onceBegun === undefined) return played;
    if (settings.spec.exec !== undefined) return own;
    const awaited = new AwaitedTimeline(own, played);
    onceBegun(() => {
      if (awaited.begin()) tell();
    });
    return awaited;
  };
  const startup = scripted.startDelayMs > 0 || onceBegun !== undefined ? undefined : timeline('startup', undefined);
  return {
    ...scripted,
    readiness: timeline('readiness', scripted.readiness) ?? scripted.readiness,
    liveness: timeline('liveness', scripted.liveness) ?? scripted.liveness,
    ...(startup === undefined ? {} : { startup }),
    listen(listener) {
      const ends = scripted.listen?.(listener);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        ends?.();
      };
    },
  };
}

/**
 * Of the server of an image: as its script says until it begins, and from then on what it answers, if it answers well
 * when it begins; a probe that it does not know is one of a program that is not the image's.
 */
class AwaitedTimeline implements AnswerTimeline {
  readonly #own: AnswerTimeline;
  readonly #played: PlayedTimeline;
  #isAsked = false;

  constructor(own: AnswerTimeline, played: PlayedTimeline) {
    this.#own = own;
    this.#played = played;
  }

  get script(): ProbeScript | undefined {
    return this.#isAsked ? this.#played.script : this.#own.script;
  }

  at(ms: number): AnswerSpan {
    return this.#isAsked ? this.#played.at(ms) : this.#own.at(ms);
  }

  forgetBefore(ms: number): void {
    this.#own.forgetBefore(ms);
  }

  /** @returns whether it is asked from now on */
  begin(): boolean {
    this.#isAsked = this.#played.isWell();
    return this.#isAsked;
  }
}

class PlayedTimeline implements AnswerTimeline {
  readonly #means: PlayedAnswersMeans;
  readonly #probe: core.Probe;
  readonly #timeoutMs: number;
  readonly #onChange: () => void;
  readonly #results: Result[] = [];

  constructor(means: PlayedAnswersMeans, probe: core.Probe, timeoutMs: number, onChange: () => void) {
    this.#means = means;
    this.#probe = probe;
    this.#timeoutMs = timeoutMs;
    this.#onChange = onChange;
  }

  get script(): ProbeScript | undefined {
    return this.#results.at(-1)?.script;
  }

  at(ms: number): AnswerSpan {
    const known = this.#results.find(({ atMs }) => atMs === ms);
    if (known !== undefined) return known.span;
    const nowMs = this.#means.clock.now();
    if (ms > nowMs) return { answer: 'unknown', untilMs: Infinity };
    if (ms < nowMs || this.#means.program()?.isPlaying !== true) return { ...OK, untilMs: ms + 1 };
    const result: Result = { atMs: ms, span: { answer: 'ok', untilMs: ms + 1 }, script: undefined };
    this.#results.push(result);
    if (this.#results.length > KEPT) this.#results.shift();
    this.#attempt(result);
    return result.span;
  }

  forgetBefore(): void {
    // What is kept is bounded.
  }

  /** Whether a server answers it well now. */
  isWell(): boolean {
    const result: Result = { atMs: this.#means.clock.now(), span: OK, script: undefined };
    this.#attempt(result);
    return result.span.answer === 'ok';
  }

  #attempt(result: Result): void {
    const { exec, httpGet, tcpSocket, grpc } = this.#probe;
    const { container, address, ask } = this.#means;
    if (exec !== undefined) return this.#run(exec.command ?? [], result);
    const port = portNumber(httpGet?.port ?? tcpSocket?.port ?? grpc?.port ?? 0, container);
    const host = httpGet?.host ?? tcpSocket?.host ?? '';
    const headers = Object.fromEntries((httpGet?.httpHeaders ?? []).map(({ name, value }) => [name, value]));
    const answer = ask(host === '' ? address : host, port, httpGet?.path ?? '/', headers);
    if (answer === undefined) {
      result.span = { ...result.span, answer: 'down' };
      return;
    }
    if (tcpSocket !== undefined || (answer.status >= 200 && answer.status < 400)) return;
    const output = httpGet === undefined ? undefined : `HTTP probe failed with statuscode: ${answer.status}`;
    fail(result, output === undefined ? {} : { output });
  }

  #run(command: readonly string[], result: Result): void {
    const { clock, program } = this.#means;
    let output = '';
    let isDone = false;
    const take = (bytes: string): void => {
      output += bytes;
    };
    const running = program()?.exec(command, {
      onStdout: take,
      onStderr: take,
      hasInput: false,
      onEnd: ({ exitCode, startError }) => {
        isDone = true;
        if (result.timer !== undefined) clock.cancel(result.timer);
        if (clock.now() > result.atMs + this.#timeoutMs) return;
        result.span = { ...result.span, answer: 'ok' };
        result.script = undefined;
        if (startError !== undefined)
          fail(result, {
            isError: true,
            output: `rpc error: code = Unknown desc = failed to exec in container: ${startError}`,
          });
        else if (exitCode !== 0) fail(result, { output });
        this.#onChange();
      },
    });
    // Until it has come back it is one that has not in time.
    fail(result, { isTimeout: true });
    result.timer = clock.schedule(this.#timeoutMs, () => {
      if (!isDone) running?.kill();
    });
  }
}

function fail(result: Result, script: ProbeScript): void {
  result.span = { ...result.span, answer: 'failing' };
  result.script = script;
}
