import type { Macro, TestFn } from 'ava';

type AnyMacro = Macro<unknown[]>;
type Declare = (title: string | AnyMacro, ...rest: readonly unknown[]) => void;

/** What tests of a shared thread use of ava's `test`. */
type SharedTests = Declare & { readonly serial: Declare; readonly skip: Declare } & Pick<
    TestFn,
    'macro' | 'before' | 'after'
  >;

/**
 * What ava's `test` is to a file that shares its thread with the other files of its room: titles begin with the file,
 * and tests have their turn one after the other, so that no more clusters are alive than one test makes.
 */
export function testsOf(test: TestFn, file: string): SharedTests {
  const beginning = (declare: unknown): Declare => {
    return (title, ...rest) => (declare as Declare)(inFile(file, title), ...rest);
  };
  const serial = beginning(test.serial);
  return Object.assign(beginning(test.serial), {
    serial,
    skip: beginning(test.skip),
    macro: test.macro,
    before: test.before,
    after: test.after,
  });
}

function inFile(file: string, title: string | AnyMacro): string | AnyMacro {
  if (typeof title === 'string') return `${file} › ${title}`;
  return { exec: title.exec, title: (own, ...rest) => `${file} › ${title.title?.(own, ...rest)}` };
}
